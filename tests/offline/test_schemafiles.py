"""The schemas beside the policies are those that are printed, and every file that ships fits the one that it names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from admission.offline.schemafiles import DIRECTORY, SCHEMAS, main, texts
from admission.policyfile.presets import SUITE_SUFFIX
from admission.policyfile.yamlfile import load_documents

ROOT: Final = Path(__file__).resolve().parents[2]
SHIPPED: Final = [
    *sorted((ROOT / "policies").glob("*.yaml")),
    *sorted((ROOT / "tests" / "cases").glob("*.yaml")),
    ROOT / "tests" / "bench" / "policy.yaml",
]
FOR_EDITORS: Final = re.compile(r"# yaml-language-server: \$schema=(\S+)")


def schema_named_in(file: Path) -> Path:
    """The schema that the first line of a file leads an editor to."""
    first, _, _ = file.read_text(encoding="utf-8").partition("\n")
    named = FOR_EDITORS.fullmatch(first)
    assert named is not None, (
        f"{file.name}: begin with # yaml-language-server: $schema=schemas/policy.json (suite.json)"
    )
    return (file.parent / named[1]).resolve()


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_every_file_that_ships_fits_the_schema_that_it_names(file: Path) -> None:
    named = schema_named_in(file)
    assert named == DIRECTORY / ("suite.json" if file.name.endswith(SUITE_SUFFIX) else "policy.json")
    validator = jsonschema.Draft202012Validator(json.loads(named.read_text(encoding="utf-8")))
    for document in load_documents(file.read_bytes(), file.name):
        assert [error.message for error in validator.iter_errors(document.data)] == []


@pytest.mark.parametrize(("name", "kind"), [("policy.json", "StatusPolicy"), ("suite.json", "Suite")])
def test_the_files_are_the_schemas(name: str, kind: str) -> None:
    text = (DIRECTORY / name).read_text(encoding="utf-8")
    assert text == texts()[name]
    assert json.loads(text)["title"] == kind


def test_a_schema_finds_what_is_wrong() -> None:
    validator = jsonschema.Draft202012Validator(json.loads((DIRECTORY / "policy.json").read_text(encoding="utf-8")))
    (document,) = load_documents((ROOT / "policies" / "volcano-job-conditions.yaml").read_bytes(), "p.yaml")
    data: Any = document.data
    assert validator.is_valid(data)
    assert not validator.is_valid(data | {"spec": data["spec"] | {"mod": "Enforce"}})


def test_stale_files_are_told_and_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err.count("make generate") == len(SCHEMAS)
    assert main(["--write"], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
