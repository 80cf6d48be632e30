"""The schemas beside the policies are those that are printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from admission.offline.schemafiles import DIRECTORY, SCHEMAS, main, texts
from admission.policyfile.yamlfile import load_documents

ROOT: Final = Path(__file__).resolve().parents[2]


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
