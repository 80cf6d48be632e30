"""What the demo prints while something takes long: one line that changes on a terminal, lines in a pipe."""

from __future__ import annotations

import io
import re

import pytest

from tests.demo.show import Show


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def seen(self) -> list[str]:
        """Return the lines that stay: what was written, without colours and what was erased again."""
        text = re.sub(r"\x1b\[(\d*m|\?25[hl])", "", self.getvalue())
        return re.sub(r".*\n\r\x1b\[1A\x1b\[2K", "", text).splitlines()


@pytest.fixture(autouse=True)
def _terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)


def build(show: Show) -> None:
    with show.step("servers", "looking for them") as done:
        for seconds in ("0:00", "0:01", "0:02"):
            show.progress(f"etcd: compiling, {seconds}")
        done("etcd")


def test_a_pipe_gets_a_line_each() -> None:
    stream = io.StringIO()
    build(Show(stream))
    lines = stream.getvalue().splitlines()
    assert [line.strip() for line in lines[:3]] == [f"etcd: compiling, {time}" for time in ("0:00", "0:01", "0:02")]
    assert len(lines) == 4


def test_a_terminal_keeps_no_line_but_the_result() -> None:
    stream = Terminal()
    build(Show(stream))
    assert "etcd: compiling, 0:02" in stream.getvalue()
    assert stream.seen() == ["✔ servers     etcd  0.0 s"]


def test_a_terminal_hears_more_often_than_a_pipe() -> None:
    assert Show(Terminal()).progress_every == 1
    assert Show(io.StringIO()).progress_every == 30


def test_what_is_told_after_a_step_stays() -> None:
    stream = Terminal()
    show = Show(stream)
    build(show)
    show.progress("later")
    assert stream.seen()[-1].strip() == "later"


def test_a_terminal_breaks_a_note_between_words() -> None:
    stream = Terminal()
    words = ["statuscap"] * 20
    Show(stream).note(" ".join(words))
    assert len(stream.seen()) == 3
    assert " ".join(stream.seen()).split() == words


def test_without_colours_nothing_is_bold() -> None:
    stream = Terminal()
    show = Show(stream)
    show.line(("bold", "bold"), " ", ("green", "bold green"))
    show.note("quiet")
    assert stream.getvalue() == "bold green\nquiet\n"
