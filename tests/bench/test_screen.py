"""What the figures are printed to."""

import pytest

from tests.bench import screen


def test_a_pipe_is_as_wide_as_a_line_needs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    screen.stdout().print("13,000 " * 50)
    assert len(capsys.readouterr().out.splitlines()) == 1
