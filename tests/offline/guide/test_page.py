"""A field is a page in the manner of kubectl explain."""

from __future__ import annotations

from admission.offline.guide import look_up, page


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


def test_no_line_is_wider_than_a_screen() -> None:
    assert max(map(len, lines("spec.trim.capList"))) <= 100
