"""The CRDs of a cluster, read once or followed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from admission.cluster.client import connected
from admission.cluster.crds import PAGE, WATCH_FOR, ClusterCrds
from admission.crd.catalogue import SchemasByName
from admission.errors import ClusterError
from tests.cluster.apiserver import HANG_UP, ApiServer, apiserver, status
from tests.crd.sample import STATUS, crd, version
from tests.offline.samples import bent

WIDGETS, GADGETS = crd(), crd(plural="gadgets", kind="Gadget")
TIGHTER = crd(version(status=bent(STATUS, "properties", "history", "minItems", to=5)))


def crds(api: ApiServer) -> ClusterCrds:
    return ClusterCrds(partial(connected, api.config))


def event(kind: str, document: dict[str, Any], version: str = "101") -> dict[str, Any]:
    return {"type": kind, "object": bent(document, "metadata", "resourceVersion", to=version)}


def least(told: SchemasByName) -> int:
    history = told["widgets.example.com"].by_resource["example.com", "v1", "widgets"].at(("status", "history"))
    assert history is not None
    return history.min_items


def followed(api: ApiServer) -> list[SchemasByName]:
    """All that was told until the watch was over."""
    told: list[SchemasByName] = []
    crds(api).follow(told.append)
    return told


# --- reading once ---


def test_all_are_read_page_by_page() -> None:
    many = [crd(plural=f"things{number}", kind=f"Thing{number}") for number in range(2 * PAGE + 1)]
    with apiserver(*many) as api:
        assert [each.kind for each in crds(api).read().definitions] == [each["spec"]["names"]["kind"] for each in many]
        assert [asked.get("continue") for asked in api.asked] == [None, str(PAGE), str(2 * PAGE)]


def test_an_empty_cluster_has_none() -> None:
    with apiserver() as api:
        assert crds(api).read().definitions == ()


# --- following ---


def test_changes_are_told_as_they_come() -> None:
    with apiserver(WIDGETS) as api:
        api.tell(event("ADDED", GADGETS), event("MODIFIED", TIGHTER), event("DELETED", GADGETS), HANG_UP)
        told = followed(api)
    assert [sorted(each) for each in told] == [
        ["widgets.example.com"],
        ["gadgets.example.com", "widgets.example.com"],
        ["gadgets.example.com", "widgets.example.com"],
        ["widgets.example.com"],
    ]
    assert [least(each) for each in told] == [3, 3, 5, 5]


def test_a_change_of_something_else_is_not_told() -> None:
    accepted = {**WIDGETS, "status": {"conditions": [{"type": "Established"}]}}
    bookmark = {
        "type": "BOOKMARK",
        "object": {"kind": "CustomResourceDefinition", "metadata": {"resourceVersion": "9"}},
    }
    with apiserver(WIDGETS) as api:
        api.tell(event("MODIFIED", accepted), event("DELETED", GADGETS), bookmark, HANG_UP)
        assert len(followed(api)) == 1


def test_a_watch_that_the_api_server_ends_goes_on_from_there() -> None:
    with apiserver(WIDGETS) as api:
        api.tell(event("ADDED", GADGETS, "123"), None, event("MODIFIED", TIGHTER, "124"), HANG_UP)
        assert [least(each) for each in followed(api)] == [3, 3, 5]
        watches = [asked for asked in api.asked if "watch" in asked]
    assert [asked["resourceVersion"] for asked in watches] == ["100", "123"]
    assert {asked["timeoutSeconds"] for asked in watches} == {str(WATCH_FOR)}


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(HANG_UP, id="the connection breaks"),
        pytest.param({"type": "ERROR", "object": status("too old resource version", 410)}, id="it is too old"),
        pytest.param({"type": "ERROR", "object": status("etcd is away", 500)}, id="something is wrong"),
    ],
)
def test_a_watch_that_breaks_off_is_over_and_no_error(end: dict[str, Any]) -> None:
    with apiserver(WIDGETS) as api:
        api.tell(end)
        assert len(followed(api)) == 1


@pytest.mark.parametrize(("verb", "told"), [("list", 0), ("watch", 1)])
def test_a_refusal_is_an_error(verb: str, told: int) -> None:
    heard: list[SchemasByName] = []
    with apiserver(WIDGETS) as api:
        api.refused.add(verb)
        with pytest.raises(ClusterError, match=rf"cannot {verb}|403 Forbidden"):
            crds(api).follow(heard.append)
    assert len(heard) == told


def test_what_was_told_does_not_change_afterwards() -> None:
    with apiserver(WIDGETS) as api:
        api.tell(event("ADDED", GADGETS), HANG_UP)
        first, _ = followed(api)
    assert [*first] == ["widgets.example.com"]


@contextmanager
def in_a_thread(api: ApiServer, told: list[SchemasByName], heard: threading.Event) -> Iterator[threading.Thread]:
    def use(schemas: SchemasByName) -> None:
        told.append(schemas)
        heard.set()

    thread = threading.Thread(target=crds(api).follow, args=[use])
    thread.start()
    try:
        yield thread
    finally:
        api.tell(HANG_UP)
        thread.join(10)


def test_all_crds_are_told_at_once_before_anything_happens() -> None:
    told: list[SchemasByName] = []
    heard = threading.Event()
    with apiserver(WIDGETS, GADGETS) as api, in_a_thread(api, told, heard):
        assert heard.wait(10)
        assert [sorted(each) for each in told] == [["gadgets.example.com", "widgets.example.com"]]
