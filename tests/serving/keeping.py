"""A cluster in memory: one Secret, two webhook configurations, API servers that judge, and a time that a test moves.

Between any two calls of a replica others may do whole rounds, and time may pass: that is how races are made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from admission.certificates.keypair import KeyPair
from admission.certificates.published import Published, Registered, certificates
from admission.certificates.rotation import SKEW
from admission.certificates.secretdata import KEYS, Kept
from admission.errors import ClusterError
from admission.serving.keeper import Keeper, Round

NAMES: Final = ("statuscap.statuscap.svc",)
START: Final = datetime(2026, 12, 1, tzinfo=UTC)
MUTATING: Final = "MutatingWebhookConfiguration"
VALIDATING: Final = "ValidatingWebhookConfiguration"


def trusts(bundle: bytes, leaf: x509.Certificate, name: str, at: datetime) -> bool:
    """Tell whether a client of this bundle verifies a leaf for a name; by a judge that knows nothing of ours."""
    cas = certificates(bundle)
    if not cas:
        return False
    builder = PolicyBuilder().store(Store([*cas])).time(at.replace(tzinfo=None))
    try:
        builder.build_server_verifier(x509.DNSName(name)).verify(leaf, [])
    except VerificationError:
        return False
    return True


@dataclass
class Configuration:
    """A webhook configuration: its version, and the caBundle of each of its webhooks."""

    version: int
    bundles: list[bytes]


def nothing() -> None:
    """Happens between two calls unless a test says otherwise."""


@dataclass
class World:
    """The cluster. ``between`` happens before and after every call, ``refused`` are calls that fail."""

    at: datetime = START
    data: dict[str, bytes] | None = None
    version: int = 0
    configurations: dict[str, Configuration] = field(default_factory=dict)
    between: Callable[[], None] = nothing
    refused: set[str] = field(default_factory=set)
    writes: int = 0
    conflicts: int = 0
    tells_time: bool = False

    def apply(self, *kinds: str, webhooks: int = 2, bundle: bytes = b"") -> None:
        """Create configurations, as ``kubectl apply`` does."""
        for kind in kinds or (MUTATING, VALIDATING):
            self.version += 1
            self.configurations[kind] = Configuration(self.version, [bundle] * webhooks)

    def published(self) -> list[bytes]:
        """Every caBundle that is not empty."""
        return [bundle for each in self.configurations.values() for bundle in each.bundles if bundle]

    # --- the Secret ---

    def read(self) -> Kept:
        with self._call("read"):
            at = self.at.replace(microsecond=0) if self.tells_time else None
            if self.data is None:
                return Kept({}, None, at)
            return Kept(dict(self.data), str(self.version), at)

    def write(self, data: Mapping[str, bytes], version: str | None) -> bool:
        with self._call("write"):
            if version != (None if self.data is None else str(self.version)):
                self.conflicts += 1
                return False
            others = {key: content for key, content in (self.data or {}).items() if key not in KEYS}
            self.put({**others, **data})
            self.writes += 1
            return True

    def put(self, data: dict[str, bytes] | None) -> None:
        """Write the Secret by hand; None deletes it."""
        self.version += 1
        self.data = data

    # --- the configurations ---

    def look(self) -> Published:
        with self._call("look"):
            found = tuple(
                Registered(kind, str(each.version), tuple(each.bundles)) for kind, each in self.configurations.items()
            )
            return Published(found, off=MUTATING not in self.configurations)

    def publish(self, registered: Registered, bundle: bytes) -> bool:
        with self._call("publish"):
            configuration = self.configurations.get(registered.kind)
            if configuration is None or str(configuration.version) != registered.version:
                self.conflicts += 1
                return False
            self.version += 1
            self.configurations[registered.kind] = Configuration(self.version, [bundle] * len(configuration.bundles))
            return True

    @contextmanager
    def _call(self, name: str) -> Iterator[None]:
        self.between()
        if name in self.refused:
            raise ClusterError(f"{name}: refused")
        yield
        self.between()


@dataclass
class Replica:
    """A replica with a clock that is off by ``skew``."""

    world: World
    skew: timedelta = timedelta()
    names: Sequence[str] = NAMES
    shown: KeyPair | None = None

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget everything, as a new process does."""
        self.shown = None
        self.ready = False
        self._keeper = Keeper(self.world, self.world, self.names, self.clock)

    def clock(self) -> int:
        return int((self.world.at + self.skew).timestamp()) * 1_000_000_000

    def round(self) -> Round:
        done = self._keeper.round()
        self.shown = done.shown
        self.ready |= done.trusted
        return done

    def settle(self) -> Round:
        """Do rounds until there is nothing to do."""
        for _ in range(20):
            done = self.round()
            if not done.pending:
                return done
        raise AssertionError("it never comes to rest")


def trusted_everywhere(world: World, replicas: Sequence[Replica], skews: Sequence[timedelta]) -> None:
    """Demand that every published bundle verifies what every replica shows, by API servers with these clocks."""
    for replica in replicas:
        if replica.shown is None or not replica.ready:
            continue
        leaf = replica.shown.certificate
        for bundle in {*world.published()}:
            for skew in skews:
                for name in replica.names:
                    assert trusts(bundle, leaf, name, world.at + skew), (world.at, leaf, certificates(bundle))


class Judge:
    """Demands the same at every instant: anew when a bundle or a leaf is another one, or half a day has passed."""

    def __init__(self, world: World, replicas: Sequence[Replica]) -> None:
        self._world = world
        self._replicas = replicas
        self._judged: dict[tuple[bytes, x509.Certificate], datetime] = {}

    def __call__(self) -> None:
        pairs = {
            (bundle, each.shown.certificate)
            for each in self._replicas
            if each.shown is not None and each.ready
            for bundle in self._world.published()
        }
        late = self._world.at - timedelta(hours=12)
        self._judged = {pair: at for pair, at in self._judged.items() if pair in pairs and at > late}
        if pairs - self._judged.keys():
            trusted_everywhere(self._world, self._replicas, SKEWS)
            self._judged = dict.fromkeys(pairs, self._world.at)


class Chance:
    """What happens between calls, at random: other replicas do rounds, and time passes."""

    def __init__(self, world: World, replicas: Sequence[Replica], chance: random.Random) -> None:
        self._world = world
        self._replicas = replicas
        self._chance = chance
        self._depth = 0
        self.judge: Callable[[], None] = nothing

    def __call__(self) -> None:
        self.judge()
        if self._depth < 2 and self._chance.random() < 0.06:
            self._depth += 1
            self._world.at += timedelta(seconds=self._chance.choice((0, 1, 10, 300, 1200)))
            replica = self._chance.choice(self._replicas)
            if self._chance.random() < 0.1:
                replica.restart()
            attempt(replica)
            self._depth -= 1
            self.judge()


def attempt(replica: Replica) -> bool:
    """Let a replica do a round, which may fail; tell whether there is more to do soon."""
    try:
        return replica.round().pending
    except ClusterError:
        return False


SKEWS: Final = (-SKEW, timedelta(), SKEW)
