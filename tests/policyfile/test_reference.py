"""The generated parts of policies/README.md."""

import re

import pytest

from admission.policyfile.loader import load_policies
from admission.policyfile.presets import preset_names
from admission.policyfile.reference import README, main
from tests.policyfile.sample import read_text


def test_the_reference_is_fresh() -> None:
    assert main(["--check"]) == 0, "run: make generate"


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_in_the_table_with_its_words(name: str) -> None:
    (policy,) = load_policies([f"preset:{name}"]).policies
    (row,) = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"| [{name}]")]
    _, _, what, resources, never, saved, upstream, _ = re.split(r"(?<!\\)\|", row)
    assert what.strip()
    assert never.strip()
    assert saved.strip() or policy.rejects
    assert upstream.strip()
    assert all(f"`{resource}`" in resources for rule in policy.match.resources for resource in rule.resources)


def test_every_link_in_the_reference_leads_somewhere() -> None:
    text = README.read_text(encoding="utf-8")
    headings = {line.lstrip("# ").lower().replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) - headings == set()
    files = {link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not (README.parent / link).exists()}
    assert files == set()


def test_the_reference_writes_words_as_a_policy_does() -> None:
    text = README.read_text(encoding="utf-8")
    assert re.findall(r"`(?:True|False|None)`", text) == []
    assert "| `anyValue` | `true` |" in text


def test_the_policy_in_the_text_loads() -> None:
    (first, *_) = re.findall(r"```yaml\n(apiVersion: .*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert read_text(first).problems == ()
