"""A write goes through the real handler, and an independent judge applies the patch."""

import msgspec
import pytest

from admission.engine.decision import Decision, Op, Outcome
from admission.engine.policy import Policy, PolicySet
from admission.errors import ReviewError
from admission.handler import Cause
from admission.offline.gojson import encode
from admission.offline.rehearsal import rehearse
from admission.offline.write import Write
from admission.policyfile.lines import Lines
from admission.policyfile.loader import policies_from_data
from tests.offline.rehearsing import rehearsed, widget
from tests.offline.samples import POLICY, TRIMMED, WIDGET, bent

CUT = Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/conditions/0"),))


def policies(mode: str = "Enforce") -> PolicySet:
    loaded: list[Policy] = policies_from_data([bent(POLICY, "spec", "mode", to=mode)], Lines(), "p.yaml")
    return PolicySet.of(loaded)


def test_the_result_is_the_object_that_the_api_server_goes_on_with() -> None:
    rehearsal = rehearse(policies(), widget(), 0)
    assert rehearsal.decision.outcome is Outcome.TRIMMED
    assert msgspec.json.decode(encode(rehearsal.result)) == {**WIDGET, "status": TRIMMED}
    assert (rehearsal.broken, rehearsal.code, rehearsal.fault) == ("", None, None)


def test_without_a_patch_the_result_is_what_was_submitted() -> None:
    rehearsal = rehearse(policies("DryRun"), widget(), 0)
    assert (rehearsal.patch, rehearsal.result) == ([], rehearsal.write.submitted)


def test_what_is_not_touched_stays_as_it_is_written() -> None:
    write = widget()
    write.submitted["n"] = msgspec.Raw(b"9007199254740993.0")
    assert b"9007199254740993.0" in encode(rehearse(policies(), write, 0).result)


def test_the_submitted_object_is_not_changed_by_the_judge() -> None:
    rehearsal = rehearsed(CUT)
    before = encode(widget().submitted)
    assert encode(rehearsal.write.submitted) == before != encode(rehearsal.result)


def test_a_patch_that_does_not_apply_says_why_and_changes_nothing() -> None:
    rehearsal = rehearsed(Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/none"),)))
    assert rehearsal.broken.startswith("the patch does not apply: ")
    assert rehearsal.result == rehearsal.write.submitted


def test_warnings_are_those_that_the_writer_gets_to_see() -> None:
    (warning,) = rehearse(policies("Warn"), widget(), 0).warnings
    assert "two-conditions would remove 77 bytes" in warning


def test_a_rejection_has_its_code_and_message() -> None:
    rehearsal = rehearsed(Decision(Outcome.REJECTED, message="2 MiB too much"))
    assert (rehearsal.code, rehearsal.message) == (413, "2 MiB too much")


def test_a_fault_is_kept_beside_its_answer() -> None:
    rehearsal = rehearsed(ValueError("broken"))
    assert rehearsal.fault is not None
    assert (rehearsal.fault.cause, rehearsal.decision.outcome) == (Cause.ENGINE, Outcome.SKIPPED)


def test_a_write_that_nobody_could_answer_is_an_error_of_its_file() -> None:
    request = {key: value for key, value in widget().request.items() if key != "uid"}
    with pytest.raises(ReviewError, match=r"^w\.json: "):
        rehearse(policies(), Write(request, "w.json"), 0)
