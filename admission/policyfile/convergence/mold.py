"""What objects must look like for policies to have something to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Member
from admission.engine.schema import Schema


@dataclass(slots=True)
class Mold:
    """What is known of one value; the same place may be several things to several policies.

    ``members`` are those of an object, ``item`` is what stands in a list (``is_list``) or map (``is_map``) of which
    ``counts`` are caps. Of a scalar: ``sizes`` are the bytes at which a text is cut, ``words`` what requirements ask
    for, ``ages`` (nanoseconds) what a time is compared with. ``schema`` is what the kind demands, where that is known;
    ``needed`` are the members that are never absent. What ``beats`` often differs from what is stored, by a little.
    What ``is_filler`` no policy looks at: it is there for the schema.
    """

    members: dict[str, Mold] = field(default_factory=dict)
    item: Mold | None = None
    is_list: bool = False
    is_map: bool = False
    counts: set[int] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)
    words: dict[str, None] = field(default_factory=dict)
    ages: set[int] = field(default_factory=set)
    is_time: bool = False
    is_number: bool = False
    is_text: bool = False
    schema: Schema | None = None
    needed: frozenset[str] = frozenset()
    beats: bool = False
    is_filler: bool = False

    def member(self, name: str) -> Mold:
        """The member of that name, from now on."""
        return self.members.setdefault(name, Mold())

    def as_list(self) -> Mold:
        """What stands in this list, as which it is known from now on."""
        self.is_list = True
        return self._inside()

    def as_map(self) -> Mold:
        """What stands in this map, as which it is known from now on."""
        self.is_map = True
        return self._inside()

    def at(self, path: FieldPath) -> Mold:
        """The value that a path leads to, from now on."""
        here = self
        for segment in path.segments:
            match segment:
                case Member(name):
                    here = here.member(name)
                case EveryEntry():
                    here = here.as_map()
                case Index(index):
                    here.counts.add(index + 1 if index >= 0 else -index)
                    here = here.as_list()
                case _:
                    here = here.as_list()
        return here

    @property
    def kind(self) -> str | None:
        """The JSON type that the kind demands; None where it is open, or nobody knows it."""
        return None if self.schema is None else self.schema.kind

    @property
    def is_scalar(self) -> bool:
        """True when somebody reads a text, a number or a time here, or nobody knows anything."""
        told = self.is_text or self.is_time or self.is_number or self.sizes or self.words or self.ages
        return bool(told) or not (self.members or self.item)

    def _inside(self) -> Mold:
        if self.item is None:
            self.item = Mold()
        return self.item
