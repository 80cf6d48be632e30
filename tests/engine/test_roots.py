"""Policies that trim another member of the object than its status, alone and beside others."""

from dataclasses import replace
from typing import Any

import pytest

from admission.engine.decision import Decision, Outcome
from admission.engine.limits import Limit
from admission.engine.match import ResourceRule
from admission.engine.policy import Mode, Policy
from tests.engine.build import (
    GROUP,
    cap_list,
    custom_resource,
    entry,
    judge,
    limit,
    only,
    patch_of,
    patched,
    plain,
    policy,
    truncate,
    write,
)

MAIN = ResourceRule((GROUP,), ("jobs",))
RESULTS = [{"id": number} for number in range(4)]
HISTORY = [{"n": number} for number in range(3)]


def rooted(root: str, *steps: Any, **options: Any) -> Policy:
    """A policy for the main resource that trims ``root``."""
    return replace(policy(*steps, rules=[MAIN], **options), root=root)


KEEP_TWO = rooted("results", cap_list(2, at="results"), name="results")
KEEP_ONE = rooted("status", cap_list(1), name="status")


def main_write(submitted: Any, stored: Any = None) -> Any:
    """A write to the main resource."""
    return write(submitted, stored, subresource="")


def report(**members: Any) -> dict[str, Any]:
    """An object that has its results beside the status."""
    return custom_resource({"history": HISTORY}, **{"results": RESULTS} | members)


def outcome(policies: list[Policy], submitted: Any, stored: Any = None) -> tuple[Decision, Any]:
    """The decision, and the object that it leaves."""
    attributes = main_write(submitted, stored)
    decision = judge(policies, attributes)
    assert not decision.violations, decision.violations
    return decision, plain(patched(attributes, decision))


def test_a_list_beside_the_status_is_trimmed() -> None:
    decision, after = outcome([KEEP_TWO], report())
    assert (decision.outcome, after["results"], after["status"]) == (
        Outcome.TRIMMED,
        RESULTS[2:],
        {"history": HISTORY},
    )
    assert all(op["path"].startswith("/results") for op in patch_of(decision.patch))


def test_policies_for_several_roots_work_on_one_write() -> None:
    decision, after = outcome([KEEP_TWO, KEEP_ONE], report())
    assert (after["results"], after["status"]) == (RESULTS[2:], {"history": HISTORY[2:]})
    assert decision.bytes_before - decision.bytes_after == len('{"id":0},') * 2 + len('{"n":0},') * 2
    assert [each.name for each in decision.policies] == ["results", "status"]


@pytest.mark.parametrize("left_out", ["status", "results"])
def test_a_root_that_is_absent_is_no_fault(left_out: str) -> None:
    without = {
        "status": custom_resource(None, results=RESULTS),
        "results": custom_resource({"history": HISTORY}),
    }
    decision, after = outcome([KEEP_TWO, KEEP_ONE], without[left_out])
    assert decision.outcome is Outcome.TRIMMED
    assert left_out not in after


def test_equal_after_trimming_means_every_root() -> None:
    stored = custom_resource({"history": HISTORY[2:]}, results=RESULTS[2:])
    assert outcome([KEEP_TWO, KEEP_ONE], report(), stored)[0].outcome is Outcome.SUPPRESSED
    changed = custom_resource({"history": [{"n": 9}]}, results=RESULTS[2:])
    assert outcome([KEEP_TWO, KEEP_ONE], report(), changed)[0].outcome is Outcome.TRIMMED


@pytest.mark.parametrize(("before", "equal"), [(None, True), ([], False), ([{"id": 9}], False)])
def test_a_null_root_equals_a_null_one(before: Any, equal: bool) -> None:
    submitted = custom_resource({"history": HISTORY}) | {"results": None}
    stored = custom_resource({"history": HISTORY[2:]}) | {"results": before}
    wanted = Outcome.SUPPRESSED if equal else Outcome.TRIMMED
    assert outcome([KEEP_TWO, KEEP_ONE], submitted, stored)[0].outcome is wanted


def test_ownership_is_pruned_below_every_root() -> None:
    keyed: dict[str, Any] = {f'k:{{"id":{number}}}': {".": {}, "f:id": {}} for number in range(4)}
    fields = {"f:results": keyed, "f:status": {"f:history": {f"i:{number}": {} for number in range(3)}}}
    _, after = outcome([KEEP_TWO, KEEP_ONE], report(managed=[entry("kyverno", fields, subresource="")]))
    owned = after["metadata"]["managedFields"][0]["fieldsV1"]
    assert (len(owned["f:results"]), len(owned["f:status"]["f:history"])) == (2, 1)


def test_a_policy_in_dry_run_reports_on_its_own_root() -> None:
    decision, after = outcome([replace(KEEP_TWO, mode=Mode.DRY_RUN)], report())
    assert (decision.outcome, after["results"]) == (Outcome.WOULD_TRIM, RESULTS)
    assert decision.bytes_before - decision.bytes_after == len('{"id":0},') * 2


def test_a_requirement_reads_the_other_root_as_sent() -> None:
    when_large = rooted("results", only("status.history[2].n Exists", cap_list(2, at="results")), name="a")
    stored = custom_resource({"history": []}, results=RESULTS)
    assert outcome([when_large, KEEP_ONE], report(), stored)[1]["results"] == RESULTS[2:]


def test_a_text_may_be_the_root() -> None:
    cut = rooted("log", truncate(40, "log"))
    _, after = outcome([cut], custom_resource({}, log="x" * 100))
    assert len(after["log"].encode()) == 40


@pytest.mark.parametrize(
    ("limited", "message"),
    [
        pytest.param(limit(9), "the member results takes 37 bytes, 28 bytes above the limit of 9 bytes", id="size"),
        pytest.param(limit(2, "results"), "the member results has 4 items, 2 above the limit of 2", id="items"),
    ],
)
def test_another_root_is_told_of_in_the_singular(limited: Limit, message: str) -> None:
    decision, _ = outcome([rooted("results", limits=[limited], name="r")], report())
    assert decision.message.partition(";")[0] == f"policy r: {message}"


def test_what_would_become_of_another_root_is_told_of_in_the_singular() -> None:
    told, stored = rooted("results", cap_list(2, at="results"), name="r", mode=Mode.WARN), report(results=RESULTS[2:])
    (removed,), (nothing,) = outcome([told], report())[0].warnings, outcome([told], report(), stored)[0].warnings
    assert removed == "statuscap: policy r would remove 18 bytes of the member results (2 items removed or cut)"
    assert nothing == (
        "statuscap: policy r would make this write a no-op: trimmed, the member results equals the stored one"
    )
