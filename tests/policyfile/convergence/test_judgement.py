"""Policies are judged alone and in pairs, in bounded time, the same each time."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from admission.crd.demands import demands_in
from admission.engine.attributes import Attributes
from admission.engine.decision import Decision
from admission.engine.evaluate import evaluate
from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Policy, PolicySet
from admission.engine.schema import Schema, Schemas
from admission.policyfile.convergence import Effort, Judgement, judge
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import presets_directory
from tests.e2e.presets import PRESETS
from tests.engine.build import GROUP, Json, cap_conditions, cap_list, limit, policy, truncate
from tests.policyfile.convergence.policies import CALM, CUTTING, RESTORING, chain

LITTLE = Effort(alone=30, together=30, policies=100, pairs=100)


def judged(*policies: Policy, effort: Effort = LITTLE) -> Judgement:
    return judge(PolicySet.of(policies), effort)


def told(judgement: Judgement) -> list[str]:
    return [each.message for each in judgement.disagreements]


def test_the_policies_that_ship_converge() -> None:
    judgement = judge(load_policies([presets_directory()]))
    assert told(judgement) == []
    assert judgement.policies > 8


def test_the_policies_that_ship_converge_under_the_schemas_of_their_kinds() -> None:
    kinds = {key: schema for preset in PRESETS for key, schema in demands_in(json.dumps(preset.crd()["spec"]).encode())}
    judgement = judge(PolicySet.of(load_policies([presets_directory()]).policies, Schemas(kinds)))
    assert told(judgement) == []
    assert len(kinds) == len(PRESETS)


def test_two_that_fight_over_what_no_object_of_the_kind_has_are_not_told_under_its_schema() -> None:
    """The API server prunes what the one puts back and the other cuts."""
    item: Json = {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}
    conditions: Json = {"type": "array", "items": item}
    status: Json = {"type": "object", "properties": {"conditions": conditions}}
    cutting = [replace(each, match=Match((ResourceRule((GROUP,), ("jobs/status",)),))) for each in (RESTORING, CUTTING)]

    def nonconverging(openapi: Json) -> frozenset[str]:
        known = Schemas({(GROUP, "v1", "jobs"): Schema.of(openapi)})
        return judge(PolicySet.of(cutting, known), LITTLE).nonconverging

    assert nonconverging({"type": "object", "properties": {"status": status}}) == set()
    item["properties"]["transitionID"] = {"type": "string"}
    assert nonconverging({"type": "object", "properties": {"status": status}}) == {"cutting", "restoring"}


def test_one_that_does_not_settle_is_told_with_the_smallest_sample() -> None:
    (each,) = judged(CALM, chain("a", "b", "c", "d")).disagreements
    assert each.message == "does not converge on a sample: capList of policy chain: still changing after 3 rounds (I4)"
    assert each.sample.submitted["status"] == {name: [{}, {}] for name in "abcd"}
    assert each.sample.stored is None


def test_one_whose_rollout_reaches_nobody_yet_is_judged_as_if_it_reached_all() -> None:
    rolled_out = replace(chain("a", "b", "c", "d"), rollout=1)
    assert judged(rolled_out).nonconverging == {"chain"}


def test_two_that_undo_each_other_are_told() -> None:
    judgement = judged(replace(RESTORING, source="p.yaml:7"), replace(CUTTING, source="p.yaml:1"), CALM)
    (each,) = judgement.disagreements
    assert [policy.name for policy in each.policies] == ["cutting", "restoring"]
    assert each.message == (
        "does not converge together with policy cutting (p.yaml:1) on a sample: "
        "policy restoring alone changes again what both have left"
    )
    assert judgement.nonconverging == {"cutting", "restoring"}


def test_one_that_does_not_settle_by_itself_is_in_no_pair() -> None:
    judgement = judged(chain("a", "b", "c", "d", name="one"), policy(cap_list(1, at="status.a"), name="other"))
    assert judgement.pairs == 0
    assert judgement.nonconverging == {"one"}


@pytest.mark.parametrize(
    ("other", "pairs"),
    [
        pytest.param(policy(cap_list(5), name="b"), 1, id="the same list"),
        pytest.param(policy(truncate(40, "status.history[*].message", marker="…"), name="b"), 1, id="inside of it"),
        pytest.param(policy(cap_list(5, at="status.other"), name="b"), 0, id="another list"),
        pytest.param(policy(cap_list(5, at="status.*"), name="b"), 1, id="perhaps the same list"),
        pytest.param(policy(cap_list(5), name="b", rules=[ResourceRule(("b.io",), ("x",))]), 0, id="another resource"),
        pytest.param(policy(cap_list(5), name="b", mode="Off"), 0, id="off"),
        pytest.param(policy(name="b", limits=[limit(10)]), 0, id="a limit trims nothing"),
    ],
)
def test_pairs_are_those_that_share_a_resource_and_a_part_of_it(other: Policy, pairs: int) -> None:
    assert judged(policy(cap_list(3), name="a"), other).pairs == pairs


def test_what_is_left_for_want_of_time_is_counted() -> None:
    policies = [policy(cap_list(number), name=f"p{number}") for number in range(1, 7)]
    judgement = judged(*policies, effort=Effort(alone=1, together=1, policies=4, pairs=5))
    assert (judgement.policies, judgement.policies_left) == (4, 2)
    assert (judgement.pairs, judgement.pairs_left) == (5, 10)


class Counting:
    """The engine, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        self.asked += 1
        return evaluate(policies, attributes, now)


def kinds(count: int) -> PolicySet:
    """The same policy for so many kinds."""
    return PolicySet.of(
        policy(cap_conditions(9), name=f"p{number}", rules=[ResourceRule((f"g{number}.io",), ("x/status",))])
        for number in range(count)
    )


def test_policies_that_do_the_same_are_judged_once() -> None:
    counts = []
    for number in (2, 200):
        engine = Counting()
        judgement = judge(kinds(number), LITTLE, engine)
        assert (judgement.policies, judgement.policies_left, told(judgement)) == (number, 0, [])
        counts.append(engine.asked)
    assert counts[0] == counts[1]


def test_each_of_those_that_do_the_same_is_told() -> None:
    bad = chain("a", "b", "c", "d")
    rules = [[ResourceRule((f"g{number}.io",), ("x/status",))] for number in range(3)]
    policies = [
        replace(bad, name=f"p{at}", match=replace(bad.match, resources=tuple(rule))) for at, rule in enumerate(rules)
    ]
    messages = told(judged(*policies))
    assert [message.partition("policy ")[2].partition(":")[0] for message in messages] == ["p0", "p1", "p2"]


def test_thousands_on_one_resource_cost_no_more_than_the_effort_allows() -> None:
    policies = PolicySet.of(policy(cap_list(1 + number), name=f"p{number}") for number in range(300))
    engine = Counting()
    judgement = judge(policies, Effort(alone=2, together=1, policies=50, pairs=40), engine)
    assert (judgement.policies_left, judgement.pairs_left) == (250, 300 * 299 // 2 - 40)
    most_a_sample = 10  # five writes, and one of each policy over two stored objects, in two phases
    assert engine.asked <= (50 * 2 + 40) * most_a_sample
