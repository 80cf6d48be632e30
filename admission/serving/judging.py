"""Tells whether the policies in use converge: judged by another process, while this one answers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec

from admission.engine.policy import PolicySet
from admission.policyfile.convergence.apart import COMMAND, Report, packed, read_report
from admission.serving.beside import beside
from admission.serving.server import Server

EVERY: Final = 1.0
"""Seconds between two looks whether there are other policies; so long the start has the processor for itself."""

MOST_TOLD: Final = 20
"""Lines of the log: who has more to mend lets ``statuscap check`` tell all of it."""

PATIENCE: Final = 600.0
"""Seconds that it may take; with little of a processor, the least important process gets little of that."""


class Judging:
    """Judges the policies of a server after its start, and others that take their place."""

    def __init__(self, server: Server, command: Sequence[str] = COMMAND, every: float = EVERY) -> None:
        """``command`` is the process that judges."""
        self._server = server
        self._command = command
        self._every = every
        self._child: subprocess.Popen[bytes] | None = None
        self._over = False

    async def run(self) -> None:
        """Go on until cancelled; what is being judged then is given up."""
        judged: PolicySet | None = None
        try:
            while True:
                await asyncio.sleep(self._every)
                policies = self._server.handler.policies
                if policies is not judged:
                    judged = policies
                    await self._judge(policies)
        finally:
            self._over = True
            if self._child is not None:
                self._child.kill()

    async def _judge(self, policies: PolicySet) -> None:
        try:
            report = await beside(partial(self._report_on, policies))
        except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
            self._server.process.fault("convergence", error, consequence="policies are used that were not judged")
            return
        if self._server.handler.policies is policies:
            self._tell(report)

    def _report_on(self, policies: PolicySet) -> Report:
        """Ask the other process, from a thread that waits for it."""
        asked = packed(policies)
        paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # so that it finds what was found here
        with subprocess.Popen(  # noqa: S603 - our own command
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | paths,
        ) as child:
            self._child = child
            try:
                told, _ = child.communicate(b"" if self._over else asked, timeout=PATIENCE)
            finally:
                child.kill()
        return read_report(told)

    def _tell(self, report: Report) -> None:
        process = self._server.process
        self._server.metrics.judged(report.nonconverging)
        for each in report.told[:MOST_TOLD]:
            process.warning(
                "policies do not converge",
                policies=each.policies,
                detail=each.message,
                sample=each.sample,
                consequence="writes are safe: who still changes something after the last round is left out",
            )
        if len(report.told) > MOST_TOLD:
            process.warning(
                "more policies do not converge", more=len(report.told) - MOST_TOLD, told_by="statuscap check"
            )
        if report.policies_left or report.pairs_left:
            process.info(
                "not judged whether all policies converge", policies=report.policies_left, pairs=report.pairs_left
            )
