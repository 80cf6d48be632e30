"""``statuscap explain``."""

import json

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize("path", ["spec.trim.capList", "suite.cases.expect", "decision-log"])
def test_explains_a_field(command: Command, path: str) -> None:
    result = command("explain", path)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("KIND: ")
    assert "\nFIELDS:\n" in result.out


def test_without_a_path_it_explains_a_policy(command: Command) -> None:
    assert command("explain").out == command("explain", "policy").out


def test_lists_all_that_is_below(command: Command) -> None:
    assert "      max <integer> -required-\n" in command("explain", "spec", "--recursive").out


def test_a_typo_is_a_line_with_the_nearest_field(command: Command) -> None:
    result = command("explain", "spec.trim.capLits")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        'statuscap: spec.trim.capLits: there is no field "capLits"; did you mean spec.trim.capList?\n'
    )


def test_explains_as_json(command: Command) -> None:
    told = json.loads(command("explain", "spec.mode", "-o", "json").out)
    assert (told["field"], told["type"], told["oneOf"]) == ("spec.mode", "string", ["Enforce", "Warn", "DryRun", "Off"])
    below = json.loads(command("explain", "spec", "--recursive", "-o", "json").out)["fields"]
    assert "trim.capList.max" in below
