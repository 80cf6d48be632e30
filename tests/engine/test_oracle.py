"""The oracle sees every kind of wrong answer: a right one, bent by one thing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace as bent

from admission.engine.decision import Decision, Op, Outcome, PolicyReport, Reason, StepReport
from admission.engine.policy import Mode, Policy
from tests.engine.build import (
    Json,
    at,
    budget,
    cap_conditions,
    cap_list,
    cap_map,
    custom_resource,
    drop,
    entry,
    fit_schema,
    go,
    judge,
    limit,
    policy,
    restore_times,
    suppress,
    truncate,
    write,
)
from tests.engine.oracle import problems
from tests.engine.pair import Pair

HISTORY = [{"id": number, "m": "x" * 60} for number in range(4)]
CONDITIONS = [{"type": kind, "status": "True", "lastTransitionTime": at(n)} for n, kind in enumerate("AABC")]
STATUS: Json = {"history": HISTORY, "conditions": CONDITIONS, "message": "m" * 90, "extra": {"a": 1, "b": 2}}
STATUS["nodes"] = {"e1": "RUNNING", "e2": "DONE", "e3": "DONE"}
FIELDS: Json = {"f:status": {"f:history": {f'k:{{"id":{number}}}': {} for number in range(4)}}}
SCHEMA: Json = {
    "properties": {
        "status": {
            "properties": {
                "history": {"minItems": 2, "x-kubernetes-list-map-keys": ["id"]},
                "message": {"minLength": 60},
                "extra": {"required": ["a"]},
            }
        }
    }
}
TRIMS = policy(
    cap_list(2),
    cap_conditions(3),
    truncate(80, "status.message", marker="…"),
    drop("status.extra.b"),
    cap_map(1, where=[". In DONE"]),
    limits=[limit(100_000)],
)


def pair(policies: Policy = TRIMS, **status: Json) -> Pair:
    """The sample write, known by its schema."""
    sent = custom_resource(STATUS | status, managed=[entry("controller", FIELDS)])
    return Pair.of([policies], write(sent), SCHEMA)


def right(asked: Pair) -> Decision:
    """The engine's decision."""
    return judge(asked.policy_set, asked.attributes)


def patching(*operations: tuple[str, str, Any]) -> Decision:
    """The right decision with other operations in the place of its own."""
    decision = right(pair())
    patch = tuple(Op(op, path, None if op == "remove" else go(value)) for op, path, value in operations)
    return bent(decision, patch=patch)


def told(decision: Decision, asked: Pair | None = None) -> str:
    return "\n".join(problems(asked or pair(), decision))


def test_nothing_is_wrong_with_a_right_answer() -> None:
    decision = right(pair())
    assert decision.outcome is Outcome.TRIMMED
    assert problems(pair(), decision) == []


@pytest.mark.parametrize(
    ("operation", "wrong"),
    [
        pytest.param(("remove", "/spec/queue", None), "I1", id="outside of the root"),
        pytest.param(("remove", "/status/history/9", None), "I2", id="no such item"),
        pytest.param(("replace", "/status/message", "n" * 80), "I6", id="another text"),
        pytest.param(("replace", "/status/message", "m" * 91), "I5", id="a longer text"),
        pytest.param(("replace", "/status/message", "m" * 30 + "…"), "I8", id="a text that is too short"),
        pytest.param(("replace", "/status/conditions/0/status", "T"), "I6", id="a status that is cut"),
        pytest.param(("replace", "/status/extra/a", 1.0), "I6", id="a number that is written otherwise"),
        pytest.param(("remove", "/status/extra/a", None), "I8", id="a field that is required"),
        pytest.param(("remove", "/status/conditions/3", None), "I6/I7", id="the last of a type"),
        pytest.param(("replace", "/status/history", HISTORY[3:]), "I8", id="too few items"),
        pytest.param(("replace", "/status/history", HISTORY[:1:-1]), "I6/I7", id="another order"),
        pytest.param(("remove", "/status/nodes/e1", None), "I6", id="an entry that runs"),
        pytest.param(("remove", "/status/nodes", None), "I6", id="a whole map"),
        pytest.param(("replace", "/status/history/0/id", 7), "I8", id="what names an item"),
        pytest.param(("remove", "/status/history/0", None), "managedFields", id="ownership that is not pruned"),
    ],
)
def test_a_wrong_operation_is_seen(operation: tuple[str, str, Any], wrong: str) -> None:
    assert wrong in told(patching(operation))


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        pytest.param({"bytes_before": 1}, "bytes before", id="the size before"),
        pytest.param({"bytes_after": 1}, "bytes after", id="the size after"),
        pytest.param({"outcome": Outcome.UNCHANGED}, "a patch with the outcome", id="the outcome"),
        pytest.param({"outcome": Outcome.SUPPRESSED}, "suppressed, but", id="a write that is no no-op"),
        pytest.param({"outcome": Outcome.REJECTED, "patch": ()}, "rejected for no reason", id="a rejection"),
        pytest.param({"patch": ()}, "without a patch", id="no patch"),
        pytest.param({"message": "too big"}, "with the message", id="a message"),
        pytest.param({"warnings": ("policy x: too big",)}, "0 things are above, 1 warnings", id="a warning"),
    ],
)
def test_a_wrong_word_is_seen(changes: dict[str, Any], wrong: str) -> None:
    assert wrong in told(bent(right(pair()), **changes))


BUDGET = policy(budget(300, cap_list(3), cap_list(2), cap_list(1)))


@pytest.mark.parametrize(
    ("reason", "steps", "wrong"),
    [
        pytest.param(Reason.NONE, 4, "", id="as it should be"),
        pytest.param(
            Reason.BUDGET_UNREACHABLE, 4, "it says BudgetUnreachable", id="it fits, and says that it does not"
        ),
    ],
)
def test_a_wrong_word_of_a_budget_is_seen(reason: Reason, steps: int, wrong: str) -> None:
    asked = Pair.of([BUDGET], write(custom_resource({"history": HISTORY})))
    decision = right(asked)
    (report,) = decision.policies
    first, *rest = report.steps
    told_otherwise = bent(report, steps=(bent(first, reason=reason), *rest))
    found = told(bent(decision, policies=(told_otherwise,)), asked)
    assert wrong in found if wrong else found == ""


def test_a_step_of_a_budget_that_ran_for_nothing_is_seen() -> None:
    asked = Pair.of([BUDGET], write(custom_resource({"history": HISTORY})))
    tighter = Pair.of([policy(budget(10, cap_list(3), cap_list(2), cap_list(1)))], asked.attributes)
    decision = right(tighter)
    (report,) = decision.policies
    first, *rest = report.steps
    reached = bent(report, steps=(bent(first, reason=Reason.NONE), *rest))
    assert "for nothing" in told(bent(decision, policies=(reached,)), asked)


def test_a_rule_that_follows_a_budget_is_none_of_its_steps() -> None:
    rules = policy(budget(300, cap_list(3), cap_list(2), cap_list(1)), suppress=[suppress()])
    asked = Pair.of([rules], write(custom_resource({"history": HISTORY}), custom_resource({"history": []})))
    decision = right(asked)
    assert decision.policies[0].steps[-1].step == "suppress"
    assert told(decision, asked) == ""


LIMITED: Json = {"properties": {"status": {"properties": {"message": {"maxLength": 80}, "history": {"maxItems": 3}}}}}


@pytest.mark.parametrize(
    ("operation", "wrong"),
    [
        pytest.param(("replace", "/status/message", "m" * 79), "I6", id="a text cut too short"),
        pytest.param(("replace", "/status/message", "n" * 80), "I6", id="another text"),
        pytest.param(("replace", "/status/history", HISTORY[:2]), "I6", id="a list that lost too many"),
        pytest.param(("remove", "/status/extra", None), "I6", id="a field"),
        pytest.param(("replace", "/status/message", "m" * 80), "", id="as it should be"),
    ],
)
def test_what_is_no_fit_to_the_schema_is_seen(operation: tuple[str, str, Any], wrong: str) -> None:
    status = {"history": HISTORY[:3], "message": "m" * 90, "extra": "e"}
    asked = Pair.of([policy(fit_schema())], write(custom_resource(status)), LIMITED)
    op, path, value = operation
    decision = bent(right(asked), patch=(Op(op, path, None if op == "remove" else go(value)),))
    found = told(decision, asked)
    assert wrong in found if wrong else found == ""


def test_a_rejection_that_is_due_is_missed() -> None:
    strict = policy(cap_list(2), limits=[limit(50)])
    decision = right(pair(policy(cap_list(2))))
    assert "has to reject" in told(decision, pair(strict))
    assert problems(pair(strict), right(pair(strict))) == []


def test_a_limit_is_asked_of_what_is_stored_when_its_when_held_before_a_write_was_held_back() -> None:
    """The stored time, which comes back, no longer meets the ``when``."""
    owners = [entry("controller", {"f:status": {"f:lastActiveTime": {}}}, time=at(719))]
    stored, sent = (
        custom_resource({"lastActiveTime": at(minute), "message": "m" * 90}, managed=owners) for minute in (719, 720)
    )
    beating = policy(
        suppress=[suppress()],
        limits=[limit(50, action="Warn")],
        when=[f"status.lastActiveTime NewerThan {at(719).replace(':00Z', ':30Z')}"],
    )
    asked = Pair.of([beating], write(sent, stored, field_manager="controller"))
    decision = right(asked)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.SUPPRESSED, 1)
    assert problems(asked, decision) == []
    assert "0 warnings" in told(bent(decision, warnings=()), asked)


def test_an_observing_policy_is_judged_with_the_owners_that_the_enforced_ones_leave() -> None:
    def keyed(*numbers: int, minute: int) -> Json:
        fields: Json = {"f:history": {f'k:{{"id":{number}}}': {} for number in numbers}, "f:lastActiveTime": {}}
        return [entry("controller", {"f:status": fields}, "Apply", time=at(minute))]

    stored = custom_resource({"history": HISTORY[2:], "lastActiveTime": at(719)}, managed=keyed(2, 3, minute=719))
    sent = custom_resource({"history": HISTORY, "lastActiveTime": at(720)}, managed=keyed(0, 1, 2, 3, minute=720))
    cap, rest = policy(cap_list(2), name="cap"), policy(name="rest", suppress=[suppress()], mode=Mode.DRY_RUN)
    asked = Pair.of([cap, rest], write(sent, stored, field_manager="controller"))
    decision = right(asked)
    assert [report.outcome for report in decision.policies] == [Outcome.TRIMMED, Outcome.WOULD_SUPPRESS]
    assert problems(asked, decision) == []
    reports = (decision.policies[0], bent(decision.policies[1], outcome=Outcome.UNCHANGED))
    assert "rest observes" in told(bent(decision, policies=reports), asked)


def test_an_answer_to_a_write_that_nobody_looks_at_is_seen() -> None:
    elsewhere = pair().sending(bent(pair().attributes, resource="queues"))
    assert "I1" in told(right(pair()), elsewhere)


# --- claims that appliers lose ----------------------------------------------------------------------------------------

OWNED = entry("argocd", {"f:status": {"f:history": {}}}, "Apply")
TOOK = entry("u", {"f:status": {"f:history": {}, "f:phase": {}}}, time=at(5))
KEPT = TOOK | {"fieldsV1": {"f:status": {"f:phase": {}}}}


@pytest.mark.parametrize(
    ("managed", "wrong"),
    [
        pytest.param([OWNED, KEPT], "", id="as it should be"),
        pytest.param([TOOK], "should be back", id="the applier has nothing"),
        pytest.param([OWNED, TOOK], "is right", id="the updater has it too"),
        pytest.param([KEPT], "should be back", id="nobody has it"),
        pytest.param([OWNED | {"time": at(9)}, KEPT], "should be back", id="another time"),
        pytest.param([OWNED, KEPT, entry("x", {})], "made up", id="somebody else"),
    ],
)
def test_sees_who_must_own_what_an_updater_took_only_because_of_a_trim(managed: list[Json], wrong: str) -> None:
    stored = custom_resource({"history": HISTORY[2:]}, managed=[OWNED])
    attributes = write(custom_resource({"history": HISTORY, "phase": "x"}, managed=[TOOK]), stored, field_manager="u")
    asked = Pair.of([policy(cap_list(2))], attributes)
    decision = right(asked)
    ops = [op for op in decision.patch if not op.path.startswith("/metadata")]
    found = told(bent(decision, patch=(*ops, Op("replace", "/metadata/managedFields", go(managed)))), asked)
    assert wrong in found if wrong else found == ""


def test_sees_what_was_left_whole_although_it_could_have_been_given_back() -> None:
    stored = custom_resource({"history": HISTORY[2:]}, managed=[OWNED])
    attributes = write(custom_resource({"history": HISTORY, "phase": "x"}, managed=[TOOK]), stored, field_manager="u")
    asked = Pair.of([policy(cap_list(2))], attributes)
    step = StepReport("capList", "status.history", True, 0, 0, Reason.CO_OWNED)
    report = PolicyReport("volcano-job", "Enforce", Outcome.UNCHANGED, Reason.CO_OWNED, (step,))
    left = bent(right(asked), outcome=Outcome.UNCHANGED, policies=(report,), patch=())
    assert "could have been given back" in told(left, asked)


BEATS = policy(suppress=[suppress()])
STORED_STATUS: Json = {"lastActiveTime": at(719)}


def beat() -> Pair:
    """A heartbeat."""
    owners = [entry("controller", {"f:status": {"f:lastActiveTime": {}}}, time=at(719))]
    stored = custom_resource(STORED_STATUS, managed=owners)
    return Pair.of([BEATS], write(custom_resource({"lastActiveTime": at(720)}, managed=owners), stored))


@pytest.mark.parametrize(
    ("path", "value", "wrong"),
    [
        pytest.param("/status", STORED_STATUS, "", id="all of it"),
        pytest.param("/status", None, "I2", id="nothing"),
        pytest.param("/spec", {}, "I1", id="another member"),
    ],
)
def test_a_heartbeat_may_be_held_back_by_the_stored_status_as_a_whole(path: str, value: Json, wrong: str) -> None:
    decision = right(beat())
    assert decision.outcome is Outcome.SUPPRESSED
    found = told(bent(decision, patch=(Op("replace", path, go(value)),)), beat())
    assert (wrong in found) if wrong else not found


def test_a_condition_whose_type_a_step_may_evict_is_no_type_that_must_stay() -> None:
    """The step that caps calls the list conditions; the one that evicts is of a policy that does not."""
    caps = policy(cap_list(1, at="status.results"), restore_times(at="status.results"), name="a")
    evicts = policy(cap_map(0, at="status.results[*]"), name="b")
    asked = Pair.of([caps, evicts], write(custom_resource({"results": [{}, {"type": ""}, {}]})))
    assert problems(asked, right(asked)) == []
