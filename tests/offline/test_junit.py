"""The XML is valid, whatever is in a name or a message."""

from xml.etree import ElementTree

from admission.offline.case import CaseResult
from admission.offline.expectation import Failure
from admission.offline.junit import to_junit
from admission.offline.suite import FileResult

PASSED = CaseResult("keeps <the> newest", "p.suite.yaml:7")
FAILED = CaseResult("cuts \x1b[31m & more", "p.suite.yaml:9", (Failure("status", "", ("-a: \x00", "+a: 1")),))


def test_counts_and_names_every_case() -> None:
    root = ElementTree.fromstring(
        to_junit([FileResult("p.suite.yaml", (PASSED, FAILED)), FileResult("q.suite.yaml", (PASSED,))])
    )
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "3", "1")
    assert [(suite.get("name"), suite.get("failures")) for suite in root] == [
        ("p.suite.yaml", "1"),
        ("q.suite.yaml", "0"),
    ]
    assert next(case.get("name") for case in root.iter("testcase")) == "keeps <the> newest"
    assert {(case.get("file"), case.get("line")) for case in root[0]} == {("p.suite.yaml", "7"), ("p.suite.yaml", "9")}


def test_what_xml_cannot_hold_is_replaced() -> None:
    root = ElementTree.fromstring(to_junit([FileResult("p", (FAILED,))]))
    failure = next(root.iter("failure"))
    assert failure.get("message") == "status"
    assert failure.text == "status\n-a: \ufffd\n+a: 1"


def test_a_problem_of_a_file_without_a_line_is_a_case() -> None:
    result = CaseResult("the suite can be read", "a:b.yaml", (Failure("file", "cannot be read"),))
    case = next(ElementTree.fromstring(to_junit([FileResult("a:b.yaml", (result,))])).iter("testcase"))
    assert (case.get("file"), case.get("line")) == ("a:b.yaml", None)


def test_remarks_are_the_output_of_their_file() -> None:
    root = ElementTree.fromstring(
        to_junit([FileResult("p", (PASSED,), ("schema: says nothing",)), FileResult("q", ())])
    )
    assert [suite.findtext("system-out") for suite in root] == ["schema: says nothing", None]
