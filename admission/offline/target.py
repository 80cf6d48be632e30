"""Where the webhook is: the API server's way to it, for each of its two phases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from admission.errors import PolicyError

Manifest: TypeAlias = dict[str, Any]
"""A Kubernetes object in Python's own types, members in the order in which people write them."""

MUTATE: Final = "/mutate"
VALIDATE: Final = "/validate"
SERVICE_PORT: Final = 443
DEFAULT_NAMESPACE: Final = "statuscap"
DEFAULT_SERVICE: Final = "statuscap"


_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)


def checked_label(text: str) -> str:
    """The name of a namespace or a Service. The API server takes any text for one, and never finds the webhook.

    Raises:
        PolicyError: nothing in a cluster has such a name.
    """
    if not _LABEL.fullmatch(text):
        raise PolicyError(
            f"{text!r} is no name of a namespace or a Service; write lower-case letters, digits and '-', at most 63"
        )
    return text


@dataclass(frozen=True, slots=True)
class ServiceTarget:
    """The webhook behind a Service in the cluster."""

    namespace: str = DEFAULT_NAMESPACE
    name: str = DEFAULT_SERVICE

    def client_config(self, path: str) -> Manifest:
        """The API server's way to what is at a path."""
        return {"service": {"namespace": self.namespace, "name": self.name, "path": path, "port": SERVICE_PORT}}


@dataclass(frozen=True, slots=True)
class UrlTarget:
    """The webhook at an address outside the cluster, or on loopback. ``namespace`` is left out of its calls."""

    address: str
    namespace: str = DEFAULT_NAMESPACE

    @classmethod
    def parse(cls, text: str, namespace: str = DEFAULT_NAMESPACE) -> UrlTarget:
        """Read ``https://HOST:PORT``; the paths are the webhook's own.

        Raises:
            PolicyError: the API server would refuse it.
        """
        parts = urlsplit(text)
        plain = parts.scheme == "https" and parts.hostname and not (parts.username or parts.query or parts.fragment)
        if not plain or parts.path not in ("", "/", MUTATE):
            raise PolicyError(
                f"{text!r} is no address for a webhook; write https://HOST:PORT, without user, path or query"
            )
        return cls(f"https://{parts.netloc}", namespace)

    def client_config(self, path: str) -> Manifest:
        """The API server's way to what is at a path."""
        return {"url": f"{self.address}{path}"}
