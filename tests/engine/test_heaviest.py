"""The heaviest parts of a status, and their names on one line."""

import pytest

from admission.engine.document import Document
from admission.engine.heaviest import heaviest, readable, subject
from admission.engine.values import Trail
from tests.engine.build import Json, custom_resource, go, path, raw, write
from tests.engine.oracle import size


def shown(status: Json) -> list[tuple[str, int]]:
    document = Document.of(write(custom_resource(status)))
    return [(readable(trail), weight) for trail, weight in heaviest(document, "status")]


def test_the_three_heaviest_members_are_shown_with_their_bytes_as_stored() -> None:
    status = {"a": "x", "history": [1, 2, 3, 4], "html": "<" * 10, "conditions": ["c" * 30]}
    assert shown(status) == [
        ("status.html", size(status["html"])),
        ("status.conditions", size(status["conditions"])),
        ("status.history", size(status["history"])),
    ]


@pytest.mark.parametrize(
    ("status", "path_of_it"),
    [
        pytest.param({"tool": {"log": "x" * 90, "code": 0}}, "status.tool.log", id="most of a map is one entry"),
        pytest.param({"nodes": {"a": "x" * 30, "b": "x" * 30}}, "status.nodes", id="no entry is most of a map"),
        pytest.param({"history": ["x" * 90]}, "status.history", id="a list is named as a whole"),
        pytest.param({"a": {"b": {"c": "x" * 90}}}, "status.a.b", id="no deeper than two levels"),
        pytest.param({"empty": {}}, "status.empty", id="an empty map"),
    ],
)
def test_a_map_is_named_by_the_entry_that_makes_up_most_of_it(status: Json, path_of_it: str) -> None:
    assert shown(status)[0][0] == path_of_it


@pytest.mark.parametrize("status", ["a text", [1, 2], 7, None, {}])
def test_what_has_no_members_has_no_heaviest(status: Json) -> None:
    assert shown(status) == []
    document = Document.of(write(custom_resource(None)))
    assert heaviest(document, "status") == []


def test_looking_opens_nothing() -> None:
    document = Document.of(write(custom_resource({"tool": {"log": "x" * 90}})))
    heaviest(document, "status")
    assert document.object["status"] == raw(go({"tool": {"log": "x" * 90}}))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("a\tb\nc", "status.a?b?c", id="control characters"),
        pytest.param("\x1b[31mred", "status['?[31mred']", id="a terminal's escape"),
        pytest.param("\u202etxt", "status.?txt", id="text that runs backwards"),
        pytest.param("\u2028", "status.?", id="a separator of lines"),
        pytest.param("n" * 99, f"status.{'n' * 62}…", id="a long name"),
        pytest.param("a.b/c", "status['a.b/c']", id="a dot"),
    ],
)
def test_names_of_any_kind_stay_on_one_short_line(name: str, told: str) -> None:
    assert readable(("status", name)) == told
    assert told.isprintable()
    assert path(told).names[0] == "status"


@pytest.mark.parametrize(
    ("trail", "words"),
    [
        pytest.param(("object",), "the object", id="the whole"),
        pytest.param(("status",), "the status", id="the status, which ends in s and is one"),
        pytest.param(("results",), "the member results", id="another root, whatever its name"),
        pytest.param(("report",), "the member report", id="and in the singular"),
        pytest.param(("results", "items"), "results.items", id="a path is a name"),
        pytest.param(("status", "conditions", 1, "message"), "status.conditions[1].message", id="deeper"),
    ],
)
def test_a_sentence_is_about_one_thing(trail: Trail, words: str) -> None:
    assert subject(trail) == words
