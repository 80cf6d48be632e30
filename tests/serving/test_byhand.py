"""What a person does to the certificates in a Secret."""

from __future__ import annotations

import pytest

from admission.certificates.bundle import Bundle
from admission.certificates.rotation import with_next
from admission.certificates.secretdata import of_data
from admission.errors import CertificateError, ClusterError
from admission.serving.byhand import change, demanded, settled
from admission.serving.keeper import Keeper
from tests.serving.keeping import NAMES, START, Replica, World


def clock() -> int:
    return int(START.timestamp()) * 1_000_000_000


def kept() -> World:
    world = World()
    world.apply()
    Replica(world).settle()
    return world


def test_a_change_is_written_on_what_is_there_by_then() -> None:
    world = kept()
    calls = 0

    def faster() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            world.put({**(world.data or {}), "theirs": b"new"})

    world.between = faster
    made = change(world, lambda bundle, at: with_next(demanded(bundle), at), clock)
    assert world.conflicts == 1
    assert of_data(world.data or {}).bundle == made
    assert made.next is not None
    assert (world.data or {})["theirs"] == b"new"


def test_no_change_writes_nothing() -> None:
    world = kept()
    version = world.version
    change(world, lambda bundle, at: demanded(bundle), clock)
    assert world.version == version


def test_replicas_that_are_always_faster_are_told() -> None:
    world = kept()

    def faster() -> None:
        world.version += 1

    world.between = faster
    with pytest.raises(ClusterError, match="again and again"):
        change(world, lambda bundle, at: with_next(demanded(bundle), at), clock)


def test_what_is_not_there_cannot_be_changed() -> None:
    def made(bundle: Bundle | None, at: object) -> Bundle:
        return demanded(bundle)

    with pytest.raises(CertificateError, match="statuscap certs make"):
        change(World(), made, clock)


def test_everything_that_can_be_done_now_is_done() -> None:
    world = World()
    world.apply()
    done = settled(Keeper(world, world, NAMES, clock))
    assert not done.pending
    assert {bytes(each) for each in world.published()} == {done.bundle.trusted_pem}


def test_what_cannot_be_done_is_not_tried_for_ever() -> None:
    world = World()
    world.apply()
    world.refused.add("publish")
    done = settled(Keeper(world, world, NAMES, clock))
    assert [str(error) for error in done.troubles] == ["publish: refused"] * 2
