"""The way to an API server: by the service account of a pod, the file that KUBECONFIG names, or ``~/.kube/config``."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Final, TypeAlias

import httpx2
import msgspec
from lightkube import ApiError, Client, KubeConfig
from lightkube.config.client_adapter import verify_cluster
from lightkube.config.kubeconfig import SERVICE_ACCOUNT, SingleConfig, StrOrPath
from lightkube.core.exceptions import ConfigError
from lightkube.core.resource import ApiInfo, GlobalResource, ResourceDef

from admission.errors import ClusterError

TIMEOUT: Final = httpx2.Timeout(10.0)
"""Seconds for a connection, and for each part of an answer; a watch may be silent for longer."""

# lightkube sets no bound on the silence of a watch. Linux finds a peer that is gone without a word after a minute.
_KEEP_ALIVE: Final = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, option), value)
        for option, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
        if hasattr(socket, option)
    ),
)

_FAILURES: Final = (
    ConfigError,
    OSError,
    ValueError,  # what msgspec cannot decode, and the output of a program that was to give a token
    KeyError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
)
"""What may go wrong on the way to an API server, or in its answer."""


Heard: TypeAlias = Callable[[datetime], None]
"""Is told the time by the API server's clock, with each of its answers."""


class Metadata(msgspec.Struct, rename="camel"):
    """Name and version of an object."""

    name: str = ""
    resource_version: str = ""

    @property
    def resourceVersion(self) -> str:  # noqa: N802  # lightkube goes on from it
        """As lightkube calls it."""
        return self.resource_version


class CustomResourceDefinition(msgspec.Struct, GlobalResource):
    """A CRD whose ``spec`` stays the bytes that came."""

    _api_info: ClassVar[ApiInfo] = ApiInfo(  # type: ignore[misc]
        resource=ResourceDef("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
        plural="customresourcedefinitions",
        verbs=["get", "list", "watch"],
    )

    metadata: Metadata = msgspec.field(default_factory=Metadata)
    spec: msgspec.Raw = msgspec.Raw(b"{}")


def found_config(account: StrOrPath = SERVICE_ACCOUNT) -> SingleConfig:
    """Where the API server is, and who asks: the service account of a pod before a file.

    ``account`` is the directory of the service account, where the kubelet mounts it.

    Raises:
        ClusterError: nothing says so.
    """
    try:
        config = KubeConfig.from_env(service_account=account).get()
        if config is None or config.user is None:
            raise ConfigError("it names no user")
    except Exception as error:  # lightkube takes a file for what it should be, and stumbles where it is not
        raise ClusterError(
            f"nothing says where the API server is ({_said(error)}); run in a pod with a service account, or name a "
            "file with KUBECONFIG"
        ) from error
    return config


@contextmanager
def connected(config: SingleConfig, *, watching: bool = False, heard: Heard | None = None) -> Iterator[Client]:
    """A client, closed at the end; whatever goes wrong with the API server inside the block is a ``ClusterError``.

    One for ``watching`` notices a server that is gone without a word, one with ``heard`` tells its time; they take no
    proxy.

    Raises:
        ClusterError: the API server is away or refuses, or the certificates that lead to it cannot be used.
    """
    try:
        transport = _transport(config, heard) if watching or heard is not None else None
        with Client(config=config, timeout=TIMEOUT, transport=transport) as client:
            yield client
    except _FAILURES as error:
        raise ClusterError(f"{config.cluster.server}: {_said(error)}") from error


def code(error: httpx2.HTTPStatusError) -> int:
    """The HTTP status, also of an error that came as an event of a watch."""
    return (error.status.code or 0) if isinstance(error, ApiError) else error.response.status_code


def _transport(config: SingleConfig, heard: Heard | None) -> httpx2.HTTPTransport:
    assert config.user is not None, "found_config demands one"  # noqa: S101
    verify = verify_cluster(config.cluster, config.user, config.abs_file)
    if heard is None:
        return httpx2.HTTPTransport(verify=verify, socket_options=_KEEP_ALIVE)
    return _Listening(heard, verify=verify)


class _Listening(httpx2.HTTPTransport):
    """Reads the clock of who answers."""

    def __init__(self, heard: Heard, verify: ssl.SSLContext) -> None:
        super().__init__(verify=verify)
        self._heard = heard

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        with suppress(ValueError, TypeError):  # none, or one that nobody can read
            self._heard(parsedate_to_datetime(response.headers.get("Date", "")).replace(tzinfo=UTC))
        return response


def _said(error: BaseException) -> str:
    """What an error says, on one line."""
    match error:
        case ApiError(status=status) if status.message:
            said: Any = status.message
        case KeyError():
            said = f"{error} is missing"
        case _:
            said = str(error)
    return " ".join(str(said).split()) or type(error).__name__
