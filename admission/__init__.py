"""statuscap: a Kubernetes admission webhook that keeps the status of custom resources small.

The rooms, from bottom to top; a module imports only from its own room and from rooms below:

- ``errors``, ``quantity``: the error tree; sizes as Kubernetes writes them
- ``engine``: facts in, decision out; pure. ``regularfile``: files that people name, read whole and bounded
- ``policyfile``, ``review``, ``settings``: the edges, where text becomes typed values
- ``handler``: the one use case, review bytes in and review bytes out
- ``observe``: decision log, metrics, process log
- ``serving``, ``offline``: the server, the work on files
- ``cli``: one thin module a command
"""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("statuscap")
except PackageNotFoundError:  # imported from a source tree that nobody installed
    __version__ = "0.0.0"
