"""A terminal gets lines that fit, and no word, number or path is torn where it need not be."""

import pytest
from rich.cells import cell_len
from rich.text import Text

from admission.cli.folding import fold


def folded(text: str, width: int, hang: int = 0) -> list[str]:
    return [line.plain for line in fold(Text(text), width, hang)]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        pytest.param("cuts messages", 13, ["cuts messages"], id="what fits stays"),
        pytest.param("cuts long messages", 13, ["cuts long", "messages"], id="between words"),
        pytest.param("", 5, [""], id="an empty line stays one"),
        pytest.param("from 148 KiB → 1.9 KiB", 18, ["from 148 KiB →", "1.9 KiB"], id="a number keeps its unit"),
        pytest.param("a  b", 3, ["a", "b"], id="no blank at an end"),
        pytest.param("one\ntwo", 80, ["one", "two"], id="line breaks stay"),
        pytest.param(
            "in status.history.conditions", 18, ["in status.history.", "conditions"], id="a long path after a dot"
        ),
        pytest.param(
            "/tmp/ab/cd.yaml:12: x", 8, ["/tmp/ab/", "cd.yaml:", "12: x"], id="a long file name after a slash"
        ),
        pytest.param("x" * 9, 4, ["xxxx", "xxxx", "x"], id="at last anywhere"),
        pytest.param("数字数字数", 5, ["数字", "数字", "数"], id="a wide character takes two columns"),
    ],
)
def test_a_line_is_folded(text: str, width: int, lines: list[str]) -> None:
    assert folded(text, width) == lines


def test_what_continues_a_line_is_indented() -> None:
    assert folded("  first second third", 12, hang=4) == ["  first", "    second", "    third"]


def test_an_indent_that_leaves_no_room_is_left_out() -> None:
    assert folded("ab cd", 3, hang=4) == ["ab", "cd"]


@pytest.mark.parametrize("width", range(1, 40))
def test_no_line_is_wider_and_nothing_is_lost(width: int) -> None:
    text = "  WouldTrim  jobs.batch.volcano.sh team-a/x-1  443 B → 245 B (−44.7 %)  /a/very-long/name.of.a:file,too"
    lines = folded(text, width, hang=4)
    assert max(map(cell_len, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_styles_stay_where_they_are() -> None:
    first, second = fold(Text.assemble("one ", ("two", "bold")), 4)
    assert (first.spans, [(span.start, span.end, span.style) for span in second.spans]) == ([], [(0, 3, "bold")])
