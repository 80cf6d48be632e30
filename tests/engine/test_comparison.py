"""What a patch may make of a value: what licensed steps may do to it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from admission.engine.comparison import Broken, Comparison
from admission.engine.document import Document
from admission.engine.licence import Licence
from admission.engine.pinned import Pinned
from admission.engine.restored import Restored
from admission.engine.values import quoted
from tests.engine.build import NOW, Json, cap_list, custom_resource, drop, path, policy, raw, truncate, write

STATUS: Json = {"history": [{"id": 0}, {"id": 1}], "log": "l" * 90, "phase": "Running", "count": 1}
LICENCE = policy(cap_list(1), truncate(40, "status.log"), drop("status.phase")).licence


def fault(does: Callable[[Document], object], licence: Licence = LICENCE) -> Broken | None:
    """What is wrong with what becomes of the status."""
    document = Document.of(write(custom_resource(STATUS)))
    does(document)
    restored = Restored(document, [licence])
    comparison = Comparison(document, (licence,), restored, Pinned([licence], NOW))
    edit = document.edits.children.get("status")
    return comparison.fault(document.sent_roots["status"], document.object["status"], edit, ("status",))


def put(at: str, text: str) -> Callable[[Document], object]:
    def does(document: Document) -> None:
        for trail, container, key in document.places(path(at)):
            document.replace(trail, container, key, raw(text) if text.isdigit() else quoted(text))

    return does


def remove(at: str, *positions: int) -> Callable[[Document], object]:
    def does(document: Document) -> None:
        for trail, items in document.lists(path(at)):
            document.remove_items(trail, items, positions)

    return does


@pytest.mark.parametrize(
    "does",
    [
        pytest.param(lambda document: None, id="nothing"),
        pytest.param(put("status.log", "l"), id="a text that may be cut"),
        pytest.param(remove("status.history", 0), id="an item that may go"),
        pytest.param(lambda document: drop("status.phase").apply(document, NOW), id="a field that may go"),
    ],
)
def test_what_is_licensed_is_right(does: Callable[[Document], object]) -> None:
    assert fault(does) is None


@pytest.mark.parametrize(
    ("does", "licence", "broken"),
    [
        pytest.param(put("status.phase", "Run"), LICENCE, ("I6", "/status/phase changed"), id="another text"),
        pytest.param(put("status.count", "2"), LICENCE, ("I6", "/status/count changed"), id="a number"),
        pytest.param(put("status.log", "l" * 91), LICENCE, ("I5", "/status/log got bigger"), id="a longer text"),
        pytest.param(
            put("status.history[0].id", "7"), LICENCE, ("I6", "/status/history/0/id changed"), id="inside an item"
        ),
        pytest.param(
            remove("status.history", 0),
            truncate(40).licence,
            ("I6", "items of /status/history are missing"),
            id="an item of a list that nobody caps",
        ),
        pytest.param(
            remove("status.history", 1),
            cap_list(1, last=1).licence,
            ("I7", "a pinned item left /status/history"),
            id="a pinned item",
        ),
    ],
)
def test_anything_else_is_a_fault(
    does: Callable[[Document], object], licence: Licence, broken: tuple[str, str]
) -> None:
    assert fault(does, licence) == Broken(*broken)
