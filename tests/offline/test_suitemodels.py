"""The form of a suite: what may be left out, what it is then, and what is refused."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from admission.engine.decision import Outcome
from admission.engine.policy import Mode
from admission.offline.suitemodels import SuiteModel
from tests.offline.samples import SUITE, bent

CASE = ("cases", 0)
REQUEST = (*CASE, "request")
EXPECT = (*CASE, "expect")


def test_what_is_left_out_is_not_expected() -> None:
    suite = SuiteModel.model_validate(bent(SUITE, *EXPECT, to={}))
    (case,) = suite.cases
    assert case.expect.model_fields_set == set()
    assert (case.old_object, case.object_file, case.resource) == (None, None, None)
    assert (case.request.operation, case.request.request_dry_run, case.request.user) == ("UPDATE", False, None)


def test_words_become_what_they_name() -> None:
    suite = SuiteModel.model_validate(SUITE)
    assert (suite.mode, suite.cases[0].expect.outcome) == (Mode.ENFORCE, Outcome.TRIMMED)


def test_the_caller_s_flag_is_written_as_on_the_wire() -> None:
    suite = SuiteModel.model_validate(bent(SUITE, *REQUEST, to={"dryRun": True}))
    assert suite.cases[0].request.request_dry_run is True


def test_a_size_is_a_quantity() -> None:
    suite = SuiteModel.model_validate(bent(SUITE, *EXPECT, to={"bytesAfter": {"max": "2Ki"}}))
    size = suite.cases[0].expect.bytes_after
    assert size is not None
    assert size.max == 2048


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        pytest.param(bent(SUITE, *EXPECT, to={"message": "("}), '"(" is no regular expression', id="a pattern"),
        pytest.param(bent(SUITE, *EXPECT, to={"warnings": ["["]}), '"[" is no regular expression', id="of a warning"),
        pytest.param(bent(SUITE, *CASE, "now", to="noon"), '"noon" is no time; write for example 2026', id="a time"),
        pytest.param(bent(SUITE, *EXPECT, to={"maxPatchOps": -1}), "greater than or equal to 0", id="less than no ops"),
        pytest.param(bent(SUITE, *REQUEST, to={"operation": "DELETE"}), "'CREATE' or 'UPDATE'", id="an operation"),
        pytest.param(bent(SUITE, *REQUEST, to={"request_dry_run": True}), "Extra inputs", id="another word for dryRun"),
        pytest.param(bent(SUITE, "cases", to=[]), "at least 1 item", id="no cases"),
        pytest.param(bent(SUITE, "policies", to=[]), "at least 1 item", id="no policies"),
        pytest.param(bent(SUITE, "kind", to="Policy"), "'Suite'", id="another kind"),
    ],
)
def test_what_cannot_be_meant_is_refused(suite: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        SuiteModel.model_validate(suite)
