"""Which policies look at a write, said slowly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from admission.engine.attributes import Attributes
from admission.engine.labels import LabelExpression, LabelOperator
from admission.engine.match import Globs
from admission.engine.policy import Mode, Policy
from admission.engine.rollout import EVERYBODY
from tests.engine.build import Json, exact
from tests.engine.pair import Pair


def left_out_by(policy: Policy, attributes: Attributes) -> str:
    """The first criterion that keeps a policy from a write (but for ``when``); empty when it looks at it."""
    match = policy.match
    criteria = {
        "mode": policy.mode is not Mode.OFF,
        "resources": any(
            attributes.group in rule.groups
            and _names(rule.resources, attributes)
            and {"*", attributes.version} & set(rule.versions)
            for rule in match.resources
        ),
        "namespaces": _admits(match.namespaces, attributes.namespace),
        "names": _admits(match.names, attributes.name),
        "users": _admits(match.users, attributes.user),
    }
    found = next((name for name, met in criteria.items() if not met), "")
    if not found and match.selector is not None:
        labels = _labels(exact(attributes.submitted if attributes.stored is None else attributes.stored))
        return "" if all(_selects(one, labels) for one in match.selector.expressions) else "objectSelector"
    return found


def _names(resources: Sequence[str], attributes: Attributes) -> bool:
    if not attributes.subresource:
        return attributes.resource in resources
    return f"{attributes.resource}/{attributes.subresource}" in resources or f"*/{attributes.subresource}" in resources


def _admits(globs: Globs, name: str) -> bool:
    def fits(glob: str) -> bool:
        pattern = "".join({"*": ".*", "?": "."}.get(character, re.escape(character)) for character in glob)
        return re.fullmatch(pattern, name, re.DOTALL) is not None

    return any(map(fits, globs.include)) and not any(map(fits, globs.exclude))


def _labels(whole: Json) -> dict[str, str]:
    return whole.get("metadata", {}).get("labels") or {}


def _selects(expression: LabelExpression, labels: dict[str, str]) -> bool:
    has = expression.key in labels
    match expression.operator:
        case LabelOperator.IN:
            return has and labels[expression.key] in expression.values
        case LabelOperator.NOT_IN:
            return not has or labels[expression.key] not in expression.values
        case LabelOperator.EXISTS:
            return has
        case LabelOperator.DOES_NOT_EXIST:
            return not has


def looking(pair: Pair) -> list[Policy]:
    """The policies that look at the write (their ``when`` aside), in the order in which they apply.

    Each is in the mode that it has for this object.
    """
    found = [_rolled_out(policy, pair) for policy in pair.policies if not left_out_by(policy, pair.attributes)]
    return sorted(found, key=lambda policy: (policy.priority, policy.name))


def _rolled_out(policy: Policy, pair: Pair) -> Policy:
    attributes = pair.attributes
    if policy.rollout == EVERYBODY:
        return policy
    if policy.mode not in (Mode.ENFORCE, Mode.WARN):
        return replace(policy, rollout=EVERYBODY)  # enforced by an oracle, it would else look at some objects only
    generated = attributes.stored is None and "generateName" in (exact(attributes.submitted).get("metadata") or {})
    name = "/".join((attributes.group, attributes.resource, attributes.namespace, attributes.name))
    share = int(sha256(name.encode()).hexdigest()[:16], 16) % 100
    reached = attributes.name and not generated and share < policy.rollout
    return replace(policy, mode=policy.mode if reached else Mode.DRY_RUN, rollout=EVERYBODY)


def roots_of(policies: Sequence[Policy]) -> list[str]:
    """The members of the object that policies trim."""
    return list(dict.fromkeys(policy.root for policy in policies))
