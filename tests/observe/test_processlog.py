"""What the process says on stderr."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from admission.errors import DocumentError
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from tests.observe.answers import MINUTE, NOW
from tests.observe.test_decisionlog import BlockedSink

YEAR = 365 * 24 * 60 * MINUTE


class Spoken:
    """A process log that is read, at times that can be moved: that of the lines, and that of the minutes."""

    def __init__(self, sink: MemorySink, capacity: int = 100) -> None:
        self.now = NOW
        self.passed = 0
        self.sink = sink
        self.log = ProcessLog(sink, lambda: self.now, lambda: self.passed, capacity=capacity)

    @property
    def lines(self) -> list[dict[str, Any]]:
        assert self.log.flush()
        return [json.loads(line) for line in self.sink.lines]


@pytest.fixture
def spoken() -> Iterator[Spoken]:
    spoken = Spoken(MemorySink())
    yield spoken
    assert spoken.log.close()


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_a_line_is_a_constant_message_and_fields(spoken: Spoken) -> None:
    spoken.log.info("serving", reviews=["127.0.0.1:8443"], policies=2)
    spoken.log.warning("stopping")
    spoken.log.error("cannot listen", port=8443)
    assert list(spoken.lines[0]) == ["time", "level", "message", "reviews", "policies"]
    assert spoken.lines == [
        {
            "time": "2026-01-01T00:00:00.123Z",
            "level": "info",
            "message": "serving",
            "reviews": ["127.0.0.1:8443"],
            "policies": 2,
        },
        {"time": "2026-01-01T00:00:00.123Z", "level": "warning", "message": "stopping"},
        {"time": "2026-01-01T00:00:00.123Z", "level": "error", "message": "cannot listen", "port": 8443},
    ]


def test_what_is_no_text_for_json_is_told_all_the_same(spoken: Spoken) -> None:
    spoken.log.fault("decision_log", file="/logs/\udcff.log")
    (line,) = spoken.lines
    assert line["file"] == "/logs/\udcff.log"


def test_a_fault_is_told_once_per_cause_and_minute(spoken: Spoken) -> None:
    for after in (0, 1, MINUTE - 1, MINUTE, MINUTE + 1, 3 * MINUTE):
        spoken.passed = after
        spoken.log.fault("engine")
    assert [line["held_back"] for line in spoken.lines] == [0, 2, 1]


@pytest.mark.parametrize("years", [-1, 1])
def test_a_clock_that_is_set_anew_silences_nobody(spoken: Spoken, years: int) -> None:
    spoken.log.fault("engine")
    spoken.now += years * YEAR
    spoken.log.fault("engine")
    spoken.passed += MINUTE
    spoken.log.fault("engine")
    assert [(line["time"][:4], line["held_back"]) for line in spoken.lines] == [("2026", 0), (str(2026 + years), 1)]


def test_nobody_waits_for_a_reader_and_what_was_lost_is_told() -> None:
    sink = BlockedSink()
    spoken = Spoken(sink, capacity=3)
    spoken.log.info("first")
    sink.reached.wait()
    for number in range(10):
        spoken.log.info("more", number=number)
    sink.open.set()
    assert [line["message"] for line in spoken.lines] == ["first", "more", "more", "more"]
    spoken.log.info("last")
    *_, told, last = spoken.lines
    assert (told["level"], told["message"], told["since_start"], last["message"]) == (
        "warning",
        "lines lost",
        7,
        "last",
    )
    spoken.log.info("after")
    assert [line["message"] for line in spoken.lines[-2:]] == ["last", "after"]
    assert spoken.log.close()


def test_what_was_lost_is_told_at_the_end() -> None:
    sink = BlockedSink()
    spoken = Spoken(sink, capacity=1)
    spoken.log.info("first")
    sink.reached.wait()
    for _ in range(3):
        spoken.log.info("more")
    sink.open.set()
    assert spoken.log.flush()
    assert spoken.log.close()
    assert json.loads(sink.lines[-1])["since_start"] == 2


def test_the_end_does_not_wait_for_a_reader() -> None:
    sink = BlockedSink()
    spoken = Spoken(sink)
    spoken.log.info("first")
    assert not spoken.log.close(timeout=0.01)
    sink.open.set()


def test_causes_do_not_hide_one_another(spoken: Spoken) -> None:
    for cause in ("engine", "too_deep", "engine"):
        spoken.log.fault(cause)
    assert [line["cause"] for line in spoken.lines] == ["engine", "too_deep"]


def test_an_unexpected_exception_tells_its_place_and_not_its_text(spoken: Spoken) -> None:
    spoken.log.fault("engine", raised(KeyError("a secret of the status")), uid="u-1")
    (line,) = spoken.lines
    assert (line["error"], line["uid"]) == ("KeyError", "u-1")
    assert line["at"][-1].startswith("test_processlog.py:")
    assert "secret" not in json.dumps(line)


def test_an_error_of_ours_tells_its_text(spoken: Spoken) -> None:
    spoken.log.fault("bad_document", raised(DocumentError("the object is no JSON object")))
    assert spoken.lines[0]["detail"] == "the object is no JSON object"


def test_libraries_speak_through_the_same_lines(spoken: Spoken) -> None:
    logger = logging.getLogger("tests.package")
    logger.propagate = False
    logger.addHandler(spoken.log.handler())
    logger.debug("nothing")
    logger.error("Error handling request from %s", "10.0.0.7", exc_info=raised(ValueError("secret")))
    logger.error("Error handling request from %s", "10.0.0.8")
    (line,) = spoken.lines
    assert (line["cause"], line["error"]) == ("tests.package", "ValueError")
    assert line["template"] == "Error handling request from %s"
    assert "secret" not in json.dumps(line)
