"""A field is a page in the manner of kubectl explain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from admission.offline.guide import Found, look_up, page, paths_below
from admission.offline.guide.node import Node


def lines(path: str, *, recursive: bool = False) -> list[str]:
    return list(page(look_up(path), recursive=recursive))


def test_a_page_has_kind_version_field_description_and_fields() -> None:
    assert lines("spec.rollout.percent")[:4] == [
        "KIND:     StatusPolicy",
        "VERSION:  statuscap.dev/v1alpha1",
        "",
        "FIELD: percent <integer> -required-",
    ]
    page = lines("spec.trim.drop")
    assert page[5] == "DESCRIPTION:"
    assert page[-4:] == ["", "FIELDS:", "  paths <[]string> -required-", "    The fields."]


def test_the_document_as_a_whole_is_no_field() -> None:
    assert not any(line.startswith("FIELD:") for line in lines(""))
    assert "  spec <Object> -required-" in lines("")


def test_words_and_defaults_are_told() -> None:
    mode = lines("spec.mode")
    assert "    One of: Enforce, Warn, DryRun, Off" in mode
    assert '    Default: "DryRun"' in mode
    assert not any("One of" in line for line in lines("spec.trim.restoreTimes.unless"))


def test_recursive_is_a_tree_of_names() -> None:
    tree = lines("suite.cases", recursive=True)
    at = tree.index("  expect <Object> -required-")
    assert "    outcome <string>" in tree[at:]
    assert "      max <integer or string> -required-" in tree[at:]


def everything() -> Iterator[Found]:
    """All that can be explained, from one look at each document."""
    for document in map(look_up, ("", "suite", "decision-log")):
        yield document
        for way in paths_below(document.node):
            node: Node | None = document.node
            for name in way.split("."):
                node = node and node.member(name)
            assert node is not None, way
            yield replace(document, path=way, node=node)


def test_no_line_is_wider_than_a_screen() -> None:
    assert not [line for each in everything() for line in page(each) if len(line) > 100]


def test_no_line_ends_in_the_middle_of_a_word() -> None:
    ends = {line.rpartition(" ")[2] for each in everything() for line in page(each)}
    assert not {end for end in ends if end.endswith("-") and end != "-required-"}


def test_no_page_says_its_first_sentence_twice() -> None:
    """What a field says of itself, and what is said of the map that it holds, begin alike in places."""
    for each in everything():
        first, *others = each.node.description.split("\n\n")
        assert not [other for other in others if other.startswith(first.removesuffix("."))], each.path
