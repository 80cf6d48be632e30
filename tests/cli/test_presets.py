"""``statuscap presets``."""

import json

import yaml

from admission.policyfile.presets import preset_names
from tests.cli.conftest import Command


def test_lists_every_preset_on_one_line(command: Command) -> None:
    head, *rows = command("presets", "list").out.splitlines()
    assert head.split() == ["NAME", "RESOURCES", "WHAT", "IT", "DOES"]
    assert [row.split()[0] for row in rows] == list(preset_names())


def test_lists_presets_as_json(command: Command) -> None:
    listed = json.loads(command("presets", "list", "-o", "json").out)
    assert [each["name"] for each in listed] == list(preset_names())
    assert all(each["description"] and each["resources"] and each["mode"] == "DryRun" for each in listed)


def test_shows_a_preset_as_its_file(command: Command) -> None:
    (name, *_) = preset_names()
    shown = command("presets", "show", name).out
    assert yaml.safe_load(shown) == json.loads(command("presets", "show", name, "-o", "json").out)[0]
    assert command("check", "-", stdin=shown.encode()).code == 0


def test_suggests_the_nearest_name(command: Command) -> None:
    (name, *_) = preset_names()
    result = command("presets", "show", name[:-1])
    assert result.code == 2
    assert f"did you mean preset:{name}?" in result.err
