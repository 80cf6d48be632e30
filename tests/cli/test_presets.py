"""``statuscap presets``."""

import json
import re

import pytest
import yaml

from admission.cli.presets import LONGEST_LINE, Preset, print_table
from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Policy
from admission.policyfile.presets import preset_names
from tests.cli.conftest import Command
from tests.cli.terminal import on_terminal


def test_lists_every_preset_on_one_line(command: Command) -> None:
    head, *rows = command("presets", "list").out.splitlines()
    assert head.split() == ["NAME", "RESOURCES", "WHAT", "IT", "DOES"]
    assert [row.split()[0] for row in rows] == list(preset_names())


def test_no_line_of_the_list_is_too_long_for_a_pipe(command: Command) -> None:
    assert max(map(len, command("presets", "list").out.splitlines())) <= LONGEST_LINE


def printed(capsys: pytest.CaptureFixture[str], description: str, *resources: str) -> str:
    """The line of a policy in the list."""
    policy = Policy("p", Match((ResourceRule(("example.com",), resources),)), description=description)
    print_table([Preset("p", policy)])
    return capsys.readouterr().out.splitlines()[1].rstrip()


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        pytest.param(["a/status"], "a.example.com", id="one"),
        pytest.param(["a", "b"], "a.example.com, b.example.com", id="two"),
        pytest.param(["a", "b", "c", "d"], "a.example.com, b.example.com and 2 more", id="four"),
    ],
)
def test_the_list_names_the_first_two_resources(
    capsys: pytest.CaptureFixture[str], resources: list[str], told: str
) -> None:
    assert re.split(r" {2,}", printed(capsys, "Cuts.", *resources)) == ["p", told, "Cuts."]


def test_the_list_says_what_a_preset_does_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "Cuts 1.5 Ki of status.x. A controller repeats it.", "a").endswith(
        "Cuts 1.5 Ki of status.x."
    )


def test_a_sentence_without_an_end_is_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    line = printed(capsys, "Cuts " * 100, "a")
    assert len(line) <= LONGEST_LINE
    assert line.endswith("…")


def test_nothing_in_a_pipe_ends_with_blanks(command: Command) -> None:
    assert [line for line in command("presets", "list").out.splitlines() if line != line.rstrip()] == []


def test_a_narrow_terminal_gets_every_word_whole(command: Command) -> None:
    lines = on_terminal(80, "presets", "list").lines
    listed = json.loads(command("presets", "list", "-o", "json").out)
    assert max(map(len, lines)) <= 80
    told = " ".join(" ".join(lines).split())
    for each in listed:
        assert f"{each['name']} {'any kind' if each['anyKind'] else each['resources'][0]} " in told
        assert re.split(r"(?<=[.])\s", each["description"])[0] in told


def test_a_narrow_terminal_gets_the_first_resource_and_how_many_more() -> None:
    assert "cluster-api-conditions  clusters.cluster.x-k8s.io and 3 more" in on_terminal(80, "presets", "list").lines


def test_the_list_tells_what_fits_any_kind(command: Command) -> None:
    listed = json.loads(command("presets", "list", "-o", "json").out)
    rows = command("presets", "list").out.splitlines()[1:]
    assert [" any kind, such as " in row for row in rows] == [each["anyKind"] for each in listed]
    assert {each["anyKind"] for each in listed if each["name"].startswith(("condition-message", "volcano"))} == {
        True,
        False,
    }


def test_a_wide_terminal_gets_a_table() -> None:
    head, *rows = on_terminal(120, "presets", "list").lines
    assert head.split() == ["NAME", "RESOURCES", "WHAT", "IT", "DOES"]
    assert max(map(len, rows)) <= 120


def test_lists_presets_as_json(command: Command) -> None:
    listed = json.loads(command("presets", "list", "-o", "json").out)
    assert [each["name"] for each in listed] == list(preset_names())
    assert all(each["description"] and each["resources"] and each["mode"] == "DryRun" for each in listed)


def test_shows_a_preset_as_its_file(command: Command) -> None:
    (name, *_) = preset_names()
    shown = command("presets", "show", name).out
    assert yaml.safe_load(shown) == json.loads(command("presets", "show", name, "-o", "json").out)[0]
    assert command("check", "-", stdin=shown.encode()).code == 0


def test_fills_in_the_rule_of_a_template(command: Command) -> None:
    show = ("presets", "show", "condition-message-cap", "--resource", "example.com/widgets")
    shown = yaml.safe_load(command(*show, "--name", "widgets").out)
    assert shown["metadata"]["name"] == "widgets"
    assert shown["spec"]["match"]["resources"] == [
        {"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["widgets/status"]}
    ]
    (told,) = json.loads(command(*show, "--no-subresource", "-o", "json").out)
    assert told["spec"]["match"]["resources"][0]["resources"] == ["widgets"]


@pytest.mark.parametrize("given", [("--name", "x"), ("--no-subresource",)])
def test_what_belongs_to_a_resource_needs_one(command: Command, given: tuple[str, ...]) -> None:
    result = command("presets", "show", "condition-message-cap", *given)
    assert (result.code, result.err.count("--resource")) == (2, 1)


def test_suggests_the_nearest_name(command: Command) -> None:
    (name, *_) = preset_names()
    result = command("presets", "show", name[:-1])
    assert result.code == 2
    assert f"did you mean preset:{name}?" in result.err


def test_a_preset_is_shown_by_the_name_that_policies_go_by(command: Command) -> None:
    (name, *_) = preset_names()
    assert command("presets", "show", f"preset:{name}").out == command("presets", "show", name).out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param(("--resource", "apps/deployments"), "--resource: apps is served by", id="a group"),
        pytest.param(("--resource", "x.io/as", "--name", "A b"), '--name: "A b" is no DNS-1123 name', id="a name"),
    ],
)
def test_a_flag_that_does_not_fit_is_named_and_no_line_of_a_file(
    command: Command, given: tuple[str, ...], told: str
) -> None:
    result = command("presets", "show", "condition-message-cap", *given)
    assert result.code == 2
    assert result.err.startswith(f"statuscap: {told}")
    assert ".yaml" not in result.err
