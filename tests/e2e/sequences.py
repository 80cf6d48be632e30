"""Random sequences of writes on a real API server, each on two objects: one trimmed, the other not.

``python -m tests.e2e.sequences --sequences 2000`` starts servers of its own and counts the conflicts.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.controlplane.build import ensure_binaries
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, gadgets
from tests.controlplane.resources import CRDS, NAMESPACES, Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.objects import attempts, conditions, executors, history, made, said
from tests.e2e.policies import Scope, one_a_mode
from tests.e2e.product import Statuscap

Json = dict[str, Any]
APPLIER, UPDATERS = "applier", ("updater", "second-updater")
CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Write:
    """One write of some members of the status; an applier says all that it wants."""

    manager: str
    status: Json
    force: bool = False

    async def send(self, client: ApiClient, resource: Resource, name: str) -> int:
        """Write, and return the code of the answer."""
        if self.manager == APPLIER:
            body = said(resource, name, self.status)
            answer = await client.apply(
                resource, body, subresource="status", field_manager=self.manager, force=self.force
            )
        else:
            patch = {"status": self.status}
            answer = await client.merge_patch(resource, name, patch, subresource="status", field_manager=self.manager)
        return answer.status


@dataclass(frozen=True, slots=True)
class Answers:
    """The codes of one write on both objects."""

    write: Write
    trimmed: int
    whole: int

    @property
    def needless(self) -> bool:
        """True for a conflict that there would not be without policies."""
        return self.trimmed == CONFLICT != self.whole


def words(edition: int) -> Json:
    """What the applier says: more of everything than the policy keeps."""
    return {
        "conditions": conditions(12, first=edition),
        "history": history(12, first=edition),
        "attempts": attempts(12, first=edition),
        "nodes": {name: {"phase": f"edition {edition}"} for name in executors(12, first=edition)},
        "message": f"edition {edition} " + "m" * 2000,
    }


def sequence(chance: random.Random) -> Iterator[Write]:
    """The applier repeats its words, and now and then says others; updaters repeat them, and say what is new.

    An updater that says something else takes it with good reason: the applier then takes it back by force.
    """
    edition = 0
    yield Write(APPLIER, words(edition))
    for number in range(chance.randint(5, 12)):
        updater, news = chance.choice(UPDATERS), {"phase": f"news {number}"}
        match chance.randrange(10):
            case 0 | 1 | 2:
                yield Write(APPLIER, words(edition))
            case 3:
                edition += 1
                yield Write(APPLIER, words(edition))
            case 4:
                yield Write(updater, {"message": f"{updater} {number} " + "o" * chance.choice((9, 2000))} | news)
                yield Write(APPLIER, words(edition), force=True)
            case kind:
                repeated = {name: value for name, value in words(edition).items() if chance.random() < 0.6}
                yield Write(updater, repeated | (news if kind < 9 else {}))
    yield Write(APPLIER, words(edition))


async def both(client: ApiClient, trimmed: str, whole: str, name: str, chance: random.Random) -> list[Answers]:
    """Do a sequence in two namespaces."""
    first, second = GADGETS.inside(trimmed), GADGETS.inside(whole)
    for resource in (first, second):
        await client.create(resource, made(GADGETS, name))
    return [
        Answers(one, await one.send(client, first, name), await one.send(client, second, name))
        for one in sequence(chance)
    ]


async def count(client: ApiClient, seed: int, sequences: int) -> Counter[str]:
    """Count what happens in many sequences, each on objects of its own that go afterwards."""
    spaces = [f"{scope}-{secrets.token_hex(4)}" for scope in (Scope.ENFORCED, Scope.UNTOUCHED)]
    for space in spaces:
        await client.create(NAMESPACES, {"metadata": {"name": space}})
    found: Counter[str] = Counter()
    for number in range(sequences):
        name = f"sequence-{number}"
        answers = await both(client, spaces[0], spaces[1], name, random.Random(f"{seed}:{number}"))
        found.update(sequences=1, writes=len(answers), applies=sum(one.write.manager == APPLIER for one in answers))
        found["conflicts with policies"] += sum(one.trimmed == CONFLICT for one in answers)
        found["conflicts without"] += sum(one.whole == CONFLICT for one in answers)
        found["conflicts that would not be without policies"] += sum(one.needless for one in answers)
        found["other answers"] += sum(
            code not in (200, CONFLICT) for one in answers for code in (one.trimmed, one.whole)
        )
        for space in spaces:
            await client.delete(GADGETS.inside(space), name)
    return found


async def _counted(plane: ControlPlane, product: Statuscap, seed: int, sequences: int) -> Counter[str]:
    async with ApiClient.connect(plane) as client:
        assert (await client.create(CRDS, gadgets())).status == 201
        await client.wait_for_crd(gadgets()["metadata"]["name"])
        await product.register(client)
        return await count(client, seed, sequences)


def main() -> None:
    """Start servers, run, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with ControlPlane(ensure_binaries(print)) as plane, Statuscap(one_a_mode()) as product:
        found = asyncio.run(_counted(plane, product, asked.seed, asked.sequences))
    print(", ".join(f"{number} {name}" for name, number in found.items()))


if __name__ == "__main__":
    main()
