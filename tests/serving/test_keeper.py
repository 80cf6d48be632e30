"""The certificates that any number of replicas keep in one Secret."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import pytest

from admission.certificates.bundle import Bundle, pem
from admission.certificates.published import certificates
from admission.certificates.rotation import (
    CA_LIFETIME,
    GRACE,
    LEAF_LIFETIME,
    SETTLING,
    SKEW,
    with_leaf,
    with_next,
)
from admission.certificates.secretdata import CA_KEY, LEAF, LEAF_KEY, ROTATION, TRUSTED, of_data, to_data
from admission.errors import ClusterError
from tests.serving.keeping import (
    MUTATING,
    NAMES,
    SKEWS,
    VALIDATING,
    Chance,
    Judge,
    Replica,
    World,
    attempt,
    trusted_everywhere,
    trusts,
)

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def stored(world: World) -> Bundle:
    reading = of_data(world.data or {})
    assert reading.problems == ()
    assert reading.bundle is not None
    return reading.bundle


def settled() -> tuple[World, Replica]:
    world = World()
    world.apply()
    replica = Replica(world)
    replica.settle()
    return world, replica


def rotate_by_hand(world: World) -> None:
    if world.data is not None and (bundle := of_data(world.data).bundle) is not None:
        world.put(to_data(with_next(bundle, world.at)))


def test_the_first_replica_makes_and_publishes_what_the_others_take() -> None:
    world, replica = settled()
    other = Replica(world)
    other.settle()
    assert other.shown == replica.shown
    assert (world.writes, len(world.published())) == (1, 4)
    trusted_everywhere(world, [replica, other], SKEWS)
    assert certificates(world.published()[0]) == stored(world).trusted


def test_replicas_that_start_at_once_agree() -> None:
    world = World()
    world.apply()
    replicas = [Replica(world) for _ in range(3)]
    calls = 0

    def another() -> None:
        nonlocal calls
        calls += 1
        if calls == 4:  # the first has read that there is no Secret, the second comes to that in between
            replicas[1].round()
        elif calls == 8:
            replicas[2].round()

    world.between = another
    replicas[0].round()
    assert world.conflicts > 0
    assert len({each.shown.certificate for each in replicas if each.shown}) == 1
    assert world.writes == 1


def test_a_round_without_anything_to_do_writes_nothing() -> None:
    world, replica = settled()
    version = world.version
    for _ in range(50):
        world.at += DAY
        assert not replica.round().pending
    assert world.version == version


def test_a_leaf_is_renewed_after_two_thirds_of_its_life_and_its_ca_stays() -> None:
    world, replica = settled()
    before = stored(world)
    world.at += 2 * LEAF_LIFETIME / 3 - DAY
    assert not replica.round().changed
    world.at += DAY
    assert replica.round().changed
    after = stored(world)
    assert (after.ca, after.trusted_pem) == (before.ca, before.trusted_pem)
    assert after.leaf != before.leaf
    assert replica.shown == after.leaf


def test_a_ca_is_followed_by_the_next_in_an_order_that_keeps_all_trusted() -> None:
    world, replica = settled()
    sleeper = Replica(world)
    sleeper.settle()
    old = stored(world)
    world.at += 2 * CA_LIFETIME / 3
    sleeper.settle()
    prepared = stored(world)
    assert prepared.next is not None
    assert set(prepared.trusted) == {old.ca, prepared.next.certificate}
    assert prepared.ca == old.ca, "the leaf is of the old one until the API server knows both"
    world.at += SETTLING - MINUTE
    replica.settle()
    assert stored(world).ca == old.ca
    world.at += 2 * MINUTE
    replica.settle()
    switched = stored(world)
    assert (switched.ca, switched.next) == (prepared.next.certificate, None)
    assert set(switched.trusted) == set(prepared.trusted)
    assert sleeper.shown == prepared.leaf
    trusted_everywhere(world, [replica, sleeper], SKEWS)
    world.at = prepared.leaf.certificate.not_valid_after_utc + GRACE - MINUTE
    replica.settle()
    assert old.ca in stored(world).trusted
    world.at += MINUTE
    replica.settle()
    assert stored(world).trusted == (switched.ca,)
    assert certificates(world.published()[0]) == (switched.ca,)


@pytest.mark.parametrize("kind", [MUTATING, VALIDATING])
def test_no_leaf_of_the_next_ca_is_made_before_every_configuration_trusts_it(kind: str) -> None:
    world, replica = settled()
    rotate_by_hand(world)
    world.refused.add("publish")
    for _ in range(10):
        replica.round()
        world.at += DAY
    assert stored(world).known_since is None
    world.refused.clear()
    replica.settle()
    assert stored(world).known_since is not None
    world.apply(kind, bundle=b"")  # somebody puts an old one back
    world.at += DAY
    replica.round()
    assert stored(world).known_since is None, "the wait begins anew"
    replica.settle()
    world.at += SETTLING
    replica.settle()
    assert stored(world).next is None


def test_a_rotation_waits_while_nobody_can_see_what_is_published() -> None:
    world, replica = settled()
    rotate_by_hand(world)
    replica.settle()
    world.refused.add("look")
    world.at += DAY
    done = replica.round()
    assert [str(error) for error in done.troubles] == ["look: refused"]
    assert stored(world).next is not None
    world.refused.clear()
    replica.settle()
    assert stored(world).next is None


def test_a_replica_with_an_old_secret_in_hand_does_not_publish_over_a_newer_one() -> None:
    world, replica = settled()
    slow = Replica(world)
    calls = 0

    def asleep() -> None:
        nonlocal calls
        calls += 1
        if calls == 4:  # between its read of the Secret and what it publishes
            world.between = lambda: None
            rotate_by_hand(world)
            replica.settle()

    world.apply(bundle=b"")  # so that there is something to publish
    world.between = asleep
    slow.round()
    assert calls == 4
    assert {bytes(bundle) for bundle in world.published()} == {stored(world).trusted_pem}
    assert len(stored(world).trusted) == 2


def test_the_old_leaf_goes_on_when_the_new_ca_is_no_longer_trusted() -> None:
    world, replica = settled()
    old_bundle = world.published()[0]
    other = Replica(world)
    other.settle()
    rotate_by_hand(world)
    replica.settle()
    world.at += SETTLING
    replica.settle()
    assert replica.shown != other.shown
    world.apply(bundle=old_bundle)
    world.refused.add("publish")
    other.round()
    assert trusts(old_bundle, other.shown.certificate, NAMES[0], world.at) if other.shown else False
    world.refused.clear()
    other.settle()
    assert other.shown == replica.shown


@pytest.mark.parametrize(
    "spoilt",
    [
        pytest.param({}, id="emptied"),
        pytest.param(None, id="deleted"),
        pytest.param({LEAF: b"?"}, id="a leaf that is none"),
        pytest.param({LEAF_KEY: b"?"}, id="a key that is none"),
        pytest.param({TRUSTED: b"?"}, id="CAs that are none"),
        pytest.param({CA_KEY: b"?"}, id="a CA's key that is none"),
        pytest.param({ROTATION: b"?"}, id="a rotation that is none"),
        pytest.param({ROTATION: b'{"trustedUntil":{"ab":"2999-01-01T00:00:00Z"}}'}, id="an unknown CA"),
        pytest.param({"next-ca.key": b"?"}, id="a next CA's key that is none"),
        pytest.param(dict.fromkeys((LEAF, LEAF_KEY, TRUSTED, CA_KEY, ROTATION), b"\xff\x00"), id="noise everywhere"),
    ],
)
@pytest.mark.parametrize("remembering", [True, False], ids=["remembered", "by a new replica"])
def test_a_spoilt_secret_is_mended_and_what_is_shown_stays_trusted(
    spoilt: dict[str, bytes] | None, *, remembering: bool
) -> None:
    world, replica = settled()
    assert world.data is not None
    world.put(None if spoilt is None else spoilt and {**world.data, **spoilt, "theirs": b"kept"})
    mender = replica if remembering else Replica(world)
    done = mender.round()
    trusted_everywhere(world, [replica], SKEWS)
    assert done.changed
    assert done.problems
    mender.settle()
    trusted_everywhere(world, [mender, replica], SKEWS)
    reading = of_data(world.data or {})
    if remembering or spoilt is None or CA_KEY not in spoilt:
        assert reading.problems == ()
    if spoilt:
        assert (world.data or {})["theirs"] == b"kept"
    replica.settle()
    world.at += DAY
    mender.settle()
    replica.settle()
    trusted_everywhere(world, [mender, replica], SKEWS)
    assert of_data(world.data or {}).problems == ()
    version = world.version
    world.at += MINUTE
    replica.settle()
    assert world.version == version, "it comes to rest"


@pytest.mark.parametrize("spoilt", [None, {TRUSTED: b"?"}, {CA_KEY: b"?"}])
def test_nothing_is_mended_while_nobody_can_see_which_leaves_are_trusted(spoilt: dict[str, bytes] | None) -> None:
    world, replica = settled()
    world.put(None if spoilt is None else {**(world.data or {}), **spoilt})
    before, published = world.data, world.published()
    world.refused.add("look")
    replica.round()
    attempt(Replica(world))
    assert (world.data, world.published()) == (before, published)
    world.refused.clear()
    Replica(world).settle()
    trusted_everywhere(world, [replica], SKEWS)


def test_what_cannot_be_put_right_in_the_secret_is_not_published() -> None:
    world, replica = settled()
    rotate_by_hand(world)
    replica.settle()
    published = world.published()
    world.put({**(world.data or {}), TRUSTED: stored(world).leaf.certificate_pem + pem([stored(world).ca])})
    world.refused.add("write")
    for each in (replica, Replica(world)):
        assert each.round().problems
        assert world.published() == published
    world.refused.clear()
    replica.settle()
    assert set(stored(world).trusted) == {ca for bundle in published for ca in certificates(bundle)}


def test_a_new_replica_whose_leaf_is_not_trusted_yet_knows_it() -> None:
    world = World()
    world.apply()
    world.refused.add("publish")
    replica = Replica(world)
    assert not replica.round().trusted
    world.refused.clear()
    assert not replica.round().trusted, "what was published by itself is seen in the next round"
    assert replica.round().trusted
    world.configurations.clear()
    assert Replica(world).round().trusted, "nobody calls"
    world.apply()
    world.refused.add("look")
    assert Replica(world).round().trusted, "nobody is known not to trust it"


def test_a_replica_that_remembers_puts_back_what_was_there() -> None:
    world, replica = settled()
    before = stored(world)
    world.put(None)
    replica.round()
    assert stored(world) == before


def test_everything_made_anew_by_hand_is_taken_at_once() -> None:
    world, replica = settled()
    made = World(at=world.at)
    Replica(made).round()
    world.put(made.data)
    replica.round()
    assert replica.shown == stored(world).leaf
    assert {bytes(bundle) for bundle in world.published()} == {stored(world).trusted_pem}


def test_what_another_issuer_published_stays_trusted_for_as_long_as_its_leaves_may_live() -> None:
    other, other_replica = settled()
    world = World()
    world.apply(bundle=other.published()[0])
    replica = Replica(world)
    replica.settle()
    assert other_replica.shown is not None
    assert all(trusts(bundle, other_replica.shown.certificate, NAMES[0], world.at) for bundle in world.published())
    world.at += LEAF_LIFETIME + GRACE
    replica.settle()
    assert len(stored(world).trusted) == 1


def test_a_lost_ca_key_leads_to_a_new_ca_in_the_usual_order() -> None:
    world, _ = settled()
    assert world.data is not None
    world.put({key: content for key, content in world.data.items() if key != CA_KEY})
    replica = Replica(world)
    replica.settle()
    old = of_data(world.data).bundle
    assert old is not None
    assert (old.next is not None, replica.shown) == (True, old.leaf)
    world.at += SETTLING
    replica.settle()
    assert stored(world).ca != old.ca
    trusted_everywhere(world, [replica], SKEWS)


def test_a_leaf_gets_the_names_that_replicas_are_called_by_and_keeps_those_of_others() -> None:
    world, replica = settled()
    renamed = Replica(world, names=("new.statuscap.svc",))
    renamed.settle()
    writes = world.writes
    for _ in range(5):
        replica.settle()
        renamed.settle()
    assert world.writes == writes, "they do not take turns in undoing each other"
    trusted_everywhere(world, [replica, renamed], SKEWS)
    world.at += 2 * LEAF_LIFETIME / 3
    renamed.settle()
    trusted_everywhere(world, [renamed], SKEWS)


def test_the_configurations_deleted_are_off_and_applied_again_are_on() -> None:
    world, replica = settled()
    world.configurations.clear()
    done = replica.round()
    assert done.published is not None
    assert (done.published.off, done.troubles) == (True, ())
    world.apply(MUTATING)
    on = replica.settle().published
    assert on is not None
    assert not on.off
    trusted_everywhere(world, [replica], SKEWS)
    assert len(world.published()) == 2


def test_what_is_shown_goes_on_while_the_secret_cannot_be_read() -> None:
    world, replica = settled()
    world.refused.add("read")
    with pytest.raises(ClusterError):
        replica.round()
    world.refused.clear()
    assert replica.round().shown == replica.shown


def test_a_new_replica_serves_with_a_secret_that_it_may_not_write() -> None:
    world, replica = settled()
    world.refused.add("write")
    world.at += 2 * LEAF_LIFETIME / 3
    new = Replica(world)
    done = new.round()
    assert new.shown == replica.shown
    assert [str(error) for error in done.troubles] == ["write: refused"]
    world.put(None)
    with pytest.raises(ClusterError):
        Replica(world).round()


def test_others_that_are_always_faster_are_told() -> None:
    world, replica = settled()
    world.at += 2 * LEAF_LIFETIME / 3

    def faster() -> None:
        world.version += 1

    world.between = faster
    with pytest.raises(ClusterError, match="again and again"):
        replica.round()


@pytest.mark.parametrize("off", [timedelta(days=-4000), timedelta(days=-1), timedelta(days=50), timedelta(days=4000)])
def test_the_clock_of_the_api_server_is_right_when_that_of_a_replica_is_far_off(off: timedelta) -> None:
    world, replica = settled()
    world.tells_time = True
    before = world.version
    wrong = Replica(world, skew=off)
    done = wrong.round()
    assert done.ahead is not None
    assert abs(done.ahead - off) < MINUTE
    assert world.version == before
    assert wrong.shown == replica.shown


def test_a_clock_that_is_a_little_off_is_not_mentioned() -> None:
    world, _ = settled()
    world.tells_time = True
    assert Replica(world, skew=SKEW - MINUTE).round().ahead is None


@pytest.mark.parametrize("seed", range(2))
def test_ten_years_of_rotations_leave_no_leaf_untrusted(seed: int) -> None:
    """Several replicas with clocks that are off, asleep for weeks, restarted, among errors, accidents and races."""
    chance = random.Random(seed)
    world = World()
    world.apply()
    replicas = [Replica(world, timedelta(seconds=chance.uniform(-300, 300))) for _ in range(chance.randint(2, 4))]
    awake_at = {id(replica): world.at for replica in replicas}
    happens = Chance(world, replicas, chance)
    happens.judge = Judge(world, replicas)
    world.between = happens
    leaves, cas, end = set(), set(), world.at + timedelta(days=3652)
    while world.at < end:
        world.refused = {call for call in ("read", "write", "look", "publish") if chance.random() < 0.04}
        busy = False
        for replica in chance.sample(replicas, len(replicas)):
            if awake_at[id(replica)] <= world.at:
                busy |= attempt(replica)
                happens.judge()
        bundle = of_data(world.data or {}).bundle
        if bundle is not None:
            leaves.add(bundle.leaf.certificate)
            cas.add(bundle.ca)
            busy |= bundle.next is not None
        for _ in range(not busy and chance.random() < 0.12):
            accident(world, replicas, awake_at, chance)
        world.at += timedelta(minutes=chance.uniform(1, 20)) if busy else timedelta(days=chance.uniform(0.2, 6))
    assert len(leaves) > 40
    assert len(cas) > 3
    assert world.conflicts > 0


def accident(world: World, replicas: list[Replica], awake_at: dict[int, datetime], chance: random.Random) -> None:
    """One of the things that happen in ten years."""
    replica = chance.choice(replicas)
    match chance.randrange(7):
        case 0:
            replica.restart()
        case 1:
            awake_at[id(replica)] = world.at + timedelta(days=chance.uniform(1, 20))
        case 2:
            rotate_by_hand(world)
        case 3:
            bundle = of_data(world.data or {}).bundle
            if bundle is not None:
                world.put({**(world.data or {}), **to_data(with_leaf(bundle, NAMES, world.at))})
        case 4 if world.data:
            world.put({**world.data, chance.choice(sorted(world.data)): chance.randbytes(40)})
        case 5:
            world.apply(chance.choice((MUTATING, VALIDATING)), webhooks=chance.randint(0, 3))
        case 6:
            world.configurations.pop(chance.choice((MUTATING, VALIDATING)), None)
            if chance.random() < 0.5:
                world.apply()
