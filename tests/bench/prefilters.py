"""``python -m tests.bench.prefilters``: what a write costs its writer that no policy has anything to do with.

One real API server, three namespaces, writes to them in turn: one that no webhook looks at, one whose writes a
pre-filter keeps from the webhook, one whose writes are all sent. The times are those of the whole request.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import typer

from tests.bench import screen
from tests.controlplane.build import ensure_binaries
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, gadgets
from tests.controlplane.resources import CRDS, MUTATING_WEBHOOKS, NAMESPACES
from tests.controlplane.servers import ControlPlane
from tests.e2e.barrier import obeyed
from tests.e2e.objects import KEPT, conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import merge_patch

NONE, FILTERED, CALLED = "none", "filtered", "called"
WARM_UP: Final = 20
CONSOLE = screen.stdout()
app = typer.Typer(add_completion=False)


@dataclass
class Times:
    """Milliseconds of the writes to one namespace."""

    name: str
    found: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.found)


@app.command()
def main(writes: Annotated[int, typer.Option(min=10, help="Writes to each namespace.")] = 500) -> None:
    """Measure, and print the medians and their ratios."""
    binaries = ensure_binaries(CONSOLE.print)
    policies = [policy("capped", mode="Enforce", scope=scope) for scope in (Scope.OTHER,)]
    with ControlPlane(binaries) as plane, Statuscap(policies) as product:
        times = asyncio.run(measured(plane, product, writes))
    base = times[0].median
    for each in times:
        CONSOLE.print(f"{each.name:10} p50 {each.median:6.2f} ms   {each.median / base:.2f} × {NONE}")


async def measured(plane: ControlPlane, product: Statuscap, writes: int) -> list[Times]:
    """Write to the namespaces in turn."""
    times = [Times(name) for name in (NONE, FILTERED, CALLED)]
    async with ApiClient.connect(plane) as client:
        await client.create(CRDS, gadgets())
        await client.wait_for_crd(gadgets()["metadata"]["name"])
        for each in times:
            await client.create(NAMESPACES, {"metadata": {"name": f"{Scope.OTHER}-{each.name}"}})
            await client.create(GADGETS.inside(f"{Scope.OTHER}-{each.name}"), made(GADGETS, "one"))
        await register(client, product, FILTERED, "--pre-filters")
        await register(client, product, CALLED)
        await obeyed(client)
        for number in range(WARM_UP + writes):
            for each in times:
                taken = await write(client, f"{Scope.OTHER}-{each.name}", number)
                if number >= WARM_UP:
                    each.found.append(taken)
        seen = sum(sample.value for sample in product.metrics("statuscap_reviews_total"))
        assert seen == WARM_UP + writes, f"{seen} calls: the pre-filter let something pass, or too little was sent"
    return times


async def register(client: ApiClient, product: Statuscap, name: str, *flags: str) -> None:
    """Register the product for one namespace alone."""
    (document,) = await product.manifests(*flags)
    document["metadata"]["name"] = f"zz-{name}"
    for webhook in document["webhooks"]:
        webhook["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": f"{Scope.OTHER}-{name}"}}
    answer = await client.create(MUTATING_WEBHOOKS, document)
    assert answer.status == 201, answer.body


async def write(client: ApiClient, namespace: str, number: int) -> float:
    """Write a status that every policy leaves as it is; returns milliseconds."""
    status: dict[str, Any] = {"conditions": conditions(KEPT, first=number % 600, types=KEPT), "phase": f"p{number}"}
    started = time.perf_counter()
    answer = await merge_patch(client, GADGETS.inside(namespace), "one", status)
    taken = (time.perf_counter() - started) * 1_000
    assert answer.status == 200, answer.body
    return taken


if __name__ == "__main__":
    app()
