"""Hours of one object under a clock of its own: who writes what and when, and what of it is held back.

Writers say all of their fields with every write, or each of them by itself (``apart``), and their clocks are wrong by
some minutes. ``python -m tests.fuzz.hours --seed 1 --runs 20 --hours 4``
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from admission.engine.decision import Decision, Outcome
from admission.engine.instant import SECOND
from admission.engine.policy import Policy
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import AnyValue, Times
from tests.engine.build import NOW, NOW_TEXT, Json, cap_list, go, judge, patched, plain, policy, suppress, write
from tests.engine.fieldmanager import Leaves, Stored, Way, leaves
from tests.fuzz.sequences import Verb

_NOON: Final = datetime.fromisoformat(NOW_TEXT).astimezone(UTC)
CAP: Final = 3

RULES: Final[Mapping[str, SuppressRule]] = {
    "active": suppress("status.active", stale="60s"),
    "seen": suppress("status.seen", stale="90s"),
    "next": suppress("status.next", stale="60s"),
    "size": suppress("status.size", stale="10m", percent="5"),
    "load": suppress("status.load", stale="2m", most="10"),
    "mood": suppress("status.mood", stale="5m", any_value=True),
    "pulse": suppress("status.pulse", stale="60s"),
    "share": suppress("status.share", stale="3m", most="0.1"),
}
"""The rule of every field that may wait."""

POLICIES: Final[Sequence[Policy]] = (
    policy(name="beats", suppress=[RULES[name] for name in ("active", "seen", "next", "pulse")]),
    policy(
        cap_list(CAP, at="status.log"),
        name="rest",
        suppress=[RULES[name] for name in ("size", "load", "mood", "share")],
    ),
)


def clock_text(second: int) -> str:
    """The time so many seconds after noon."""
    return (_NOON + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody writes at some second."""

    second: int
    manager: str
    verb: Verb
    status: Json


@dataclass(slots=True)
class Writer:
    """Somebody who writes some fields again and again; ``make`` says them anew, at a second and by a wrong clock."""

    manager: str
    verb: Verb
    every: int
    make: Callable[[random.Random, int, int], Json]
    apart: bool = False
    skew: int = 0

    def says(self, chance: random.Random, second: int) -> Iterator[Said]:
        """One round of writes."""
        fields = self.make(chance, second, second + self.skew)
        parts = [{name: value} for name, value in fields.items()] if self.apart else [fields]
        for part in parts:
            yield Said(second, self.manager, self.verb, part)


def _controller(chance: random.Random, second: int, clock: int) -> Json:
    phase = second // 1_800  # something real every half an hour
    return {
        "active": clock_text(clock),
        "next": clock_text(clock + 45),
        "size": 1_000_000 + chance.randint(-20_000, 20_000) + phase * 200_000,
        "phase": f"phase {phase}",
        "log": [f"{phase - n}" for n in range(6)],
    }


def _agent(chance: random.Random, second: int, clock: int) -> Json:
    found = {"seen": clock_text(clock), "load": str(50 + chance.randint(-4, 4)), "mood": chance.choice("abc")}
    return found | {"news": second // 900}


def _applier(chance: random.Random, second: int, clock: int) -> Json:
    return {"owner": "team", "since": clock_text(0), "edition": second // 2_400}


def _operator(chance: random.Random, second: int, clock: int) -> Json:
    return {"pulse": clock_text(clock), "share": chance.choice((0.45, 0.5, 0.55)), "step": second // 1_500}


def writers(chance: random.Random, *, apart: bool) -> Sequence[Writer]:
    """A controller and an agent, who share nothing, an operator who applies and beats, and one who applies seldom."""
    skews = [chance.choice((0, 0, -120, 7, 50, 200)) for _ in range(2)]
    return (
        Writer("controller", Verb.UPDATE, chance.choice((3, 7)), _controller, apart, skews[0]),
        Writer("agent", Verb.UPDATE, chance.choice((5, 11)), _agent, apart, skews[1]),
        Writer("operator", Verb.APPLY, 13, _operator),
        Writer("argocd", Verb.APPLY, 120, _applier),
    )


def sequence(chance: random.Random, hours: float, *, apart: bool = False) -> Iterator[Said]:
    """What is written in so many hours, in order. Newcomers say something that is there, or bring a field."""
    known, end = writers(chance, apart=apart), int(hours * 3_600)
    newcomers = sorted(chance.randrange(600, end) for _ in range(3))
    due = {writer.manager: chance.randrange(writer.every) for writer in known}
    for second in range(end):
        for writer in known:
            if due[writer.manager] == second:
                yield from writer.says(chance, second)
                due[writer.manager] = second + max(1, writer.every + chance.randint(-1, 1))
        if newcomers and newcomers[0] == second:
            name = f"newcomer-{newcomers.pop(0)}"
            config = chance.choice(({"owner": "team"}, {name: 1}, {"active": clock_text(second)}))
            yield Said(second, name, chance.choice((Verb.FORCE, Verb.UPDATE)), config)


# --- what becomes of it ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Hours:
    """The object, when each of its leaves was last written, and everything that went wrong."""

    policies: Sequence[Policy] = POLICIES
    stored: Stored | None = None
    written: dict[Way, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    late: Counter[str] = field(default_factory=Counter)

    def write(self, said: Said) -> None:
        """One write, and what is wrong with what becomes of it."""
        before = self.stored or Stored()
        shown = _shown(before, said)
        stored = None if self.stored is None else self.stored.whole
        attributes = write(shown.whole, stored, field_manager=said.manager)
        decision = judge(self.policies, attributes, NOW + said.second * SECOND)
        after = Stored.of(plain(patched(attributes, decision)))
        self.counts[f"{said.verb} {decision.outcome}"] += 1
        if decision.outcome is Outcome.SUPPRESSED:
            self._held(said, before, shown, after)
        elif self.stored is None or not _is_noop(before, after):
            self._passed(said, shown, after, decision)

    def _held(self, said: Said, before: Stored, shown: Stored, after: Stored) -> None:
        if go(after.whole) != go(before.whole):
            self._tell(said, "is held back, and not what is stored")
        if _identities(shown) - _identities(before):
            self._tell(said, "somebody's first claim is lost")
        old, new = _leaves(before), _leaves(shown)
        for way in old.keys() | new.keys():
            if way[0] != "f:log" and old.get(way) != new.get(way):
                self._waits(said, way)

    def _waits(self, said: Said, way: Way) -> None:
        rule = RULES.get(way[0][2:])
        if rule is None or len(way) > 1:
            self._tell(said, f"{way} may not wait")
            return
        self._is_near(said, way, rule)
        age = said.second - self._since(way, rule)
        if age > rule.max_staleness // SECOND:
            self.late[way[0][2:]] += 1

    def _since(self, way: Way, rule: SuppressRule) -> int:
        """The second from which the age of what is stored counts: a time says it itself."""
        if rule.tolerance != Times():
            return self.written[way]
        assert self.stored is not None
        said = datetime.fromisoformat(_leaves(self.stored)[way])
        return int((said - _NOON).total_seconds())

    def _is_near(self, said: Said, way: Way, rule: SuppressRule) -> None:
        """A number that may wait is never further from what is stored than its rule says, however old that is."""
        assert self.stored is not None
        old, new = _leaves(self.stored)[way], leaves(said.status).get(way)
        if new is None or rule.tolerance in (Times(), AnyValue()):
            return
        most = {"f:load": 10, "f:share": 0.1000001}.get(way[0], float(old) / 20)
        if abs(float(new) - float(old)) > most:
            self._tell(said, f"{new} is held back where {old} is stored")

    def _passed(self, said: Said, shown: Stored, after: Stored, decision: Decision) -> None:
        if decision.violations:
            self._tell(said, str(decision.violations))
        old, new = _leaves(shown), _leaves(after)
        if {way for way in old.keys() | new.keys() if old.get(way) != new.get(way)} - {("f:log",)}:
            self._tell(said, "does not land as it was sent")
        if _identities(shown) - _identities(after):
            self._tell(said, "a manager is gone")
        self.written |= dict.fromkeys(leaves(said.status), said.second)
        self.stored = after

    def _tell(self, said: Said, what: str) -> None:
        self.wrong.append(f"{clock_text(said.second)} {said.manager} {said.verb} {said.status}: {what}")


def _shown(before: Stored, said: Said) -> Stored:
    time = clock_text(said.second)
    if said.verb is Verb.UPDATE:
        return before.updated(before.status | said.status, said.manager, time)
    return before.applied(said.status, said.manager, time, force=said.verb is Verb.FORCE)


def _is_noop(before: Stored, after: Stored) -> bool:
    """True when nothing but times of managers differs: the API server writes nothing then."""

    def timeless(one: Stored) -> Json:
        return [entry | {"time": ""} for entry in one.managers]

    return go(before.status) == go(after.status) and timeless(before) == timeless(after)


def _identities(one: Stored) -> set[tuple[str, str]]:
    return {(entry["manager"], entry["operation"]) for entry in one.managers}


def _leaves(one: Stored) -> Leaves:
    return leaves(one.status) if one.status else {}


def run(seed: int, number: int, hours: float, *, apart: bool = False) -> Hours:
    """One run."""
    world = Hours()
    for said in sequence(random.Random(f"{seed}:{number}"), hours, apart=apart):
        world.write(said)
    return world


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--hours", type=float, default=4)
    parser.add_argument("--apart", action="store_true", help="updaters write each field by itself")
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    for number in range(asked.runs):
        world = run(asked.seed, number, asked.hours, apart=asked.apart)
        total += world.counts + Counter({f"late {name}": count for name, count in world.late.items()})
        print(*world.wrong[:5], sep="\n", end="\n" if world.wrong else "")
    print(", ".join(f"{count} {name}" for name, count in sorted(total.items())))


if __name__ == "__main__":
    _main()
