"""The demo's table: what etcd stored of every controller's writes, and what it would have stored untrimmed."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from admission.cli.amounts import size
from tests.demo.tally import Tally

NOTHING = "–"
UNTRIMMED = (
    "Untrimmed: what etcd would have stored of the same writes, each as it was sent. Repeats, which the API server "
    "drops by itself where nothing is trimmed, and refused writes count for nothing. Nor is it counted that without "
    "statuscap the objects would go on growing."
)
ALONE = "the API server refuses those writes untrimmed, so there is nothing to compare with."
REFUSED = "refused"  # what becomes untrimmed of the writes to a frozen object


def table(tallies: Sequence[Tally], caption: str = "") -> Table:
    """Return the table, a line a kind and their total; no wider than 80 columns."""
    drawn = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        caption=caption or None,
        caption_justify="left",
    )
    drawn.add_column("Kind", no_wrap=True)
    for heading in ("\nWrites", "\nRefused", "Bytes\nuntrimmed", "Bytes\nstored", "\nSaved"):
        drawn.add_column(heading, justify="right", no_wrap=True, style="bold green" if "Saved" in heading else "")
    drawn.add_column("Size in etcd\nbefore → now", justify="right", no_wrap=True)
    for tally in tallies:
        drawn.add_row(*cells(tally))
    drawn.add_section()
    drawn.add_row(*cells(Tally.total([*tallies]))[:-1], style="bold")
    return drawn


def cells(tally: Tally) -> list[str]:
    """Return one line of the table as text."""
    return [
        tally.title,
        f"{tally.writes:,}",
        f"{len(tally.refused):,}",
        REFUSED if tally.frozen and not tally.untrimmed else size(tally.untrimmed),
        size(tally.stored + tally.rescued),
        percent(tally.saved),
        f"{'frozen' if tally.frozen else size(tally.before)} → {size(tally.now)}",
    ]


def percent(share: float | None) -> str:
    """Return a share with one digit; never ``100.0 %`` of what is not all of it."""
    if share is None:
        return NOTHING
    shown = min(share, 99.9) if share < 100 else share
    return f"{shown:.1f} %".replace("-", "−")


def notes(tallies: Sequence[Tally]) -> list[str]:
    """Return how the numbers are to be read, a paragraph each."""
    rescued = [tally.title for tally in tallies if tally.rescued]
    found = [UNTRIMMED]
    if rescued:
        found.append(f"The total leaves out {' and '.join(rescued)}: {ALONE}")
    return found
