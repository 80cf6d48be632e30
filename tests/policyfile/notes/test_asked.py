"""Fields of items that are written from the object on are noted."""

from pathlib import Path
from typing import Any

import pytest

from admission.policyfile.loader import read_policies
from tests.offline.samples import POLICY, bent, written


def notes(folder: Path, step: dict[str, Any]) -> list[str]:
    file = written(folder, "p.yaml", bent(POLICY, "spec", to={**POLICY["spec"], "trim": [step]}))
    return [f"{each.path}: {each.message}" for each in read_policies([str(file)]).notes]


def asking(kind: str, path: str, field: str) -> dict[str, Any]:
    asked = [{"field": field, "operator": "Exists"}]
    fields: dict[str, dict[str, Any]] = {
        "capList": {"max": 5, "order": "NewestLast", "keepWhere": [{"all": asked}]},
        "expire": {"olderThan": "1d", "keepWhere": [{"all": asked}]},
        "capMap": {"max": 5, "evictWhere": asked},
    }
    return {kind: {"path": path, **fields[kind]}}


@pytest.mark.parametrize(
    ("kind", "field", "meant"),
    [
        pytest.param("capList", "status.runs[*].state", "state", id="a pin of a cap"),
        pytest.param("expire", "status.runs[0].a.b", "a.b", id="a pin of what expires"),
        pytest.param("capMap", "status.runs.*.state", "state", id="an eviction"),
        pytest.param("capMap", "status.runs.state", "state", id="without the wildcard"),
        pytest.param("capMap", "status.runs", ".", id="the entry itself"),
    ],
)
def test_a_field_from_the_object_on_is_noted(tmp_path: Path, kind: str, field: str, meant: str) -> None:
    message = f"{field} is read from each item on, where it is not; write {meant}"
    assert notes(tmp_path, asking(kind, "status.runs", field)) == [f"spec.trim[0].{kind}: {message}"]


@pytest.mark.parametrize("kind", ["capList", "expire", "capMap"])
@pytest.mark.parametrize("field", ["state", "status", "status.phase", "runs.state", "."])
def test_a_field_of_the_item_is_not(tmp_path: Path, kind: str, field: str) -> None:
    assert notes(tmp_path, asking(kind, "status.runs", field)) == []
