"""What is known of kinds, put together from files and from the cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest_asyncio

from admission.engine.policy import PolicySet
from admission.engine.schema import Schema, Schemas
from admission.serving.knownkinds import KnownKinds, Origin
from admission.serving.tls import Pair, secured
from tests.serving.process import given
from tests.serving.replica import Replica, replica


def of(plural: str, least: int) -> Schemas:
    return Schemas({("a.io", "v1", plural): Schema(min_items=least)})


@pytest_asyncio.fixture
async def knowing(pair: Pair, tmp_path: Path) -> AsyncIterator[Replica]:
    async with replica(given(tmp_path, pair), PolicySet.of([]), secured(pair, datetime.now(UTC))) as made:
        yield made


def known(replica: Replica) -> dict[str, int]:
    by_resource = replica.server.handler.policies.schemas.by_resource
    return {plural: schema.min_items for (_, _, plural), schema in by_resource.items()}


async def test_what_the_cluster_says_of_a_crd_is_right(knowing: Replica) -> None:
    kinds = KnownKinds(knowing.server)
    kinds.use(Origin.CLUSTER, {"as.a.io": of("as", 1)})
    kinds.use(Origin.FILES, {"as.a.io": of("as", 2), "bs.a.io": of("bs", 2)})
    assert known(knowing) == {"as": 1, "bs": 2}
    kinds.use(Origin.CLUSTER, {})
    assert known(knowing) == {"as": 2, "bs": 2}
    assert knowing.metric('statuscap_crds{source="files"}') == 2
    assert knowing.metric('statuscap_crds{source="cluster"}') == 0


async def test_differences_are_those_to_what_the_same_source_said_before(knowing: Replica) -> None:
    kinds = KnownKinds(knowing.server)
    kinds.use(Origin.FILES, {"cs.a.io": of("cs", 1)})
    kinds.use(Origin.CLUSTER, {"as.a.io": of("as", 1), "bs.a.io": of("bs", 1)})
    new = {"as.a.io": of("as", 2), "cs.a.io": of("cs", 1)}
    assert kinds.use(Origin.CLUSTER, kinds.prepared(Origin.CLUSTER, new)) == {
        "added": ["cs.a.io"],
        "removed": ["bs.a.io"],
        "changed": ["as.a.io"],
    }


async def test_what_is_told_again_is_no_change(knowing: Replica) -> None:
    kinds = KnownKinds(knowing.server)
    kinds.use(Origin.FILES, {"as.a.io": of("as", 1)})
    again = kinds.prepared(Origin.FILES, {"as.a.io": of("as", 1)})
    assert kinds.use(Origin.FILES, again) == {"added": [], "removed": [], "changed": []}


async def test_new_policies_know_what_the_old_ones_knew(knowing: Replica) -> None:
    KnownKinds(knowing.server).use(Origin.FILES, {"as.a.io": of("as", 1)})
    knowing.server.use(PolicySet.of([]))
    assert known(knowing) == {"as": 1}
