"""Steps that run only as long as something is too big."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.document import Document
from admission.engine.policy import Trim
from admission.engine.steps import Budget, Step
from admission.engine.workingcopy import WorkingCopy
from tests.engine.build import (
    after,
    budget,
    cap_list,
    custom_resource,
    decide,
    drop,
    entry,
    judge,
    limit,
    only,
    patched,
    plain,
    policy,
    raw,
    restore_times,
    trimmed,
    truncate,
    write,
)
from tests.engine.oracle import size

LOG = truncate(100, "status.log", keep="Tail", marker="…")
MESSAGE = truncate(40, "status.message", marker="…")
PHASE = drop("status.phase")
STATUS = {"history": [{"id": n} for n in range(30)], "log": "l" * 900, "message": "m" * 300, "phase": "Running"}
WHOLE = size(STATUS)
AFTER_LOG = size(STATUS | {"log": "l" * 97 + "…"})
AFTER_MESSAGE = AFTER_LOG - 260
AFTER_PHASE = AFTER_MESSAGE - len('"phase":"Running",')


def ran(decision: Decision) -> list[tuple[str, int]]:
    """The steps that are told of, and how many items of each."""
    return [(step.step, step.items) for step in decision.policies[0].steps]


@pytest.mark.parametrize(
    ("most", "left", "told"),
    [
        pytest.param(WHOLE, WHOLE, [], id="what fits to the byte is left alone"),
        pytest.param(WHOLE - 1, AFTER_LOG, ["truncate"], id="a byte too much: the first step runs"),
        pytest.param(AFTER_LOG, AFTER_LOG, ["truncate"], id="it is enough to the byte"),
        pytest.param(AFTER_LOG - 1, AFTER_MESSAGE, ["truncate", "truncate"], id="a byte too much: the second runs"),
        pytest.param(AFTER_MESSAGE - 1, AFTER_PHASE, ["truncate", "truncate", "drop"], id="all of them"),
        pytest.param(AFTER_PHASE - 1, AFTER_PHASE, ["truncate", "truncate", "drop"], id="all of them in vain"),
    ],
)
def test_runs_its_steps_in_order_until_the_status_fits(most: int, left: int, told: list[str]) -> None:
    decision = decide(budget(most, LOG, MESSAGE, PHASE), STATUS)
    assert decision.bytes_after == left
    assert ran(decision) == [("budget", 0), *((f"budget.{kind}", 1) for kind in told)]
    reached = decision.policies[0].steps[0].reason is not Reason.BUDGET_UNREACHABLE
    assert reached == (left <= most)
    assert sum(step.bytes for step in decision.policies[0].steps) == WHOLE - left


def test_says_that_it_could_not_be_reached_when_nothing_was_left_to_do() -> None:
    decision = decide(budget(50, LOG), {"history": [{"id": n} for n in range(30)]})
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.BUDGET_UNREACHABLE)
    assert decision.policies[0].reason is Reason.BUDGET_UNREACHABLE


def test_a_step_behind_it_that_makes_it_reachable_takes_the_word_back() -> None:
    decision = decide(policy(budget(100, LOG, MESSAGE), cap_list(1), PHASE), STATUS | {"log": "", "message": ""})
    assert (decision.outcome, decision.policies[0].reason) == (Outcome.TRIMMED, Reason.NONE)


def test_angle_brackets_count_as_what_etcd_stores() -> None:
    status = {"log": "<" * 300, "message": "m"}
    assert decide(budget(1_700, LOG), status).outcome is Outcome.TRIMMED
    assert decide(budget(1_900, LOG), status).outcome is Outcome.UNCHANGED


# --- the object ------------------------------------------------------------------------------------------------------


SPEC = {"query": "select 1; " * 40}


def test_on_a_status_write_the_object_is_the_stored_one_with_this_status() -> None:
    before = custom_resource({"log": ""}, spec=SPEC)
    sent = custom_resource(STATUS, spec={})
    fits = size(before | {"status": STATUS})
    assert judge(budget(fits, LOG, of="Object"), write(sent, before)).outcome is Outcome.UNCHANGED
    assert judge(budget(fits - 1, LOG, of="Object"), write(sent, before)).outcome is Outcome.TRIMMED
    assert judge(budget(fits - 1, LOG), write(sent, before)).outcome is Outcome.UNCHANGED


def test_elsewhere_the_object_is_the_submitted_one() -> None:
    sent = custom_resource(STATUS, spec=SPEC)
    attributes = write(sent, custom_resource({}), subresource="")
    assert judge(budget(size(sent), LOG, of="Object"), attributes).outcome is Outcome.UNCHANGED
    assert judge(budget(size(sent) - 1, LOG, of="Object"), attributes).outcome is Outcome.TRIMMED


def owning(status: Any) -> Any:
    """An object whose updater owns the members of its status one by one."""
    return custom_resource(status, managed=[entry("kubelet", {"f:status": {f"f:{name}": {} for name in status}})])


def test_what_pruning_takes_from_the_managed_fields_counts() -> None:
    sent = owning(STATUS)
    attributes = write(sent, custom_resource({}), subresource="")
    left = size(owning({name: value for name, value in STATUS.items() if name != "phase"}))
    enough = judge(budget(left, PHASE, LOG, of="Object"), attributes)
    assert ran(enough) == [("budget", 0), ("budget.drop", 1)]
    assert size(plain(patched(attributes, enough))) == left
    assert len(ran(judge(budget(left - 1, PHASE, LOG, of="Object"), attributes))) == 3


def test_a_limit_on_the_same_size_agrees_to_the_byte() -> None:
    sent = owning(STATUS)
    attributes = write(sent, custom_resource({}), subresource="")
    left = size(owning({name: value for name, value in STATUS.items() if name != "phase"}))
    policies = policy(budget(left, PHASE, of="Object"), limits=[limit(left, "Object", "Warn")])
    assert judge(policies, attributes).warnings == ()
    tighter = policy(budget(left - 1, PHASE, of="Object"), limits=[limit(left - 1, "Object", "Warn")])
    decision = judge(tighter, attributes)
    assert len(decision.warnings) == 1
    assert decision.policies[0].reason is Reason.BUDGET_UNREACHABLE


# --- inner steps -----------------------------------------------------------------------------------------------------


def test_a_step_inside_runs_only_when_its_requirements_hold() -> None:
    steps = [only("status.phase In Done", LOG), only("status.phase In Running", MESSAGE)]
    decision = decide(budget(500, *steps), STATUS)
    assert ran(decision) == [("budget", 0), ("budget.truncate", 1)]
    assert decision.policies[0].steps[1].path == "status.message"


def test_what_is_put_back_counts() -> None:
    stored = {"conditions": [{"type": "A", "lastTransitionTime": "2026-01-01T00:00:00.000000000Z"}], "log": "l" * 300}
    sent = {"conditions": [{"type": "A", "lastTransitionTime": "2026-01-01T01:00:00Z"}], "log": "l" * 400}
    put_back = size(stored | {"log": "l" * 400})
    most = size(sent) - 1
    assert most < put_back
    result = after(budget(most, restore_times(), LOG), custom_resource(sent), custom_resource(stored))["status"]
    assert result == stored | {"log": "…" + "l" * 97}


def test_another_root_is_measured_by_itself() -> None:
    results = [{"id": n} for n in range(30)]
    attributes = write(custom_resource(STATUS, results=results), subresource="")

    def under(most: int) -> Decision:
        made = policy(budget(most, cap_list(3, at="results")))
        return judge([dataclasses.replace(made, root="results"), policy(MESSAGE, name="other")], attributes)

    assert plain(patched(attributes, under(size(results) - 1)))["results"] == results[-3:]
    assert plain(patched(attributes, under(size(results))))["results"] == results


def test_the_result_is_final() -> None:
    for most in range(200, WHOLE, 50):
        step = budget(most, LOG, MESSAGE, cap_list(3), PHASE)
        assert decide(step, trimmed(step, STATUS)).outcome is Outcome.UNCHANGED


def test_bytes_that_are_not_in_gos_form_are_measured() -> None:
    attributes = write(custom_resource(STATUS))
    loose = replace(attributes, submitted=raw(bytes(attributes.submitted).replace(b'":', b'" :  ')), compact=False)
    for most in (WHOLE - 1, WHOLE):
        assert judge(budget(most, LOG), loose).outcome is judge(budget(most, LOG), attributes).outcome


# --- what it costs ---------------------------------------------------------------------------------------------------


class Counting(Document):
    """A document that counts how often its root is encoded."""

    encoded = 0

    def root_bytes(self, root: str) -> bytes:
        Counting.encoded += 1
        return WorkingCopy.root_bytes(self, root)


def document_of(status: Any) -> Counting:
    sent = raw(bytes(write(custom_resource(status)).submitted))
    return Counting(Raw(sent), None, roots=("status",), on_status=True, compact=True)


def test_nothing_is_encoded_between_the_steps() -> None:
    steps: list[Step] = [truncate(100, f"status.log{n}", marker="…") for n in range(20)]
    document = document_of({f"log{n}": "l" * 1_000 for n in range(20)})
    Counting.encoded = 0
    effect = budget(2_500, *steps).apply(document, 0)
    assert (sum(inner.ran for inner in effect.inner), effect.reason) == (20, Reason.NONE)
    assert Counting.encoded == 1, "once, to be sure that it fits"


def test_a_status_that_fits_is_not_even_opened() -> None:
    document = document_of(STATUS)
    budget(WHOLE, LOG).apply(document, 0)
    assert type(document.object["status"]) is Raw


def test_it_may_change_what_its_steps_may() -> None:
    made = policy(budget(1, LOG, PHASE, cap_list(3)))
    assert made.licence == policy(LOG, PHASE, cap_list(3)).licence
    assert made.acting == (Trim(LOG), Trim(PHASE), Trim(cap_list(3)))
    (step,) = (entry.step for entry in made.trim)
    assert isinstance(step, Budget)
    assert [str(path) for path in step.paths] == ["status.log", "status.phase", "status.history"]
