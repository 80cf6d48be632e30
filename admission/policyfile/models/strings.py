"""Steps for strings in a policy file."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from pydantic import Field, ValidationInfo, field_validator

from admission.engine.steps import Step, Truncate
from admission.engine.steps.strings import BYTES, DEFAULT_MARKER, MOST_DIGITS, KeepPart
from admission.policyfile.fields import Bytes, Path, Some, Word
from admission.policyfile.models.base import StepModel
from admission.policyfile.wording import quote

ESCAPED_BY_GO: Final = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')
"""What Go's JSON escapes, and etcd therefore stores longer than it is."""


class TruncateModel(StepModel):
    """Cuts strings that are longer than `maxBytes`, never inside a character.

    The marker stands where text was cut. A condition's `type`, `status`, `reason` and `observedGeneration` are read by
    machines and never cut.
    """

    step: ClassVar[type[Step]] = Truncate
    example: ClassVar[str] = 'truncate: {paths: ["status.conditions[*].message"], maxBytes: 32000, keep: Head}'

    paths: Some[Path] = Field(description="The strings.")
    max_bytes: Bytes = Field(description="The longest that a string may be, in bytes of UTF-8, marker included.")
    keep: Word[KeepPart] = Field(default=KeepPart.HEAD, description="The part that stays.")
    marker: str = Field(
        default=DEFAULT_MARKER, description="What stands where text was cut; `{bytes}` is how many bytes are gone."
    )

    @field_validator("marker")
    @classmethod
    def _fits(cls, marker: str, info: ValidationInfo) -> str:
        if escaped := ESCAPED_BY_GO.search(marker):
            raise ValueError(f"the character {quote(escaped[0])} takes more bytes in etcd than here; leave it out")
        longest = len(marker.replace(BYTES, "9" * MOST_DIGITS).encode())
        room = info.data.get("max_bytes", longest)
        if longest > room:
            raise ValueError(
                f"takes up to {longest} bytes, maxBytes is {room}; raise maxBytes or write a shorter marker"
            )
        return marker

    def compile(self) -> Truncate:
        """The engine's step."""
        return Truncate(self.paths, self.max_bytes, self.keep, self.marker)
