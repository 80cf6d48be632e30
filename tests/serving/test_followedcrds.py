"""The CRDs of the cluster, followed beside the answers."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from admission.crd.catalogue import SchemasByName
from admission.engine.policy import PolicySet
from admission.engine.schema import Schema, Schemas
from admission.errors import ClusterError
from admission.serving.followedcrds import FollowedCrds
from admission.serving.knownkinds import KnownKinds
from admission.serving.reload import running
from admission.serving.tls import Pair, secured
from tests.serving.process import given
from tests.serving.replica import Replica, replica

OVER = object()
"""A watch that ends, as each one does after a while."""


def widgets(least: int) -> SchemasByName:
    return {"widgets.example.com": Schemas({("example.com", "v1", "widgets"): Schema(min_items=least)})}


@dataclass
class Said:
    """A cluster that says what it is told to say: CRDs, an error, or that the watch is over."""

    words: queue.SimpleQueue[object] = field(default_factory=queue.SimpleQueue)
    rounds: int = 0

    def follow(self, use: Callable[[SchemasByName], None]) -> None:
        self.rounds += 1
        while (word := self.words.get()) is not OVER:
            if isinstance(word, Exception):
                raise word
            assert isinstance(word, dict)
            use(word)

    def say(self, *words: object) -> None:
        for word in words:
            self.words.put(word)


@dataclass
class Following:
    """A server that follows a cluster."""

    replica: Replica
    cluster: Said
    followed: FollowedCrds

    @property
    def least(self) -> int | None:
        schema = self.replica.server.handler.policies.schemas.by_resource.get(("example.com", "v1", "widgets"))
        return None if schema is None else schema.min_items

    @property
    def metric(self) -> float:
        return self.replica.metric('statuscap_crds_followed{source="cluster"}')


@asynccontextmanager
async def following(pair: Pair, directory: Path, *words: object) -> AsyncIterator[Following]:
    cluster = Said()
    cluster.say(*words)
    async with replica(given(directory, pair), PolicySet.of([]), secured(pair, datetime.now(UTC))) as made:
        followed = FollowedCrds(cluster, KnownKinds(made.server), made.server, pause=0.01)
        async with running([followed]):
            yield Following(made, cluster, followed)
        cluster.say(OVER)


async def test_what_the_cluster_says_is_known_and_told(pair: Pair, tmp_path: Path) -> None:
    async with following(pair, tmp_path, widgets(3)) as it:
        await it.followed.heard()
        assert (it.least, it.metric) == (3, 1)
        assert (await it.replica.says("following the CRDs of the cluster"))["crds"] == 1
        it.cluster.say(widgets(5))
        line = await it.replica.says("CRDs of the cluster changed")
        assert it.least == 5
    del line["time"]
    assert line == {
        "level": "info",
        "message": "CRDs of the cluster changed",
        "crds": 1,
        "added": [],
        "removed": [],
        "changed": ["widgets.example.com"],
    }


async def test_a_watch_that_is_over_is_followed_by_the_next(pair: Pair, tmp_path: Path) -> None:
    async with following(pair, tmp_path, widgets(3), OVER, widgets(3), OVER, widgets(4)) as it:
        await it.replica.says("CRDs of the cluster changed")
        assert (it.cluster.rounds, it.least, it.metric) == (3, 4, 1)
        assert [line["message"] for line in it.replica.lines()] == [
            "following the CRDs of the cluster",
            "CRDs of the cluster changed",
        ]


@pytest.mark.parametrize("error", [ClusterError("https://10.0.0.1: Connection refused"), ZeroDivisionError("odd")])
async def test_the_schemas_known_last_stay_while_nobody_answers(pair: Pair, tmp_path: Path, error: Exception) -> None:
    async with following(pair, tmp_path, widgets(3), OVER, error, error, error) as it:
        line = await it.replica.says("fault")
        assert (it.least, it.metric) == (3, 0)
        assert (line["cause"], line["consequence"]) == ("cluster_crds", "the schemas known last stay")
        assert line.get("detail") == (str(error) if isinstance(error, ClusterError) else None)
        it.cluster.say(widgets(4))
        await it.replica.says("following the CRDs of the cluster", times=2)
        assert (it.least, it.metric) == (4, 1)
        faults = [each for each in it.replica.lines() if each["message"] == "fault"]
        assert len(faults) == 1, "one line a minute"


async def test_a_cluster_that_refuses_to_be_watched_is_asked_again_and_again(pair: Pair, tmp_path: Path) -> None:
    refused = ClusterError("https://10.0.0.1: cannot watch")
    async with following(pair, tmp_path, widgets(3), refused, widgets(4), refused, widgets(5)) as it:
        await it.replica.says("CRDs of the cluster changed", times=2)
        assert (it.least, it.metric) == (5, 1)
        assert (await it.replica.says("fault"))["consequence"] == "changes are seen within 30 s"


async def test_the_start_does_not_wait_for_a_cluster_that_says_why_it_cannot_answer(pair: Pair, tmp_path: Path) -> None:
    async with following(pair, tmp_path, ClusterError("forbidden")) as it, asyncio.timeout(20):
        await it.followed.heard(within=3600)
        assert it.metric == 0


async def test_the_start_waits_only_so_long_for_a_cluster_that_says_nothing(pair: Pair, tmp_path: Path) -> None:
    async with following(pair, tmp_path) as it, asyncio.timeout(20):
        await it.followed.heard(within=0.01)
        assert it.least is None
