"""Every preset is explained as it is written down."""

from __future__ import annotations

import pytest

from admission.policyfile.presets import preset_names
from tests.offline.explanation.golden import TOLD, explained, kept, main


def test_every_preset_is_written_down_and_no_other() -> None:
    assert sorted(kept()) == sorted(preset_names())


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_explained_as_it_is_written_down(name: str) -> None:
    assert (TOLD / f"{name}.txt").read_text() == explained()[name]


def test_what_is_stale_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0
    monkeypatch.setattr("tests.offline.explanation.golden.TOLD", TOLD.parent)
    assert main(["--check"]) == 1
    assert "make generate" in capsys.readouterr().err
