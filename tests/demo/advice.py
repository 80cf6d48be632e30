"""What to try once the demo stands: commands that work when they are pasted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.demo.clusters import Clusters, condition, output
from tests.demo.jobs import Jobs
from tests.demo.kind import Json

CLUSTER = Clusters()
JOB = Jobs()
NEWEST_MESSAGE = r'{.status.conditions[-1].message}{"\n"}'
DECISIONS = "$DEMO/decisions.jsonl"
LONG_MESSAGE = "$DEMO/long-message.json"
LONG_JOB = "$DEMO/long-job.json"
PATCH_FILE = f'--patch-file "{LONG_MESSAGE}"'
CONTINUED = "\\\n  "  # no command is wider than a terminal, which would break it inside a word


@dataclass(frozen=True, slots=True)
class Trial:
    """Commands that belong together, and what they show; a command may go on over lines, as a shell takes it."""

    shows: str
    commands: tuple[str, ...]


def trials(mode: str) -> list[Trial]:
    """Return what to try, in the order in which it is best tried. The commands read ``env`` of the stage first."""
    preset = f"preset:{JOB.preset}"
    return [
        Trial(
            "what is stored now",
            (
                "kubectl get vcjob,applications,clusters",
                f"kubectl get vcjob {JOB.name} -o yaml | sed -n '/^status/,$p'",
            ),
        ),
        Trial(
            "a message of 47,000 bytes where 32,768 are allowed: stored, cut and marked"
            if mode == "Enforce"
            else f"47,000 bytes where 32,768 are allowed: refused, as {mode} trims nothing",
            (
                f"kubectl patch cluster {CLUSTER.name} --subresource=status --type=merge {CONTINUED}{PATCH_FILE}",
                f"kubectl get cluster {CLUSTER.name} {CONTINUED}-o jsonpath='{NEWEST_MESSAGE}' | tail -c 60",
            ),
        ),
        Trial(
            "what statuscap did: the last line of its decision log", (f'tail -n 1 "{DECISIONS}" | python -m json.tool',)
        ),
        Trial(
            "a Job with 900 conditions, on paper: DryRun's report, and Enforce's diff",
            (
                f'statuscap apply -p {preset} --mode DryRun {CONTINUED}"{LONG_JOB}"',
                f'statuscap apply -p {preset} --mode Enforce -o diff {CONTINUED}"{LONG_JOB}" | tail -n 20',
            ),
        ),
        Trial(
            "the off switch, and on again",
            ('kubectl delete -f "$DEMO/webhook.yaml"', 'kubectl apply -f "$DEMO/webhook.yaml"'),
        ),
    ]


def write_examples(folder: Path, now: datetime | None = None) -> None:
    """Write the files that the commands name."""
    at = now or datetime.now(UTC)
    message = {"status": {"conditions": [condition("Ready", "False", "ComponentsNotReady", output(0), at)]}}
    write(folder / Path(LONG_MESSAGE).name, message)
    write(folder / Path(LONG_JOB).name, {**JOB.created(), "status": JOB.grown(at)})


def write(path: Path, document: Json) -> None:
    path.write_text(json.dumps(document, indent=2))


def lines(folder: Path, kubeconfig: Path, trials: Sequence[Trial]) -> list[tuple[str, str]]:
    """Return what to print: ``(text, style)`` a line. ``folder`` is that of the stage."""
    found = [
        ("", ""),
        ("Try it: everything keeps running until Ctrl-C. In another terminal:", "bold"),
        (f"  kubeconfig  {kubeconfig}", ""),
        ("", ""),
        ("  # this shell gets KUBECONFIG, kubectl and statuscap", "dim"),
        (f"  . {folder / 'env'}", "cyan"),
    ]
    for trial in trials:
        commands = [line for command in trial.commands for line in command.splitlines()]
        found += [("", ""), (f"  # {trial.shows}", "dim"), *((f"  {line}", "cyan") for line in commands)]
    return found
