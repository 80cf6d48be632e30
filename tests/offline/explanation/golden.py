"""How every preset is explained, as text files to read: ``told/NAME.txt``.

``python -m tests.offline.explanation.golden --write`` writes them anew, ``--check`` fails when they are stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from admission.offline.explanation import Explanation
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import preset_names, preset_path

TOLD: Final = Path(__file__).parent / "told"


def explained() -> Mapping[str, str]:
    """The text of every preset by its name; without the place of its file, which moves with every comment."""
    return {name: _text(name) for name in preset_names()}


def _text(name: str) -> str:
    path = preset_path(name)
    lines = [line for policy in load_policies([path]).policies for line in Explanation.of(policy).lines()]
    return "\n".join(line.partition(f" ({path}")[0] for line in lines) + "\n"


def kept() -> Mapping[str, str]:
    """The texts that are there."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(TOLD.glob("*.txt"))}


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; returns the exit code."""
    parser = argparse.ArgumentParser(description="How presets are explained.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write the files anew")
    what.add_argument("--check", action="store_true", help="fail when they are stale")
    if parser.parse_args(arguments).write:
        for stale in kept().keys() - explained().keys():
            (TOLD / f"{stale}.txt").unlink()
        for name, text in explained().items():
            (TOLD / f"{name}.txt").write_text(text, encoding="utf-8")
    elif kept() != explained():
        sys.stderr.write("tests/offline/explanation/told is stale; write it anew with: make generate, and read it\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
