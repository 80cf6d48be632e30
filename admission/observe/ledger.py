"""The ledger of savings: what etcd did not have to store, counted once a write.

One write can be many calls: the API server asks again when another write came first, or when the object in its cache
was an old one. All calls that see the same stored version stand for one write at most, since the first that lands makes
the next version, and a call that sees an older version than another did cannot land any more. A suppressed write alone
leaves the version as it is: there, the next write is one that has something else to say.

What a policy in DryRun would have held back is stored all the same, so the stored object never gets as old as it would
have: the ledger remembers when a write would last have passed, and counts what came within the policy's staleness.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from typing import Final

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision
from admission.engine.policy import Mode
from admission.observe.creations import Creations
from admission.observe.identity import LONGEST_NAME, Identity
from admission.observe.saving import Saving, passing, savings_of

CAPACITY: Final = 32_768
"""Objects that are remembered: more than a large cluster has that grow at the same time, in 10 MB (300 bytes each)."""

_ENFORCED: Final = Mode.ENFORCE.value
_NONE: Final = -1  # no version is lower than 0
_UNSURE: Final = -1  # no checksum is, either
_LONGEST: Final = 19  # digits: etcd counts with 63 bits
_METADATA: Final = "metadata"
_MEMBERS: Final = msgspec.json.Decoder(dict[str, Raw])


class Ledger:
    """Tells of each call what it saves that was not counted before.

    In doubt it counts nothing: for a version that is no number, and for an object that it may have forgotten and that
    was not written since. The callers' dry runs save nothing.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._objects: OrderedDict[str, _Counted] = OrderedDict()
        self._capacity = capacity
        self._forgotten = _NONE  # the highest version of a forgotten object
        self._creations = Creations()

    def __len__(self) -> int:
        """Objects that are remembered."""
        return len(self._objects)

    def savings(self, attributes: Attributes, identity: Identity, decision: Decision, now: int) -> list[Saving]:
        """The savings of a call that are to be counted. ``now`` is nanoseconds of a clock that never jumps."""
        if attributes.request_dry_run:
            return []
        savings = savings_of(decision)
        passed = passing(decision)
        if not savings and not (passed and identity.uid in self._objects):
            return []
        if attributes.stored is None:
            return savings if self._creations.is_new(attributes, now) else []
        version = _number(identity.resource_version)
        if version is None or not 0 < len(identity.uid) <= LONGEST_NAME:
            return []
        enforced = bool(savings) and savings[0].suppressed and savings[0].mode == _ENFORCED
        content = _content(attributes.submitted) if enforced else 0
        counted = self._remembered(identity.uid)
        admitted = [counted.within_staleness(each, now) for each in savings if counted.admits(each, version, content)]
        counted.passed.update(dict.fromkeys(passed, now))
        return [saving for saving in admitted if saving is not None]

    def _remembered(self, uid: str) -> _Counted:
        counted = self._objects.get(uid)
        if counted is not None:
            self._objects.move_to_end(uid)
            return counted
        counted = self._objects[uid] = _Counted(self._forgotten)
        if len(self._objects) > self._capacity:
            _, forgotten = self._objects.popitem(last=False)
            self._forgotten = max(self._forgotten, forgotten.version)
        return counted


class _Counted:
    """What was counted of one object at the latest version that a call saw.

    ``passed`` is when a write last passed the rules of a policy that is not enforced, or would have: such a write is
    stored in any case, so what is stored is always fresh and does not tell.
    """

    __slots__ = ("content", "passed", "trimmed", "version", "would")

    def __init__(self, version: int) -> None:
        """Up to ``version`` everything may have been counted."""
        self.version = version
        self.trimmed = self.would = True
        self.content: int | None = _UNSURE
        self.passed: dict[str, int] = {}

    def within_staleness(self, saving: Saving, now: int) -> Saving | None:
        """The saving, or what is left of it for a write that its policy would have let pass after so long."""
        if saving.max_staleness is None or saving.mode == _ENFORCED:
            return saving
        last = self.passed.get(saving.policy)
        if last is not None and now - last <= saving.max_staleness:
            return saving
        self.passed[saving.policy] = now
        return replace(saving, suppressed=False, bytes=saving.trimmed) if saving.trimmed else None

    def admits(self, saving: Saving, version: int, content: int) -> bool:
        """True when it is to be counted, which is noted."""
        if version < self.version:
            return False
        if version > self.version:
            self.version, self.trimmed, self.would, self.content = version, False, False, None
        if saving.mode != _ENFORCED:
            known, self.would = self.would, True
        elif saving.suppressed:
            known, self.content = self.content in (content, _UNSURE), content
        else:
            known, self.trimmed = self.trimmed, True
        return not known


def _number(version: str) -> int | None:
    return int(version) if version.isascii() and version.isdecimal() and len(version) <= _LONGEST else None


def _content(submitted: Raw) -> int:
    """What a write says, as a number: everything but its metadata, where the API server notes the time."""
    checksum = 0
    for name, value in _MEMBERS.decode(submitted).items():
        if name != _METADATA:
            checksum = zlib.crc32(value, checksum)
    return checksum
