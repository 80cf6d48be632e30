"""The JSON Schema of a line of the decision log."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from admission.observe.entry import Entry
from admission.policyfile.jsonschema import headed

TITLE: Final = "Decision"


def entry_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one line. Later versions may add fields, so unknown ones are allowed."""
    schema = msgspec.json.schema(Entry)
    definitions = schema.pop("$defs")
    return headed(TITLE, {**definitions.pop(Entry.__name__), "$defs": definitions})
