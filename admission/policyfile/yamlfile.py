"""YAML 1.2 (core schema) with line marks, bounded, for files that people and tools write.

``NO``, ``on`` and dates are text, ``017`` is 17, ``0o17`` is 15; a key is always text. A key that occurs twice, a tag,
a number that JSON has not, an alias inside its own anchor and a document that grows too large (``MAX_NODES``) when its
aliases are written out are problems, never surprises.
"""

from __future__ import annotations

import re
from typing import Final

from admission.errors import PolicyError, Problem
from admission.policyfile.yamlreader import Reader, YamlDocument

_PAIR_IN_JSON: Final = re.compile(r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def parse_documents(content: bytes, file: str) -> tuple[list[YamlDocument], list[Problem]]:
    """Every document in ``content``, empty ones left out, and every problem with it.

    A document with a problem is left out; one that is no YAML ends the file, what stands before it is still read.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return [], [Problem(file, line, "", f"is no UTF-8 text (byte {error.start + 1}); save it as UTF-8")]
    if text.lstrip()[:1] in ("{", "["):  # JSON, whatever the file's name
        text = _PAIR_IN_JSON.sub(_code_point, text)
    return Reader(text, file).read()


def load_documents(content: bytes, file: str) -> list[YamlDocument]:
    """Every document in ``content``, empty ones left out.

    Raises:
        PolicyError: with every problem.
    """
    documents, problems = parse_documents(content, file)
    if problems:
        raise PolicyError(problems)
    return documents


def _code_point(match: re.Match[str]) -> str:
    r"""A pair of JSON escapes as the one that YAML knows (``\ud83d\ude00`` → ``\U0001f600``)."""
    if match[1] is None:
        return match[0]
    pair = chr(int(match[1], 16)) + chr(int(match[2], 16))
    return f"\\U{ord(pair.encode('utf-16', 'surrogatepass').decode('utf-16')):08x}"
