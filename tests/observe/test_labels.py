"""Labels have few values, whatever a caller sends."""

import pytest

from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Policy, PolicySet
from admission.observe.labels import OTHER, Resources, flag_label, operation_label

GROUP = "batch.volcano.sh"


def resources(*rules: ResourceRule) -> Resources:
    return Resources(PolicySet.of([Policy("p", Match(rules))]))


@pytest.mark.parametrize(
    ("group", "resource", "label"),
    [
        pytest.param(GROUP, "jobs", "batch.volcano.sh/jobs", id="one that a policy names"),
        pytest.param("", "services", "services", id="a core resource has no group"),
        pytest.param(GROUP, "queues", OTHER, id="one that no policy names"),
        pytest.param("evil.example.com", "jobs", OTHER, id="the same name in another group"),
    ],
)
def test_a_resource_is_named_when_a_policy_names_it(group: str, resource: str, label: str) -> None:
    rules = (ResourceRule((GROUP,), ("jobs/status",)), ResourceRule(("",), ("services/status",)))
    assert resources(*rules).label(group, resource) == label


def test_a_rule_for_all_of_a_group_names_what_is_met_up_to_a_bound() -> None:
    of = resources(ResourceRule((GROUP,), ("*/status", "jobs")))
    met = [of.label(GROUP, f"kind{number}s") for number in range(300)]
    assert met[0] == "batch.volcano.sh/kind0s"
    assert met.count(OTHER) == 100
    assert of.label(GROUP, "kind0s") == met[0], "what was met stays"
    assert of.label(GROUP, "jobs") == "batch.volcano.sh/jobs", "what is named has its place"
    assert of.label("evil.example.com", "jobs") == OTHER


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE", "DELETE", "CONNECT"])
def test_operations_are_those_of_kubernetes(operation: str) -> None:
    assert operation_label(operation) == operation
    assert operation_label(operation.lower()) == OTHER


def test_flags_are_words_as_prometheus_has_them() -> None:
    assert (flag_label(True), flag_label(False)) == ("true", "false")
