"""Become a server that dies with its starter: ``python -I -S launch.py <starter's pid> <core> <command> <argument>…``.

``core`` is the only one that the server may use, or ``any``; it is set before the server begins, since a server that
has threads by then could not be moved as a whole, and Go counts its cores at the start.

A script of its own instead of ``preexec_fn``, which is not safe in a process with threads. Standard library only, no
import of this package: it runs isolated and is up in about 20 ms.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h; survives execve


def main() -> None:
    starter, core, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != starter:  # it died before the line above took effect
            sys.exit(1)
    if core != "any":
        os.sched_setaffinity(0, {int(core)})
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
