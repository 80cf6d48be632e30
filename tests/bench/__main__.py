"""``python -m tests.bench``: start the subjects, load them in turn, print one table."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from tests.bench import cores, screen
from tests.bench.answers import WrongAnswerError
from tests.bench.bodies import SIZE_NAMES, bodies
from tests.bench.gowebhook import WebhookBuildError
from tests.bench.report import Process, Report
from tests.bench.rounds import Measured, Plan, measure
from tests.bench.server import KeyPair, Server, Start, StartError
from tests.bench.subjects import SUBJECTS, USUAL, Subject, compared
from tests.controlplane.toolchain import ToolchainError

OPENSSL_CONF = Path(__file__).with_name("openssl.cnf")
FAILED = 1
FAILURES = (WrongAnswerError, StartError, ConnectionError, TimeoutError, ToolchainError, WebhookBuildError)
CONSOLE = screen.stdout()
app = typer.Typer(add_completion=False)


@app.command()
def bench(
    *,
    sizes: Annotated[str, typer.Option("--bodies", help="Sizes of reviews.")] = ",".join(SIZE_NAMES),
    connections: Annotated[str, typer.Option(help="Numbers of connections.")] = "1,8",
    seconds: Annotated[float, typer.Option(min=0.05, help="The length of one window.")] = 1.0,
    rounds: Annotated[int, typer.Option(min=1, help="Windows for each subject, review and connections.")] = 5,
    starts: Annotated[int, typer.Option(min=1, help="How often each subject is started.")] = 3,
    subjects: Annotated[str, typer.Option(help="Who is measured.")] = ",".join(s.name for s in USUAL),
    before: Annotated[
        Path | None, typer.Option(metavar="COPY", exists=True, help="Measure the product of this working copy, too.")
    ] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the figures here too.")] = None,
) -> None:
    """Measure the CPU that a review costs the server, beside webhooks in Go and a floor that only reads and allows.

    Exits with 1 when an answer is wrong or a subject does not start; speed is never judged.
    """
    known = {subject.name: subject for subject in SUBJECTS}
    chosen = [known[name] for name in _choice(subjects, known, "--subjects")]
    chosen += compared(before) if before is not None else ()
    plan = Plan(
        bodies(_choice(sizes, SIZE_NAMES, "--bodies")),
        [int(number) for number in _choice(connections, map(str, range(1, 257)), "--connections")],
        rounds,
        seconds,
    )
    try:
        with tempfile.TemporaryDirectory(prefix="statuscap-bench-") as folder:
            report = _run(chosen, plan, starts, Path(folder))
    except FAILURES as error:
        CONSOLE.print(f"{type(error).__name__}: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(FAILED) from error
    report.show(CONSOLE)
    if json is not None:
        json.write_bytes(report.as_json())


def _choice(text: str, allowed: Iterator[str] | Sequence[str] | dict[str, Subject], flag: str) -> list[str]:
    chosen, names = [part.strip() for part in text.split(",") if part.strip()], list(allowed)
    for name in chosen:
        if name not in names:
            shown = ", ".join(names) if len(names) < 10 else f"{names[0]} to {names[-1]}"
            raise typer.BadParameter(f"{name!r}; choose from {shown}", param_hint=flag)
    return chosen


def _run(subjects: Sequence[Subject], plan: Plan, starts: int, folder: Path) -> Report:
    chosen = cores.choose()
    os.sched_setaffinity(0, {chosen.loader})
    keys = KeyPair(folder)
    started: dict[str, list[Start]] = {subject.name: [] for subject in subjects}
    with contextlib.ExitStack() as stack, CONSOLE.status("starting (what is in Go is compiled once)") as status:
        servers: list[Server] = []
        for attempt in range(starts):
            for subject in subjects:
                status.update(f"starting {subject.name}, number {attempt + 1}")
                server = Server(subject, folder / subject.name, keys, chosen.server)
                started[subject.name].append(server.start)
                if attempt < starts - 1:
                    server.stop()
                else:
                    stack.callback(server.stop)
                    servers.append(server)
        measured = uvloop.run(measure(servers, plan, status.update))
        processes = [_ended(server, started[server.subject.name], measured) for server in servers]
    return Report(plan, chosen, measured.cipher, measured.rows, processes)


def _ended(server: Server, starts: Sequence[Start], measured: Measured) -> Process:
    """What is known of a subject once it has ended, and has written what was left of its log."""
    peak = server.peak_memory
    server.stop()
    name = server.subject.name
    return Process(server.subject, starts, peak, server.logged_decisions, measured.trimmed(name))


def main() -> None:
    """Run the command in a process whose TLS is set up like the API server's: OpenSSL reads its file only at start."""
    if "OPENSSL_CONF" not in os.environ:
        os.execve(sys.executable, sys.orig_argv, os.environ | {"OPENSSL_CONF": str(OPENSSL_CONF)})
    app()


if __name__ == "__main__":
    main()
