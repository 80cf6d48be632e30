"""The generated parts of policies/README.md."""

import re
from pathlib import Path

import pytest

from admission.errors import PolicyError
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import preset_names
from admission.policyfile.reference import README, main, refreshed
from tests.policyfile.sample import read_text

MARKERS = "".join(
    f"<!-- generated: {name} -->\nold\n<!-- end of generated: {name} -->\n" for name in ("presets", "steps", "document")
)


def test_the_reference_is_fresh() -> None:
    assert main(["--check"]) == 0, "run: make generate"


def test_hand_written_text_stays_and_generated_text_is_replaced() -> None:
    text = refreshed(f"# Mine\n\n{MARKERS}\nAlso mine\n")
    assert text.startswith("# Mine\n\n<!-- generated: presets -->\n\n| preset |")
    assert text.endswith("<!-- end of generated: document -->\n\nAlso mine\n")
    assert "\nold\n" not in text
    assert refreshed(text) == text


def test_a_part_without_a_place_is_told() -> None:
    with pytest.raises(PolicyError, match="no place for presets: write <!-- generated: NAME --> and its end"):
        refreshed(MARKERS.replace("generated: presets", "generated: policies"))


def test_a_stale_file_fails_the_check_until_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(MARKERS)
    assert main(["--check"], readme) == 1
    assert "make generate" in capsys.readouterr().err
    assert main(["--write"], readme) == 0
    assert main(["--check"], readme) == 0


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], tmp_path / "none.md") == 1
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_in_the_table_with_its_words(name: str) -> None:
    (policy,) = load_policies([f"preset:{name}"]).policies
    (row,) = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"| [{name}]")]
    _, _, what, resources, never, _ = re.split(r"(?<!\\)\|", row)
    assert what.strip()
    assert never.strip()
    assert all(f"`{resource}`" in resources for rule in policy.match.resources for resource in rule.resources)


def test_every_link_in_the_reference_leads_somewhere() -> None:
    text = README.read_text(encoding="utf-8")
    headings = {line.lstrip("# ").lower().replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) - headings == set()
    files = {link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not (README.parent / link).exists()}
    assert files == set()


def test_the_policy_in_the_text_loads() -> None:
    (first, *_) = re.findall(r"```yaml\n(apiVersion: .*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert read_text(first).problems == ()
