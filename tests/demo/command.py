"""``python -m tests.demo``: the way through the demo, from nothing to a verdict."""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from admission.cli.amounts import size
from tests.controlplane.build import Binaries, ensure_binaries
from tests.controlplane.caches import caches
from tests.controlplane.client import ApiClient
from tests.controlplane.kubectl import find_kubectl
from tests.controlplane.resources import CRDS, MUTATING_WEBHOOKS
from tests.demo.advice import lines, trials, write_examples
from tests.demo.controller import Controller, answered
from tests.demo.failure import EXPECTED, DemoError, explain
from tests.demo.kind import Promise
from tests.demo.kinds import KINDS
from tests.demo.show import Show
from tests.demo.signals import Interruption, Stopped
from tests.demo.stage import Stage
from tests.demo.table import notes, table
from tests.demo.verdict import promises
from tests.e2e.barrier import obeyed

MODES = ("Enforce", "Warn", "DryRun", "Off")
LOOK_EVERY = 1.0  # seconds between two looks whether all servers still run
KEPT, BROKEN, INTERRUPTED = 0, 1, 130
CALM = "Stopped; nothing is left running."


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the command line asks for."""

    once: bool
    seconds: float
    mode: str


def main(words: Sequence[str] | None = None) -> int:
    """Run the demo; returns the exit code.

    0: all promises kept, or stopped by whoever watched; 1: a failure, or with ``--once`` a broken promise; 130: stopped
    with ``--once`` before the verdict.
    """
    arguments = parse(words)
    show, interruption = Show(), Interruption()
    interruption.install()
    try:
        code = Demo(arguments, show, interruption).run()
    except Stopped:
        code = INTERRUPTED if arguments.once else KEPT
    except EXPECTED as error:
        print(explain(error), file=sys.stderr)
        return BROKEN
    show.line(CALM)
    return code


def parse(words: Sequence[str] | None) -> Arguments:
    parser = argparse.ArgumentParser(
        prog="python -m tests.demo",
        description="A real API server on loopback, three noisy controllers, and statuscap in between.",
    )
    parser.add_argument("--once", action="store_true", help="end after the verdict; exit code 1 on a broken promise")
    parser.add_argument("--seconds", type=seconds, default=10.0, help="how long the controllers write (default 10)")
    parser.add_argument(
        "--mode", choices=MODES, default="Enforce", help="the mode of all policies; in any but Enforce promises break"
    )
    found = parser.parse_args(words)
    return Arguments(once=found.once, seconds=found.seconds, mode=found.mode)


def seconds(text: str) -> float:
    number = float(text)
    if not 0 < number <= 86_400:
        raise ValueError(text)
    return number


class Demo:
    """One run, step by step."""

    def __init__(self, arguments: Arguments, show: Show, interruption: Interruption) -> None:
        self._arguments = arguments
        self._show = show
        self._interruption = interruption
        self._kept = False

    def run(self) -> int:
        """Bring everything up, play, judge, stay; on return nothing is left. Raises ``Stopped`` on a signal."""
        self._show.line(("statuscap demo", "bold"), ": a real API server, noisy controllers, statuscap in between")
        kubectl = find_kubectl()
        with Stage(self._servers(), kubectl, self._arguments.mode) as stage, self._quiet_end():
            self._start(stage)
            self._interruption.run(self._acts(stage))
        return KEPT if self._kept else BROKEN

    @contextlib.contextmanager
    def _quiet_end(self) -> Iterator[None]:
        """Let nothing interrupt the end, and say that it takes a moment."""
        try:
            yield
        finally:
            self._interruption.ignore()
            self._show.line(("Stopping statuscap, kube-apiserver and etcd …", "dim"))

    # --- bringing it up ----------------------------------------------------------------------------------------------

    def _servers(self) -> Binaries:
        with self._show.step("servers", "looking for kube-apiserver and etcd") as done:
            binaries = ensure_binaries(self._show.progress, every=self._show.progress_every)
            done(" and ".join(map(named, (binaries.kube_apiserver, binaries.etcd))))
        if binaries.built:
            self._tell_caches()
        return binaries

    def _tell_caches(self) -> None:
        """Say what the build left on the disk, and that it may go; once, as the next run finds the servers."""
        self._show.detail("kept for the next build; `rm -r` of any of them is safe:")
        for cache in caches():
            self._show.detail(f"{size(cache.size):>8}  {cache.holds}: ", (str(cache.folder), "yellow"))
        self._show.detail(("(Go's modules are read-only: `chmod -R u+w` first)", "dim"))

    def _start(self, stage: Stage) -> None:
        with self._show.step("API server", "starting etcd and kube-apiserver") as done:
            stage.plane.start()
            done(stage.plane.url)

    async def _acts(self, stage: Stage) -> None:
        async with connected(stage) as controllers:
            await self._grow(controllers)
            self._serve(stage)
            await self._register(stage, controllers[0].client)
            await self._play(stage, controllers)
            self._kept = await self._judge(controllers)
            if not self._arguments.once:
                self._advise(stage)
                await self._stay(stage)

    async def _grow(self, controllers: Sequence[Controller]) -> None:
        """Install the CRDs and fill the objects as they are found in a cluster without statuscap."""
        with self._show.step("objects", "installing three CRDs and filling an object of each") as done:
            await install(controllers)
            refusals = [await controller.grow() for controller in controllers]
            done("one of each kind, as they grow without statuscap")
        for controller, refusal in zip(controllers, refusals, strict=True):
            kind, told = controller.kind, f"{size(controller.tally.before)} in etcd"
            if refusal:
                told = f"frozen, its controller's writes are refused: {refusal.rpartition('is invalid: ')[2]}"
            self._show.detail(f"{kind.resource.group} {kind.title} {kind.name}: ", (told, "yellow"))

    def _serve(self, stage: Stage) -> None:
        with self._show.step("statuscap", "starting statuscap serve") as done:
            stage.product.start()
            presets = ", ".join(preset.removeprefix("preset:") for preset in stage.presets)
            done(f"{stage.product.url}, mode {self._arguments.mode}: {presets}")

    async def _register(self, stage: Stage, client: ApiClient) -> None:
        with self._show.step("registered", "statuscap manifests | kubectl apply -f -") as done:
            said = stage.register()
            await obeyed(client, [MUTATING_WEBHOOKS])
            done("statuscap manifests … | kubectl apply -f -")
        for line in said.splitlines():
            self._show.detail((without_group(line), "dim"))

    # --- what there is to see ----------------------------------------------------------------------------------------

    async def _play(self, stage: Stage, controllers: Sequence[Controller]) -> None:
        """Let the controllers write, all at once, and show what becomes of it."""
        length = self._arguments.seconds
        end = time.monotonic() + length
        tallies = [controller.tally for controller in controllers]
        with self._show.live(lambda: table(tallies, f"{max(0.0, end - time.monotonic()):.0f} s left")):
            await asyncio.gather(*(controller.run(length) for controller in controllers))
        self._show.line()
        self._show.table(table(tallies))
        for note in (*notes(tallies), f"statuscap's own count of its decisions: {outcomes(stage)}."):
            self._show.note(note)

    async def _judge(self, controllers: Sequence[Controller]) -> bool:
        """Compare what etcd holds with what was promised; returns whether every promise was kept."""
        judged: list[Promise] = []
        for controller in controllers:
            self._show.line()
            self._show.line((f"{controller.kind.title} {controller.kind.name}", "bold"))
            for promise in await promises(controller):
                judged.append(promise)
                self._show.promise(promise)
        broken = sum(not promise.kept for promise in judged)
        verdict = (f"{broken} of {len(judged)} promises broken", "bold red")
        self._show.line()
        self._show.line(verdict if broken else (f"All {len(judged)} promises kept", "bold green"))
        return not broken

    def _advise(self, stage: Stage) -> None:
        write_examples(stage.folder)
        stage.write_environment()
        for text, style in lines(stage.folder, stage.kubeconfig, trials(self._arguments.mode)):
            self._show.line((text, style))
        self._show.line()

    async def _stay(self, stage: Stage) -> None:
        """Wait for the signal that ends the demo; raises ``DemoError`` when a server ends by itself."""
        while not (ended := stage.ended()):  # noqa: ASYNC110  # a process that ends sets no event
            await asyncio.sleep(LOOK_EVERY)
        raise DemoError(f"{ended} ended by itself")


@contextlib.asynccontextmanager
async def connected(stage: Stage) -> AsyncIterator[list[Controller]]:
    """Yield a controller for every kind, each with a client of its own, as field managers are told apart by it."""
    async with contextlib.AsyncExitStack() as clients:
        yield [
            Controller(await clients.enter_async_context(ApiClient.connect(stage.plane, user_agent=kind.manager)), kind)
            for kind in KINDS
        ]


async def install(controllers: Sequence[Controller]) -> None:
    """Create the CRDs and return when all are served."""
    documents = [controller.kind.crd() for controller in controllers]
    client = controllers[0].client
    for document in documents:
        answered(await client.create(CRDS, document), f"the CRD {document['metadata']['name']}")
    for document in documents:
        await client.wait_for_crd(document["metadata"]["name"])


def named(server: Path) -> str:
    """Return a server with its version as the cache names it, or with its folder when the user chose it."""
    return server.parent.name if server.parent.name.startswith(server.name) else str(server)


def without_group(line: str) -> str:
    """Return what kubectl says of an object without the group, with which it is wider than a terminal."""
    return re.sub(r"^([a-z]+)\.[a-z0-9.-]+/", r"\1 ", line)


def outcomes(stage: Stage) -> str:
    """Return statuscap's own count of its decisions: ``198 Trimmed, 99 Suppressed``."""
    counts: collections.Counter[str] = collections.Counter()
    for sample in stage.product.metrics("statuscap_reviews_total"):
        counts[sample.labels["outcome"]] += int(sample.value)
    return ", ".join(f"{count:,} {outcome}" for outcome, count in counts.most_common() if count) or "no review"
