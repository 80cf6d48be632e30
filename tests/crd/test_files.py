"""CRDs from files and directories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from admission.crd.catalogue import Catalogue
from admission.crd.files import crd_files_on_disk, read_crds
from admission.errors import CrdError
from tests.crd.sample import crd, version
from tests.offline.samples import bent, written

WIDGETS, GADGETS = crd(), crd(plural="gadgets", kind="Gadget")
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "operator"}}


def names(*sources: Path) -> list[str]:
    return [*read_crds(sources).by_name]


def problems(*sources: Path) -> Sequence[str]:
    with pytest.raises(CrdError) as raised:
        read_crds(sources)
    return [str(problem) for problem in raised.value.problems]


BOTH = ["widgets.example.com", "gadgets.example.com"]


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([WIDGETS, GADGETS], id="several documents"),
        pytest.param([{"apiVersion": "v1", "kind": "List", "items": [WIDGETS, GADGETS]}], id="a list of kubectl"),
        pytest.param([DEPLOYMENT, WIDGETS, None, GADGETS], id="among other things"),
        pytest.param(
            [{"kind": "List", "items": [DEPLOYMENT, {"kind": "List", "items": [WIDGETS]}, 3, GADGETS]}],
            id="a list in a list",
        ),
        pytest.param(
            [
                {
                    "apiVersion": "apiextensions.k8s.io/v1",
                    "kind": "CustomResourceDefinitionList",
                    "items": [{"spec": WIDGETS["spec"]}, {"spec": GADGETS["spec"]}],
                }
            ],
            id="a list of the API, whose items say nothing of their kind",
        ),
    ],
)
@pytest.mark.parametrize("dump", [json.dumps, yaml.safe_dump], ids=["JSON", "YAML"])
def test_crds_are_read_from_all_that_holds_them(tmp_path: Path, documents: list[Any], dump: Any) -> None:
    file = written(tmp_path, "crds.yaml", *map(dump, documents))
    assert names(file) == BOTH


def test_a_directory_is_read_without_what_is_below_it(tmp_path: Path) -> None:
    written(tmp_path, "1-widgets.yaml", WIDGETS)
    written(tmp_path, "2-gadgets.json", GADGETS)
    written(tmp_path, "kustomization.yaml", {"kind": "Kustomization"})
    written(tmp_path, "notes.txt", "nothing")
    (tmp_path / "below").mkdir()
    written(tmp_path / "below", "x.yaml", crd(plural="others", kind="Other"))
    assert names(tmp_path) == BOTH


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", WIDGETS)
    (tmp_path / "b.yaml").symlink_to(file)
    assert names(file, tmp_path, tmp_path / "b.yaml") == ["widgets.example.com"]


def test_the_same_definition_twice_is_one(tmp_path: Path) -> None:
    assert names(written(tmp_path, "a.yaml", WIDGETS, WIDGETS)) == ["widgets.example.com"]


def test_no_sources_know_nothing() -> None:
    assert read_crds([]) == Catalogue()


def test_two_definitions_that_differ_are_refused(tmp_path: Path) -> None:
    first = written(tmp_path, "a.yaml", yaml.safe_dump(WIDGETS))
    second = written(tmp_path, "b.yaml", yaml.safe_dump(crd(version("v2"))))
    line = second.read_text().splitlines().index("  name: widgets.example.com") + 1
    assert problems(tmp_path) == [
        f"{second}:{line}: metadata.name: widgets.example.com is defined otherwise in {first}:1; keep one of them"
    ]


def old(document: dict[str, Any]) -> dict[str, Any]:
    return bent(document, "apiVersion", to="apiextensions.k8s.io/v1beta1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            yaml.safe_dump(DEPLOYMENT),
            ": has no CRD in it; expected kind CustomResourceDefinition of apiextensions.k8s.io/v1",
            id="another kind",
        ),
        pytest.param(
            "", ": has no CRD in it; expected kind CustomResourceDefinition of apiextensions.k8s.io/v1", id="nothing"
        ),
        pytest.param(
            yaml.safe_dump(old(WIDGETS)),
            ':1: apiVersion: "apiextensions.k8s.io/v1beta1" is not read; write the CRD as apiextensions.k8s.io/v1',
            id="an old version",
        ),
        pytest.param(
            "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {group: a.io}\n",
            ":3: spec: is not that of a CRD: Object missing required field `names`",
            id="half a CRD",
        ),
        pytest.param("a: [\n", ":2: is no YAML: did not find expected node content (column 1)", id="no YAML"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, text: str, problem: str) -> None:
    file = written(tmp_path, "crd.yaml", text)
    assert problems(file) == [f"{file}{problem}"]


def test_every_problem_of_every_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    written(tmp_path, "a.yaml", old(WIDGETS), old(GADGETS))
    told = problems(tmp_path / "a.yaml", tmp_path / "none.yaml", tmp_path / "empty")
    assert [each.removeprefix(f"{tmp_path}/").partition(": ")[2] for each in told] == [
        'apiVersion: "apiextensions.k8s.io/v1beta1" is not read; write the CRD as apiextensions.k8s.io/v1',
        'apiVersion: "apiextensions.k8s.io/v1beta1" is not read; write the CRD as apiextensions.k8s.io/v1',
        "cannot be read: No such file or directory",
        "has no CRD in it (*.yaml, *.yml, *.json); expected kind CustomResourceDefinition of apiextensions.k8s.io/v1",
    ]


def test_files_to_watch_are_those_that_are_there_and_those_that_may_come(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", WIDGETS)
    missing = tmp_path / "none"
    assert crd_files_on_disk([tmp_path, missing, file]) == [tmp_path, file, missing, file]
