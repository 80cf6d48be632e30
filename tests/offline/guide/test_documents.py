"""Every field is found by its path, and a typo leads to the nearest one."""

from __future__ import annotations

import pytest

from admission.errors import SettingsError
from admission.offline.guide.documents import NAMES, look_up, paths_below
from admission.policyfile.models import STEP_MODELS


@pytest.mark.parametrize(
    ("path", "document", "rest"),
    [
        ("", "policy", ""),
        ("spec.trim.capList", "policy", "spec.trim.capList"),
        (".spec.trim[0].capList", "policy", "spec.trim.capList"),
        ("policy.spec", "policy", "spec"),
        ("StatusPolicy.spec", "policy", "spec"),
        ("suite", "suite", ""),
        ("suite.cases[*].expect", "suite", "cases.expect"),
        ("decision-log.policies.steps", "decision-log", "policies.steps"),
    ],
)
def test_a_path_leads_to_its_field(path: str, document: str, rest: str) -> None:
    found = look_up(path)
    assert (found.document, found.path, found.node.name) == (document, rest, rest.rpartition(".")[2])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("spec.trim.capLits", 'there is no field "capLits"; did you mean spec.trim.capList?'),
        ("spec.trm.capList", 'there is no field "trm"; did you mean spec.trim.capList?'),
        ("suite.casses.expect", 'there is no field "casses"; did you mean suite.cases.expect?'),
        (
            "capList",
            'there is no field "capList" there; did you mean spec.trim.capList or spec.trim.budget.steps.capList?',
        ),
        ("maxPatchOps", 'there is no field "maxPatchOps" there; did you mean suite.cases.expect.maxPatchOps?'),
        ("metadata.name.zzz", 'there is no field "zzz"; it is a plain value'),
        ("metadata.zzz", 'there is no field "zzz"; known there: name, labels, annotations'),
    ],
)
def test_a_typo_leads_to_the_nearest_field(path: str, message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        look_up(path)
    assert str(raised.value) == f"{path}: {message}"


@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_every_document_is_explained(name: str) -> None:
    paths = list(paths_below(look_up(name).node))
    assert len(paths) > 20
    assert [path for path in paths if not look_up(f"{name}.{path}").node.description] == []


def test_every_step_is_there() -> None:
    below = set(paths_below(look_up("spec.trim").node))
    assert set(STEP_MODELS) <= below
