"""What the process says on stderr."""

import io
import json
import logging
from typing import Any

import pytest

from admission.errors import DocumentError
from admission.observe.processlog import ProcessLog
from tests.observe.answers import MINUTE, NOW


class Spoken:
    """A process log that is read, at a time that can be moved."""

    def __init__(self) -> None:
        self.now = NOW
        self.stream = io.StringIO()
        self.log = ProcessLog(self.stream, lambda: self.now)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def spoken() -> Spoken:
    return Spoken()


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


def test_a_fault_is_told_once_per_cause_and_minute(spoken: Spoken) -> None:
    for after in (0, 1, MINUTE - 1, MINUTE, MINUTE + 1, 3 * MINUTE):
        spoken.now = NOW + after
        spoken.log.fault("engine")
    assert [line["held_back"] for line in spoken.lines] == [0, 2, 1]


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
    logger = logging.getLogger("tests.library")
    logger.propagate = False
    logger.addHandler(spoken.log.handler())
    logger.debug("nothing")
    logger.error("Error handling request from %s", "10.0.0.7", exc_info=raised(ValueError("secret")))
    logger.error("Error handling request from %s", "10.0.0.8")
    (line,) = spoken.lines
    assert (line["cause"], line["error"]) == ("tests.library", "ValueError")
    assert line["template"] == "Error handling request from %s"
    assert "secret" not in json.dumps(line)
