"""The working copy with what is beside it: the stored object, who owns what, the schema.

Steps read there what they may not change, and why they must leave something alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Raw

from admission.engine.attributes import STATUS, Attributes
from admission.engine.fieldpath import FieldPath, Member
from admission.engine.licence import Licence
from admission.engine.ownership import Ownership
from admission.engine.requirement import Requirement
from admission.engine.schema import Schema
from admission.engine.values import Container, Key, Object, Trail, encode
from admission.engine.workingcopy import OBJECT, WorkingCopy


class Document(WorkingCopy):
    """One object on its way to etcd, and what policies may read beside it."""

    def __init__(
        self,
        submitted: Raw,
        stored: Raw | None,
        *,
        roots: tuple[str, ...],
        on_status: bool,
        compact: bool,
        schema: Schema | None = None,
        known: Iterable[tuple[Raw, Container]] = (),
    ) -> None:
        """Wrap the bytes of a submitted and a stored object. ``roots`` are the members that policies work on.

        ``schema`` is that of the object, if it is known; ``known`` are values that are decoded already.

        Raises:
            DocumentError: the submitted bytes are no JSON object.
        """
        super().__init__(submitted, roots=roots, compact=compact, known=known)
        self.schema = schema
        self.stored = stored
        """The bytes of the stored object; None on CREATE."""
        self.stored_compact = compact
        """True when they are in Go's form."""
        self._stored_object: Object | None = None
        self._stored_view: Object | None = None
        self.on_status = on_status
        """True for a write to ``/status``."""
        self._ownership: Ownership | None = None
        self._stored_ownership: Ownership | None = None
        self.at_work: Sequence[Licence] = ()
        """What the policies that work on this copy in turns may change."""
        self.frozen: frozenset[Trail] = frozenset()
        """Places that no step may change, whoever owns them."""
        self.licence = Licence()
        """What the policy at work may change: it says which lists hold conditions and which fields are protected."""
        self.root = roots[0] if roots else STATUS
        """The member that the policy at work is for."""

    @classmethod
    def of(cls, attributes: Attributes, roots: tuple[str, ...] = (STATUS,), schema: Schema | None = None) -> Document:
        """The working copy for a request."""
        return cls(
            attributes.submitted,
            attributes.stored,
            roots=roots,
            on_status=attributes.on_status,
            compact=attributes.compact,
            schema=schema,
            known=attributes.opened,
        )

    def fork(self, members: Object | None = None) -> Document:
        """A working copy of its own that starts where this one stands, or with these members."""
        written = self.changed or members is not None
        fork = Document(
            Raw(encode(self.object if members is None else members)) if written else self.submitted,
            self.stored,
            roots=self.roots,
            on_status=self.on_status,
            compact=self.compact and not written,  # member names that were opened are no longer escaped
            schema=self.schema,
        )
        fork.stored_compact = self.stored_compact
        return fork

    def of_stored(self) -> Document | None:
        """A working copy of the stored object, as if it had been sent again; None on CREATE."""
        if self.stored is None:
            return None
        return Document(
            self.stored,
            self.stored,
            roots=self.roots,
            on_status=self.on_status,
            compact=self.compact,
            schema=self.schema,
        )

    # --- the stored object ---------------------------------------------------------------------------------------

    @property
    def stored_object(self) -> Object | None:
        """The stored object, opened one level on first use; None on CREATE."""
        if self._stored_object is None and self.stored is not None:
            inside = self.sent.opened(self.stored)
            self._stored_object = inside.copy() if isinstance(inside, dict) else None
        return self._stored_object

    @property
    def stored_view(self) -> Object | None:
        """The stored object for steps that look inside: what they open is opened in place.

        It is apart from :attr:`stored_object`, whose roots stay untouched bytes that compare fast.
        """
        if self._stored_view is None and self.stored_object is not None:
            self._stored_view = dict(self.stored_object)
        return self._stored_view

    def holder_of(self, path: FieldPath, *, stored_rest: bool) -> tuple[Container, Key]:
        """Where a requirement on the object reads: the roots from this copy, the rest from the stored object.

        On a ``/status`` write everything outside the roots is read from the stored object when there is one (a PUT
        may leave out spec and labels); elsewhere only when ``stored_rest`` says so.
        """
        first = path.segments[0] if path.segments else None
        in_root = isinstance(first, Member) and first.name in self.roots
        if not in_root and (self.on_status or stored_rest) and self.stored_object is not None:
            return {OBJECT: self.stored_object}, OBJECT
        return self._holder, OBJECT

    def meets(self, requirements: Sequence[Requirement], now: int, *, stored_rest: bool = False) -> bool:
        """True when all requirements hold for the object as it is now. ``now`` is nanoseconds since the epoch."""
        for requirement in requirements:
            holder, key = self.holder_of(requirement.field, stored_rest=stored_rest)
            if not requirement.met(holder, key, now):
                return False
        return True

    # --- what must not change ------------------------------------------------------------------------------------

    @property
    def ownership(self) -> Ownership:
        """Who owns what in the submitted object."""
        if self._ownership is None:
            self._ownership = Ownership.of(self.object)
        return self._ownership

    @property
    def stored_ownership(self) -> Ownership:
        """Who owns what in the stored object."""
        if self._stored_ownership is None:
            self._stored_ownership = Ownership.of(self.stored_object)
        return self._stored_ownership

    def freeze(self, trails: frozenset[Trail]) -> Document:
        """This document, with places that stay as they were sent."""
        self.frozen = trails
        return self

    def co_owned(self, trail: Trail) -> bool:
        """True when the value at ``trail`` lies in a leaf that must not be changed (invariant I11)."""
        if self.frozen:
            origin = self.origin(trail)
            if any(origin[:length] in self.frozen for length in range(1, len(origin) + 1)):
                return True
        return self.ownership.co_owned(trail, self.object)

    def demands(self, trail: Trail) -> Schema | None:
        """What the schema demands of the value at ``trail``; None when nothing is known."""
        return None if self.schema is None else self.schema.at(trail)

    def names_an_item(self, trail: Trail, key: Key) -> bool:
        """True when the value at ``key`` tells an item of a list from the others (its key, or all of it in a set).

        The elements of ``managedFields`` say so, and the schema; without them nothing is known.
        """
        demands = self.demands(trail if isinstance(key, int) else trail[:-1])
        if demands is not None and (demands.is_set if isinstance(key, int) else key in demands.keys):
            return True
        if isinstance(key, int):
            return self.ownership.names_items_by(trail, key, self.object)
        if not trail or not isinstance(trail[-1], int):
            return False
        around, position, owners = trail[:-1], trail[-1], self.ownership
        if demands is not None and demands.is_set:
            return True
        return owners.names_items_by(around, key, self.object) or owners.names_by_value(around, position, self.object)
