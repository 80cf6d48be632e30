"""Everything that the server can be told: one frozen object, from flags and their twins in the environment.

Each field of :class:`Settings` carries its flag; :data:`FLAGS` is the table of them, from which the command line and
the reference are made. A flag beats its twin (``--probe-port``, ``STATUSCAP_PROBE_PORT``), a twin beats the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from admission.engine.policy import Mode
from admission.errors import SettingsError
from admission.quantity import parse_bytes
from admission.settings.conflicts import conflicts
from admission.settings.environment import misspelt, twin
from admission.settings.flag import Flag, Given, described, flags_of
from admission.settings.values import (
    Manage,
    ObjectName,
    read_bound,
    read_host,
    read_manage,
    read_mode,
    read_name,
    read_object_name,
    read_path,
    read_registration,
    read_seconds,
    read_service,
    read_share,
    read_some_seconds,
    read_switch,
    whole_number,
)

STDOUT: Final = "-"

_PORT: Final = whole_number(0, 65535)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the server runs by. Durations are seconds, sizes bytes."""

    policies: tuple[str, ...] = field(
        metadata=described(
            "A policy file, a directory, preset:NAME, or - for the standard input. May be given several times.",
            "",
            "PATH",
            str,
            short="-p",
            repeated=True,
        )
    )
    host: str = field(
        metadata=described(
            "The address to listen on. Without it 0.0.0.0, and with --dev 127.0.0.1.", "", "ADDRESS", str
        )
    )
    port: int = field(metadata=described("The port for reviews, over TLS. 0 takes a free one.", "8443", "PORT", _PORT))
    probe_port: int = field(
        metadata=described(
            "The port for /healthz, /readyz and /metrics, over plain HTTP. 0 takes a free one.", "8080", "PORT", _PORT
        )
    )
    dev: bool = field(
        metadata=described(
            "Listen on loopback, with a self-signed certificate that is written to --cert-dir.",
            "false",
            "",
            read_switch,
        )
    )
    tls_cert: Path | None = field(
        metadata=described("The file of the certificate chain, as PEM.", "", "FILE", read_path)
    )
    tls_key: Path | None = field(metadata=described("The file of its private key, as PEM.", "", "FILE", read_path))
    client_ca: Path | None = field(
        metadata=described(
            "The file of CAs, as PEM. Callers then need a certificate that one of them signed.", "", "FILE", read_path
        )
    )
    cert_dir: Path = field(
        metadata=described("Where --dev keeps ca.crt, tls.crt and tls.key.", "certs", "DIRECTORY", Path)
    )
    cert_secret: ObjectName | None = field(
        metadata=described(
            "The Secret in which all replicas keep a CA and a certificate of their own making, and renew them. Needs "
            "--service or --url. By the service account of the pod, or by the file that KUBECONFIG names.",
            "",
            "NAMESPACE/NAME",
            read_object_name,
        )
    )
    service: str = field(
        metadata=described(
            "The Service that the API server calls; in the namespace of --cert-secret. The certificate is for "
            "NAME.NAMESPACE.svc.",
            "",
            "NAME",
            read_service,
        )
    )
    url: str = field(
        metadata=described(
            "Instead of --service, the URL that the API server calls: the certificate is for its host.",
            "",
            "https://HOST:PORT",
            read_host,
        )
    )
    manage: Manage = field(
        metadata=described(
            "With --cert-secret, what to keep up to date in the webhook configurations: caBundle, and nothing else.",
            "caBundle",
            "WHAT",
            read_manage,
        )
    )
    registration: str = field(
        metadata=described("The name of the webhook configurations.", "zz-statuscap", "NAME", read_registration)
    )
    # three replicas ask three things each: less than once in three seconds
    cert_interval: float = field(
        metadata=described(
            "How often to look at --cert-secret and the webhook configurations.", "30s", "DURATION", read_some_seconds
        )
    )
    decision_log: str = field(
        metadata=described(
            "The file that decisions are appended to, one JSON object a line; - is the standard output.",
            STDOUT,
            "FILE",
            str,
        )
    )
    # a day of a cluster with ten logged writes a second is 900 MB
    decision_log_max_size: int = field(
        metadata=described(
            "A decision log file that would get larger is rotated: renamed, with the time in its name. 0: never.",
            "100Mi",
            "SIZE",
            read_bound,
        )
    )
    decision_log_max_age: float = field(
        metadata=described(
            "A decision log file whose first line is older is rotated, too. 0: never.", "24h", "DURATION", read_seconds
        )
    )
    decision_log_retention: float = field(
        metadata=described("How long rotated decision log files are kept. 0: for ever.", "7d", "DURATION", read_seconds)
    )
    decision_log_max_total: int = field(
        metadata=described(
            "The most that the decision log file and the rotated ones take; the oldest go first. 0: without bound.",
            "1Gi",
            "SIZE",
            read_bound,
        )
    )
    decision_log_values: bool = field(
        metadata=described(
            "Log what was removed, too: values of statuses are then in the decision log, for whoever may read it.",
            "false",
            "",
            read_switch,
        )
    )
    # 3 MiB is the most that the API server takes in a request
    decision_log_max_line: int = field(
        metadata=described(
            "With --decision-log-values, the longest line: what was removed is left out beyond it.",
            "4Mi",
            "SIZE",
            parse_bytes,
        )
    )
    decision_log_sample_unchanged: float = field(
        metadata=described(
            "The share of unchanged writes that are logged too: from 0 to 1, or 1/100.", "0", "SHARE", read_share
        )
    )
    drain: float = field(
        metadata=described(
            "How long to keep serving after SIGTERM, while the cluster learns that this replica leaves.",
            "10s",
            "DURATION",
            read_seconds,
        )
    )
    mode: Mode | None = field(
        metadata=described(
            "Use this mode for every policy but those that are Off: Enforce, Warn, DryRun or Off.",
            "",
            "MODE",
            read_mode,
        )
    )
    skip_broken: bool = field(
        metadata=described(
            "Start with the policies that are right, when others are broken.",
            "false",
            "",
            read_switch,
        )
    )
    crds: tuple[str, ...] = field(
        metadata=described(
            "A file or directory of CRDs (YAML or JSON), whose schemas no trim may break. Read again when it changes. "
            "May be given several times.",
            "",
            "PATH",
            str,
            repeated=True,
        )
    )
    cluster: bool = field(
        metadata=described(
            "Know the CRDs of the cluster, as they change: by the service account of the pod, or by the file that "
            "KUBECONFIG names. Needs list and watch of customresourcedefinitions. Of a CRD that is also among --crds, "
            "the cluster's is right.",
            "false",
            "",
            read_switch,
        )
    )
    # 3 MiB request limit and 1.5 MiB stored object, which the HTML escaping of Go's JSON can blow up sixfold: 27 MiB
    max_body: int = field(metadata=described("The largest review that is read.", "32Mi", "SIZE", parse_bytes))
    # four of the largest reviews, or a hundred of 1.2 MB
    max_in_flight_bytes: int = field(
        metadata=described(
            "The most bytes of reviews and unread answers that are held at once. Above it the largest reviews are "
            "allowed unevaluated, and who has not read an answer for two seconds is closed.",
            "128Mi",
            "SIZE",
            parse_bytes,
        )
    )
    # three API servers with 200 mutating calls each (their --max-mutating-requests-inflight), and as much again idle
    max_connections: int = field(
        metadata=described(
            "The most connections for reviews. Above it the one that is idle for longest is closed, or the new one.",
            "1000",
            "NUMBER",
            whole_number(1, 1_000_000),
        )
    )
    # the API server sticks to its connections: new replicas get calls as soon as old connections end
    max_connection_age: float = field(
        metadata=described(
            "How long a connection is used, give or take 20 %; then it is closed with an answer. 0s is for ever.",
            "10m",
            "DURATION",
            read_seconds,
        )
    )
    header_timeout: float = field(
        metadata=described(
            "How long the headers of a call may take, from their first byte.", "10s", "DURATION", read_some_seconds
        )
    )
    # no webhook's timeout is longer
    body_timeout: float = field(
        metadata=described(
            "How long a review may take to arrive, from its first byte, and its answer to be read.",
            "30s",
            "DURATION",
            read_some_seconds,
        )
    )
    # Go's client closes idle connections after 90 s: who closes later never races with a request on its way
    keep_alive: float = field(
        metadata=described("How long an idle connection stays open.", "120s", "DURATION", read_some_seconds)
    )
    instance: str = field(
        metadata=described(
            "The name of this replica in the decision log. Without it the host's name.", "", "NAME", read_name
        )
    )

    @classmethod
    def of(cls, given: Mapping[str, Given], environment: Mapping[str, str]) -> Settings:
        """Build settings from flags (by field; None is "not given") and from the environment.

        Raises:
            SettingsError: with every value that cannot be used, a field or a twin that is unknown, and what does not go
                together.
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
        problems += conflicts(values)
        problems += misspelt(FLAGS, environment)
        if problems:
            raise SettingsError(problems)
        return cls(**values)

    @property
    def called_by(self) -> tuple[str, ...]:
        """The names by which the API server calls, as far as ``--cert-secret`` goes; of a URL the host."""
        if self.url or self.cert_secret is None:
            return (self.url,) if self.url else ()
        return (f"{self.service}.{self.cert_secret.namespace}.svc",)

    @property
    def listens_on(self) -> str:
        """The address to bind: what was given, or every address, or with ``--dev`` loopback."""
        return self.host or ("127.0.0.1" if self.dev else "0.0.0.0")  # noqa: S104  # a pod is called from outside


def _value(flag: Flag, given: Given, environment: Mapping[str, str]) -> Any:
    if isinstance(given, bool):
        return given
    if given is None or (flag.repeated and not given):
        return _of_twin(flag, environment)
    texts = [given] if isinstance(given, str) else given
    flag.refuse_empty(texts)
    return tuple(map(flag.read, texts)) if flag.repeated else flag.read(texts[0])


def _of_twin(flag: Flag, environment: Mapping[str, str]) -> Any:
    text = twin(flag, environment)
    if not text:  # a manifest's way of saying that nothing is set
        text = flag.default
    else:
        flag.refuse_empty([text])
    texts = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(map(flag.read, texts)) if flag.repeated else flag.read(text)


FLAGS: Final[tuple[Flag, ...]] = flags_of(Settings)
"""Every flag, in the order of the reference."""
