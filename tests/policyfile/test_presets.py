"""Where the shipped policies are."""

from pathlib import Path

import pytest

from admission.errors import PolicyError
from admission.policyfile.presets import preset_names, preset_path, preset_text

POLICIES = Path(__file__).resolve().parents[2] / "policies"


def test_every_policy_of_the_checkout_is_a_preset() -> None:
    policies = {path.name.removesuffix(".yaml") for path in POLICIES.glob("*.yaml")}
    assert list(preset_names()) == sorted(name for name in policies if not name.endswith(".suite"))
    assert "volcano-job-conditions" in preset_names()


def test_a_preset_is_a_file() -> None:
    assert [name for name in preset_names() if preset_path(name) != POLICIES / f"{name}.yaml"] == []


def test_every_preset_has_its_suite_beside_it() -> None:
    assert [name for name in preset_names() if not (POLICIES / f"{name}.suite.yaml").is_file()] == []


def test_a_preset_to_keep_elsewhere_leads_no_editor_to_a_schema_that_is_not_there() -> None:
    name = preset_names()[0]
    text, whole = preset_text(name), preset_path(name).read_text()
    assert whole.startswith("# yaml-language-server: ")
    assert whole.partition("\n")[2] == text


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        pytest.param("volcano", "did you mean preset:volcano-job-conditions?", id="its beginning"),
        pytest.param("volcano-job-condition", "did you mean preset:volcano-job-conditions?", id="a slip"),
        pytest.param(
            "condition",
            "did you mean preset:condition-dedupe-by-type, preset:condition-message-cap or "
            "preset:condition-transition-time?",
            id="the beginning of several",
        ),
        pytest.param("nothing-like-it", "`statuscap presets list` names them all", id="nothing"),
        pytest.param("", "`statuscap presets list` names them all", id="no name"),
    ],
)
def test_a_name_that_no_preset_has_leads_to_those_that_were_meant(name: str, ask: str) -> None:
    with pytest.raises(PolicyError) as raised:
        preset_path(name)
    assert str(raised.value) == f'preset:{name}: there is no preset "{name}"; {ask}'
