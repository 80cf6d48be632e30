"""Which objects a policy is enforced for while it is rolled out to a part of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.attributes import Attributes
from admission.engine.decision import Outcome, Reason
from admission.engine.policy import Mode, PolicySet
from admission.engine.rollout import share_of
from admission.engine.validate import validate
from tests.engine.build import NOW, cap_list, custom_resource, judge, limit, policy, write

LONG = custom_resource({"history": [1, 2, 3]})


def named(name: str, **changes: Any) -> Attributes:
    return write(LONG, LONG, name=name, **changes)


def enforced(percent: int, names: list[str]) -> set[str]:
    rule = policy(cap_list(1), rollout=percent)
    return {name for name in names if judge(rule, named(name)).outcome is Outcome.TRIMMED}


NAMES = [f"train-{number}" for number in range(2000)]


def test_a_share_is_a_number_that_never_changes() -> None:
    assert [share_of(named(name)) for name in ("train", "train-1", "Zürich", "\ud800")] == [15, 32, 32, 76]


def test_shares_are_spread_evenly() -> None:
    tens = Counter((share_of(named(name)) or 0) // 10 for name in NAMES)
    assert [tens[ten] for ten in range(10)] == [206, 214, 217, 191, 185, 201, 191, 186, 198, 211]


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_any_name_has_a_share(group: str, namespace: str, name: str) -> None:
    share = share_of(named(name, group=group, namespace=namespace))
    assert (share in range(100)) if name else share is None


@pytest.mark.parametrize("changes", [{"group": "other"}, {"resource": "others"}, {"namespace": "other"}])
def test_all_that_names_an_object_decides(changes: dict[str, str]) -> None:
    assert [share_of(named(name)) for name in NAMES[:9]] != [share_of(named(name, **changes)) for name in NAMES[:9]]


@pytest.mark.parametrize(
    "changes", [{"version": "v1"}, {"subresource": ""}, {"operation": "CREATE"}, {"user": "else"}, {"uid": "else"}]
)
def test_nothing_else_does(changes: dict[str, str]) -> None:
    assert share_of(named("train", **changes)) == share_of(named("train"))


def test_a_growing_percentage_only_adds_objects() -> None:
    names = NAMES[:300]
    reached = [enforced(percent, names) for percent in (0, 1, 25, 50, 99, 100)]
    assert reached[0] == set()
    assert reached[-1] == set(names)
    assert all(one < other for one, other in pairwise(reached))


def test_for_the_others_the_policy_only_observes_and_says_why() -> None:
    rule = policy(cap_list(1), rollout=15)
    decision = judge(rule, named("train"))
    assert (decision.outcome, decision.patch) == (Outcome.WOULD_TRIM, ())
    (report,) = decision.policies
    assert (report.mode, report.outcome, report.reason) == ("DryRun", Outcome.WOULD_TRIM, Reason.OUTSIDE_ROLLOUT)
    assert judge(policy(cap_list(1), rollout=16), named("train")).outcome is Outcome.TRIMMED


def test_a_policy_that_warns_only_warns_those_it_reaches() -> None:
    for percent, warned in [(16, 1), (15, 0)]:
        decision = judge(policy(cap_list(1), rollout=percent, mode=Mode.WARN), named("train"))
        assert (decision.outcome, len(decision.warnings)) == (Outcome.WOULD_TRIM, warned)


@pytest.mark.parametrize("mode", [Mode.DRY_RUN, Mode.OFF])
def test_who_only_observes_is_never_outside(mode: Mode) -> None:
    assert policy(cap_list(1), rollout=1, mode=mode).outside is None


def test_an_object_without_a_name_yet_is_outside() -> None:
    metadata = {"generateName": "train-", "namespace": "research"}
    unnamed = write(custom_resource({"history": [1, 2]}, metadata=metadata), name="", subresource="")
    rule = policy(cap_list(1), limits=[limit(1)], rollout=99)
    assert judge(rule, unnamed).outcome is Outcome.WOULD_REJECT
    later = write(custom_resource({"history": [1, 2]}, metadata={**metadata, "name": "train-x"}), subresource="")
    assert validate(PolicySet.of([rule]), later, NOW).outcome is Outcome.WOULD_REJECT
    assert judge(policy(cap_list(1), limits=[limit(1)]), unnamed).outcome is Outcome.REJECTED


def test_both_phases_agree_about_an_object() -> None:
    rule = policy(limits=[limit(1)], rollout=50)
    for name in NAMES[:40]:
        attributes = write(LONG, custom_resource({}), name=name)
        assert validate(PolicySet.of([rule]), attributes, NOW).outcome is judge(rule, attributes).outcome


def test_another_mode_keeps_the_rollout() -> None:
    policies = PolicySet.of([policy(cap_list(1), rollout=15, mode=Mode.DRY_RUN)]).in_mode(Mode.ENFORCE)
    assert judge(policies, named("train")).outcome is Outcome.WOULD_TRIM
