"""Generated parts between markers, and tables."""

from pathlib import Path

import pytest

from admission.errors import PolicyError
from admission.policyfile.markdown import Page, table

TEXT = "<!-- generated: {name} -->\nold\n<!-- end of generated: {name} -->\n"
TWO = TEXT.format(name="flags") + TEXT.format(name="metrics")


def page(file: Path = Path("README.md")) -> Page:
    return Page(file, {"flags": lambda: "new flags\n", "metrics": lambda: "new metrics"})


def test_hand_written_text_stays_and_generated_text_is_replaced() -> None:
    text = page().refreshed(f"# Mine\n\n{TWO}\nAlso mine\n")
    assert text.startswith("# Mine\n\n<!-- generated: flags -->\n\nnew flags\n\n<!-- end of generated: flags -->\n")
    assert text.endswith("<!-- end of generated: metrics -->\n\nAlso mine\n")
    assert "old" not in text
    assert page().refreshed(text) == text


def test_a_part_without_a_place_is_told() -> None:
    with pytest.raises(PolicyError, match="no place for metrics: write <!-- generated: NAME --> and its end"):
        page().refreshed(TEXT.format(name="flags"))


def test_a_stale_file_fails_the_check_until_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(TWO)
    assert page(readme).command(["--check"]) == 1
    assert capsys.readouterr().err == f"{tmp_path.name}/README.md is stale; write it anew with: make generate\n"
    assert page(readme).command(["--write"]) == 0
    assert page(readme).command(["--check"]) == 0


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert page(tmp_path / "none.md").command(["--check"]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_cell_keeps_to_its_line_and_its_column() -> None:
    assert table(("a", "b"), [("1\n2", "x|y")]) == "| a | b |\n| --- | --- |\n| 1 2 | x\\|y |"
