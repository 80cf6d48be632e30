"""What steps may change: everything else must come out of an evaluation as it went in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from admission.engine.condition import PROTECTED_FIELDS, is_conditions
from admission.engine.fieldpath import FieldPath
from admission.engine.pin import Pinning
from admission.engine.places import leads_to
from admission.engine.requirement import Requirement, all_met
from admission.engine.values import Trail, Value, is_list


@dataclass(frozen=True, slots=True)
class Leaving:
    """A list of conditions in which only the types of ``keep_types`` must stay."""

    path: FieldPath
    keep_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restoring:
    """A list whose items may get the stored texts of ``fields`` back, from the stored item with the same ``keys``."""

    path: FieldPath
    keys: tuple[FieldPath, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evicting:
    """A map from which entries may go that meet all of ``where``."""

    path: FieldPath
    where: tuple[Requirement, ...] = ()

    def takes(self, entry: Value, now: int) -> bool:
        """True for an entry that meets the requirements; it is left as it is."""
        return all_met(self.where, [entry], 0, now)


@dataclass(frozen=True, slots=True)
class Fitting:
    """Texts and lists that may be cut to what the schema allows; without ``paths`` any that it limits."""

    paths: tuple[FieldPath, ...] = ()


@dataclass(frozen=True, slots=True)
class Licence:
    """The changes that a step, or all steps of some policies, may make.

    ``shrinking``: lists from which items may go, but for what ``pinning`` says; ``reordering``: lists in which an item
    may take the place of an earlier twin; ``cutting``: strings that may be cut; ``fitting``: strings and lists that may
    be cut to what the schema allows; ``dropping``: members that may go; ``evicting``: maps from which entries may go;
    ``restoring``: texts that may become what is stored; ``conditions``: lists that hold conditions whatever their key;
    ``leaving``: lists of conditions from which the last item of a type may go.
    """

    shrinking: tuple[FieldPath, ...] = ()
    reordering: tuple[FieldPath, ...] = ()
    cutting: tuple[FieldPath, ...] = ()
    dropping: tuple[FieldPath, ...] = ()
    evicting: tuple[Evicting, ...] = ()
    restoring: tuple[Restoring, ...] = ()
    conditions: tuple[FieldPath, ...] = ()
    leaving: tuple[Leaving, ...] = ()
    pinning: tuple[Pinning, ...] = ()
    fitting: tuple[Fitting, ...] = ()

    @classmethod
    def union(cls, licences: Iterable[Licence]) -> Licence:
        """Everything that any of them allows."""
        all_of = tuple(licences)
        return cls(
            **{field.name: tuple(part for one in all_of for part in getattr(one, field.name)) for field in fields(cls)}
        )

    def shrinks(self, trail: Trail) -> bool:
        """True when items may leave the list at ``trail``."""
        return _leads(self.shrinking, trail)

    def reorders(self, trail: Trail) -> bool:
        """True when an item of the list at ``trail`` may take the place of an earlier twin."""
        return _leads(self.reordering, trail)

    def cuts(self, trail: Trail) -> bool:
        """True when the string at ``trail`` may be cut."""
        return _leads(self.cutting, trail) and not self.protects(trail)

    def fits(self, trail: Trail) -> bool:
        """True when the string or list at ``trail`` may be cut to what the schema allows."""
        return any(not one.paths or _leads(one.paths, trail) for one in self.fitting) and not self.protects(trail)

    def drops(self, trail: Trail, *, a_list: bool) -> bool:
        """True when the member at ``trail`` may go; a list of conditions never does on its own."""
        if not _leads(self.dropping, trail) or self.protects(trail):
            return False
        return not (a_list and self.is_conditions(trail))

    def evictions(self, trail: Trail) -> Sequence[Evicting]:
        """What may go from the map at ``trail``, but for what is spared."""
        return [one for one in self.evicting if leads_to(one.path, trail)]

    def spares(self, trail: Trail, entry: Value) -> bool:
        """True for an entry of a map that never goes: a list of conditions, or what machines read in a condition."""
        return (is_list(entry) and self.is_conditions(trail)) or self.protects(trail)

    def restores(self, trail: Trail) -> Iterator[Restoring]:
        """Where the text at ``trail``, in an item of a list, may come from."""
        if self.restoring and len(trail) > 1 and isinstance(trail[-2], int) and not self.protects(trail):
            yield from (one for one in self.restoring if trail[-1] in one.fields and leads_to(one.path, trail[:-2]))

    def protects(self, trail: Trail) -> bool:
        """True for the fields of a condition that machines read."""
        return (
            trail[-1] in PROTECTED_FIELDS
            and len(trail) > 1
            and isinstance(trail[-2], int)
            and self.is_conditions(trail[:-2])
        )

    def is_conditions(self, trail: Trail) -> bool:
        """True when the list at ``trail`` holds conditions."""
        return is_conditions(trail) or _leads(self.conditions, trail)

    def may_leave(self, trail: Trail, type_: str) -> bool:
        """True when no condition of a type needs to stay in the list at ``trail``."""
        return any(leads_to(step.path, trail) and type_ not in step.keep_types for step in self.leaving)


def _leads(paths: Iterable[FieldPath], trail: Trail) -> bool:
    return any(leads_to(path, trail) for path in paths)
