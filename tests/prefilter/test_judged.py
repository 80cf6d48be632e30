"""Pre-filters by kube-apiserver's own code: none skips a write that the engine does anything to, and none fails."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from admission.engine.decision import Decision, Outcome
from admission.engine.policy import Mode, Policy
from admission.handler import Handler
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import presets_directory
from admission.prefilter import filter_of
from tests.cases.asparameters import suites_in
from tests.engine.build import (
    Json,
    cap_list,
    cap_map,
    custom_resource,
    drop,
    judge,
    limit,
    policy,
    restore_times,
    suppress,
    truncate,
)
from tests.engine.strategies import Seeded, a_pair
from tests.prefilter.celjudge import CelJudge

pytestmark = pytest.mark.e2e

PAIRS = 1_500


@pytest.fixture(scope="module")
def cel(request: pytest.FixtureRequest) -> Iterator[CelJudge]:
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")
    with CelJudge(terminal.write_line if terminal else print) as judge_of_cel:
        yield judge_of_cel


def does_nothing(decision: Decision) -> bool:
    quiet = not (decision.patch or decision.warnings or decision.message or decision.violations)
    outcomes = {decision.outcome, *(each.outcome for each in decision.policies)}
    return quiet and outcomes == {Outcome.UNCHANGED}


@pytest.mark.parametrize("seed", [1, 2])
def test_no_write_is_skipped_for_which_the_engine_does_anything(cel: CelJudge, seed: int) -> None:
    """Random policies and writes; each write also as the policies leave it, which is the one that is worth skipping."""
    skipped = 0
    for number in range(PAIRS):
        pair = a_pair(Seeded(random.Random(seed * 1_000_003 + number)))
        active = [each for each in pair.policies if each.mode is not Mode.OFF]
        expression = filter_of(active).expression
        if expression is None:
            continue
        sent = json.loads(bytes(pair.attributes.submitted))
        stored = None if pair.attributes.stored is None else json.loads(bytes(pair.attributes.stored))
        decision = judge(pair.policy_set, pair.attributes)
        ruling = cel.rules(expression, sent, stored)
        assert ruling.error == "", expression
        assert ruling.matches or does_nothing(decision), (number, expression, decision)
        skipped += not ruling.matches
    assert skipped > PAIRS // 20


LEAVES: Json = {"m": "x", "a": {"b": {"m": "x", "c": {"d": {"e": {"m": "x"}}}}}}
STRANGE: tuple[Any, ...] = (None, "text", 7, 7.5, True, [], {}, [None], [[1]], {"a": None}, [{}], [1, "x", {}, []])
POLICIES = (
    policy(cap_list(1), name="list"),
    policy(cap_map(1), name="map"),
    policy(truncate(40, "status.message", "status.nodes.*.message", "status.history[*].parts[*].text"), name="text"),
    policy(drop("status['a-b/c']", "status.if", "status.history[0].x"), name="names"),
    policy(restore_times(), name="times"),
    policy(suppress=[suppress("status.beats.*", "status.lastActiveTime")], name="beats"),
    policy(limits=[limit(1, "status.history", action="Warn"), limit(3, "status.message", length=True)], name="limits"),
)


@pytest.mark.parametrize("made", POLICIES, ids=lambda made: made.name)
def test_no_shape_of_a_status_makes_a_filter_fail(cel: CelJudge, made: Policy) -> None:
    expression = filter_of([made]).expression
    assert expression is not None
    shapes: list[Json] = [{}, *({"status": value} for value in STRANGE)]
    for name in ("history", "nodes", "message", "conditions", "beats", "a-b/c", "if", "lastActiveTime"):
        shapes += [{"status": {name: value}} for value in STRANGE]
    for new in shapes:
        for old in (None, {}, {"status": None}, new):
            assert cel.rules(expression, new, old).error == ""


@pytest.mark.parametrize(
    ("made", "status", "stored", "sent"),
    [
        pytest.param(cap_list(2), {"history": [1, 2]}, None, False, id="a list at its cap"),
        pytest.param(cap_list(2), {"history": [1, 2, 3]}, None, True, id="a list above its cap"),
        pytest.param(cap_map(1), {"nodes": {"a": 1}}, None, False, id="a map at its cap"),
        pytest.param(cap_map(1), {"nodes": {"a": 1, "b": 2}}, None, True, id="a map above its cap"),
        pytest.param(truncate(40), {"message": "x" * 10}, None, False, id="a text that is short in any encoding"),
        pytest.param(truncate(40), {"message": "x" * 11}, None, True, id="a text that could be long"),
        pytest.param(truncate(40), {"message": "😀" * 11}, None, True, id="a text that is"),
        pytest.param(drop("status.x"), {"y": 1}, None, False, id="nothing to drop"),
        pytest.param(drop("status.x"), {"x": None}, None, True, id="something to drop"),
        pytest.param(
            restore_times(), {"conditions": [{"a": 1}]}, None, False, id="a new object has no times to restore"
        ),
        pytest.param(
            restore_times(), {"conditions": [{"a": 1}]}, {"conditions": [{"a": 1}]}, False, id="equal conditions"
        ),
        pytest.param(restore_times(), {"conditions": [{"a": 1}]}, {"conditions": [{"a": 2}]}, True, id="other ones"),
        pytest.param(suppress("status.t"), {"t": "1"}, {"t": "1"}, False, id="nothing that differs"),
        pytest.param(suppress("status.t"), {"t": "1"}, {"t": "2"}, True, id="a heartbeat"),
        pytest.param(suppress("status.t"), {"t": "1", "u": 1}, {"t": "1", "u": 2}, False, id="news and no heartbeat"),
    ],
)
def test_only_what_there_may_be_something_to_do_with_is_sent(
    cel: CelJudge, made: Any, status: Json, stored: Json, sent: bool
) -> None:
    chosen = policy(suppress=[made]) if type(made).__name__ == "SuppressRule" else policy(made)
    expression = filter_of([chosen]).expression
    assert expression is not None
    old = None if stored is None else custom_resource(stored)
    assert cel.rules(expression, custom_resource(status), old).matches is sent


@pytest.mark.parametrize("inside", ["m", "a.b.c.d.e.m", "parts[*].m", "parts.*.a.b.m"])
def test_whatever_is_looked_into_to_the_end_is_within_what_an_expression_may_cost(cel: CelJudge, inside: str) -> None:
    """As many policies as a filter takes, with lists as long as they are looked into, and nothing to do there."""

    def filtered(number: int) -> str | None:
        paths = [f"status.list{each}[*].{inside}" for each in range(number)]
        return filter_of([policy(truncate(40, each), name=f"p{at}") for at, each in enumerate(paths)]).expression

    most = max(number for number in range(1, 80) if filtered(number) is not None)
    expression, many = filtered(most), 500 if "*" not in inside else 25
    assert most > 10
    assert expression is not None
    shapes = ([LEAVES] * many, {str(number): LEAVES for number in range(many)})
    for item in [LEAVES] if many > 25 else [{"parts": parts} for parts in shapes]:
        ruling = cel.rules(expression, {"status": {f"list{number}": [item] * many for number in range(most)}})
        assert (ruling.error, ruling.matches) == ("", False)


@pytest.mark.parametrize("items", [1_000, 20_000])
def test_a_list_of_any_length_is_within_what_an_expression_may_cost(cel: CelJudge, items: int) -> None:
    expression = filter_of([policy(truncate(400, "status.history[*].parts[*].text"))]).expression
    assert expression is not None
    ruling = cel.rules(expression, {"status": {"history": [{"parts": [{"text": "x"}]}] * items}})
    assert (ruling.error, ruling.matches) == ("", True)  # too many to look at: sent


def test_no_case_of_a_policy_that_ships_is_skipped_wrongly(cel: CelJudge) -> None:
    skipped = 0
    for suite in suites_in(presets_directory()):
        expression = filter_of(suite.policies.policies).expression
        for case in suite.cases if expression is not None else ():
            assert expression is not None
            review = case.write.review()
            asked = json.loads(review)["request"]
            decision = Handler(suite.policies, lambda at=case.now: at).mutate(review).decision  # type: ignore[misc]
            ruling = cel.rules(expression, asked["object"], asked.get("oldObject"))
            assert ruling.error == "", case.name
            assert decision is not None
            assert ruling.matches or does_nothing(decision), (case.source, case.name)
            skipped += not ruling.matches
    assert skipped > 20


def test_all_policies_that_ship_compile_together(cel: CelJudge) -> None:
    policies = load_policies([presets_directory()]).policies
    decided = [each for each in policies if filter_of([each]).expression is not None]
    assert len(decided) > len(policies) // 2
    expression = filter_of(decided).expression
    assert expression is not None
    assert cel.rules(expression, {"status": {}}) == cel.rules("false", {})
