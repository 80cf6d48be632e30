"""Every step has its model, and everything that belongs to one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from admission.engine.steps import STEPS
from admission.policyfile.lines import Lines
from admission.policyfile.loader import policies_from_data
from admission.policyfile.models import STEP_MODELS, StepModel
from admission.policyfile.yamlfile import load_documents
from tests.policyfile.sample import bent, loaded

ROOT = Path(__file__).resolve().parents[3]


def test_every_step_of_the_engine_has_its_model() -> None:
    assert {kind: model.step for kind, model in STEP_MODELS.items()} == {step.kind: step for step in STEPS}


@pytest.mark.parametrize("model", STEP_MODELS.values(), ids=STEP_MODELS.keys())
def test_every_field_of_a_step_says_what_it_means(model: type[StepModel]) -> None:
    assert [name for name, field in model.model_fields.items() if not field.description] == []
    assert (model.__doc__ or "").strip()


@pytest.mark.parametrize("model", STEP_MODELS.values(), ids=STEP_MODELS.keys())
def test_the_example_of_a_step_loads(model: type[StepModel]) -> None:
    example = yaml.safe_load(model.example)
    assert list(example) == [model.step.kind]
    assert isinstance(loaded(bent(("spec.trim", [example]))).trim[0].step, model.step)


def steps_with_a_suite() -> Iterator[str]:
    """The kind of every step that some policy of some suite takes."""
    for file in [*ROOT.glob("policies/*.suite.yaml"), *ROOT.glob("tests/cases/*.yaml")]:
        for suite in load_documents(file.read_bytes(), str(file)):
            for policy in suite.data.get("policies", ()):
                documents = [policy]
                if isinstance(policy, str):
                    path = file.parent / policy
                    documents = [document.data for document in load_documents(path.read_bytes(), str(path))]
                for loaded_policy in policies_from_data(documents, Lines(), str(file)):
                    yield from (entry.step.kind for entry in loaded_policy.trim)


def test_every_step_has_a_suite() -> None:
    assert STEP_MODELS.keys() - set(steps_with_a_suite()) == set()


def test_every_step_is_in_the_reference() -> None:
    text = (ROOT / "policies/README.md").read_text(encoding="utf-8")
    assert [kind for kind in STEP_MODELS if f"\n### {kind}\n" not in text] == []
