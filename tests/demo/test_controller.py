"""What a write would have taken in etcd, had it been stored as it was sent."""

from __future__ import annotations

import json

import pytest

from tests.controlplane.client import EtcdRecord
from tests.demo.controller import size_with, status_of

VALUE = b'{"apiVersion":"g/v1","metadata":{"name":"a"},"status":{"message":"a \\u003c b","count":2}}\n'


def record() -> EtcdRecord:
    """Return an object as the API server stores it: Go's JSON, and a line feed."""
    return EtcdRecord(VALUE, mod_revision=7, version=3)


def test_what_was_stored_as_sent_takes_what_it_takes() -> None:
    assert size_with(record(), status_of(record())) == len(VALUE)


@pytest.mark.parametrize(
    ("message", "more"),
    [
        pytest.param("a < b, or more", 9, id="longer"),
        pytest.param("a << b", 6, id="escaped by Go"),
        pytest.param("a", -9, id="shorter"),
    ],
)
def test_another_status_takes_what_go_would_write(message: str, more: int) -> None:
    status = {**status_of(record()), "message": message}
    assert size_with(record(), status) == len(VALUE) + more


def test_the_order_of_its_fields_takes_nothing() -> None:
    status = dict(reversed(status_of(record()).items()))
    assert json.dumps(status) != json.dumps(status_of(record()))
    assert size_with(record(), status) == len(VALUE)
