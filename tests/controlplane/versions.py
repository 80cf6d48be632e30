"""Which kube-apiservers the tests can be run on: every version that ``modules/`` pins.

``--kube-apiserver VERSION`` asks for one, again for another, ``--kube-apiserver all`` for every one; nothing asked is
the version that the demo and the other tests use.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.controlplane.build import KUBE_APISERVER, MODULES, Pin

OPTION = "--kube-apiserver"
ALL = "all"


class UnknownVersionError(Exception):
    """A version was asked for that no module pins; the message names those that there are."""


def kube_apiservers() -> list[Pin]:
    """Return every kube-apiserver with a module: the default one first, the others from old to new."""
    prefix = f"{KUBE_APISERVER.name}-"
    found = [Pin(KUBE_APISERVER.name, folder.name.removeprefix(prefix)) for folder in MODULES.glob(f"{prefix}v*")]
    return sorted(found, key=lambda pin: (pin != KUBE_APISERVER, numbers(pin.version)))


def chosen(asked: Sequence[str]) -> list[Pin]:
    """Return the versions that were asked for, each once, in the order of ``kube_apiservers``.

    Raises ``UnknownVersionError``.
    """
    offered = kube_apiservers()
    known = [pin.version for pin in offered]
    for version in asked:
        if version not in {*known, ALL}:
            raise UnknownVersionError(f"{OPTION} {version}: no such version; there are {', '.join(known)} and {ALL}.")
    if ALL in asked:
        return offered
    return [pin for pin in offered if pin.version in (asked or [KUBE_APISERVER.version])]


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of ``v1.36.3``, to compare versions by."""
    return tuple(int(number) for number in version.removeprefix("v").split("."))
