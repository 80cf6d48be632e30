"""What is printed is text: a pipe gets every line whole, and colours are only where they are wanted."""

import pytest

from admission.cli import console


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def test_a_line_in_a_pipe_is_never_broken(capsys: pytest.CaptureFixture[str]) -> None:
    console.line(console.stdout(), "word " * 1_000, ("end", "bold red"))
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith("word end")


@pytest.mark.parametrize("text", ["[red]status[/red]", ":smile:", "a[0]", "127.0.0.1 'x' None"])
def test_what_looks_like_markup_is_text(capsys: pytest.CaptureFixture[str], text: str) -> None:
    console.line(console.stdout(), text)
    assert capsys.readouterr().out == f"{text}\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("-old", 31),
        ("+new", 32),
        ("@@ -1 +1 @@", 36),
        ("--- a", 1),
        ("+++ b", 1),
    ],
)
def test_a_diff_has_its_colours(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str, code: int
) -> None:
    console.diff(console.stdout(), [line], indent="  ")
    assert capsys.readouterr().out == f"  {line}\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    console.diff(console.stdout(), [line], indent="  ")
    assert capsys.readouterr().out == f"  \x1b[{code}m{line}\x1b[0m\n"


@pytest.mark.parametrize("text", ["{}", "{}\n"])
def test_what_a_program_reads_ends_with_one_line_feed(capsys: pytest.CaptureFixture[str], text: str) -> None:
    console.raw(text)
    assert capsys.readouterr().out == "{}\n"


def test_json_values_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    console.json_lines([b"[]", '["é"]'.encode()])
    assert capsys.readouterr().out == '[]\n["é"]\n'


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        pytest.param({"FORCE_COLOR": "1"}, "\x1b[1mbold\x1b[0m \x1b[2mquiet\x1b[0m \x1b[31mred\x1b[0m\n", id="colours"),
        pytest.param(
            {"FORCE_COLOR": "1", "NO_COLOR": ""},
            "\x1b[1mbold\x1b[0m \x1b[2mquiet\x1b[0m \x1b[31mred\x1b[0m\n",
            id="empty",
        ),
        pytest.param({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "bold quiet red\n", id="no bold and no grey either"),
        pytest.param({}, "bold quiet red\n", id="a pipe"),
    ],
)
def test_without_colours_there_is_no_style_at_all(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    expected: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    console.line(console.stdout(), ("bold", "bold"), " ", ("quiet", console.QUIET), " ", ("red", "red"))
    assert capsys.readouterr().out == expected


def test_a_remark_is_one_line_on_the_error_output(capsys: pytest.CaptureFixture[str]) -> None:
    console.remark("word " * 40 + "end")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"statuscap: {'word ' * 40}end\n")
