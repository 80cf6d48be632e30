"""Random sequences of writes by an applier and two updaters, done twice: with policies in front of etcd and without.

Counted are the conflicts that the applier meets with policies and would not meet without. The field manager is the
small one of the tests, or a real one (``tests/e2e``). ``python -m tests.fuzz.sequences --sequences 2000 --seed 1``
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from admission.engine.policy import Policy
from tests.engine.build import Json, at, cap_conditions, cap_list, judge, patched, plain, policy, truncate, write
from tests.engine.fieldmanager import ConflictError, Stored

APPLIER, UPDATERS = "argocd", ("controller", "agent")
LONGEST = 60
CONFLICTS, LEFT_WHOLE = "conflicts that would not be without policies", "writes left whole"


class Verb(StrEnum):
    """How somebody writes."""

    APPLY = "apply"
    FORCE = "apply with force"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Write:
    """One write: an apply says all that the applier wants, an update changes some members of the status."""

    manager: str
    verb: Verb
    status: Json


def words(edition: int) -> Json:
    """What the applier says: more of everything than policies keep."""
    return {
        "message": f"edition {edition} " + "m" * 90,
        "conditions": [
            {"type": f"T{n}", "status": "True", "lastTransitionTime": at(edition * 10 + n)} for n in range(6)
        ],
        "log": [f"{edition}:{n}" for n in range(6)],
        "history": [{"id": f"<{n}>", "text": f"{edition} " + "t" * 90} for n in range(3)],
    }


def sequence(chance: random.Random) -> Iterator[Write]:
    """The applier repeats its words, and now and then says others; the updaters repeat them and say what is new.

    An updater that says something else takes it with good reason: the applier then takes it back by force.
    """
    edition = 0
    yield Write(APPLIER, Verb.APPLY, words(edition))
    for number in range(chance.randint(6, 18)):
        updater, news = chance.choice(UPDATERS), {chance.choice(("phase", "reason")): f"news {number}"}
        match chance.randrange(12):
            case 0 | 1 | 2:
                yield Write(APPLIER, Verb.APPLY, words(edition))
            case 3:
                edition += 1
                yield Write(APPLIER, Verb.APPLY, words(edition))
            case 4:
                yield Write(updater, Verb.UPDATE, news)
            case 5:
                other = {"message": f"{updater} {number} " + "o" * chance.choice((9, 90))} | news
                yield Write(updater, Verb.UPDATE, other)
                yield Write(APPLIER, Verb.FORCE, words(edition))
            case kind:
                said = {name: value for name, value in words(edition).items() if chance.random() < 0.6}
                yield Write(updater, Verb.UPDATE, said | (news if kind < 11 else {}))
    yield Write(APPLIER, Verb.APPLY, words(edition))


POLICIES: Sequence[Policy] = (
    policy(
        cap_conditions(3, keep=[]),
        cap_list(2, at="status.log"),
        truncate(LONGEST, "status.message", "status.history[*].text", marker="…"),
    ),
)


@dataclass(slots=True)
class World:
    """One object behind the small field manager, with some policies in front of etcd."""

    policies: Sequence[Policy] = ()
    stored: Stored | None = None
    clock: int = 0

    def write(self, one: Write) -> bool:
        """Do a write; False when it is a conflict."""
        self.clock += 1
        before = self.stored or Stored()
        try:
            if one.verb is Verb.UPDATE:
                shown = before.updated(before.status | one.status, one.manager, at(self.clock))
            else:
                shown = before.applied(one.status, one.manager, at(self.clock), force=one.verb is Verb.FORCE)
        except ConflictError:
            return False
        if self.policies:
            stored = None if self.stored is None else self.stored.whole
            attributes = write(shown.whole, stored, field_manager=one.manager)
            decision = judge(self.policies, attributes)
            assert decision.violations == (), decision.violations
            shown = Stored.of(plain(patched(attributes, decision)))
        self.stored = shown
        return True


def is_trimmed(status: Json) -> bool:
    """True when a status is what policies want."""
    lists = (("conditions", 3), ("log", 2))
    texts = [status.get("message", ""), *(item["text"] for item in status.get("history", ()))]
    return all(len(status.get(name, ())) <= most for name, most in lists) and all(
        len(text.encode()) <= LONGEST for text in texts
    )


def compare(writes: Iterable[Write]) -> Counter[str]:
    """Count what happens in one sequence."""
    trimmed, whole = World(POLICIES), World()
    found: Counter[str] = Counter(sequences=1)
    for one in writes:
        passed, would_have = trimmed.write(one), whole.write(one)
        found[f"{one.verb}"] += 1
        found[CONFLICTS] += would_have and not passed
        found["conflicts without policies too"] += not would_have
        found[LEFT_WHOLE] += trimmed.stored is not None and not is_trimmed(trimmed.stored.status)
    return found


def run(seed: int, sequences: int) -> Counter[str]:
    """Count what happens in some sequences."""
    found: Counter[str] = Counter({CONFLICTS: 0, LEFT_WHOLE: 0})
    for number in range(sequences):
        found.update(compare(sequence(random.Random(f"{seed}:{number}"))))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(", ".join(f"{count} {name}" for name, count in run(asked.seed, asked.sequences).items()))
