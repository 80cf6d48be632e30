"""Random pairs of policies and a write."""

from __future__ import annotations

from dataclasses import replace

from admission.engine.attributes import STATUS, Attributes
from admission.engine.policy import Mode, Policy
from tests.engine.build import Json, judge, patched, plain, write
from tests.engine.pair import Pair
from tests.engine.strategies.dice import Dice, happens
from tests.engine.strategies.policies import some_policies
from tests.engine.strategies.schemas import a_schema
from tests.engine.strategies.writes import a_write

NOTHING = write({})


def _enforced(policy: Policy) -> Policy:
    return replace(policy, mode=Mode.ENFORCE)


def a_pair(dice: Dice, policies: tuple[Policy, ...] = ()) -> Pair:
    """A pair; often the stored object is what the submitted one is trimmed to, or nearly so."""
    chosen = policies or some_policies(dice)
    openapi = a_schema(dice) if happens(dice, 35) else None
    roots = {policy.root for policy in chosen} - {STATUS}

    known = Pair.of(chosen, NOTHING, openapi)
    earlier = known.under(map(_enforced, chosen)) if happens(dice, 30) else known

    def trimmed(attributes: Attributes) -> Json:
        return plain(patched(attributes, judge(earlier.policy_set, attributes)))

    return known.sending(a_write(dice, trimmed, roots, 70 if any(policy.suppress for policy in chosen) else 5))
