"""The object as it was sent, apart from the working copy.

Values are immutable bytes, containers are decoded once and never changed: who wants to change one gets a copy. So the
working copy and the check of the patch read the same bytes once, and no fault in the one can reach the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw

from admission.engine.values import MOST_MEMBERS, Container, Key, Value, opened
from admission.errors import DocumentError

MOST_IN_ALL: Final = 2 * MOST_MEMBERS
"""Members of all lists and maps of one object that are worked on: a second, for the same reasons."""


class Sent:
    """The containers of one object, as far as somebody has looked inside."""

    def __init__(self, known: Iterable[tuple[Raw, Container]] = ()) -> None:
        """``known`` are values that are decoded already."""
        self._opened: dict[int, tuple[Raw, Container | None]] = {id(pair[0]): pair for pair in known}
        self._members = 0

    def opened(self, value: Value) -> Container | None:
        """The container behind a value, not to be changed.

        Raises:
            DocumentError: the bytes are no JSON, or there are more members, here or in all, than there is time for.
        """
        if type(value) is not Raw:
            return value
        found = self._opened.get(id(value))
        if found is None:  # the value is held too: its id stays its own
            found = self._opened[id(value)] = (value, self._opened_now(value))
        return found[1]

    def _opened_now(self, value: Raw) -> Container | None:
        inside = opened(value)
        if inside is not None:
            self._members += len(inside)
            if self._members > MOST_IN_ALL:
                raise DocumentError(
                    f"the lists and maps that are worked on have more than {MOST_IN_ALL} members in all"
                )
        return inside

    def open_copy(self, container: Container, key: Key) -> Container | None:
        """Put a copy of the container at ``container[key]`` in its place, to be changed; None when it is a scalar."""
        child = container[key]  # type: ignore[index]
        if type(child) is not Raw:
            return child
        inside = self.opened(child)
        if inside is not None:
            inside = container[key] = inside.copy()  # type: ignore[index]
        return inside
