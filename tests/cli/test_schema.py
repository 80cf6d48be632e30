"""``statuscap schema``."""

import json

import jsonschema
import pytest
import yaml

from tests.cli.conftest import Command


@pytest.mark.parametrize(
    ("document", "title"), [("policy", "StatusPolicy"), ("suite", "Suite"), ("decision-log", "Decision")]
)
def test_prints_a_schema(command: Command, document: str, title: str) -> None:
    result = command("schema", document)
    assert (result.code, result.err) == (0, "")
    schema = json.loads(result.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == title


def test_prints_the_same_as_yaml(command: Command) -> None:
    printed = command("schema", "decision-log", "-o", "yaml").out
    assert yaml.safe_load(printed) == json.loads(command("schema", "decision-log").out)


def test_names_the_documents_when_it_has_no_schema(command: Command) -> None:
    result = command("schema", "ledger")
    assert result.code == 2
    assert all(word in result.err for word in ("'ledger'", "policy", "suite", "decision-log"))
