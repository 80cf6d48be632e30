"""Random criteria of ``match``: most writes meet most of them."""

from __future__ import annotations

from collections.abc import Sequence

from admission.engine.labels import LabelExpression, LabelOperator, LabelSelector
from admission.engine.match import Globs, ResourceRule
from tests.engine.build import GROUP, RULE
from tests.engine.strategies.dice import Dice, happens, pick, several

NAMES = ("train", "train-7", "", "x" * 63)
NAMESPACES = ("research", "kube-system", "")
USERS = ("system:serviceaccount:volcano-system:controllers", "kubernetes-admin", "a*b", "")
LABELS: Sequence[dict[str, str]] = ({"team": "a"}, {"team": "b", "app.kubernetes.io/name": "x"}, {"team": ""}, {})

_RULES = (
    ResourceRule((GROUP,), ("jobs/status",)),
    ResourceRule((GROUP,), ("jobs",)),
    ResourceRule((GROUP,), ("*/status",)),
    ResourceRule(("other.io", GROUP), ("queues", "jobs", "jobs/status"), ("v1", "v1alpha1")),
    ResourceRule((GROUP,), ("jobs/status", "jobs"), ("v1",)),
)
_PATTERNS = ("*", "*", "train*", "t?ain", "*-7", "research", "kube-*", "system:*", "*:controllers", "a*b", "?*", "")
_EXPRESSIONS = (
    LabelExpression("team", LabelOperator.IN, ("a", "")),
    LabelExpression("team", LabelOperator.NOT_IN, ("b",)),
    LabelExpression("app.kubernetes.io/name", LabelOperator.EXISTS),
    LabelExpression("team", LabelOperator.DOES_NOT_EXIST),
)


def some_rules(dice: Dice, root: str) -> Sequence[ResourceRule]:
    """Rules that mostly fit; a root other than the status is for the main resource alone."""
    if root != "status":
        return [_RULES[1]]
    return several(dice, 2, lambda d: pick(d, _RULES)) if happens(dice, 8) else [RULE]


def some_globs(dice: Dice) -> Globs:
    """Any name, mostly."""
    if not happens(dice, 6):
        return Globs()
    include = tuple(pick(dice, _PATTERNS) for _ in range(dice.number(1, 2)))
    return Globs(include, (pick(dice, _PATTERNS[2:]),) if happens(dice, 30) else ())


def a_selector(dice: Dice) -> LabelSelector | None:
    """None, mostly."""
    if not happens(dice, 8):
        return None
    return LabelSelector(tuple(pick(dice, _EXPRESSIONS) for _ in range(dice.number(1, 2))))
