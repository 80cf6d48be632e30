"""Every file that ships leads an editor to its schema, and fits it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import jsonschema
import pytest

from admission.offline.schemafiles import DIRECTORY
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
