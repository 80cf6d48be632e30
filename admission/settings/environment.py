"""The environment, as far as it is the server's: the twins of flags, and names that are meant to be twins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from admission.nearest import nearest
from admission.settings.flag import ENVIRONMENT_PREFIX, Flag

TRACEBACK: Final = f"{ENVIRONMENT_PREFIX}TRACEBACK"
"""Set in the environment, a fault of ours ends with its traceback, for a bug report."""

_LINK_OF_A_PORT: Final = re.compile("(tcp|udp|sctp)://.*", re.DOTALL)
_SERVICE: Final = "STATUSCAP(_[A-Z0-9_]+)?"
_LINKS: Final = re.compile(
    f"{_SERVICE}_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_PORT: Final = re.compile(f"{_SERVICE}_PORT")


def twin(flag: Flag, environment: Mapping[str, str]) -> str:
    """The text of a flag's twin; empty when there is none."""
    name = flag.environment
    return "" if _is_service_link(name, environment.get(name, "")) else environment.get(name, "")


def misspelt(flags: Sequence[Flag], environment: Mapping[str, str]) -> Iterator[str]:
    """A line for every variable that is named like a twin, and is none: what it would set stays as it was."""
    fields = {flag.field.upper(): flag.environment for flag in flags}
    known = {*fields.values(), TRACEBACK}
    for name, text in sorted(environment.items()):
        if name.upper().startswith(ENVIRONMENT_PREFIX) and name not in known and not _is_service_link(name, text):
            guess = nearest(name[len(ENVIRONMENT_PREFIX) :], fields)
            advice = f"did you mean {fields[guess]}?" if guess else "see statuscap serve --help"
            yield f"{name!r} in the environment sets nothing; {advice}"


def _is_service_link(name: str, text: str) -> bool:
    """True for what the kubelet sets for a Service named ``statuscap`` or ``statuscap-…`` in the same namespace.

    ``STATUSCAP_SERVICE_HOST``, ``STATUSCAP_SERVICE_PORT[_NAME]``, ``STATUSCAP_PORT`` and ``STATUSCAP_PORT_443_TCP[_…]``
    (``k8s.io/kubernetes/pkg/kubelet/envvars``). A name that ends in ``_PORT`` can be a twin, too: a link is a URL.
    """
    if _PORT.fullmatch(name) and not _LINKS.fullmatch(name):
        return _LINK_OF_A_PORT.fullmatch(text) is not None
    return _LINKS.fullmatch(name) is not None
