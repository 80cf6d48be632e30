"""``statuscap serve``: its flags are the table of the settings."""

from __future__ import annotations

import inspect
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from admission import regularfile
from admission.errors import FileError, SettingsError
from admission.settings import FLAGS, Settings
from admission.settings.flag import Flag

if TYPE_CHECKING:
    from admission.cluster.crds import ClusterCrds
    from admission.serving.runner import Custody

_READ_AT_START: Final = ("tls_cert", "tls_key", "client_ca")


def serve(**given: Any) -> int:
    """Serve the webhook.

    Answers the API server's reviews over TLS, until SIGTERM. Every flag has a twin in the environment; a flag
    beats its twin.
    """
    from admission.serving.signals import heeded_from_the_start

    with heeded_from_the_start():
        from admission.serving.runner import run

        settings = Settings.of(given, os.environ)
        _refuse_unreadable(settings)
        return run(
            settings,
            stdin=sys.stdin.buffer,
            cluster=_cluster() if settings.cluster else None,
            custody=_custody(settings),
        )


def _cluster() -> ClusterCrds:
    """Whoever can be asked for the CRDs of the cluster; what asks is only imported when it is needed.

    Raises:
        ClusterError: nothing says where the API server is.
    """
    from admission.cluster.crds import ClusterCrds

    return ClusterCrds.found()


def _custody(settings: Settings) -> Custody | None:
    """The Secret of the certificate and the webhook configurations, if the certificate is kept there.

    Raises:
        ClusterError: nothing says where the API server is.
    """
    if settings.cert_secret is None:
        return None
    from admission.cluster.configurations import ClusterConfigurations
    from admission.cluster.secret import ClusterSecret
    from admission.serving.runner import Custody

    return Custody(ClusterSecret.found(*settings.cert_secret), ClusterConfigurations.found(settings.registration))


def _refuse_unreadable(settings: Settings) -> None:
    """The server would name the file; a person wants to know which flag or twin led to it.

    Raises:
        SettingsError: with every file of certificates and keys that cannot be read.
    """
    problems = []
    for flag in FLAGS:
        file = getattr(settings, flag.field)
        if flag.field in _READ_AT_START and file is not None:
            try:
                regularfile.read(file, regularfile.MAX_PEM_BYTES)
            except FileError as error:
                problems.append(f"{flag.name} ({flag.environment}): {error}")
    if problems:
        raise SettingsError(problems)


def _parameter(flag: Flag) -> inspect.Parameter:
    kind: Any = bool | None if flag.switch else list[str] | None if flag.repeated else str | None
    names = (flag.name, flag.short) if flag.short else (flag.name,)
    told = ", ".join(filter(None, (f"env {flag.environment}", "" if flag.switch else _default(flag))))
    option = typer.Option(*names, metavar=flag.metavar or None, help=f"{flag.help} [{told}]", show_default=False)
    return inspect.Parameter(
        flag.field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def _default(flag: Flag) -> str:
    return f"default {flag.default}" if flag.default else ""


_PARAMETERS = [_parameter(flag) for flag in FLAGS]
serve.__signature__ = inspect.Signature(_PARAMETERS)  # type: ignore[attr-defined]
serve.__annotations__ = {parameter.name: parameter.annotation for parameter in _PARAMETERS}
