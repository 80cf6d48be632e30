"""The policies that ship: inside the wheel, or in a checkout's own ``policies/``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from admission.errors import PolicyError
from admission.nearest import nearest
from admission.policyfile.wording import one_of, quote

PREFIX: Final = "preset:"
SUITE_SUFFIX: Final = ".suite.yaml"
_SUFFIX: Final = ".yaml"
_MOST_MEANT: Final = 4
_FOR_EDITORS: Final = "# yaml-language-server:"
"""Begins the line that tells an editor where the schema is: beside the presets, and nowhere else."""


def presets_directory() -> Path:
    """Where the presets are: ``admission/presets`` of an installed wheel, else ``policies`` of the checkout."""
    package = Path(str(files("admission")))
    installed = package / "presets"
    return installed if installed.is_dir() else package.parent / "policies"


def preset_names() -> tuple[str, ...]:
    """The names of all presets, sorted: of ``NAME.yaml``, without ``NAME.suite.yaml``."""
    found = presets_directory().glob(f"*{_SUFFIX}")
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in found if not path.name.endswith(SUITE_SUFFIX)))


def preset_path(name: str) -> Path:
    """The file of a preset.

    Raises:
        PolicyError: there is none of that name.
    """
    names = preset_names()
    if name not in names:
        guesses = [f"{PREFIX}{each}" for each in _meant(name, names)]
        ask = f"did you mean {one_of(guesses)}?" if guesses else "`statuscap presets list` names them all"
        raise PolicyError(f"{PREFIX}{name}: there is no preset {quote(name)}; {ask}")
    return presets_directory() / f"{name}{_SUFFIX}"


def _meant(name: str, names: Sequence[str]) -> Sequence[str]:
    """The nearest name; where none is near, those that begin with it (``volcano``)."""
    guess = nearest(name, names)
    return [guess] if guess else [each for each in names if name and each.startswith(name)][:_MOST_MEANT]


def preset_text(name: str) -> str:
    """The text of a preset to keep elsewhere: without the line that leads an editor to the schema beside it.

    Raises:
        PolicyError: there is none of that name.
    """
    lines = preset_path(name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_FOR_EDITORS))
