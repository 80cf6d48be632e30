"""What happened to the values of an object, remembered by their places in it as it was sent.

A tree, so that what several steps and rounds do to one list still comes out as one thing.
"""

from __future__ import annotations

from msgspec import Struct, field

from admission.engine.values import Key, List, Value


class Edit(Struct):
    """What happened to one value, by its place in the object as it was sent.

    ``kept`` holds, for a list from which something was removed, the original position of every item that is left;
    ``gone`` the items and members that were removed, by original key; ``moved`` says which item took the place of
    which, by original positions (place: item), and ``displaced`` holds those whose place was taken;
    ``restored`` marks a text that became the stored one.
    """

    children: dict[Key, Edit] = field(default_factory=dict)
    kept: list[int] | None = None
    gone: dict[Key, Value] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)
    displaced: List = field(default_factory=list)
    replaced: bool = False
    restored: bool = False

    def original(self, key: Key) -> Key:
        """The key in the object as it was sent of what is at ``key`` now."""
        return self.kept[key] if self.kept is not None and isinstance(key, int) else key

    def child(self, key: Key) -> Edit:
        """The edit of the value that is at ``key`` now; made when there is none yet."""
        origin = self.original(key)
        found = self.children.get(origin)
        if found is None:
            found = self.children[origin] = Edit()
        return found

    @property
    def places(self) -> int:
        """How many values it is about: this one, and those inside that were changed. What is gone is not counted."""
        return 1 + sum(child.places for child in self.children.values())
