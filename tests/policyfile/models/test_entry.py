"""Entries that hold one of several steps."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from admission.policyfile.models import ACTING_MODELS
from admission.policyfile.models.entry import Entry, entry_model


class Small(Entry):
    """A small entry."""


KINDS = ("drop", "truncate")
SmallModel = entry_model(Small, {kind: ACTING_MODELS[kind] for kind in KINDS})


def test_holds_one_of_the_steps_that_it_is_made_of() -> None:
    entry = SmallModel.model_validate({"drop": {"paths": ["status.x"]}})
    assert (entry.kind, type(entry.step)) == ("drop", ACTING_MODELS["drop"])
    assert entry.compile().step.kind == "drop"


@pytest.mark.parametrize("data", [{}, {"capList": {}}, {"drop": None}])
def test_holds_nothing_else(data: object) -> None:
    with pytest.raises(ValidationError):
        SmallModel.model_validate(data)


def test_names_its_own_steps_when_there_is_none() -> None:
    with pytest.raises(ValidationError, match="has no step; write drop or truncate"):
        SmallModel.model_validate({})


def test_is_called_and_described_like_what_it_is_made_from() -> None:
    schema = SmallModel.model_json_schema()
    assert (SmallModel.__name__, schema["description"]) == ("SmallModel", "A small entry.")
    assert schema["oneOf"] == [{"required": [kind]} for kind in KINDS]
