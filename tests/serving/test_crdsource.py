"""CRD files that a server reads again while it serves."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from admission.engine.policy import PolicySet
from admission.errors import CrdError
from admission.observe.sink import MemorySink
from admission.serving.crdsource import CrdSource, ReloadedCrds
from admission.serving.knownkinds import KnownKinds, Origin
from admission.serving.reload import Reload, running
from admission.serving.runner import UNUSABLE, run
from admission.serving.tls import Pair, secured
from admission.serving.watch import Pace, Watch
from admission.settings import Settings
from tests.crd.sample import STATUS, crd, version
from tests.offline.samples import bent, written
from tests.serving.process import given
from tests.serving.replica import Replica, replica

QUICK = Pace(every=0.02, still=0.02)
TIGHTER = crd(version(status=bent(STATUS, "properties", "history", "minItems", to=5)))


@asynccontextmanager
async def following(pair: Pair, directory: Path, crds: Path) -> AsyncIterator[Replica]:
    """A server that follows the changes of its CRDs until the block ends."""
    source = CrdSource([str(crds)])
    async with replica(given(directory, pair), PolicySet.of([]), secured(pair, datetime.now(UTC))) as made:
        kinds = KnownKinds(made.server)
        kinds.use(Origin.FILES, source.load())
        watch = Watch(source.files, made.server.tell_no_notices, QUICK)
        async with running(
            [Reload(ReloadedCrds(source, kinds, made.server.process), watch, source.seen, made.server.process)]
        ):
            yield made


@pytest.fixture
def crds(tmp_path: Path) -> Path:
    """A directory of CRDs with one file in it."""
    directory = tmp_path / "crds"
    directory.mkdir()
    written(directory, "widgets.yaml", crd())
    return directory


def least(replica: Replica) -> int:
    """How many items of its history a widget must keep."""
    schema = replica.server.handler.policies.schemas.by_resource["example.com", "v1", "widgets"]
    history = schema.at(("status", "history"))
    assert history is not None
    return history.min_items


async def test_changed_files_are_used_and_told(pair: Pair, tmp_path: Path, crds: Path) -> None:
    async with following(pair, tmp_path, crds) as replica:
        assert least(replica) == 3
        written(crds, "widgets.yaml", TIGHTER)
        written(crds, "gadgets.yaml", crd(plural="gadgets", kind="Gadget"))
        line = await replica.says("CRD files reloaded")
        assert least(replica) == 5
    del line["time"]
    assert line == {
        "level": "info",
        "message": "CRD files reloaded",
        "crds": 2,
        "added": ["gadgets.example.com"],
        "removed": [],
        "changed": ["widgets.example.com"],
    }
    assert replica.metric('statuscap_crds{source="files"}') == 2


async def test_the_schemas_in_use_stay_until_the_files_are_right(pair: Pair, tmp_path: Path, crds: Path) -> None:
    async with following(pair, tmp_path, crds) as replica:
        (crds / "widgets.yaml").write_text("kind: [")
        line = await replica.says("CRD files not reloaded")
        assert line["problems"] == [f"{crds}/widgets.yaml:2: is no YAML: did not find expected node content (column 1)"]
        assert line["consequence"] == "the schemas in use stay"
        assert least(replica) == 3
        written(crds, "widgets.yaml", TIGHTER)
        await replica.says("CRD files reloaded")
        assert least(replica) == 5


def test_a_source_has_every_problem(tmp_path: Path) -> None:
    with pytest.raises(CrdError, match="No such file"):
        CrdSource([str(tmp_path / "none")]).load()


def test_broken_crds_at_the_start_are_told_and_nothing_is_served(pair: Pair, tmp_path: Path) -> None:
    file = written(tmp_path, "crd.yaml", {"kind": "Deployment"})
    settings: dict[str, Any] = given(tmp_path, pair, crds=[str(file)])
    stderr = MemorySink()
    assert run(Settings.of(settings, {}), stderr=stderr) == UNUSABLE
    assert [line.decode() for line in stderr.lines] == [
        f"statuscap: {file}: has no CRD in it; expected kind CustomResourceDefinition of apiextensions.k8s.io/v1\n"
    ]


def test_json_is_what_kubectl_prints(tmp_path: Path) -> None:
    written(tmp_path, "crds.json", json.dumps({"kind": "List", "items": [crd()]}))
    assert [*CrdSource([str(tmp_path)]).load()] == ["widgets.example.com"]
