"""Settings that do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def conflicts(values: Mapping[str, Any]) -> Iterator[str]:
    """What is missing or does not go together, of the values that could be read."""
    if not values.get("policies", True):
        yield "no policies: give a file, a directory or preset:NAME with --policies"
    yield from _of_certificates(values)
    most, body = values.get("max_in_flight_bytes"), values.get("max_body")
    if most is not None and body is not None and most < body:
        yield "--max-in-flight-bytes is less than --max-body: the largest reviews would never be evaluated"
    if values.get("port") and values["port"] == values.get("probe_port"):
        yield f"--port and --probe-port are both {values['port']}"
    most, size = values.get("decision_log_max_total"), values.get("decision_log_max_size")
    if most and size and most < size:
        yield "--decision-log-max-total is less than --decision-log-max-size; one file must fit"


def _of_certificates(values: Mapping[str, Any]) -> Iterator[str]:
    """Where the certificate comes from is said once."""
    dev, pair = values.get("dev"), {name: values[name] for name in ("tls_cert", "tls_key") if name in values}
    secret = values.get("cert_secret")
    if dev and any(pair.values()):
        yield "--dev makes its own certificate; leave out --tls-cert and --tls-key"
    if secret and (dev or any(pair.values())):
        yield "--cert-secret makes its own certificate; leave out --dev, --tls-cert and --tls-key"
    if dev is False and "cert_secret" in values and not secret and not all(pair.values()):
        yield (
            "no certificate: give both --tls-cert and --tls-key, or --dev for a test on this machine, or --cert-secret "
            "in a cluster"
        )
    if "service" in values and "url" in values:
        yield from _of_names(secret, values["service"], values["url"])


def _of_names(secret: object, service: str, url: str) -> Iterator[str]:
    if secret and not (service or url):
        yield "--cert-secret needs to know whom the API server calls: give --service, or --url"
    if service and url:
        yield "--service and --url are two ways to say whom the API server calls; give one"
    if (service or url) and not secret:
        yield f"{'--service' if service else '--url'} goes with --cert-secret"
