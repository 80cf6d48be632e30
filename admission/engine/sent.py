"""The object as it was sent, apart from the working copy.

Values are immutable bytes, containers are decoded once and never changed: who wants to change one gets a copy. So the
working copy and the check of the patch read the same bytes once, and no fault in the one can reach the other.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Raw

from admission.engine.values import Container, Key, Value, opened


class Sent:
    """The containers of one object, as far as somebody has looked inside."""

    def __init__(self, known: Iterable[tuple[Raw, Container]] = ()) -> None:
        """``known`` are values that are decoded already."""
        self._opened: dict[int, tuple[Raw, Container | None]] = {id(pair[0]): pair for pair in known}

    def opened(self, value: Value) -> Container | None:
        """The container behind a value, not to be changed."""
        if type(value) is not Raw:
            return value
        found = self._opened.get(id(value))
        if found is None:  # the value is held too: its id stays its own
            found = self._opened[id(value)] = (value, opened(value))
        return found[1]

    def open_copy(self, container: Container, key: Key) -> Container | None:
        """Put a copy of the container at ``container[key]`` in its place, to be changed; None when it is a scalar."""
        child = container[key]  # type: ignore[index]
        if type(child) is not Raw:
            return child
        inside = self.opened(child)
        if inside is not None:
            inside = container[key] = inside.copy()  # type: ignore[index]
        return inside
