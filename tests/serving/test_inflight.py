"""What slow callers hold stays within bounds, at the cost of whoever holds most."""

from dataclasses import dataclass, field

import pytest

from admission.serving.inflight import Claim, InFlight


@dataclass(eq=False)
class Holding:
    """Holds bytes, and notes that it let go."""

    held: int = 0
    claim: Claim = Claim.LOOSE
    let: list[int] = field(default_factory=list)

    def let_go(self) -> None:
        self.let.append(self.held)


def test_of_equal_ones_the_one_that_holds_longest_lets_go() -> None:
    for _ in range(20):  # an order that hashes make would differ now and then
        in_flight, holders = InFlight(100), [Holding() for _ in range(3)]
        for holder in holders:
            in_flight.hold(holder, 40)
        assert [bool(holder.let) for holder in holders] == [True, False, False]


@pytest.mark.parametrize(
    ("sizes", "gone", "left"),
    [
        pytest.param([40, 60], [], 100, id="what fits stays"),
        pytest.param([50, 40, 20], [0], 60, id="the largest lets go, not the newest"),
        pytest.param([40, 50, 20], [1], 60, id="wherever it stands"),
        pytest.param([60, 30, 90], [2], 90, id="also when it is the newest"),
        pytest.param([30, 30, 30, 30, 500], [4], 120 - 30, id="one that is larger than everything goes alone"),
    ],
)
def test_the_largest_lets_go(sizes: list[int], gone: list[int], left: int) -> None:
    in_flight, holders = InFlight(100), [Holding() for _ in sizes]
    for holder, size in zip(holders, sizes, strict=True):
        in_flight.hold(holder, size)
    let = [number for number, holder in enumerate(holders) if holder.let]
    assert (in_flight.bytes <= 100, let[-1:]) == (True, gone)
    assert in_flight.bytes == sum(holder.held for holder in holders)
    assert left >= in_flight.bytes


def test_whoever_lets_go_holds_nothing_by_then() -> None:
    in_flight, holder = InFlight(10), Holding()
    in_flight.hold(holder, 11)
    assert (holder.let, holder.held, in_flight.bytes) == ([0], 0, 0)


def test_what_grows_is_counted_once_and_released_whole() -> None:
    in_flight, holder = InFlight(100), Holding()
    for _ in range(3):
        in_flight.hold(holder, 20)
    assert (holder.held, in_flight.bytes) == (60, 60)
    for _ in range(2):
        in_flight.release(holder)
    assert (holder.held, in_flight.bytes) == (0, 0)


def test_what_is_whole_counts_but_never_lets_go() -> None:
    in_flight, holder = InFlight(100), Holding()
    in_flight.bytes += 90
    in_flight.hold(holder, 20)
    assert (holder.let, in_flight.bytes) == ([0], 90)
    in_flight.bytes += 90
    assert in_flight.bytes == 180


@pytest.mark.parametrize(
    ("claims", "gone"),
    [
        pytest.param([Claim.LOOSE, Claim.SPENT], [1], id="what nobody reads goes before what is larger"),
        pytest.param([Claim.FIRM, Claim.LOOSE], [1], id="what is read stays, however large"),
        pytest.param([Claim.FIRM, Claim.FIRM], [], id="and goes beyond the bound rather than be dropped"),
    ],
)
def test_who_lets_go_depends_on_what_for(claims: list[Claim], gone: list[int]) -> None:
    in_flight, holders = InFlight(100), [Holding(claim=claim) for claim in claims]
    for holder, size in zip(holders, (80, 40), strict=True):
        in_flight.hold(holder, size)
    assert [number for number, holder in enumerate(holders) if holder.let] == gone


@pytest.mark.parametrize(
    ("claim", "held", "size", "admitted"),
    [
        pytest.param(Claim.FIRM, 60, 40, True, id="there is room"),
        pytest.param(Claim.FIRM, 60, 41, False, id="nobody makes room"),
        pytest.param(Claim.LOOSE, 60, 50, True, id="what is larger makes room"),
        pytest.param(Claim.LOOSE, 60, 70, False, id="what is smaller does not"),
        pytest.param(Claim.SPENT, 60, 70, True, id="unless nobody reads it"),
        pytest.param(Claim.FIRM, 0, 101, False, id="more than there ever is"),
    ],
)
def test_a_whole_review_is_admitted_or_not(claim: Claim, held: int, size: int, admitted: bool) -> None:
    in_flight, holder = InFlight(100), Holding(claim=claim)
    in_flight.hold(holder, held)
    assert in_flight.admit(size) is admitted
    assert in_flight.bytes == holder.held + size * admitted
