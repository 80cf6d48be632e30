"""The resource of a bare object is found among the rules."""

import pytest

from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Policy, PolicySet
from admission.errors import PolicyError
from admission.offline.resource import Resource, plurals, resource_of


def rules(*endpoints: str, group: str = "example.com") -> PolicySet:
    return PolicySet.of([Policy("p", Match((ResourceRule((group,), endpoints),)))])


@pytest.mark.parametrize(
    ("kind", "endpoint"),
    [
        ("Job", "jobs/status"),
        ("Policy", "policies"),
        ("Gateway", "gateways/status"),
        ("AnalysisRun", "analysisruns"),
        ("Ingress", "ingresses/status"),
        ("Mesh", "meshes"),
        ("Endpoints", "endpoints"),
        ("Prometheus", "prometheuses/status"),
        ("Gateway", "gatewaies"),
    ],
)
def test_finds_the_usual_plural(kind: str, endpoint: str) -> None:
    assert resource_of(rules("others/status", endpoint), "example.com", kind).endpoint == endpoint


def test_a_rule_for_every_status_takes_the_most_usual_plural() -> None:
    assert str(resource_of(rules("*/status"), "example.com", "Policy")) == "example.com/policies/status"


def test_a_single_rule_beside_the_rule_for_every_status_is_the_same_resource() -> None:
    assert str(resource_of(rules("*/status", "jobs/status"), "example.com", "Job")) == "example.com/jobs/status"


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        pytest.param(rules("jobs", group="other.io"), "no loaded policy has a rule for a Job of", id="another group"),
        pytest.param(rules("queues/status"), "say what it is with --resource", id="another resource"),
        pytest.param(rules("jobs", "jobs/status"), "example.com/jobs, example.com/jobs/status; choose", id="two"),
    ],
)
def test_says_what_to_do_when_none_or_several_fit(policies: PolicySet, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        resource_of(policies, "example.com", "Job")


def test_reads_a_resource_and_prints_it_back() -> None:
    assert [str(Resource.parse(text)) for text in ("a.io/b/status", "a.io/b", "/nodes")] == [
        "a.io/b/status",
        "a.io/b",
        "/nodes",
    ]


@pytest.mark.parametrize("text", ["jobs", "a.io/", "a/b/c/d", ""])
def test_refuses_what_names_no_resource(text: str) -> None:
    with pytest.raises(PolicyError, match="write GROUP/RESOURCE"):
        Resource.parse(text)


def test_every_plural_occurs_once() -> None:
    assert all(len(set(plurals(kind))) == 3 for kind in ("Job", "Policy", "Mesh", "Gateway"))
