"""Everything that the server can be told: one frozen object, from flags and their twins in the environment.

Each field of :class:`Settings` carries its flag; :data:`FLAGS` is the table of them, from which the command line and
the reference are made. A flag beats its twin (``--probe-port``, ``STATUSCAP_PROBE_PORT``), a twin beats the default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from admission.engine.instant import SECOND, parse_duration
from admission.engine.policy import Mode, PolicySet
from admission.errors import SettingsError
from admission.quantity import parse_bytes

ENVIRONMENT_PREFIX: Final = "STATUSCAP_"
STDOUT: Final = "-"

Given: TypeAlias = "str | bool | Sequence[str] | None"
"""A flag's value as a command line has it: text, a switch, several texts, or None when it was not given."""

_FLAG: Final = "flag"
_DIGITS: Final = re.compile("[0-9]{1,9}")
_SHARE: Final = re.compile("[0-9.eE+-]+")
_ONE_IN: Final = re.compile("1/([1-9][0-9]{0,8})")
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_SERVICE_LINKS: Final = ("tcp://", "udp://", "sctp://")


@dataclass(frozen=True, slots=True)
class Flag:
    """How a field is given: by ``name`` (and ``short``) on the command line, by ``environment`` in the environment.

    ``default`` is text, as a user would write it; ``metavar`` is empty for a switch. A ``repeated`` flag may be given
    several times; its twin separates values by commas.
    """

    field: str
    help: str
    default: str
    metavar: str
    parse: Callable[[str], Any]
    """Reads a value; the message of its ``ValueError`` names the text and says what to write."""
    short: str = ""
    repeated: bool = False

    @property
    def name(self) -> str:
        """The long flag: ``--probe-port``."""
        return f"--{self.field.replace('_', '-')}"

    @property
    def environment(self) -> str:
        """The twin: ``STATUSCAP_PROBE_PORT``."""
        return f"{ENVIRONMENT_PREFIX}{self.field.upper()}"

    @property
    def switch(self) -> bool:
        """True for a flag without a value."""
        return not self.metavar

    def read(self, text: str) -> Any:
        """The typed value.

        Raises:
            SettingsError: naming the flag and its twin, what was found and what is expected.
        """
        try:
            return self.parse(text)
        except ValueError as error:
            raise SettingsError(f"{self.name} ({self.environment}): {error}") from error


def _flag(text: str, default: str, metavar: str, parse: Callable[[str], Any], **more: Any) -> dict[str, Any]:
    return {_FLAG: {"help": text, "default": default, "metavar": metavar, "parse": parse, **more}}


# --- reading one value -----------------------------------------------------------------------------------------------


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _whole(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not _DIGITS.fullmatch(text) or not lowest <= int(text) <= highest:
            raise ValueError(f"{text!r} is no whole number from {lowest} to {highest}")
        return int(text)

    return parse


def _bound(text: str) -> int:
    """Bytes, or 0 for no bound."""
    return 0 if text == "0" else parse_bytes(text)


def _switch(text: str) -> bool:
    word = text.strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{text!r} is neither true nor false")
    return word in _TRUE


def _seconds(text: str) -> float:
    duration = parse_duration(text)
    if duration is None:
        raise ValueError(f"{text!r} is no duration; write for example 10s or 1m30s")
    return duration / SECOND


def _some_seconds(text: str) -> float:
    seconds = _seconds(text)
    if not seconds:
        raise ValueError(f"{text!r} leaves no time at all; write for example 10s or 1m30s")
    return seconds


def _name(text: str) -> str:
    """Text that can be written to a log: what the system has as bytes that are no UTF-8 cannot."""
    if not text.isprintable():
        raise ValueError(f"{text!r} is no name; leave out what cannot be printed")
    return text


def _share(text: str) -> float:
    one_in = _ONE_IN.fullmatch(text)
    if one_in is not None:
        return 1 / int(one_in[1])
    try:
        share = float(text) if _SHARE.fullmatch(text) else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{text!r} is no number from 0 to 1; write for example 0.01 or 1/100")
    return share


def _mode(text: str) -> Mode | None:
    try:
        return Mode(text) if text else None
    except ValueError:
        raise ValueError(f"{text!r} is no mode; use one of {', '.join(Mode)}") from None


# --- the settings ----------------------------------------------------------------------------------------------------

_PORT: Final = _whole(0, 65535)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the server runs by. Durations are seconds, sizes bytes."""

    policies: tuple[str, ...] = field(
        metadata=_flag(
            "A policy file, a directory, preset:NAME, or - for the standard input. May be given several times.",
            "",
            "PATH",
            str,
            short="-p",
            repeated=True,
        )
    )
    host: str = field(
        metadata=_flag("The address to listen on. Without it 0.0.0.0, and with --dev 127.0.0.1.", "", "ADDRESS", str)
    )
    port: int = field(metadata=_flag("The port for reviews, over TLS. 0 takes a free one.", "8443", "PORT", _PORT))
    probe_port: int = field(
        metadata=_flag(
            "The port for /healthz, /readyz and /metrics, over plain HTTP. 0 takes a free one.", "8080", "PORT", _PORT
        )
    )
    dev: bool = field(
        metadata=_flag(
            "Listen on loopback, with a self-signed certificate that is written to --cert-dir.", "false", "", _switch
        )
    )
    tls_cert: Path | None = field(metadata=_flag("The file of the certificate chain, as PEM.", "", "FILE", _path))
    tls_key: Path | None = field(metadata=_flag("The file of its private key, as PEM.", "", "FILE", _path))
    client_ca: Path | None = field(
        metadata=_flag(
            "The file of CAs, as PEM. Callers then need a certificate that one of them signed.", "", "FILE", _path
        )
    )
    cert_dir: Path = field(metadata=_flag("Where --dev keeps ca.crt, tls.crt and tls.key.", "certs", "DIRECTORY", Path))
    decision_log: str = field(
        metadata=_flag(
            "The file that decisions are appended to, one JSON object a line; - is the standard output.",
            STDOUT,
            "FILE",
            str,
        )
    )
    # a day of a cluster with ten logged writes a second is 900 MB
    decision_log_max_size: int = field(
        metadata=_flag(
            "A decision log file that would get larger is rotated: renamed, with the time in its name. 0: never.",
            "100Mi",
            "SIZE",
            _bound,
        )
    )
    decision_log_max_age: float = field(
        metadata=_flag(
            "A decision log file whose first line is older is rotated, too. 0: never.", "24h", "DURATION", _seconds
        )
    )
    decision_log_retention: float = field(
        metadata=_flag("How long rotated decision log files are kept. 0: for ever.", "7d", "DURATION", _seconds)
    )
    decision_log_max_total: int = field(
        metadata=_flag(
            "The most that the decision log file and the rotated ones take; the oldest go first. 0: without bound.",
            "1Gi",
            "SIZE",
            _bound,
        )
    )
    decision_log_values: bool = field(
        metadata=_flag(
            "Log what was removed, too: values of statuses are then in the decision log, for whoever may read it.",
            "false",
            "",
            _switch,
        )
    )
    # 3 MiB is the most that the API server takes in a request
    decision_log_max_line: int = field(
        metadata=_flag(
            "With --decision-log-values, the longest line: what was removed is left out beyond it.",
            "4Mi",
            "SIZE",
            parse_bytes,
        )
    )
    decision_log_sample_unchanged: float = field(
        metadata=_flag(
            "The share of unchanged writes that are logged too: from 0 to 1, or 1/100.", "0", "SHARE", _share
        )
    )
    drain: float = field(
        metadata=_flag(
            "How long to keep serving after SIGTERM, while the cluster learns that this replica leaves.",
            "10s",
            "DURATION",
            _seconds,
        )
    )
    mode: Mode | None = field(
        metadata=_flag(
            "Use this mode for every policy but those that are Off: Enforce, Warn, DryRun or Off.", "", "MODE", _mode
        )
    )
    skip_broken: bool = field(
        metadata=_flag(
            "Start with the policies that are right, when others are broken.",
            "false",
            "",
            _switch,
        )
    )
    # 3 MiB request limit and 1.5 MiB stored object, which the HTML escaping of Go's JSON can blow up sixfold: 27 MiB
    max_body: int = field(metadata=_flag("The largest review that is read.", "32Mi", "SIZE", parse_bytes))
    # four of the largest reviews, or a hundred of 1.2 MB
    max_in_flight_bytes: int = field(
        metadata=_flag(
            "The most bytes of reviews and unread answers that are held at once. Above it the largest reviews are "
            "allowed unevaluated.",
            "128Mi",
            "SIZE",
            parse_bytes,
        )
    )
    # three API servers with 200 mutating calls each (their --max-mutating-requests-inflight), and as much again idle
    max_connections: int = field(
        metadata=_flag(
            "The most connections for reviews. Above it the one that is idle for longest is closed, or the new one.",
            "1000",
            "NUMBER",
            _whole(1, 1_000_000),
        )
    )
    # the API server sticks to its connections: new replicas get calls as soon as old connections end
    max_connection_age: float = field(
        metadata=_flag(
            "How long a connection is used, give or take 20 %; then it is closed with an answer. 0s is for ever.",
            "10m",
            "DURATION",
            _seconds,
        )
    )
    header_timeout: float = field(
        metadata=_flag(
            "How long the headers of a call may take, from their first byte.", "10s", "DURATION", _some_seconds
        )
    )
    # no webhook's timeout is longer
    body_timeout: float = field(
        metadata=_flag(
            "How long a review may take to arrive, from its first byte, and its answer to be read.",
            "30s",
            "DURATION",
            _some_seconds,
        )
    )
    # Go's client closes idle connections after 90 s: who closes later never races with a request on its way
    keep_alive: float = field(
        metadata=_flag("How long an idle connection stays open.", "120s", "DURATION", _some_seconds)
    )
    instance: str = field(
        metadata=_flag("The name of this replica in the decision log. Without it the host's name.", "", "NAME", _name)
    )

    @classmethod
    def of(cls, given: Mapping[str, Given], environment: Mapping[str, str]) -> Settings:
        """Build settings from flags (by field; None is "not given") and from the environment.

        Raises:
            SettingsError: with every value that cannot be used, a field that is unknown, and what does not go together.
        """
        unknown = given.keys() - {flag.field for flag in FLAGS}
        if unknown:
            raise SettingsError(f"unknown settings: {', '.join(sorted(unknown))}")
        values: dict[str, Any] = {}
        problems: list[str] = []
        for flag in FLAGS:
            try:
                values[flag.field] = _value(flag, given.get(flag.field), environment)
            except SettingsError as error:
                problems += error.problems
        problems += _conflicts(values)
        if problems:
            raise SettingsError(problems)
        return cls(**values)

    @property
    def listens_on(self) -> str:
        """The address to bind: what was given, or every address, or with ``--dev`` loopback."""
        return self.host or ("127.0.0.1" if self.dev else "0.0.0.0")  # noqa: S104  # a pod is called from outside


def _conflicts(values: Mapping[str, Any]) -> Iterator[str]:
    """What is missing or does not go together, of the values that could be read."""
    dev, pair = values.get("dev"), [values.get("tls_cert"), values.get("tls_key")]
    if not values.get("policies"):
        yield "no policies: give a file, a directory or preset:NAME with --policies"
    if dev and any(pair):
        yield "--dev makes its own certificate; leave out --tls-cert and --tls-key"
    if dev is False and not all(pair):
        yield "no certificate: give both --tls-cert and --tls-key, or --dev for a test on this machine"
    most, body = values.get("max_in_flight_bytes"), values.get("max_body")
    if most is not None and body is not None and most < body:
        yield "--max-in-flight-bytes is less than --max-body: the largest reviews would never be evaluated"
    if values.get("port") and values["port"] == values.get("probe_port"):
        yield f"--port and --probe-port are both {values['port']}"
    most, size = values.get("decision_log_max_total"), values.get("decision_log_max_size")
    if most and size and most < size:
        yield "--decision-log-max-total is less than --decision-log-max-size; one file must fit"


def _value(flag: Flag, given: Given, environment: Mapping[str, str]) -> Any:
    if given is None or (flag.repeated and not given):
        text = _twin(flag, environment) or flag.default
        return _values(flag, text.split(",")) if flag.repeated else flag.read(text)
    if isinstance(given, bool):
        return given
    if isinstance(given, str):
        return _values(flag, [given]) if flag.repeated else flag.read(given)
    return _values(flag, given)


def _values(flag: Flag, texts: Sequence[str]) -> tuple[Any, ...]:
    return tuple(flag.read(text.strip()) for text in texts if text.strip())


def _twin(flag: Flag, environment: Mapping[str, str]) -> str:
    """The text of a flag's twin. Kubernetes sets STATUSCAP_PORT=tcp://… beside a Service of that name: not for us."""
    text = environment.get(flag.environment, "")
    return "" if text.startswith(_SERVICE_LINKS) else text


def _flag_of(described: Field[Any]) -> Flag:
    return Flag(field=described.name, **described.metadata[_FLAG])


FLAGS: Final[tuple[Flag, ...]] = tuple(map(_flag_of, fields(Settings)))
"""Every flag, in the order of the reference."""


def in_mode(policies: PolicySet, mode: Mode | None) -> PolicySet:
    """The same policies with ``mode`` in place of their own, but for those that are ``Off``; None changes nothing."""
    if mode is None:
        return policies
    moded = (policy if policy.mode is Mode.OFF else replace(policy, mode=mode) for policy in policies.policies)
    return replace(policies, policies=tuple(moded))
