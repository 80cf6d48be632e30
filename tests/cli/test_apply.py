"""``statuscap apply``: what policies make of objects."""

import json
from pathlib import Path

import jsonpatch
import pytest
import yaml

from tests.cli.conftest import Command
from tests.cli.terminal import on_terminal
from tests.crd.sample import STATUS, crd, version
from tests.offline.samples import POLICY, TRIMMED, WIDGET, bent, written

NOW = ("--now", "2026-02-01T00:00:00Z")


def test_a_line_an_object_and_a_row_a_step(command: Command, policy: Path, widget: Path) -> None:
    result = command("apply", "-p", policy, widget, *NOW)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "Trimmed  widgets.example.com team-a/w1  263 B → 186 B (−29.3 %)",
        "  two-conditions  Enforce  capConditions  status.conditions  1 item  −77 B",
    ]


def test_a_policy_that_does_not_enforce_shows_what_it_would_do(command: Command, dry: Path, widget: Path) -> None:
    result = command("apply", "-p", dry, widget)
    assert result.code == 0
    assert result.out.splitlines()[0] == "WouldTrim  widgets.example.com team-a/w1  263 B → 186 B (−29.3 %)"


def test_a_mode_for_all_policies(command: Command, dry: Path, widget: Path) -> None:
    assert "Trimmed" in command("apply", "-p", dry, widget, "--mode", "Enforce").out


def test_a_policy_that_is_off_stays_off(command: Command, tmp_path: Path, widget: Path) -> None:
    off = written(tmp_path, "off.yaml", bent(POLICY, "spec", "mode", to="Off"))
    assert "Unchanged (NoPolicy)" in command("apply", "-p", off, widget, "--mode", "Enforce").out


def test_several_objects_have_totals(command: Command, policy: Path, tmp_path: Path) -> None:
    small = bent(bent(WIDGET, "status", to=TRIMMED), "metadata", "name", to="w2")
    file = written(tmp_path, "both.yaml", WIDGET, small)
    assert command("apply", "-p", policy, file).out.splitlines()[-1].startswith("2 objects: 1 Trimmed, 1 Unchanged  ")


def test_the_stored_object_makes_a_rewrite_a_no_op(
    command: Command, policy: Path, widget: Path, tmp_path: Path
) -> None:
    stored = written(tmp_path, "old.yaml", bent(WIDGET, "status", to=TRIMMED))
    assert "Suppressed (EqualAfterTrimming)" in command("apply", "-p", policy, widget, "--old", stored).out


def test_a_diff_shows_what_goes(command: Command, policy: Path, widget: Path) -> None:
    lines = command("apply", "-p", policy, widget, "-o", "diff").out.splitlines()
    assert lines[:2] == [
        "--- widgets.example.com team-a/w1 (submitted)",
        "+++ widgets.example.com team-a/w1 (admitted)",
    ]
    assert [line for line in lines[2:] if line.startswith(("-", "+"))] == [
        '-  - lastTransitionTime: "2026-01-01T00:00:00Z"',
        '-    status: "True"',
        "-    type: Ready",
    ]


def test_a_patch_a_line_that_any_library_applies(command: Command, policy: Path, widget: Path) -> None:
    out = command("apply", "-p", policy, widget, "-o", "patch").out
    assert out == '[{"op":"remove","path":"/status/conditions/0"}]\n'
    assert jsonpatch.apply_patch(WIDGET, out)["status"] == TRIMMED


def test_the_resulting_object(command: Command, policy: Path, widget: Path) -> None:
    out = command("apply", "-p", policy, widget, widget, "-o", "yaml").out
    assert [each["status"] for each in yaml.safe_load_all(out)] == [TRIMMED, TRIMMED]


def test_numbers_come_out_as_they_went_in(command: Command, policy: Path) -> None:
    text = json.dumps(WIDGET).replace('"phase": "Ready"', '"i": 123456789012345678901234567890, "f": 1.50, "e": 1e3')
    out = command("apply", "-p", policy, "-", "-o", "yaml", stdin=text.encode()).out
    assert all(line in out.splitlines() for line in ("  i: 123456789012345678901234567890", "  f: 1.50", "  e: 1e3"))


def test_a_report_for_programs(command: Command, policy: Path, widget: Path) -> None:
    report = json.loads(command("apply", "-p", policy, widget, "-o", "json").out)
    (told,) = report["objects"]
    assert {key: told[key] for key in ("resource", "namespace", "name", "outcome", "bytesBefore", "bytesAfter")} == {
        "resource": "widgets.example.com",
        "namespace": "team-a",
        "name": "w1",
        "outcome": "Trimmed",
        "bytesBefore": 263,
        "bytesAfter": 186,
    }
    assert told["patch"] == [{"op": "remove", "path": "/status/conditions/0"}]
    assert told["policies"][0]["steps"][0]["items"] == 1
    assert report["totals"] == {"objects": 1, "outcomes": {"Trimmed": 1}, "bytesBefore": 263, "bytesAfter": 186}


def test_a_review_from_a_file(command: Command, policy: Path, tmp_path: Path) -> None:
    resource = {"group": "example.com", "version": "v1", "resource": "widgets"}
    request = {"uid": "u", "operation": "UPDATE", "resource": resource, "subResource": "status", "object": WIDGET}
    review = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    for document in (review, request):
        assert "Trimmed" in command("apply", "-p", policy, written(tmp_path, "r.json", document)).out


def test_the_hint_of_a_format_without_room_goes_to_the_error_output(command: Command, dry: Path, widget: Path) -> None:
    result = command("apply", "-p", dry, widget, "-o", "diff")
    assert (result.code, result.out) == (0, "")
    assert "WouldTrim, since no policy enforces it; --mode Enforce shows" in result.err


def test_the_resource_can_be_named(command: Command, policy: Path, tmp_path: Path) -> None:
    odd = written(tmp_path, "odd.json", bent(WIDGET, "kind", to="Oddity"))
    refused = command("apply", "-p", policy, odd)
    assert refused.code == 2
    assert "say what it is with --resource GROUP/RESOURCE" in refused.err
    assert "Trimmed" in command("apply", "-p", policy, odd, "--resource", "example.com/widgets/status").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-p", "policy.yaml", "policy.yaml"],
            "policy.yaml: a StatusPolicy is no object to apply policies to; load it with -p",
        ),
        (["-p", "policy.yaml", "none.json"], "none.json: cannot be read: No such file or directory"),
        (["-p", "none.yaml", "widget.json"], "none.yaml: cannot be read"),
        (
            ["-p", "policy.yaml", "widget.json", "--now", "noon"],
            "Invalid value for --now: 'noon' is no time; write for example 2026-01-01T00:00:00Z",
        ),
        (["-p", "policy.yaml", "-", "--old", "-"], "the standard input can be read once"),
        (["-p", "policy.yaml", "widget.json", "--resource", "widgets"], "write GROUP/RESOURCE"),
        (["-p", "policy.yaml", "widget.json", "--old", "policy.yaml"], "no submitted object belongs to the stored"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch, policy: Path, widget: Path, arguments: list[str], message: str
) -> None:
    assert policy.parent == widget.parent
    monkeypatch.chdir(policy.parent)
    result = command("apply", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_broken_policy_is_told_with_every_problem(command: Command, tmp_path: Path, widget: Path) -> None:
    broken = written(tmp_path, "b.yaml", bent(bent(POLICY, "spec", "mod", to=1), "metadata", "nam", to="x"))
    result = command("apply", "-p", broken, widget)
    assert (result.code, len(result.err.splitlines())) == (2, 2)
    assert all(line.startswith(f"{broken}:") for line in result.err.splitlines())


# --- what it looks like -----------------------------------------------------------------------------------------------


def long_lines(folder: Path) -> tuple[Path, Path]:
    """A policy with a path that no terminal is wide enough for, and an object for it."""
    path = ".".join(["status", *(f"levelNumber{number}" for number in range(30)), "conditions"])
    policy = written(folder, "long.yaml", bent(POLICY, "spec", "trim", 0, "capConditions", "path", to=path))
    return policy, written(folder, "w.json", WIDGET)


def test_no_line_is_broken_in_a_pipe(command: Command, tmp_path: Path) -> None:
    policy, widget = long_lines(tmp_path)
    _, row = command("apply", "-p", policy, widget).out.splitlines()
    assert len(row) > 400
    assert row.endswith("0 B")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
@pytest.mark.parametrize("output", ["table", "diff"])
def test_colours_only_where_they_are_wanted(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    policy: Path,
    widget: Path,
    environment: dict[str, str],
    coloured: bool,
    output: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = command("apply", "-p", policy, widget, "-o", output).out
    assert ("\x1b[3" in out) is coloured


def test_a_terminal_gets_colours_and_lines_that_fit(tmp_path: Path) -> None:
    policy, widget = long_lines(tmp_path)
    assert "\x1b[" in on_terminal(100, "apply", "-p", policy, widget).text
    lines = on_terminal(100, "apply", "-p", policy, widget).lines
    assert max(map(len, lines)) <= 100
    assert "levelNumber29.conditions" in "".join(line.strip() for line in lines)


def test_a_terminal_without_colours_gets_plain_text(policy: Path, widget: Path) -> None:
    seen = on_terminal(100, "apply", "-p", policy, widget, "-o", "diff", NO_COLOR="1")
    assert "--- widgets.example.com" in seen.text
    assert "\x1b" not in seen.text


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_no_word_is_torn_on_a_narrow_terminal(tmp_path: Path, dry: Path, widget: Path, columns: int) -> None:
    lines = on_terminal(columns, "apply", "-p", dry, widget, *NOW).lines
    assert max(map(len, lines)) <= columns
    told = " ".join(lines).split()
    assert {"WouldTrim", "widgets.example.com", "team-a/w1", "two-conditions", "status.conditions", "−77"} <= set(told)


def test_a_diff_is_never_folded(tmp_path: Path, policy: Path) -> None:
    widget = written(tmp_path, "long.json", bent(WIDGET, "status", "conditions", 0, "message", to="word " * 50))
    assert f"-    message: '{'word ' * 50}'" in on_terminal(80, "apply", "-p", policy, widget, "-o", "diff").lines


def test_no_trim_breaks_the_schema_of_a_crd(command: Command, tmp_path: Path, policy: Path, widget: Path) -> None:
    schema = bent(STATUS, "properties", "conditions", "minItems", to=3)
    crds = written(tmp_path, "crd.yaml", crd(version(status=schema)))
    told = json.loads(command("apply", "-p", policy, widget, "--crds", crds, "-o", "json").out)
    assert "SchemaRequires" in json.dumps(told)
    assert "SchemaRequires" not in command("apply", "-p", policy, widget, "-o", "json").out
