"""A diff shows what changed and where."""

from admission.offline.diff import unified
from admission.offline.gojson import tree_of_json


def test_equal_trees_have_no_diff() -> None:
    assert unified(tree_of_json(b'{"a":1,"b":2}'), tree_of_json(b'{"b":2,"a":1}'), "x", "y") == []


def test_a_number_written_otherwise_is_a_difference() -> None:
    assert unified(tree_of_json(b'{"a":1}'), tree_of_json(b'{"a":1.0}'), "x", "y")[-2:] == ["-a: 1", "+a: 1.0"]


def test_text_that_looks_like_a_number_is_a_difference() -> None:
    assert unified(tree_of_json(b'{"a":1}'), tree_of_json(b'{"a":"1"}'), "x", "y")[-2:] == ["-a: 1", '+a: "1"']


def test_what_is_absent_has_no_lines() -> None:
    assert unified(None, tree_of_json(b'{"a":1}'), "x", "y") == ["--- x", "+++ y", "@@ -0,0 +1 @@", "+a: 1"]
