"""Caps that are allowed and hardly meant are told; what is meant is not."""

from pathlib import Path
from typing import Any

import pytest

from admission.policyfile.loader import read_policies
from tests.offline.samples import POLICY, bent, written

CAP_MAP = {"capMap": {"path": "status.executors", "max": 5}}
DONE = {"field": ".", "operator": "In", "values": ["DONE"]}
CAP_LIST = {"capList": {"path": "status.history", "max": 5, "order": "NewestLast"}}


def policy(name: str, *steps: dict[str, Any], **spec: Any) -> dict[str, Any]:
    named = bent(POLICY, "metadata", "name", to=name)
    return bent(named, "spec", to={**POLICY["spec"], "trim": list(steps), **spec})


def other_max(number: int) -> dict[str, Any]:
    return bent(CAP_LIST, "capList", "max", to=number)


def notes(folder: Path, *policies: dict[str, Any]) -> list[str]:
    file = written(folder, "p.yaml", *policies)
    return [str(each).replace(f"{folder}/", "") for each in read_policies([str(file)]).notes]


@pytest.mark.parametrize("path", ["status.conditions", "status.clusterConditions", "status.parents[*].Conditions"])
def test_a_list_cap_on_conditions_suggests_the_cap_for_conditions(tmp_path: Path, path: str) -> None:
    (note,) = notes(tmp_path, policy("a", bent(CAP_LIST, "capList", "path", to=path)))
    assert note.endswith(f"capList on {path} also drops items without a type; for conditions write capConditions")


def test_a_finding_names_file_line_and_path(tmp_path: Path) -> None:
    (note,) = notes(tmp_path, policy("a", bent(CAP_LIST, "capList", "path", to="status.conditions")))
    line = next(at for at, text in enumerate((tmp_path / "p.yaml").read_text().splitlines(), 1) if '"capList"' in text)
    assert note.startswith(f"p.yaml:{line}: spec.trim[0].capList: ")


@pytest.mark.parametrize(
    "policies",
    [
        pytest.param([policy("a", CAP_LIST), policy("b", other_max(9))], id="two policies"),
        pytest.param([policy("a", CAP_LIST, other_max(9))], id="one policy"),
        pytest.param(
            [
                policy("a", CAP_LIST),
                policy(
                    "b", other_max(9), match={"resources": [{"apiGroups": ["example.com"], "resources": ["*/status"]}]}
                ),
            ],
            id="every status",
        ),
    ],
)
def test_two_caps_of_one_list_contradict_each_other(tmp_path: Path, policies: list[dict[str, Any]]) -> None:
    (note,) = notes(tmp_path, *policies)
    assert "status.history of example.com/widgets/status is capped otherwise by policy a (max 5, here 9)" in note


@pytest.mark.parametrize(
    "policies",
    [
        pytest.param([policy("a", CAP_LIST)], id="one cap"),
        pytest.param([policy("a", CAP_LIST), policy("b", CAP_LIST)], id="the same cap"),
        pytest.param([policy("a", CAP_LIST), policy("b", other_max(9), mode="Off")], id="one is off"),
        pytest.param(
            [policy("a", CAP_LIST), policy("b", bent(CAP_LIST, "capList", "path", to="status.log"))], id="another list"
        ),
        pytest.param(
            [
                policy("a", CAP_LIST),
                policy(
                    "b", other_max(9), match={"resources": [{"apiGroups": ["b.io"], "resources": ["widgets/status"]}]}
                ),
            ],
            id="another group",
        ),
        pytest.param(
            [
                policy(name, step, match={"resources": [{**rule, "apiVersions": [version]}]})
                for name, step, version in (("a", CAP_LIST, "v1"), ("b", other_max(9), "v2"))
                for rule in POLICY["spec"]["match"]["resources"]
            ],
            id="another version",
        ),
        pytest.param(
            [
                policy("a", CAP_LIST),
                policy("b", {**other_max(2), "when": [{"field": "metadata.name", "operator": "Exists"}]}),
            ],
            id="a second level under a requirement",
        ),
        pytest.param(
            [policy("a", CAP_MAP, {"capMap": {**CAP_MAP["capMap"], "max": 2, "evictWhere": [DONE]}})],
            id="two levels of a map",
        ),
    ],
)
def test_what_is_meant_is_not_told(tmp_path: Path, policies: list[dict[str, Any]]) -> None:
    assert notes(tmp_path, *policies) == []


def test_two_caps_of_one_map_contradict_each_other(tmp_path: Path) -> None:
    (finding,) = notes(tmp_path, policy("a", CAP_MAP), policy("b", bent(CAP_MAP, "capMap", "max", to=9)))
    assert "status.executors of example.com/widgets/status is capped otherwise by policy a (max 5, here 9)" in finding
