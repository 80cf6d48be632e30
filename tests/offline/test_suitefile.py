"""A suite file that is wrong says where; one that is right keeps every value as it is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from admission.engine.policy import Mode
from admission.errors import PolicyError
from admission.offline.suitefile import load_suites
from tests.offline.samples import POLICY, SUITE, WIDGET, bent, written


def problems(folder: Path, suite: Any) -> str:
    with pytest.raises(PolicyError) as caught:
        load_suites(written(folder, "s.suite.yaml", suite), now=0)
    assert caught.value.problems
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        pytest.param(bent(SUITE, "case", to=[]), 'case: unknown key; did you mean "cases"?', id="a key of the suite"),
        pytest.param(bent(SUITE, "cases", 0, "obect", to={}), 'did you mean "object"?', id="a key of a case"),
        pytest.param(
            bent(SUITE, "cases", 0, "expect", "staus", to={}), 'staus: unknown key; did you mean "status"?', id="expect"
        ),
        pytest.param(bent(SUITE, "cases", 0, "expect", "outcome", to="Trimed"), 'did you mean "Trimmed"?', id="a word"),
        pytest.param(bent(SUITE, "cases", 0, "now", to="noon"), "is no time; write for example", id="a time"),
        pytest.param(
            bent(SUITE, "cases", 0, "expect", "message", to="("), "is no regular expression", id="a regular expression"
        ),
        pytest.param(bent(SUITE, "cases", 0, "expect", "maxPatchOps", to="3"), "expected a whole number", id="a type"),
        pytest.param(bent(SUITE, "kind", to="StatusPolicy"), "write Suite", id="another kind"),
        pytest.param(POLICY, "this is a StatusPolicy; name its suite (NAME.suite.yaml)", id="a policy"),
        pytest.param(bent(SUITE, "cases", to=[]), "the list is empty", id="no case"),
        pytest.param(
            bent(SUITE, "resource", to={"group": "example.com"}), "needs a group and a resource", id="resource"
        ),
        pytest.param(
            bent(SUITE, "cases", 0, "objectFile", to="w.json"), "object: stands beside objectFile; keep one", id="twice"
        ),
        pytest.param(
            bent(SUITE, "cases", 0, "oldObjectFile", to="none.json"),
            "oldObjectFile: none.json: cannot be read",
            id="file",
        ),
        pytest.param(bent(SUITE, "policies", to=["none.yaml"]), "none.yaml: cannot be read", id="no policy file"),
        pytest.param(
            bent(SUITE, "policies", 0, "spec", "trim", 0, "capConditions", "mx", to=1),
            'unknown key; did you mean "max"?',
            id="a policy inside",
        ),
        pytest.param(bent(SUITE, "policies", to=[POLICY, POLICY]), "two-conditions", id="two policies of one name"),
    ],
)
def test_says_what_is_wrong(tmp_path: Path, suite: Any, message: str) -> None:
    assert message in problems(tmp_path, suite)


def test_tells_the_line_of_the_key_at_fault(tmp_path: Path) -> None:
    text = json.dumps(bent(SUITE, "cases", 0, "expect", "staus", to=1), indent=1)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if '"staus"' in each)
    assert problems(tmp_path, text).startswith(f"s.suite.yaml:{line}: cases[0].expect.staus: ")


def test_a_case_without_an_object_is_a_problem(tmp_path: Path) -> None:
    case = {"name": "empty", "expect": {"outcome": "Unchanged"}}
    assert "cases[0]: has no object; write object or objectFile" in problems(tmp_path, bent(SUITE, "cases", to=[case]))


def test_tells_every_problem_at_once(tmp_path: Path) -> None:
    cases = [{"name": name, "expect": {}} for name in "ab"]
    assert len(problems(tmp_path, bent(SUITE, "cases", to=cases)).splitlines()) == 2


def test_the_suite_s_mode_is_every_policy_s_also_of_one_that_is_off(tmp_path: Path) -> None:
    suite = bent(SUITE, "policies", 0, "spec", "mode", to="Off")
    (loaded,) = load_suites(written(tmp_path, "s.yaml", suite), now=0)
    assert [policy.mode for policy in loaded.policies.policies] == [Mode.ENFORCE]


def test_without_a_mode_each_policy_keeps_its_own(tmp_path: Path) -> None:
    suite = {
        key: value for key, value in bent(SUITE, "policies", 0, "spec", "mode", to="Warn").items() if key != "mode"
    }
    (loaded,) = load_suites(written(tmp_path, "s.yaml", suite), now=0)
    assert [policy.mode for policy in loaded.policies.policies] == [Mode.WARN]


def test_policies_and_objects_are_found_beside_the_suite(tmp_path: Path) -> None:
    written(tmp_path, "p.yaml", POLICY)
    written(tmp_path, "w.json", WIDGET)
    case = {"name": "from files", "objectFile": "w.json", "oldObjectFile": "w.json", "expect": {}}
    suite = bent(bent(SUITE, "policies", to=["p.yaml"]), "cases", to=[case])
    (loaded,) = load_suites(written(tmp_path, "s.yaml", suite), now=0)
    assert [policy.name for policy in loaded.policies.policies] == ["two-conditions"]
    assert loaded.cases[0].write.stored == loaded.cases[0].write.submitted


def test_several_suites_of_one_file(tmp_path: Path) -> None:
    assert len(load_suites(written(tmp_path, "s.yaml", SUITE, SUITE), now=0)) == 2


@pytest.mark.parametrize("text", ["", "---\n", "# nothing"])
def test_an_empty_file_is_a_problem(tmp_path: Path, text: str) -> None:
    assert "is empty" in problems(tmp_path, text)


STATUS_SCHEMA = {"properties": {"status": {"required": ["phase"]}}}


@pytest.mark.parametrize("given", [STATUS_SCHEMA, {"openAPIV3Schema": STATUS_SCHEMA}], ids=["itself", "in its member"])
def test_the_policies_know_the_schema(tmp_path: Path, given: dict[str, Any]) -> None:
    (loaded,) = load_suites(written(tmp_path, "s.yaml", bent(SUITE, "schema", to=given)), now=0)
    (schema,) = loaded.policies.schemas.by_resource.values()
    assert schema.properties["status"].required == {"phase"}
    assert loaded.remarks == ()


def request(folder: Path, **fields: Any) -> dict[str, Any]:
    case = {**SUITE["cases"][0], **fields}
    (loaded,) = load_suites(written(folder, "s.yaml", bent(SUITE, "cases", to=[case])), now=0)
    review: dict[str, Any] = json.loads(loaded.cases[0].write.review())
    answered: dict[str, Any] = review["request"]
    return answered


def test_what_a_request_does_not_say_is_taken_from_the_object(tmp_path: Path) -> None:
    found = request(tmp_path)
    assert (found["name"], found["namespace"], found["operation"]) == ("w1", "team-a", "UPDATE")
    assert found["kind"] == {"group": "example.com", "version": "v1", "kind": "Widget"}
    assert (found["oldObject"], found["dryRun"]) == (None, False)


def test_what_a_request_says_is_said(tmp_path: Path) -> None:
    said = {"user": "u", "operation": "CREATE", "dryRun": True, "name": "n", "namespace": "s", "fieldManager": "m"}
    found = request(tmp_path, request=said)
    assert (found["userInfo"]["username"], found["operation"], found["dryRun"]) == ("u", "CREATE", True)
    assert (found["name"], found["namespace"], found["options"]["fieldManager"]) == ("n", "s", "m")


def test_a_missing_api_version_is_the_resource_s(tmp_path: Path) -> None:
    bare = {key: value for key, value in WIDGET.items() if key != "apiVersion"}
    found = request(tmp_path, object=bare)
    assert found["kind"] == {"group": "example.com", "version": "v1", "kind": "Widget"}
    assert "apiVersion" not in found["object"]


def test_a_case_s_resource_is_merged_over_the_suite_s(tmp_path: Path) -> None:
    found = request(tmp_path, resource={"resource": "gadgets", "subresource": ""})
    assert found["resource"] == {"group": "example.com", "version": "v1", "resource": "gadgets"}
    assert "subResource" not in found


def test_without_any_resource_the_rules_tell_it(tmp_path: Path) -> None:
    suite = {key: value for key, value in SUITE.items() if key != "resource"}
    (loaded,) = load_suites(written(tmp_path, "s.yaml", suite), now=0)
    assert loaded.cases[0].write.title == "widgets.example.com team-a/w1"


def test_numbers_of_an_object_keep_their_text(tmp_path: Path) -> None:
    text = json.dumps(SUITE).replace('"phase": "Ready"', '"phase": 1.50, "n": 123456789012345678901234567890', 1)
    (loaded,) = load_suites(written(tmp_path, "s.yaml", text), now=0)
    review = loaded.cases[0].write.review()
    assert b'"phase":1.50' in review
    assert b'"n":123456789012345678901234567890' in review
