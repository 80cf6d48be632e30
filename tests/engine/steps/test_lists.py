"""``capList`` and ``expire``, and what all steps for lists hold to."""

from __future__ import annotations

import pytest

from admission.engine.decision import Outcome, Reason
from admission.engine.instant import HOUR
from admission.engine.steps import CapList, Dedupe, Expire
from tests.engine.build import (
    NOW,
    Json,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    dedupe,
    entry,
    expire,
    judge,
    kept,
    pin,
    policy,
    trimmed,
    write,
)
from tests.engine.steps.sample import ids, items

STATES: list[Json] = ["ok", "bad", "ok", "bad", "ok"]


@pytest.mark.parametrize(
    ("step", "stays"),
    [
        pytest.param(cap_list(2), "de", id="the newest"),
        pytest.param(cap_list(2, "NewestFirst"), "ab", id="the newest at the front"),
        pytest.param(cap_list(5), "abcde", id="exactly max"),
        pytest.param(cap_list(0), "", id="none at all"),
        pytest.param(cap_list(3, first=1), "ade", id="the first is pinned and counts toward max"),
        pytest.param(cap_list(3, "NewestFirst", last=1), "abe", id="the last is pinned"),
        pytest.param(cap_list(2, first=1, last=1), "ae", id="both ends"),
        pytest.param(cap_list(1, first=2, last=2), "abde", id="pins alone may exceed max"),
        pytest.param(cap_list(3, first=9), "abcde", id="more pins than items"),
        pytest.param(cap_list(2, pins=[pin("state In bad")]), "bd", id="pinned by a requirement"),
        pytest.param(cap_list(3, pins=[pin("state In bad")]), "bde", id="pins first, then the newest"),
        pytest.param(cap_list(2, pins=[pin("state In bad", newest=1)]), "de", id="only the newest that match"),
        pytest.param(
            cap_list(2, "NewestFirst", pins=[pin("state In bad", newest=1)]),
            "ab",
            id="the newest by the order of the list",
        ),
        pytest.param(cap_list(2, pins=[pin("id In a", "state In ok")]), "ae", id="all requirements of a pin"),
        pytest.param(cap_list(2, pins=[pin("id In a", "state In bad")]), "de", id="one of them does not hold"),
        pytest.param(cap_list(3, pins=[pin("id In a"), pin("id In b")]), "abe", id="any of several pins"),
        pytest.param(cap_list(1, pins=[pin("state In bad", newest=0)]), "e", id="a pin of none"),
        pytest.param(cap_list(1, pins=[pin("state In bad", newest=9)]), "bd", id="a pin of more than match"),
        pytest.param(cap_list(1, pins=[pin("gone Exists")]), "e", id="a pin that nothing meets"),
    ],
)
def test_caps_a_list(step: CapList, stays: str) -> None:
    assert ids(kept(step, items("abcde", state=STATES))) == stays


def test_pins_that_exceed_the_cap_are_told() -> None:
    step = cap_list(1, pins=[pin("state In bad")])
    decision = decide(step, {"history": items("abcde", state=STATES)})
    assert decision.policies[0].steps[0].reason is Reason.CAP_UNREACHABLE
    assert decide(cap_list(2, first=2), {"history": items("abc")}).policies[0].steps[0].reason is Reason.NONE


@pytest.mark.parametrize(
    ("step", "times", "stays"),
    [
        pytest.param(cap_list(2, "t Time"), [at(4), at(3), at(2), at(1)], "ab", id="all times are known"),
        pytest.param(
            cap_list(2, "t Time"), [at(4), at(3), at(2), ...], "cd", id="an unknown time of an item that may go"
        ),
        pytest.param(
            cap_list(2, "t Time", last=1), [at(4), at(3), at(2), ...], "ad", id="a pinned item's time is not compared"
        ),
        pytest.param(
            cap_list(2, "t Time", pins=[pin("id In d")]),
            [at(4), at(3), at(2), ...],
            "ad",
            id="nor one pinned by a requirement",
        ),
        pytest.param(
            cap_list(2, "t Time", pins=[pin("id In a b c", newest=1)]),
            [at(4), at(3), at(2), at(1)],
            "ab",
            id="the newest pins are picked by time",
        ),
    ],
)
def test_an_unknown_time_makes_the_position_decide(step: CapList, times: list[Json], stays: str) -> None:
    assert ids(kept(step, items("abcd", t=times))) == stays


@pytest.mark.parametrize(
    ("step", "types", "stays"),
    [
        pytest.param(cap_list(1, at="status.conditions"), "AABB", "bd", id="the newest of every type stays"),
        pytest.param(cap_list(2, at="status.conditions"), "ABBB", "ad", id="it counts toward max like a pin"),
        pytest.param(cap_list(3, at="status.conditions"), "ABBB", "acd", id="then the newest"),
        pytest.param(
            cap_list(2, "NewestFirst", at="status.conditions"), "AAAB", "ad", id="newest by the list's own order"
        ),
        pytest.param(cap_list(2, at="status.conditions", first=1), "AAAB", "ad", id="a pinned item holds its type"),
        pytest.param(
            cap_list(1, at="status.conditions", pins=[pin("id In a")]), "AABB", "ad", id="a pin holds its type too"
        ),
    ],
)
def test_the_last_condition_of_a_type_stays(step: CapList, types: str, stays: str) -> None:
    assert ids(kept(step, items("abcd", type=list(types)), "conditions")) == stays


CONDITIONS_SOMEWHERE = [
    pytest.param("clusterConditions", "status.clusterConditions", id="a key that ends in conditions"),
    pytest.param("CONDITIONS", "status.CONDITIONS", id="in any case"),
    pytest.param("nodeConditions.n1", "status.nodeConditions.n1", id="a list in a map under such a key"),
    pytest.param("nodeConditions.n1", "status.nodeConditions.*", id="and by a wildcard"),
    pytest.param("nodes.conditions", "status.*.conditions", id="anywhere"),
]


def nested(names: str, value: Json) -> Json:
    for name in reversed(names.split(".")):
        value = {name: value}
    return value


@pytest.mark.parametrize(("place", "at_path"), CONDITIONS_SOMEWHERE)
def test_conditions_are_known_by_their_key(place: str, at_path: str) -> None:
    status = nested(place, items("abc", type=["A", "B", "B"]))
    assert trimmed(cap_list(1, at=at_path), status) == nested(place, items("ac", type=["A", "B"]))
    by_nothing = dedupe("Last", ["kind"], at=at_path)
    same_kind = items("abc", type=["A", "B", "B"], kind=[1, 1, 1])
    assert trimmed(by_nothing, nested(place, same_kind)) == nested(place, [same_kind[0], same_kind[2]])


@pytest.mark.parametrize(
    ("place", "at_path"),
    [
        pytest.param("history", "status.history", id="another key"),
        pytest.param("conditionsHistory", "status.conditionsHistory", id="a key that begins with it"),
        pytest.param("conditions.a.b", "status.conditions.a.b", id="two levels below such a key"),
    ],
)
def test_other_lists_lose_whole_types(place: str, at_path: str) -> None:
    status = nested(place, items("abc", type=["A", "B", "B"]))
    assert trimmed(cap_list(1, at=at_path), status) == nested(place, items("c", type=["B"]))


def test_a_step_of_the_same_policy_declares_conditions() -> None:
    history = items("abc", type=["A", "B", "B"])
    both = policy(cap_list(1), cap_conditions(9, "status.history"))
    assert trimmed(both, {"history": history}) == {"history": [history[0], history[2]]}


def test_conditions_inside_an_item_go_with_it() -> None:
    history = [{"conditions": [{"type": "A"}]}, {"conditions": [{"type": "B"}]}]
    assert kept(cap_list(1), history) == history[1:]


def test_an_emptied_list_stays_a_list() -> None:
    assert trimmed(cap_list(0), {"history": [1, 2]}) == {"history": []}


def test_says_how_many_bytes_are_saved_when_all_go() -> None:
    decision = decide(cap_list(0), {"history": items("abc")})
    assert decision.policies[0].bytes_removed == decision.bytes_before - decision.bytes_after


@pytest.mark.parametrize("step", [cap_list(1), dedupe("First", ["k"]), expire("1h", times=["t"])])
def test_leaves_a_list_that_an_applier_shares(step: CapList | Dedupe | Expire) -> None:
    owned: Json = {"f:status": {"f:history": {}}}
    managed = [entry("same", owned, "Apply"), entry("same", owned)]
    status = {"history": items("ab", k=[1, 1], t=[at(0), at(0)])}
    decision = judge(step, write(custom_resource(status, managed=managed)))
    assert (decision.outcome, decision.reason, decision.patch) == (Outcome.UNCHANGED, Reason.CO_OWNED, ())


# --- expire ----------------------------------------------------------------------------------------------------------
# It is 12:00: at(0) is twelve hours old, at(660) one hour.

AGES: list[Json] = [at(0), at(60), at(120), at(660), at(719)]


@pytest.mark.parametrize(
    ("step", "stays"),
    [
        pytest.param(expire("10h30m", times=["t"]), "cde", id="what is older goes"),
        pytest.param(expire("10h", times=["t"]), "cde", id="what is exactly as old stays"),
        pytest.param(expire("9h59m59.999999999s", times=["t"]), "de", id="what is older by a nanosecond goes"),
        pytest.param(expire("13h", times=["t"]), "abcde", id="nothing is that old"),
        pytest.param(expire("30s", times=["t"]), "e", id="all are old: the newest stays"),
        pytest.param(expire("30s", times=["t"], newest=3), "cde", id="so many of the newest stay"),
        pytest.param(expire("30s", times=["t"], newest=9), "abcde", id="more than there are"),
        pytest.param(expire("30s", times=["t"], newest=0), "", id="none stays"),
        pytest.param(expire("2h", times=["t"], newest=4), "bcde", id="old ones fill up what stays"),
        pytest.param(expire("30s", times=["t"], pins=[pin("id In a")]), "ae", id="a pin stays beside the newest"),
        pytest.param(
            expire("30s", times=["t"], pins=[pin("id In e")]), "de", id="the newest are those that are not pinned"
        ),
        pytest.param(
            expire("30s", times=["t"], newest=0, pins=[pin("id In a b c", newest=2)]), "bc", id="the newest of a pin"
        ),
        pytest.param(expire("30s", times=["t"], newest=0, pins=[pin("id In a"), pin("id In b")]), "ab", id="any pin"),
        pytest.param(
            expire("30s", times=["t"], newest=0, pins=[pin("t NewerThan 2h")]), "de", id="a pin that asks for an age"
        ),
    ],
)
def test_expires_items(step: Expire, stays: str) -> None:
    assert ids(kept(step, items("abcde", t=AGES))) == stays


@pytest.mark.parametrize(
    "time",
    [
        pytest.param(..., id="absent"),
        pytest.param(None, id="null"),
        pytest.param("", id="empty"),
        pytest.param("0001-01-01T00:00:00Z", id="unset"),
        pytest.param("2026-01-01T00:00:00", id="without a zone"),
        pytest.param("2026-01-01T00:00:00.5", id="without a zone, with a fraction"),
        pytest.param("soon", id="a word"),
        pytest.param(1767225600, id="a number"),
        pytest.param("2026-01-02T00:00:00Z", id="from the future"),
    ],
)
def test_what_has_no_known_age_stays(time: Json) -> None:
    assert ids(kept(expire("1h", times=["t"], newest=0), items("abc", t=[at(0), time, at(1)]))) == "b"


@pytest.mark.parametrize("stranger", ["text", None, [], 7, {}])
def test_items_of_other_types_stay(stranger: Json) -> None:
    assert kept(expire("1h", times=["t"], newest=0), [{"t": at(0)}, stranger]) == [stranger]


@pytest.mark.parametrize(
    ("item", "goes"),
    [
        pytest.param({"t": "2026-01-01T02:00:00+0100"}, True, id="an offset without a colon"),
        pytest.param({"t": "2026-01-01T11:30:00+01:00"}, True, id="an offset counts"),
        pytest.param({"t": "2026-01-01T10:30:00-01:00"}, False, id="to the west too"),
        pytest.param({"t": "2026-01-01T10:59:59.999999999Z"}, True, id="nanoseconds count"),
        pytest.param({"t": "2026-01-01T11:00:00.000000000Z"}, False, id="and are exact"),
        pytest.param({"t": "", "u": at(0)}, True, id="the first field that parses"),
        pytest.param({"t": "2026-01-01T00:00:00", "u": at(719)}, False, id="a time without a zone does not parse"),
        pytest.param({"t": at(719), "u": at(0)}, False, id="and not a later one"),
    ],
)
def test_age_is_read_from_the_first_field_that_holds_a_time(item: Json, goes: bool) -> None:
    assert (kept(expire("1h", times=["t", "u"], newest=0), [item]) == []) is goes


def test_times_are_those_of_conditions_unless_named() -> None:
    history = [{"lastTransitionTime": at(0)}, {"lastProbeTime": at(0)}, {"lastUpdateTime": at(719)}]
    assert kept(expire("1h"), history) == history[2:]


@pytest.mark.parametrize(
    ("step", "times", "stays"),
    [
        pytest.param(expire("1h", times=["t"]), [at(2), at(1), at(0)], "a", id="the newest by time"),
        pytest.param(expire("1h", times=["t"]), [at(2), at(2), at(0)], "b", id="of equal times the later"),
        pytest.param(expire("1h", times=["t"], ties="NewestFirst"), [at(2), at(2), at(0)], "a", id="or the earlier"),
        pytest.param(expire("1h", times=["t"], ties="id Natural"), [at(0), at(2), at(2)], "c", id="or by a field"),
        pytest.param(expire("1h", times=["t"]), [at(2), ..., at(0)], "bc", id="one unknown: the position decides"),
        pytest.param(expire("1h", times=["t"], ties="NewestFirst"), [at(0), ..., at(2)], "ab", id="or reversed"),
        pytest.param(
            expire("1h", times=["t"], pins=[pin("id In b")]),
            [at(2), ..., at(0)],
            "ab",
            id="the unknown time of what is pinned is not compared",
        ),
    ],
)
def test_which_is_the_newest(step: Expire, times: list[Json], stays: str) -> None:
    assert ids(kept(step, items("abc", t=times))) == stays


@pytest.mark.parametrize(
    ("types", "newest", "stays"),
    [
        pytest.param("AABB", 1, "bd", id="the newest of every type"),
        pytest.param("AABB", 0, "bd", id="also when none is to stay"),
        pytest.param("AABB", 3, "bcd", id="the newest come first"),
        pytest.param("AAAA", 0, "d", id="one type"),
    ],
)
def test_in_a_list_of_conditions_the_newest_of_a_type_stays(types: str, newest: int, stays: str) -> None:
    sample = items("abcd", type=list(types), lastTransitionTime=AGES[:4])
    assert ids(kept(expire("30m", "status.conditions", newest=newest), sample, "conditions")) == stays
    assert ids(kept(policy(expire("30m", newest=newest), cap_conditions(9, "status.history")), sample)) == stays


def test_in_a_list_of_conditions_items_without_a_type_expire_like_any_other() -> None:
    sample = [{"lastTransitionTime": at(0)}, {"type": "A", "lastTransitionTime": at(0)}, {"type": "A"}]
    assert kept(expire("1h", "status.conditions"), sample, "conditions") == sample[2:]


def test_says_what_expired() -> None:
    step = expire("10h30m", times=["t"])
    decision = decide(step, {"history": items("abcde", t=AGES)})
    (report,) = decision.policies[0].steps
    assert (report.found, report.items, report.reason) == (True, 2, Reason.NONE)
    assert report.bytes == decision.bytes_before - decision.bytes_after > 0
    assert decide(step, {"history": []}).policies[0].steps[0].found is True
    assert decide(step, {"history": {}}).policies[0].steps[0].found is False


def test_what_expired_once_is_gone_and_a_later_now_takes_more() -> None:
    step, sample = expire("10h30m", times=["t"]), items("abcde", t=AGES)
    assert ids(trimmed(step, {"history": sample}, NOW + 2 * HOUR)["history"]) == "de"
    assert ids(trimmed(step, {"history": sample}, 0)["history"]) == "abcde"
