"""A keeper's rounds beside the answers of a server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from admission.certificates.secretdata import TRUSTED
from admission.engine.policy import PolicySet
from admission.serving.keeper import Keeper
from admission.serving.keptcertificate import KeptCertificate
from admission.serving.keptleaf import KeptLeaf
from admission.serving.reload import running
from admission.serving.tls import Pair, secured
from tests.controlplane.waiting import eventually
from tests.serving import keeping
from tests.serving.keeping import NAMES, World
from tests.serving.process import given
from tests.serving.replica import Replica, replica

FAILED = "statuscap_certificate_failures_total"


@dataclass
class Keeping:
    """A server that keeps its certificate in a world of a test's own."""

    replica: Replica
    world: World
    kept: KeptCertificate

    def is_ready(self) -> bool:
        return self.replica.server.lifecycle.ready

    async def until_metric(self, name: str, value: float) -> None:
        """Wait until a gauge has this value."""

        async def look() -> bool:
            return self.replica.metric(name) == value

        await eventually(look, what=f"{name} {value}")

    async def until_counted(self, name: str, count: float) -> None:
        """Wait until a counter has come so far."""

        async def look() -> bool:
            return (
                f"{name} " in self.replica.server.metrics.exposition().decode() and self.replica.metric(name) >= count
            )

        await eventually(look, what=f"{name} {count}")

    async def until_ready(self) -> None:
        async def look() -> bool:
            return self.is_ready()

        await eventually(look, what="readiness")

    def said(self, message: str) -> int:
        return sum(line["message"] == message for line in self.replica.lines())


@asynccontextmanager
async def kept(pair: Pair, directory: Path, world: World, *, client_ca: Path | None = None) -> AsyncIterator[Keeping]:
    """A server that listens, with a keeper that looks all the time."""
    world.at = datetime.now(UTC)
    standing_in = secured(pair, datetime.now(UTC))
    leaf = keeping.Replica(World(at=world.at)).round().shown
    async with replica(given(directory, pair), PolicySet.of([]), standing_in) as made:
        made.server.await_welcome()
        keeper = Keeper(world, world, NAMES, time.time_ns)
        it = KeptCertificate(keeper, KeptLeaf(leaf, client_ca, world.at), made.server, every=0.01, chance=lambda: 0.5)
        await made.server.start()
        async with running([it]):
            yield Keeping(made, world, it)


def applied() -> World:
    world = World()
    world.apply()
    return world


async def test_a_server_is_ready_when_it_has_its_certificate(pair: Pair, tmp_path: Path) -> None:
    world = applied()
    world.refused.add("read")
    async with kept(pair, tmp_path, world) as it:
        await it.kept.heard()
        assert not it.is_ready()
        line = await it.replica.says("certificates not kept")
        assert (line["cause"], line["problem"], line["consequence"]) == ("secret", "read: refused", "not ready yet")
        world.refused.clear()
        in_use = await it.replica.says("certificate in use")
        await it.until_ready()
        assert int(in_use["serial"], 16) == it.replica.server.secured.serial
        await it.replica.says("certificates kept again")


async def test_a_server_is_not_ready_before_its_certificate_is_trusted(pair: Pair, tmp_path: Path) -> None:
    world = applied()
    world.refused.add("publish")
    async with kept(pair, tmp_path, world) as it:
        await it.until_counted(f'{FAILED}{{cause="trust"}}', 3)
        assert not it.is_ready()
        told = [line for line in it.replica.lines() if line.get("cause") == "trust"]
        assert [line["consequence"] for line in told] == ["not ready yet"]
        world.refused.clear()
        await it.until_ready()
        world.apply()
        world.refused.add("publish")
        await it.until_counted(f'{FAILED}{{cause="cluster"}}', 10)
        assert it.is_ready(), "who was trusted once stays ready"


async def test_a_server_that_drains_is_not_made_ready_again(pair: Pair, tmp_path: Path) -> None:
    world = applied()
    world.refused.add("read")
    async with kept(pair, tmp_path, world) as it:
        it.replica.server.lifecycle.drain()
        world.refused.clear()
        await it.replica.says("certificate in use")
        assert not it.is_ready()


async def test_what_is_in_use_stays_while_the_api_server_is_away_and_that_is_told_once(
    pair: Pair, tmp_path: Path
) -> None:
    world = applied()
    async with kept(pair, tmp_path, world) as it:
        await it.replica.says("certificate in use")
        serial = it.replica.server.secured.serial
        world.refused |= {"read"}
        await it.replica.says("certificates not kept")
        failed = it.replica.metric(f'{FAILED}{{cause="secret"}}')
        await it.until_counted(f'{FAILED}{{cause="secret"}}', failed + 3)
        assert it.said("certificates not kept") == 1
        assert (it.replica.server.secured.serial, it.is_ready()) == (serial, True)
        world.refused = {"publish", "look"}
        line = await it.replica.says("certificates not kept", times=2)
        assert (line["cause"], line["problem"]) == ("cluster", "look: refused")


async def test_a_fault_of_ours_is_not_the_end_of_it(pair: Pair, tmp_path: Path) -> None:
    world = applied()
    async with kept(pair, tmp_path, world) as it:
        await it.replica.says("certificate in use")

        def fault() -> None:
            world.between = keeping.nothing
            raise ZeroDivisionError

        world.between = fault
        line = await it.replica.says("fault")
        assert (line["cause"], line["consequence"]) == ("certificates", "the certificate in use stays")
        data = dict(world.data or {})
        world.put({**data, TRUSTED: b"?"})
        await it.until_counted('statuscap_certificate_changes_total{reason="mended"}', 2)
        assert world.data == data


async def test_a_mended_secret_is_told_with_what_was_wrong(pair: Pair, tmp_path: Path) -> None:
    async with kept(pair, tmp_path, applied()) as it:
        first = await it.replica.says("certificates changed in the Secret")
        assert first["problems"] == ["it is empty"]
        it.world.put({**(it.world.data or {}), TRUSTED: b"?"})
        line = await it.replica.says("certificates changed in the Secret", times=2)
        assert "ca.crt is no list of CAs in PEM form" in line["problems"]


async def test_the_registration_is_off_while_it_is_deleted(pair: Pair, tmp_path: Path) -> None:
    async with kept(pair, tmp_path, applied()) as it:
        await it.replica.says("certificate in use")
        assert it.replica.metric("statuscap_registration_off") == 0
        it.world.configurations.clear()
        await it.until_metric("statuscap_registration_off", 1)
        it.world.apply()
        await it.until_metric("statuscap_registration_off", 0)
        await it.replica.says("webhook configuration is there again")


async def test_a_clock_that_is_wrong_is_told(pair: Pair, tmp_path: Path) -> None:
    world = applied()
    world.tells_time = True
    async with kept(pair, tmp_path, world) as it:
        await it.replica.says("certificate in use")
        world.at += timedelta(days=1)
        line = await it.replica.says("certificates not kept")
        assert (line["cause"], round(line["ahead_seconds"] / 3600)) == ("clock", -24)


async def test_a_broken_file_of_cas_is_told_and_tried_again(pair: Pair, tmp_path: Path) -> None:
    file = tmp_path / "client-ca.crt"
    file.write_text("?")
    async with kept(pair, tmp_path, applied(), client_ca=file) as it:
        line = await it.replica.says("certificates not kept")
        assert line["cause"] == "tls"
        assert not it.is_ready()
        assert pair.ca is not None
        file.write_bytes(pair.ca.read_bytes())
        await it.replica.says("certificate in use")
        await it.until_ready()


async def test_the_start_does_not_wait_for_ever(pair: Pair, tmp_path: Path) -> None:
    world = applied()
    started = asyncio.Event()
    world.between = lambda: time.sleep(0.05)
    async with kept(pair, tmp_path, world) as it:
        await it.kept.heard(within=0.001)
        started.set()
        assert it.replica.metric("statuscap_certificate_expiration_timestamp_seconds") > 0
