"""Lines that hold what was removed: with the stored object they are the submitted one."""

from __future__ import annotations

import json
from typing import Any

import jsonpatch
import jsonschema
import pytest
from msgspec import Raw, UnsetType
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, unchanged
from admission.handler import Answer
from admission.observe.archive import Archive
from admission.observe.decisionlog import DecisionLog
from admission.observe.entry import RemovedEntry, entry_of, read
from admission.observe.entryschema import entry_schema
from admission.observe.sink import MemorySink
from tests.engine.build import (
    cap_list,
    custom_resource,
    decide,
    drop,
    exact,
    judge,
    patched,
    policy,
    truncate,
    write,
)
from tests.observe.answers import answer
from tests.observe.test_decisionlog import BlockedSink

ROOM = 1_000_000
MESSAGE = "<the text & all of it> " * 20
STATUS = {"history": [{"id": number, "m": MESSAGE} for number in range(8)], "message": MESSAGE}
POLICY = policy(cap_list(3), truncate(100, "status.history[*].m", "status.message"))


class Told:
    """What an archive told besides its lines."""

    def __init__(self) -> None:
        self.left_out = 0
        self.faults: list[str] = []

    def archive(self, **limits: int) -> Archive:
        def leave_out() -> None:
            self.left_out += 1

        return Archive(
            **({"max_line": ROOM} | limits),
            on_left_out=leave_out,
            on_fault=lambda error: self.faults.append(type(error).__name__),
        )


def line_of(archive: Archive, attributes: Attributes, decision: Decision) -> dict[str, Any]:
    entry = entry_of(answer(decision), decision, "replica-1", 1)
    line = archive.line(entry, attributes, decision.patch)()
    assert line.count(b"\n") == 1
    written: dict[str, Any] = exact(line)
    return written


def test_the_line_and_the_stored_object_are_the_submitted_one() -> None:
    attributes = write(custom_resource(STATUS))
    decision = judge(POLICY, attributes)
    line = line_of(Told().archive(), attributes, decision)
    assert jsonpatch.apply_patch(patched(attributes, decision), line["removed"]) == exact(attributes.submitted)
    assert "removedLeftOut" not in line


def test_a_cut_text_is_there_whole_and_an_item_at_its_place() -> None:
    attributes = write(custom_resource({**STATUS, "history": [{"id": number} for number in range(5)]}))
    removed = line_of(Told().archive(), attributes, judge(POLICY, attributes))["removed"]
    assert [(each["op"], each["path"]) for each in removed] == [
        ("add", "/status/history/0"),
        ("add", "/status/history/1"),
        ("replace", "/status/message"),
    ]
    assert removed[-1]["value"] == MESSAGE


def test_what_does_not_fit_is_left_out_and_counted() -> None:
    told = Told()
    attributes = write(custom_resource({"history": [{"id": number, "m": "x" * 99} for number in range(50)]}))
    decision = judge(policy(cap_list(1)), attributes)
    entry = entry_of(answer(decision), decision, "replica-1", 1)
    line = told.archive(max_line=3_000).line(entry, attributes, decision.patch)()
    written = json.loads(line)
    assert 2_700 < len(line) <= 3_000
    assert 10 < len(written["removed"]) < 49
    assert len(written["removed"]) + written["removedLeftOut"] == 49
    assert [each["path"] for each in written["removed"][:2]] == ["/status/history/0", "/status/history/1"]
    assert told.left_out == 1


def test_a_review_with_blanks_still_makes_one_line() -> None:
    submitted = json.dumps(custom_resource(STATUS), indent=2).encode()
    attributes = write(submitted)
    decision = judge(POLICY, attributes)
    line = line_of(Told().archive(), attributes, decision)
    assert jsonpatch.apply_patch(patched(attributes, decision), line["removed"]) == exact(submitted)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(b'"\xff\xfe"', id="no UTF-8"),
        pytest.param(b'"\xed\xa0\x80"', id="a lone surrogate"),
        pytest.param(b'"\xc3"', id="half a character"),
        pytest.param(b'{"m\xff":[1.0,\n"\xe9"]}', id="a map with line breaks"),
    ],
)
def test_a_value_that_is_no_text_reads_back_to_the_same_bytes(value: bytes) -> None:
    status = b'{"history":[' + value + b',{"id":1},{"id":2}],"extra":' + value + b"}"
    attributes = write(b'{"status":' + status + b"}")
    decision = judge(policy(cap_list(1), drop("status.extra")), attributes)
    told = Told()
    line = told.archive().line(entry_of(answer(decision), decision, "r", 1), attributes, decision.patch)()
    removed = read(line).removed
    assert line.decode().count("\n") == 1
    assert not isinstance(removed, UnsetType)
    assert {each.path: each.submitted for each in removed} == {
        "/status/history/0": value,
        "/status/history/1": b'{"id":1}',
        "/status/extra": value,
    }
    assert (told.left_out, told.faults) == (0, [])
    jsonschema.Draft202012Validator(entry_schema()).validate(json.loads(line))


def test_what_was_not_there_before_has_no_value() -> None:
    assert RemovedEntry("remove", "/status/x").submitted is None


@pytest.mark.parametrize(
    "submitted",
    [
        pytest.param(b'{"status":{}}', id="another object"),
        pytest.param(b'{"status":{"message":\n' + b"[" * 3_000 + b"]" * 3_000 + b"}}", id="too deep"),
    ],
)
def test_what_cannot_be_archived_costs_no_line(submitted: bytes) -> None:
    told, decision = Told(), decide(POLICY, STATUS)
    attributes = replace(write(custom_resource(STATUS)), submitted=Raw(submitted))
    line = line_of(told.archive(), attributes, replace(decision, patch=(Op("replace", "/status/message/0", b"1"),)))
    assert (line["outcome"], line["removed"], line["removedLeftOut"].text) == ("Trimmed", [], "1")
    assert told.left_out == len(told.faults) == 1


def test_reviews_wait_only_up_to_a_number_of_bytes() -> None:
    told = Told()
    attributes = write(custom_resource(STATUS))
    decision = judge(POLICY, attributes)
    entry = entry_of(answer(decision), decision, "replica-1", 1)
    archive = told.archive(max_waiting=2 * len(attributes.submitted))
    makers = [archive.line(entry, attributes, decision.patch) for _ in range(5)]
    assert archive.waiting == 2 * len(attributes.submitted)
    lines = [json.loads(make()) for make in makers]
    assert [bool(line["removed"]) for line in lines] == [True, True, False, False, False]
    assert (archive.waiting, told.left_out) == (0, 3)


def test_a_review_that_is_larger_than_what_may_wait_is_archived_when_none_waits() -> None:
    attributes = write(custom_resource(STATUS))
    line = line_of(Told().archive(max_waiting=1), attributes, judge(POLICY, attributes))
    assert line["removed"]


# --- in the log ---


def logged(archive: Archive | None, *answers: Answer) -> list[dict[str, Any]]:
    sink = MemorySink()
    log = DecisionLog(sink, archive=archive, sample=1.0)
    for each in answers:
        log.record(each, 1)
    assert log.close()
    return [json.loads(line) for line in sink.lines]


def test_without_an_archive_no_line_has_values() -> None:
    (line,) = logged(None, answer())
    assert "removed" not in line
    assert "phase change" not in json.dumps(line)


def test_lines_about_what_was_not_changed_have_none_either() -> None:
    sink = [answer(unchanged()), answer(replace(decide(policy(cap_list(3), mode="DryRun"), STATUS)))]
    lines = logged(Told().archive(), *sink)
    assert [line["outcome"] for line in lines] == ["Unchanged", "WouldTrim"]
    assert not any("removed" in line for line in lines)


def test_what_waits_for_a_sink_that_blocks_is_bounded() -> None:
    told, sink = Told(), BlockedSink()
    archive = told.archive(max_waiting=50_000)
    log = DecisionLog(sink, archive=archive, capacity=1_000)
    log.record(answer(), 1)
    sink.reached.wait()
    for _ in range(200):
        log.record(answer(), 1)
    assert archive.waiting <= 50_000
    sink.open.set()
    assert log.close()
    assert len(sink.lines) == 201
    assert told.left_out == sum("removedLeftOut" in json.loads(line) for line in sink.lines) > 0
