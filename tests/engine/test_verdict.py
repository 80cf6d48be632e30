"""What a set of policies makes of one write."""

from __future__ import annotations

import json

import pytest

from admission.engine.decision import Outcome
from admission.engine.document import Document
from admission.engine.settle import settle
from admission.engine.values import encode
from tests.engine.build import NOW, Json, cap_list, custom_resource, entry, judge, limit, plain, policy, write

FIELDS: Json = {"f:status": {"f:history": {'k:{"id":1}': {"f:id": {}}, 'k:{"id":2}': {"f:id": {}}}}}


def test_pruning_is_counted_in_bytes_as_stored() -> None:
    sent = custom_resource({"history": [{"id": 1}, {"id": 2}]}, managed=[entry("controller", FIELDS)])
    attributes = write(sent)
    verdict = settle([policy(cap_list(1))], attributes, lambda: Document.of(attributes), NOW)
    assert verdict.pruned == len('"k:{\\"id\\":1}":{"f:id":{}},')


def test_the_first_excess_that_rejects_is_the_rejection() -> None:
    attributes = write(custom_resource({"history": [1, 2, 3]}))
    both = [limit(2, action="Warn"), limit(5)]
    verdict = settle([policy(limits=both)], attributes, lambda: Document.of(attributes), NOW)
    assert verdict.rejection is not None
    assert verdict.rejection in verdict.excess


def test_a_copy_starts_where_the_verdict_stands() -> None:
    attributes = write(custom_resource({"history": [1, 2, 3]}))
    verdict = settle([policy(cap_list(1))], attributes, lambda: Document.of(attributes), NOW)
    copy = verdict.copy()
    assert not copy.changed
    assert plain(copy.root_bytes("status")) == b'{"history":[3]}'


def test_a_copy_has_the_owners_that_the_verdict_leaves() -> None:
    sent = custom_resource({"history": [{"id": 1}, {"id": 2}]}, managed=[entry("controller", FIELDS)])
    attributes = write(sent)
    verdict = settle([policy(cap_list(1))], attributes, lambda: Document.of(attributes), NOW)
    left: Json = {"f:status": {"f:history": {'k:{"id":2}': {"f:id": {}}}}}
    assert json.loads(encode(verdict.copy().object["metadata"]))["managedFields"] == [entry("controller", left)]


@pytest.mark.parametrize("owned", [None, [entry("controller", {"f:status": {"f:history": {}}})]])
def test_a_copy_of_a_write_that_is_made_a_no_op_has_the_owners_that_are_stored(owned: Json) -> None:
    before = custom_resource({"history": [2]}, managed=owned)
    attributes = write(custom_resource({"history": [1, 2]}, managed=owned), before)
    verdict = settle([policy(cap_list(1))], attributes, lambda: Document.of(attributes), NOW)
    assert verdict.outcome is Outcome.SUPPRESSED
    assert json.loads(encode(verdict.copy().object["metadata"])) == before["metadata"]


def test_a_write_that_is_made_a_no_op_is_as_large_as_what_is_stored() -> None:
    before = custom_resource({"history": [3, 4]}, managed=[entry("controller", {"f:status": {"f:history": {}}})])
    owned: Json = {"f:status": {"f:history": {}} | {f"f:gone-{number}": {} for number in range(40)}}
    sent = custom_resource({"history": [1, 2, 3, 4]}, managed=[entry("controller", owned)])
    attributes = write(sent, before, subresource="")
    rule = policy(cap_list(2), limits=[limit(len(bytes(attributes.stored or b"")), "Object")])
    decision = judge(rule, attributes)
    assert decision.outcome is Outcome.SUPPRESSED
    assert decision.warnings == ()
