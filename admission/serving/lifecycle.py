"""Where a server stands in its life."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Lifecycle:
    """``ready``: reviews are answered and more are welcome. ``draining``: they are still answered, but go elsewhere."""

    ready: bool = False
    draining: bool = False

    def serve(self) -> None:
        """Everything listens."""
        self.ready = True

    def drain(self) -> None:
        """The end has come: fail the readiness probe, and close each connection with its next answer."""
        self.ready = False
        self.draining = True
