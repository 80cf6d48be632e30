"""One core for the servers, another for the loader; what a process has used of them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final, NamedTuple

_CPU_CLOCK: Final = 2  # CPUCLOCK_SCHED of the kernel's posix-timers.h
_KIB: Final = 1024


class Cores(NamedTuple):
    """Which core serves and which one loads; the same one on a machine that has no other."""

    server: int
    loader: int

    @property
    def shared(self) -> bool:
        """True when the loader competes with what it measures (latencies and rates say little then)."""
        return self.server == self.loader


def choose() -> Cores:
    """The last two cores that this process may use."""
    allowed = sorted(os.sched_getaffinity(0))
    return Cores(server=allowed[-1], loader=allowed[-2] if len(allowed) > 1 else allowed[-1])


def cpu_time(pid: int) -> int:
    """CPU time of a process in nanoseconds: utime + stime of all its threads, those that ended included.

    The process's CPU clock has the sum that ``/proc/PID/stat`` shows, without rounding it to ticks of 10 ms. The
    number of the clock is that of ``clock_getcpuclockid(3)``: the inverted pid above three bits of kind.
    """
    return time.clock_gettime_ns((~pid << 3) | _CPU_CLOCK)


def peak_memory(pid: int) -> int:
    """The most bytes a process ever had resident (``VmHWM``)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * _KIB
    raise ValueError(f"process {pid} has no VmHWM: has it ended?")
