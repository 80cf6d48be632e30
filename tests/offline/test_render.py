"""The webhook configuration follows from the policies."""

import base64
import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from admission.engine.limits import Action, Items, Limit, Size
from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Mode, Policy, PolicySet, Trim
from admission.engine.sides import Of
from admission.errors import PolicyError
from admission.offline.render import Registration, registrations, validating_configuration, webhook_configuration
from admission.offline.target import ServiceTarget
from tests.engine.build import cap_list, path

JOBS = Policy("jobs", Match((ResourceRule(("batch.volcano.sh",), ("jobs/status",)),)))


def policy(*endpoints: str, group: str = "example.com", versions: tuple[str, ...] = ("*",), **fields: Any) -> Policy:
    return replace(JOBS, match=Match((ResourceRule((group,), endpoints, versions),)), **fields)


def registered(*policies: Policy) -> list[tuple[str, str]]:
    return [(each.endpoint, ",".join(each.versions)) for each in registrations(PolicySet.of(policies))]


def test_one_entry_says_all_that_the_api_server_needs() -> None:
    assert webhook_configuration(PolicySet.of([JOBS]), ServiceTarget(), b"pem") == {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "zz-statuscap", "labels": {"app.kubernetes.io/name": "statuscap"}},
        "webhooks": [
            {
                "name": "jobs.batch.volcano.sh.statuscap.dev",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {
                    "service": {"namespace": "statuscap", "name": "statuscap", "path": "/mutate", "port": 443},
                    "caBundle": base64.b64encode(b"pem").decode(),
                },
                "failurePolicy": "Ignore",
                "matchPolicy": "Equivalent",
                "namespaceSelector": {
                    "matchExpressions": [
                        {
                            "key": "kubernetes.io/metadata.name",
                            "operator": "NotIn",
                            "values": ["kube-node-lease", "kube-system", "statuscap"],
                        }
                    ]
                },
                "reinvocationPolicy": "IfNeeded",
                "rules": [
                    {
                        "apiGroups": ["batch.volcano.sh"],
                        "apiVersions": ["*"],
                        "operations": ["UPDATE"],
                        "resources": ["jobs/status"],
                        "scope": "*",
                    }
                ],
                "sideEffects": "None",
                "timeoutSeconds": 2,
            }
        ],
    }


def test_a_resource_without_status_subresource_is_also_created() -> None:
    (only,) = registrations(PolicySet.of([policy("applications")]))
    assert only.operations == ["CREATE", "UPDATE"]


@pytest.mark.parametrize(
    ("policies", "found"),
    [
        pytest.param([policy("a/status"), policy("a/status")], [("a/status", "*")], id="the same resource twice"),
        pytest.param([policy("a"), policy("a/status")], [("a", "*"), ("a/status", "*")], id="with and without status"),
        pytest.param(
            [policy("a/status", versions=("v1",)), policy("*/status"), policy("b")],
            [("*/status", "*"), ("b", "*")],
            id="every status takes in a single one",
        ),
        pytest.param(
            [policy("a/status", versions=("v2",)), policy("a/status", versions=("v1",))],
            [("a/status", "v1,v2")],
            id="versions of two policies",
        ),
        pytest.param([policy("a/status", mode=Mode.OFF)], [], id="a policy that is off"),
        pytest.param([policy("a/status", mode=Mode.WARN)], [("a/status", "*")], id="a policy that warns"),
    ],
)
def test_rules_are_disjoint(policies: list[Policy], found: list[tuple[str, str]]) -> None:
    assert registered(*policies) == found


def test_every_status_of_one_group_leaves_other_groups_alone() -> None:
    policies = PolicySet.of([policy("*/status", group="a.io"), policy("x/status", group="b.io")])
    assert [str(each.name) for each in registrations(policies)] == ["all.a.io.statuscap.dev", "x.b.io.statuscap.dev"]


@pytest.mark.parametrize(
    ("group", "endpoint"),
    [
        ("", "nodes/status"),
        ("", "pods/status"),
        ("", "pods"),
        ("coordination.k8s.io", "leases"),
        ("example.com", "*/*"),
        ("example.com", "*"),
        ("example.com", "jobs/*"),
        ("*", "jobs/status"),
        ("", "*/status"),
        ("example.com", "jobs/scale"),
    ],
)
def test_never_registers_what_could_stop_the_cluster(group: str, endpoint: str) -> None:
    with pytest.raises(PolicyError, match="policy jobs: "):
        registered(policy(endpoint, group=group))


@pytest.mark.parametrize(
    ("registration", "name"),
    [
        (Registration("argoproj.io", "applications", ("*",)), "applications.argoproj.io.object.statuscap.dev"),
        (Registration("argoproj.io", "applications/status", ("*",)), "applications.argoproj.io.statuscap.dev"),
        (Registration("", "services/status", ("*",)), "services.core.statuscap.dev"),
    ],
)
def test_an_entry_is_named_by_its_resource(registration: Registration, name: str) -> None:
    assert registration.name == name


def test_a_long_name_is_still_a_dns_name_and_its_own() -> None:
    names = {Registration("g." * 120 + "io", endpoint, ("*",)).name for endpoint in ("as/status", "bs/status", "as")}
    assert len(names) == 3
    assert all(len(name) <= 253 and re.fullmatch(r"[a-z0-9.-]+\.statuscap\.dev", name) for name in names)


# --- the validating phase --------------------------------------------------------------------------------------------

REJECT, WARN = (Limit(Size(Of.OBJECT), 1, action) for action in (Action.REJECT, Action.WARN))


@pytest.mark.parametrize(
    ("policies", "endpoints"),
    [
        pytest.param(
            [policy("a/status", mode=Mode.ENFORCE, limits=(WARN, REJECT))], ["a/status"], id="one that rejects"
        ),
        pytest.param([policy("a/status", mode=Mode.ENFORCE, limits=(WARN,))], None, id="one that only warns"),
        pytest.param([policy("a/status", mode=Mode.ENFORCE)], None, id="one without limits"),
        pytest.param([policy("a/status", mode=Mode.WARN, limits=(REJECT,))], None, id="one that is not enforced"),
        pytest.param([policy("a/status", mode=Mode.DRY_RUN, limits=(REJECT,))], None, id="one in dry-run"),
        pytest.param([policy("a/status", mode=Mode.OFF, limits=(REJECT,))], None, id="one that is off"),
        pytest.param(
            [
                policy("a", mode=Mode.ENFORCE, limits=(REJECT,)),
                replace(policy("b/status", mode=Mode.ENFORCE), name="trims"),
            ],
            ["a"],
            id="only the resources of those that reject",
        ),
    ],
)
def test_the_validating_phase_is_registered_where_an_enforced_policy_rejects(
    policies: list[Policy], endpoints: list[str] | None
) -> None:
    found = validating_configuration(PolicySet.of(policies), ServiceTarget())
    assert endpoints == (None if found is None else [entry["rules"][0]["resources"][0] for entry in found["webhooks"]])


def test_its_entries_are_those_of_the_mutating_phase_but_for_names_path_and_reinvocation() -> None:
    policies = PolicySet.of([replace(JOBS, mode=Mode.ENFORCE, limits=(REJECT,))])
    mutating = webhook_configuration(policies, ServiceTarget(), b"pem")
    validating = validating_configuration(policies, ServiceTarget(), b"pem")
    assert validating is not None
    assert (validating["kind"], validating["metadata"]) == ("ValidatingWebhookConfiguration", mutating["metadata"])
    (entry,), (other,) = validating["webhooks"], mutating["webhooks"]
    assert entry["clientConfig"]["service"]["path"] == "/validate"
    assert entry["name"] == "jobs.batch.volcano.sh.limits.statuscap.dev"
    assert other.keys() - entry.keys() == {"reinvocationPolicy"}
    differing = {key for key in entry if entry[key] != other[key]}
    assert differing == {"name", "clientConfig"}


def test_names_of_the_validating_phase_differ_too() -> None:
    places = product(("a.io", "g." * 120 + "io"), ("x", "x/status"))
    found = [Registration(group, endpoint, ("*",)) for group, endpoint in places]
    names = {name for each in found for name in (each.name, each.limits_name)}
    assert len(names) == 8
    assert all(len(name) <= 253 for name in names)


# --- pre-filters -----------------------------------------------------------------------------------------------------


def conditions(*policies: Policy, pre_filters: bool = True) -> list[list[dict[str, str]] | None]:
    made = webhook_configuration(PolicySet.of(policies), ServiceTarget(), pre_filters=pre_filters)
    return [webhook.get("matchConditions") for webhook in made["webhooks"]]


CAPPED = policy("jobs/status", name="capped", trim=(Trim(cap_list(5)),))
BIG = policy("jobs/status", name="big", limits=(Limit(Size(Of.STATUS), 10, Action.WARN),))


def test_a_pre_filter_is_asked_for() -> None:
    assert conditions(CAPPED, pre_filters=False) == [None]
    (found,) = conditions(CAPPED)
    assert found is not None
    assert [each["name"] for each in found] == ["statuscap.dev/has-something-to-do"]
    assert found[0]["expression"].endswith("size(object.status.history) > 5")


def test_one_policy_that_nobody_can_decide_about_leaves_its_entry_unfiltered_and_no_other() -> None:
    other = policy("tasks/status", name="other", trim=(Trim(cap_list(5)),))
    assert [found is None for found in conditions(CAPPED, BIG, other)] == [True, False]


def test_a_policy_that_is_off_does_not_count() -> None:
    assert conditions(CAPPED, replace(BIG, mode=Mode.OFF)) == conditions(CAPPED)


def test_every_status_of_a_group_is_filtered_for_all_policies_that_look_at_one() -> None:
    every = policy("*/status", name="every", trim=(Trim(cap_list(7)),))
    (found,) = conditions(CAPPED, every, policy("tasks", name="main", trim=(Trim(cap_list(9)),)))[:1]
    assert found is not None
    assert "> 5" in found[0]["expression"]
    assert "> 7" in found[0]["expression"]
    assert "> 9" not in found[0]["expression"]


def test_the_validating_phase_is_filtered_by_its_limits() -> None:
    items = Limit(Items(path("status.history")), 3, Action.REJECT)
    made = validating_configuration(
        PolicySet.of([replace(CAPPED, mode=Mode.ENFORCE, limits=(items,))]), ServiceTarget(), pre_filters=True
    )
    assert made is not None
    assert made["webhooks"][0]["matchConditions"][0]["expression"].endswith("size(object.status.history) > 3")
