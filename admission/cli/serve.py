"""``statuscap serve``: its flags are the table of the settings."""

from __future__ import annotations

import inspect
import os
from typing import Annotated, Any

import typer

from admission.settings import FLAGS, Flag, Settings


def serve(**given: Any) -> int:
    """Serve the webhook.

    Answers the API server's reviews over TLS, until SIGTERM. Every flag has a twin in the environment; a flag
    beats its twin.
    """
    from admission.serving.runner import run

    return run(Settings.of(given, os.environ))


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
