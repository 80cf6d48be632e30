"""Results of suites as JUnit XML, which CI systems show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree  # it only writes here

from admission.offline.case import CaseResult
from admission.offline.suite import FileResult

_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, even escaped (https://www.w3.org/TR/xml/#charsets)."""


def to_junit(files: Sequence[FileResult]) -> str:
    """One document: a ``testsuite`` for each file, a ``testcase`` for each case, remarks as ``system-out``."""
    root = ElementTree.Element("testsuites", _counts([case for file in files for case in file.cases]))
    for file in files:
        suite = ElementTree.SubElement(root, "testsuite", {"name": _text(file.file), **_counts(file.cases)})
        for case in file.cases:
            _add_case(suite, file.file, case)
        if file.remarks:
            ElementTree.SubElement(suite, "system-out").text = _text("\n".join(file.remarks))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_case(suite: ElementTree.Element, file: str, result: CaseResult) -> None:
    source, _, line = result.source.rpartition(":")
    place = {"file": _text(source), "line": line} if source and line.isdecimal() else {"file": _text(result.source)}
    case = ElementTree.SubElement(suite, "testcase", {"name": _text(result.name), "classname": _text(file), **place})
    if not result.passed:
        first = _text(str(result.failures[0]).partition("\n")[0])
        failure = ElementTree.SubElement(case, "failure", {"message": first})
        failure.text = _text("\n\n".join(map(str, result.failures)))


def _counts(results: Sequence[CaseResult]) -> dict[str, str]:
    failed = sum(not result.passed for result in results)
    return {"tests": str(len(results)), "failures": str(failed), "errors": "0"}


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
