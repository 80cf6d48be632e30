"""Who is measured. To add one: an entry in :data:`SUBJECTS`, with the command that serves ``POST /mutate`` over TLS."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.bodies import SIZE_NAMES
from tests.bench.crowd import write_crowd
from tests.bench.gowebhook import built
from tests.controlplane.loopback import HOST

ROOT: Final = Path(__file__).parents[2]
POLICY: Final = Path(__file__).with_name("policy.yaml")
PRESETS: Final = ROOT / "policies"


@dataclass(frozen=True)
class Room:
    """What a subject gets: a folder of its own, two ports, and the key pair that all subjects share."""

    folder: Path
    port: int
    probe_port: int
    certificate: Path
    key: Path

    @property
    def decision_log(self) -> Path:
        """Where the product logs its decisions."""
        return self.folder / "decisions.jsonl"


@dataclass(frozen=True)
class Subject:
    """One server.

    ``command`` is what is spawned, after everything that takes long (a build) is done. ``trims``: it carries out the
    policy of the benchmark; otherwise it allows everything as it is. ``sizes`` are the reviews that it is sent.
    """

    name: str
    about: str
    command: Callable[[Room], Sequence[str]]
    trims: bool
    path: str = "/mutate"
    sizes: Collection[str] = SIZE_NAMES


def _product(room: Room) -> Sequence[str]:
    return (*_unmatched(room), "--policies", str(POLICY))


def _unmatched(room: Room) -> Sequence[str]:
    return (*_served(room), "--policies", str(PRESETS))


def compared(copy: Path) -> tuple[Subject, Subject]:
    """The product of another working copy, and this one with the policies of that one: what both can do.

    Both have an environment in ``.venv`` (``make venv``), whose script serves it.
    """
    policies = ("--policies", str(copy / "policies"), "--policies", str(POLICY))

    def served_by(place: Path) -> Callable[[Room], Sequence[str]]:
        # The script, and not the module: that would be looked for in the working directory first.
        return lambda room: (str(place / ".venv" / "bin" / "statuscap"), *_serving(room), *policies)

    return (
        Subject("before", f"the product of {copy.name}", served_by(copy), trims=True),
        Subject("now", f"the product, with the policies of {copy.name}", served_by(ROOT), trims=True),
    )


def _one_of(count: int) -> Callable[[Room], Sequence[str]]:
    """The product with so many policies, of which one is for the reviews."""

    def command(room: Room) -> Sequence[str]:
        crowd = write_crowd(room.folder / "crowd.yaml", count - 1)
        return (*_served(room), "--policies", str(crowd), "--policies", str(POLICY))

    return command


def _served(room: Room) -> Sequence[str]:
    return (sys.executable, "-m", "admission", *_serving(room))


def _serving(room: Room) -> Sequence[str]:
    return (
        *("serve", "--mode", "Enforce"),
        *("--host", HOST, "--port", str(room.port), "--probe-port", str(room.probe_port)),
        *("--tls-cert", str(room.certificate), "--tls-key", str(room.key)),
        *("--decision-log", str(room.decision_log), "--drain", "0s"),
    )


def _allow_only(name: str) -> Callable[[Room], Sequence[str]]:
    return lambda room: (
        *(sys.executable, "-m", "tests.bench.floor", name),
        *(str(room.port), str(room.probe_port), str(room.certificate), str(room.key)),
    )


def _in_go(webhook: str) -> Callable[[Room], Sequence[str]]:
    return lambda room: (
        str(built(webhook)),
        *(str(room.port), str(room.probe_port), str(room.certificate), str(room.key)),
    )


PRODUCT: Final = Subject(
    "statuscap", "the product, with every policy that ships and a decision log", _product, trims=True
)
UNMATCHED: Final = Subject(
    "unmatched", "the product, with the policies that ship, none of which is for these reviews", _unmatched, trims=False
)
FLOOR: Final = Subject(
    "floor",
    "aiohttp and uvloop by the book: reads the body, looks at the uid, allows",
    _allow_only("stripped"),
    trims=False,
)
PLAIN: Final = Subject(
    "plain", "the allow-only handler that one writes first: reads the review as JSON", _allow_only("plain"), trims=False
)

CONTROLLER_RUNTIME: Final = Subject(
    "controller-runtime",
    "the same task as people write it in Go: admission.Decoder, Unstructured, PatchResponseFromRaw",
    _in_go("controllerruntime"),
    trims=True,
)
NET_HTTP: Final = Subject(
    "nethttp",
    "the same task in Go without a framework: net/http, gjson, a patch by hand",
    _in_go("nethttp"),
    trims=True,
)
FEW_POLICIES: Final = Subject(
    "10-policies", "the product with 10 policies, one for these reviews", _one_of(10), trims=True, sizes=("small",)
)
MANY_POLICIES: Final = Subject(
    "1000-policies", "the product with 1,000 policies, one for these", _one_of(1_000), trims=True, sizes=("small",)
)

SUBJECTS: Final = (FLOOR, PLAIN, NET_HTTP, CONTROLLER_RUNTIME, PRODUCT, FEW_POLICIES, MANY_POLICIES, UNMATCHED)
"""Everybody who can be measured."""

USUAL: Final = (FLOOR, NET_HTTP, CONTROLLER_RUNTIME, PRODUCT, FEW_POLICIES, MANY_POLICIES)
"""Who is measured when nobody is named."""
