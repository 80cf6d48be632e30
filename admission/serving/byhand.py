"""What a person does to the certificates in a Secret, without getting in the way of the replicas that keep them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeAlias

from admission.certificates.bundle import Bundle
from admission.certificates.secretdata import of_data, to_data
from admission.errors import CertificateError, ClusterError
from admission.handler import Clock
from admission.serving.keeper import TRIES, Keeper, Round, Secret, time_of

Change: TypeAlias = Callable[[Bundle | None, datetime], Bundle]
"""From what is in the Secret, None when that is not usable, to what is to be in it."""

_MOST_ROUNDS: Final = 5


def change(secret: Secret, made: Change, clock: Clock) -> Bundle:
    """Write the Secret by compare-and-swap; returns what is in it then.

    Raises:
        ClusterError: the API server is away or refuses, or replicas are always faster.
        CertificateError: whatever ``made`` raises.
    """
    for _ in range(TRIES):
        kept = secret.read()
        at, _ahead = time_of(kept, clock)
        bundle = made(of_data(kept.data).bundle, at)
        data = to_data(bundle)
        if data == kept.ours or secret.write(data, kept.version):
            return bundle
    raise ClusterError("the Secret of the certificates is written by others again and again")


def demanded(bundle: Bundle | None) -> Bundle:
    """The bundle, which has to be there.

    Raises:
        CertificateError: there is none.
    """
    if bundle is None:
        raise CertificateError("there are no usable certificates in the Secret; make them: statuscap certs make")
    return bundle


def settled(keeper: Keeper) -> Round:
    """Do what a replica does, until there is nothing left that can be done now."""
    done = keeper.round()
    for _ in range(_MOST_ROUNDS):
        if not done.pending or done.troubles:
            break
        done = keeper.round()
    return done
