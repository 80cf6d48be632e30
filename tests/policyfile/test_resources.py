"""Which resources a policy may name."""

from typing import Any

import pytest

from admission.engine.match import ResourceRule
from admission.policyfile.resources import SERVED_GROUPS, plural_of
from tests.policyfile.sample import bent, loaded, told

RULE: dict[str, Any] = {"apiGroups": ["example.com"], "resources": ["widgets/status"]}


OF_THE_SERVER = (
    "is served by the API server itself; name a group of custom resources, or if you mean it write allowCore: true"
)


def told_of(rule: dict[str, Any]) -> list[str]:
    return told(bent(("spec.match.resources", [RULE | rule])))


@pytest.mark.parametrize("resource", ["widgets/status", "widgets", "*/status", "my-widgets2/status"])
def test_a_status_may_be_named(resource: str) -> None:
    policy = loaded(
        bent(("spec.match.resources", [RULE | {"resources": [resource], "apiVersions": ["v1", "v1beta2"]}]))
    )
    assert policy.match.resources == (ResourceRule(("example.com",), (resource,), ("v1", "v1beta2")),)


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        pytest.param("*", '"*" would match what is no status; write "*/status" or name the resources', id="everything"),
        pytest.param(
            "*/*",
            '"*/*" would match what is no status; write "*/status" or name the resources',
            id="every subresource of everything",
        ),
        pytest.param(
            "*/scale",
            '"*/scale" would match what is no status; write "*/status" or name the resources',
            id="every scale",
        ),
        pytest.param("jobs/*", '"jobs/*" would match every subresource; write jobs/status', id="every subresource"),
        pytest.param(
            "jobs/scale",
            '"jobs/scale" is not a status; write jobs/status, or jobs when it has no status subresource',
            id="another subresource",
        ),
        pytest.param(
            "jobs/",
            '"jobs/" is not a status; write jobs/status, or jobs when it has no status subresource',
            id="no subresource",
        ),
        pytest.param(
            "jobs/status/x",
            '"jobs/status/x" is not a status; write jobs/status, or jobs when it has no status subresource',
            id="below the status",
        ),
        pytest.param(
            "Jobs", '"Jobs" is no resource; write its plural in lower case, for example jobs/status', id="a kind"
        ),
        pytest.param("", '"" is no resource; write its plural in lower case, for example jobs/status', id="nothing"),
    ],
)
def test_what_is_no_status_is_refused(resource: str, message: str) -> None:
    assert told_of({"resources": [resource]}) == [f"spec.match.resources[0].resources[0]: {message}"]


@pytest.mark.parametrize(
    ("group", "message"),
    [
        pytest.param("*", '"*" would match groups that nobody named; name every group', id="every group"),
        pytest.param("*.io", '"*.io" would match groups that nobody named; name every group', id="a glob"),
        pytest.param(
            "batch.volcano.sh/v1alpha1",
            '"batch.volcano.sh/v1alpha1" is no API group; write for example batch.volcano.sh, without a version',
            id="with a version",
        ),
        pytest.param(
            "",
            f"the core group {OF_THE_SERVER}",
            id="the core group",
        ),
    ],
)
def test_a_group_that_may_not_be_named_is_refused(group: str, message: str) -> None:
    assert told_of({"apiGroups": [group]}) == [f"spec.match.resources[0].apiGroups[0]: {message}"]


@pytest.mark.parametrize("group", sorted(SERVED_GROUPS - {""}))
def test_what_the_api_server_serves_itself_is_refused(group: str) -> None:
    message = f"{group} {OF_THE_SERVER}"
    assert told_of({"apiGroups": ["example.com", group]}) == [f"spec.match.resources[0].apiGroups[1]: {message}"]


def with_core(*resources: str, group: str = "apps") -> dict[str, Any]:
    rule = RULE | {"apiGroups": [group], "resources": [*resources]}
    return bent(("spec.allowCore", True), ("spec.match.resources", [rule]))


def test_a_policy_may_say_that_it_means_them() -> None:
    assert loaded(with_core("deployments/status")).match.resources == (
        ResourceRule(("apps",), ("deployments/status",)),
    )
    assert told(bent(("spec.allowCore", False), ("spec.match.resources", [RULE | {"apiGroups": ["apps"]}]))) == [
        f"spec.match.resources[0].apiGroups[0]: apps {OF_THE_SERVER}"
    ]


def test_but_never_a_whole_group_of_them() -> None:
    assert told(with_core("*/status")) == [
        (
            "spec.match.resources[0].resources[0]: */status would match what nobody named in a group of the API "
            "server's own; name the resources"
        )
    ]


@pytest.mark.parametrize(
    ("group", "resource"), [("", "nodes/status"), ("", "pods/status"), ("coordination.k8s.io", "leases")]
)
def test_nor_a_heartbeat_that_the_cluster_lives_by(group: str, resource: str) -> None:
    assert told(with_core(resource, group=group)) == [
        (
            f"spec.match.resources[0].resources[0]: {resource} are heartbeats that no webhook may delay, with no "
            "policy ever; leave them out"
        )
    ]


@pytest.mark.parametrize(
    "group", ["snapshot.storage.k8s.io", "gateway.networking.k8s.io", "batch.volcano.sh", "longhorn.io"]
)
def test_groups_of_custom_resources_may_be_named_whatever_they_look_like(group: str) -> None:
    assert told_of({"apiGroups": [group], "resources": ["nodes/status"]}) == []


@pytest.mark.parametrize(
    ("group", "resource"),
    [("", "nodes/status"), ("", "nodes"), ("", "pods/status"), ("coordination.k8s.io", "leases")],
)
def test_heartbeats_are_refused_for_ever(group: str, resource: str) -> None:
    message = f"{resource} are heartbeats that no webhook may delay, with no policy ever; leave them out"
    assert f"spec.match.resources[0].resources[0]: {message}" in told_of(
        {"apiGroups": [group], "resources": [resource]}
    )


def test_a_version_is_written_without_its_group() -> None:
    message = '"example.com/v1" is no API version; write for example v1alpha1 (without the group), or "*"'
    assert told_of({"apiVersions": ["example.com/v1"]}) == [f"spec.match.resources[0].apiVersions[0]: {message}"]


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Gadget", "gadgets"),
        ("Policy", "policies"),
        ("Gateway", "gateways"),
        ("Mailbox", "mailboxes"),
        ("Switch", "switches"),
        ("Jobs", "jobs"),
    ],
)
def test_a_kind_is_probably_served_as_its_plural(kind: str, plural: str) -> None:
    assert plural_of(kind) == plural
