"""The schema of a line holds for every line that is written."""

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from admission.engine.decision import Outcome, Violation, unchanged
from admission.handler import Answer, Handler
from admission.observe.archive import Archive
from admission.observe.decisionlog import DecisionLog
from admission.observe.entry import Entry
from admission.observe.entryschema import entry_schema
from admission.observe.sink import MemorySink
from tests.observe.answers import NOW, POLICIES, TRIMMED, answer, failed, with_outcome
from tests.review_sample import review

VALIDATOR = jsonschema.Draft202012Validator(entry_schema())
SHED = Handler(POLICIES, lambda: NOW).shed(review())


def lines_of(*answers: Answer, archive: Archive | None = None) -> list[dict[str, Any]]:
    sink = MemorySink()
    log = DecisionLog(sink, sample=1.0, archive=archive)
    for each in answers:
        log.record(each, 1_000)
    assert log.close()
    return [json.loads(line) for line in sink.lines]


def test_is_a_schema_of_its_dialect() -> None:
    schema = entry_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert list(schema["properties"]) == [field.encode_name for field in msgspec.structs.fields(Entry)]


def test_explains_every_field() -> None:
    schema = entry_schema()
    for part in (schema, *schema["$defs"].values()):
        assert [name for name, field in part["properties"].items() if not field.get("description")] == []


@pytest.mark.parametrize("outcome", Outcome)
def test_holds_for_every_outcome(outcome: Outcome) -> None:
    (line,) = lines_of(answer(with_outcome(outcome)))
    assert line["outcome"] == outcome
    VALIDATOR.validate(line)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(failed(KeyError("x")), id="a fault"),
        pytest.param(answer(unchanged()), id="no policy"),
        pytest.param(
            answer(msgspec.structs.replace(TRIMMED, violations=(Violation("I5", "grows", "bigger"),))),
            id="a broken invariant",
        ),
        pytest.param(Handler(POLICIES).mutate(b'{"request":{"uid":"u-1","object":'), id="half a review"),
        pytest.param(answer(oldObject=None, operation="CREATE"), id="a created object"),
    ],
)
def test_holds_for_lines_of_every_kind(given: Answer) -> None:
    (line,) = lines_of(given)
    VALIDATOR.validate(line)


def test_holds_when_faults_were_left_out() -> None:
    later = Handler(POLICIES, lambda: NOW + 1_000_000_000).shed(review())
    *_, last = lines_of(*[SHED] * 20, later)
    assert last["heldBack"] == 10
    VALIDATOR.validate(last)


@pytest.mark.parametrize("max_line", [1_000_000, 1])
def test_holds_with_what_was_removed(max_line: int) -> None:
    (line,) = lines_of(answer(), archive=Archive(max_line=max_line))
    assert len(line["removed"]) + line.get("removedLeftOut", 0) == 2
    VALIDATOR.validate(line)


@pytest.mark.parametrize("bend", [{"outcome": None}, {"bytesBefore": "612"}, {"policies": [{"name": "p"}]}])
def test_refuses_what_is_no_line(bend: dict[str, Any]) -> None:
    (line,) = lines_of(answer())
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(line | bend)
