"""``python -m tests.bench.memory``: the peak of the server's memory under what callers may do to it."""

from __future__ import annotations

import asyncio
import resource
import time
from typing import Annotated

import typer
from rich.table import Table

from tests.bench import screen
from tests.bench.cores import cpu_time, peak_memory
from tests.e2e.product import Statuscap
from tests.serving.hostile import MIXES, quiet
from tests.serving.target import POLICY, Target

CONSOLE = screen.stdout()
MEBIBYTE = 1 << 20
app = typer.Typer(add_completion=False)


@app.command()
def memory(
    mixes: Annotated[str, typer.Option("--mixes", help="Which, separated by commas.")] = ",".join(MIXES),
    fresh: Annotated[bool, typer.Option(help="Start a server for each; else one has to bear them all.")] = True,
) -> None:
    """Do to a server what callers may do, and print the peak of its resident memory and what it cost."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard) if soft < hard else (soft, hard))
    table = Table("what", "how many", "peak RSS, MiB", "server CPU, s", "seconds")
    names = [name.strip() for name in mixes.split(",")]
    with CONSOLE.status("starting") as status:
        if fresh:
            for name in names:
                status.update(name)
                with Statuscap([POLICY]) as server:
                    table.add_row(*asyncio.run(_measured(server, name)))
        else:
            with Statuscap([POLICY]) as server:
                for name in names:
                    status.update(name)
                    table.add_row(*asyncio.run(_measured(server, name)))
    CONSOLE.print(table)


async def _measured(server: Statuscap, name: str) -> tuple[str, ...]:
    mix, _, number = MIXES[name]
    target = Target(server)
    await target.is_well()
    target.forget_peak()
    began, used = time.monotonic(), cpu_time(server.pid)
    await mix(target, number)
    await quiet(target)
    took, cost = time.monotonic() - began, (cpu_time(server.pid) - used) / 1e9
    return name, f"{number:,}", f"{peak_memory(server.pid) / MEBIBYTE:.0f}", f"{cost:.1f}", f"{took:.1f}"


if __name__ == "__main__":
    app()
