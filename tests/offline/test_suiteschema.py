"""The schema of a suite holds for the suites that there are."""

from pathlib import Path

import jsonschema
import pytest
import yaml

from admission.offline.suiteschema import suite_schema
from admission.policyfile.yamlfile import load_documents

ROOT = Path(__file__).resolve().parents[2]
SUITES = [
    file
    for file in sorted([*(ROOT / "tests" / "cases").rglob("*.yaml"), *(ROOT / "policies").glob("*.yaml")])
    if "\nkind: Suite" in f"\n{file.read_text(encoding='utf-8')}"
]


def test_is_a_schema_of_its_dialect() -> None:
    jsonschema.Draft202012Validator.check_schema(suite_schema())
    assert suite_schema()["title"] == "Suite"


@pytest.mark.parametrize("file", SUITES, ids=lambda file: file.stem)
def test_holds_for_every_suite(file: Path) -> None:
    validator = jsonschema.Draft202012Validator(suite_schema())
    for document in load_documents(file.read_bytes(), str(file)):
        validator.validate(document.data)


def test_refuses_a_key_that_there_is_not() -> None:
    suite = yaml.safe_load("{apiVersion: statuscap.dev/v1alpha1, kind: Suite, policies: [p.yaml], casees: []}")
    with pytest.raises(jsonschema.ValidationError, match="casees"):
        jsonschema.Draft202012Validator(suite_schema()).validate(suite)
