"""What holds for the whole suite: its option, on which kube-apiservers the end-to-end tests run, and its signals."""

from __future__ import annotations

import os
import signal

import pytest

from tests.controlplane.versions import ALL, OPTION, UnknownVersionError, chosen


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--kube-apiserver``."""
    parser.addoption(
        OPTION,
        action="append",
        default=[],
        metavar=f"VERSION|{ALL}",
        help="run the end-to-end tests on this kube-apiserver, built on first use; may be given several times",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what cannot be meant, before anything is built."""
    hear_signals()
    asked = config.getoption(OPTION)
    try:
        chosen(asked)
    except UnknownVersionError as error:
        raise pytest.UsageError(str(error)) from error
    if asked and os.environ.get("KUBEBUILDER_ASSETS"):
        raise pytest.UsageError(f"{OPTION} names versions, but KUBEBUILDER_ASSETS names one server; unset it.")


def hear_signals() -> None:
    """Give the processes that tests start the usual SIGHUP and SIGINT back.

    ``nohup`` takes the one from all that it runs, a shell the other from what it runs in the background. What is
    ignored stays ignored in a new process, what is handled does not. This one outlives its terminal as before.
    """
    for one in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(one) is signal.SIG_IGN:
            signal.signal(one, lambda *_: None)
