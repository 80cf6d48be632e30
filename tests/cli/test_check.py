"""``statuscap check``: every problem with its place."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Command
from tests.cli.terminal import on_terminal
from tests.cluster.apiserver import TOKEN, apiserver
from tests.crd.sample import crd, version
from tests.offline.samples import POLICY, bent, written
from tests.offline.test_convergence import CHAIN, MESSAGE


def test_nothing_to_say(command: Command, policy: Path) -> None:
    result = command("check", policy)
    assert (result.code, result.out) == (0, "1 policy, 0 suites read: 0 problems, 0 notes\n")


def test_every_problem_has_file_line_and_path(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "p.yaml", bent(POLICY, "spec", "mod", to="Enforce"))
    result = command("check", file)
    line = next(at for at, text in enumerate(file.read_text().splitlines(), 1) if '"mod"' in text)
    assert result.code == 1
    assert result.out.splitlines()[0] == f'{file}:{line}: spec.mod: unknown key; did you mean "mode"?'


def test_what_is_hardly_meant_is_a_note_and_no_problem(command: Command, tmp_path: Path) -> None:
    step = {"capList": {"path": "status.conditions", "max": 5, "order": "NewestLast"}}
    result = command("check", written(tmp_path, "p.yaml", bent(POLICY, "spec", "trim", to=[step])))
    assert result.code == 0
    line, verdict = result.out.splitlines()
    assert ": spec.trim[0].capList: note: capList on status.conditions" in line
    assert verdict == "1 policy, 0 suites read: 0 problems, 1 note"


def test_what_only_the_cluster_can_tell_is_a_note(command: Command, tmp_path: Path) -> None:
    rules = [{"apiGroups": ["example.com"], "resources": ["gadget"]}]
    file = written(tmp_path, "p.yaml", bent(POLICY, "spec", "match", "resources", to=rules))
    line = next(at for at, text in enumerate(file.read_text().splitlines(), 1) if '"gadget"' in text)
    result = command("check", file)
    *notes, verdict = result.out.splitlines()
    assert (result.code, verdict) == (0, "1 policy, 0 suites read: 0 problems, 2 notes")
    place = f"{file}:{line}: spec.match.resources[0].resources[0]"
    assert all(note.startswith(f"{place}: note: gadget ") for note in notes)


def test_a_kind_is_no_resource(command: Command, tmp_path: Path) -> None:
    rules = [{"apiGroups": ["example.com"], "resources": ["Gadget"]}]
    result = command("check", written(tmp_path, "p.yaml", bent(POLICY, "spec", "match", "resources", to=rules)))
    assert result.code == 1
    assert '"Gadget" is no resource; write its plural in lower case, for example gadgets/status' in result.out


def test_a_policy_that_does_not_converge_is_a_problem_with_a_sample(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "p.yaml", CHAIN)
    result = command("check", file)
    first, *sample, verdict = result.out.splitlines()
    assert result.code == 1
    assert first == f"{file}:1: spec: {MESSAGE}"
    assert yaml.safe_load("\n".join(sample))["object"]["status"] == {name: [{}, {}] for name in "abcd"}
    assert verdict == "1 policy, 0 suites read: 1 problem, 0 notes"
    told = json.loads(command("check", file, "-o", "json").out)
    assert (told["clean"], told["convergence"]["unsettled"][0]["problem"]["message"]) == (False, MESSAGE)


def test_policies_are_explained_when_asked(command: Command, policy: Path) -> None:
    result = command("check", "--explain", policy)
    heading, *sentences, verdict = result.out.splitlines()
    assert (result.code, verdict) == (0, "1 policy, 0 suites read: 0 problems, 0 notes")
    assert heading.endswith(f"({policy}:1)")
    assert "  Never rejects a write." in sentences
    (told,) = json.loads(command("check", "--explain", policy, "-o", "json").out)["explanations"]
    assert "Never rejects a write." in told["never"]
    assert json.loads(command("check", policy, "-o", "json").out)["explanations"] == []


def test_problems_as_json(command: Command, tmp_path: Path, policy: Path) -> None:
    broken = written(tmp_path, "p.yaml", bent(POLICY, "spec", "mod", to="Enforce"))
    told = json.loads(command("check", broken, "-o", "json").out)
    assert (told["clean"], [each["path"] for each in told["problems"]]) == (False, ["spec.mod"])
    assert json.loads(command("check", policy, "-o", "json").out)["clean"] is True


def test_the_policies_that_ship_are_clean(command: Command) -> None:
    from admission.policyfile.presets import presets_directory

    result = command("check", presets_directory())
    assert result.code == 0, result.out


def test_a_narrow_terminal_gets_lines_that_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "p.yaml", bent(POLICY, "spec", "trim", 0, "capConditions", "maks", to=5))
    lines = on_terminal(60, "check", "p.yaml").lines
    assert max(map(len, lines)) <= 60
    told = " ".join(" ".join(lines).split())
    assert "spec.trim[0].capConditions.maks: unknown key; known here: path, max, typeField," in told


def test_policies_are_held_against_crds(command: Command, tmp_path: Path, policy: Path) -> None:
    crds = written(tmp_path, "crds.json", crd())
    result = command("check", policy, "--crds", crds)
    assert (result.code, result.out) == (0, "1 policy, 0 suites read, held against 1 CRD: 0 problems, 0 notes\n")
    misspelt = written(tmp_path, "p.yaml", bent(POLICY, "spec", "trim", 0, "capConditions", "path", to="status.conds"))
    result = command("check", misspelt, "--crds", crds)
    line = next(at for at, text in enumerate(misspelt.read_text().splitlines(), 1) if '"path"' in text)
    assert result.code == 1
    assert result.out.splitlines()[0] == (
        f"{misspelt}:{line}: spec.trim[0].capConditions.path: status.conds is not in the schema of widgets.example.com "
        "(v1); its fields are conditions, digest, history, labels, message, nodes, phase, port and 4 more"
    )


def test_what_crds_say_is_in_the_json_too(command: Command, tmp_path: Path, policy: Path) -> None:
    crds = written(tmp_path, "crds.json", crd(group="other.io"))
    told = json.loads(command("check", policy, "--crds", crds, "-o", "json").out)
    assert (told["clean"], told["crds"]) == (True, 1)
    assert told["notes"][0]["message"].startswith("no CRD of the group example.com is known")
    assert json.loads(command("check", policy, "-o", "json").out)["crds"] is None


def test_crds_that_cannot_be_read_are_a_usage_error(command: Command, tmp_path: Path, policy: Path) -> None:
    result = command("check", policy, "--crds", tmp_path / "none")
    assert (result.code, result.err) == (2, f"{tmp_path}/none: cannot be read: No such file or directory\n")


def test_the_cluster_goes_before_files(
    command: Command, tmp_path: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = crd(version(status={"type": "object", "properties": {"phase": {"type": "string"}}}))
    files = written(tmp_path, "crds.json", without, crd(plural="gadgets", kind="Gadget"))
    with apiserver(crd()) as api:
        kubeconfig = {
            "clusters": [{"name": "test", "cluster": {"server": api.url}}],
            "users": [{"name": "test", "user": {"token": TOKEN}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "current-context": "test",
        }
        monkeypatch.setenv("KUBECONFIG", str(written(tmp_path, "kubeconfig", kubeconfig)))
        assert command("check", policy, "--crds", files).code == 1
        both = command("check", policy, "--crds", files, "--cluster")
        alone = command("check", policy, "--cluster")
    assert (both.code, both.out) == (0, "1 policy, 0 suites read, held against 2 CRDs: 0 problems, 0 notes\n")
    assert (alone.code, alone.out) == (0, "1 policy, 0 suites read, held against 1 CRD: 0 problems, 0 notes\n")


def test_a_cluster_that_nobody_knows_is_a_usage_error(
    command: Command, tmp_path: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    result = command("check", policy, "--cluster")
    why = f"Configuration file {tmp_path}/none not found"
    advice = "run in a pod with a service account, or name a file with KUBECONFIG"
    assert result.code == 2
    assert result.err == f"statuscap: nothing says where the API server is ({why}); {advice}\n"


def test_without_crds_nothing_of_a_cluster_is_loaded(policy: Path) -> None:
    script = (
        "import sys; from admission.cli.app import run; "
        f"run(['check', {str(policy)!r}]); sys.exit('lightkube' in sys.modules or 'admission.crd.files' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0
