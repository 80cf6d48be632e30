"""The JSON Schemas that ship beside the policies, for editors: ``policies/schemas/policy.json`` and ``suite.json``.

``python -m admission.offline.schemafiles --write`` writes them anew, ``--check`` fails when they are stale.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from admission.offline.suiteschema import suite_schema
from admission.policyfile.jsonschema import policy_schema

DIRECTORY: Final = Path(__file__).resolve().parents[2] / "policies" / "schemas"

SCHEMAS: Final[Mapping[str, Callable[[], Mapping[str, Any]]]] = {"policy": policy_schema, "suite": suite_schema}
"""How each of them is made, by its name."""


def texts() -> Mapping[str, str]:
    """The files by their names, as they have to be."""
    return {
        f"{name}.json": json.dumps(schema(), indent=1, ensure_ascii=False) + "\n" for name, schema in SCHEMAS.items()
    }


def main(arguments: Sequence[str] | None = None, directory: Path = DIRECTORY) -> int:
    """Write or check the files; returns the exit code."""
    parser = argparse.ArgumentParser(description="The JSON Schemas beside the policies.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write them anew")
    what.add_argument("--check", action="store_true", help="fail when they are stale")
    if parser.parse_args(arguments).write:
        directory.mkdir(exist_ok=True)
        for name, text in texts().items():
            (directory / name).write_text(text, encoding="utf-8")
        return 0
    stale = [name for name, text in texts().items() if _read(directory / name) != text]
    for name in stale:
        sys.stderr.write(f"policies/schemas/{name} is stale; write it anew with: make generate\n")
    return 1 if stale else 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
