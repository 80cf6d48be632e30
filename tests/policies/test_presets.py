"""The policies that ship: each says what it does, starts as DryRun, and keeps the word of its suite."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import product, takewhile
from pathlib import Path
from typing import Final

import pytest

from admission.engine.attributes import STATUS
from admission.engine.decision import Outcome
from admission.engine.policy import Mode, Policy
from admission.engine.values import text_of
from admission.offline.case import Case
from admission.offline.suitefile import Suite
from admission.policyfile.document import DESCRIPTION, NEVER_TOUCHES, SAVES
from admission.policyfile.files import read_bytes
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import PREFIX, preset_names, preset_path
from admission.policyfile.yamlfile import load_documents
from tests.cases.asparameters import assert_passes, cases_of, names_of, stem, suites_in
from tests.e2e.presets import PRESETS as SHAPES
from tests.e2e.presets import Preset
from tests.policies.savings import saving_of

ROOT: Final = Path(__file__).resolve().parents[2]
POLICIES: Final = ROOT / "policies"
PRESETS: Final = preset_names()
SUITES: Final = {stem(suite): suite for suite in suites_in(POLICIES)}
CASES: Final = cases_of(SUITES.values())

LARGEST_OBJECT_FILE: Final = 60 * 1024
"""Object files beside the policies travel in the wheel; larger ones belong to tests/cases/data."""


@pytest.mark.parametrize(("suite", "case"), CASES, ids=names_of(CASES))
def test_the_case_holds(suite: Suite, case: Case) -> None:
    assert_passes(suite, case)


# --- the policies ----------------------------------------------------------------------------------------------------


def policy_of(preset: str) -> Policy:
    (policy,) = load_policies([f"{PREFIX}{preset}"]).policies
    return policy


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_one_policy_called_like_its_file(preset: str) -> None:
    assert policy_of(preset).name == preset


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_ships_as_dry_run_and_says_so(preset: str) -> None:
    path = preset_path(preset)
    (document,) = load_documents(read_bytes(path), str(path))
    assert document.data["spec"]["mode"] == Mode.DRY_RUN
    assert policy_of(preset).mode is Mode.DRY_RUN


@pytest.mark.parametrize("annotation", [DESCRIPTION, NEVER_TOUCHES])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_says_what_it_does_and_what_it_never_touches(preset: str, annotation: str) -> None:
    path = preset_path(preset)
    (document,) = load_documents(read_bytes(path), str(path))
    assert len(document.data["metadata"]["annotations"][annotation].split()) >= 10


def test_all_presets_load_together() -> None:
    assert {policy.name for policy in load_policies([POLICIES]).policies} == set(PRESETS)


REJECTING: Final = tuple(preset for preset in PRESETS if policy_of(preset).rejects)
TRIMMING: Final = tuple(preset for preset in PRESETS if policy_of(preset).trim)
HOLDING_BACK: Final = tuple(preset for preset in PRESETS if policy_of(preset).suppress)


# --- their suites ----------------------------------------------------------------------------------------------------


def outcomes(suite: Suite) -> Counter[Outcome | None]:
    return Counter(case.expect.outcome for case in suite.cases)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_a_suite_of_its_own_that_enforces_it(preset: str) -> None:
    (policy,) = SUITES[preset].policies.policies
    assert (policy.name, policy.mode) == (preset, Mode.ENFORCE)


@pytest.mark.parametrize("preset", TRIMMING)
@pytest.mark.parametrize("outcome", [Outcome.TRIMMED, Outcome.UNCHANGED, Outcome.SUPPRESSED])
def test_a_suite_shows_what_is_trimmed_what_is_left_alone_and_what_is_no_write(preset: str, outcome: Outcome) -> None:
    assert outcomes(SUITES[preset])[outcome] > 0


@pytest.mark.parametrize("preset", HOLDING_BACK)
def test_a_suite_shows_what_is_held_back_and_what_is_news(preset: str) -> None:
    found = outcomes(SUITES[preset])
    assert found[Outcome.SUPPRESSED] > 0
    assert found[Outcome.UNCHANGED] > 1


@pytest.mark.parametrize("preset", REJECTING)
def test_a_suite_shows_what_is_rejected_and_what_passes_with_a_warning(preset: str) -> None:
    cases = SUITES[preset].cases
    assert outcomes(SUITES[preset])[Outcome.REJECTED] > 0
    assert any(case.expect.outcome is Outcome.UNCHANGED and case.expect.warnings for case in cases)


@pytest.mark.parametrize("preset", REJECTING)
def test_a_preset_that_rejects_trims_nothing_and_says_that_it_is_opt_in(preset: str) -> None:
    policy = policy_of(preset)
    assert policy.trim == ()
    assert "Opt-in" in policy.description


@pytest.mark.parametrize("preset", REJECTING)
def test_a_preset_that_rejects_begins_with_what_it_does_as_it_ships_and_when_it_is_enforced(preset: str) -> None:
    _, *lines = preset_path(preset).read_text().splitlines()  # the first one is for editors
    beginning = " ".join(line.removeprefix("# ") for line in takewhile(lambda line: line.startswith("#"), lines))
    assert "As it ships it rejects nothing." in beginning
    assert "mode: Enforce" in beginning


@pytest.mark.parametrize("preset", PRESETS)
def test_a_suite_shows_that_a_rehearsal_is_answered_like_a_real_request(preset: str) -> None:
    rehearsed = [case for case in SUITES[preset].cases if bytes_of(case, "dryRun") == b"true"]
    assert {case.expect.outcome for case in rehearsed} & {Outcome.TRIMMED, Outcome.SUPPRESSED, Outcome.REJECTED}


def endpoints_of(preset: str) -> Iterator[tuple[str, str]]:
    for rule in policy_of(preset).match.resources:
        yield from product(rule.groups, rule.resources)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_resource_of_a_policy_has_a_case_in_which_something_is_done(preset: str) -> None:
    held_back = Outcome.SUPPRESSED if preset in HOLDING_BACK else Outcome.REJECTED
    done = Outcome.TRIMMED if preset in TRIMMING else held_back
    cases = [case for case in SUITES[preset].cases if case.expect.outcome is done]
    assert set(endpoints_of(preset)) == {endpoint_of(case) for case in cases}


def bytes_of(case: Case, member: str) -> bytes:
    value = case.write.request[member]
    assert not isinstance(value, dict | list)
    return bytes(value)


def endpoint_of(case: Case) -> tuple[str, str]:
    resource, subresource = case.write.request["resource"], case.write.request.get("subResource")
    assert isinstance(resource, dict)
    plural = text_of(resource["resource"]) or ""
    below = text_of(subresource)
    assert below in (None, STATUS)
    return text_of(resource["group"]) or "", f"{plural}/{below}" if below else plural


# --- what they save --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", SHAPES, ids=[preset.name for preset in SHAPES])
def test_a_preset_says_what_it_saves_on_the_shape_that_it_is_for(preset: Preset) -> None:
    path = preset_path(preset.name)
    (document,) = load_documents(read_bytes(path), str(path))
    assert document.data["metadata"]["annotations"][SAVES] == saving_of(preset, policy_of(preset.name))


def test_every_preset_that_saves_something_has_a_shape() -> None:
    assert {preset.name for preset in SHAPES} == set(PRESETS) - set(REJECTING)


# --- what travels ----------------------------------------------------------------------------------------------------


def test_object_files_beside_the_policies_are_used_and_small() -> None:
    suites = "".join((POLICIES / f"{preset}.suite.yaml").read_text() for preset in PRESETS)
    files = sorted((POLICIES / "data").iterdir())
    assert [file.name for file in files if f"data/{file.name}" not in suites] == []
    assert [file.name for file in files if file.stat().st_size > LARGEST_OBJECT_FILE] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (file,) = folder.glob("*.whl")
    return zipfile.Path(file)


def test_policies_suites_and_objects_travel_in_the_wheel(wheel: zipfile.Path) -> None:
    presets = wheel / "admission" / "presets"
    for preset in PRESETS:
        for name in (f"{preset}.yaml", f"{preset}.suite.yaml"):
            assert (presets / name).read_bytes() == (POLICIES / name).read_bytes()
    objects = {entry.name for entry in (presets / "data").iterdir()}
    assert objects == {file.name for file in (POLICIES / "data").iterdir()}


def test_nothing_travels_in_the_wheel_but_the_package(wheel: zipfile.Path) -> None:
    names = {entry.name for entry in wheel.iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"admission"}
    assert "tests" not in {entry.name for entry in (wheel / "admission").iterdir()}
