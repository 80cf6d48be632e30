"""What a right answer is. Each distinct answer is checked once; the loader compares the others with those."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

import jsonpatch
import msgspec
from jsonpointer import JsonPointerException

from tests.bench.bodies import KEPT_CONDITIONS, MESSAGE_BYTES, Body, Variant

_OK: Final = 200
_BESIDE_THE_STATUS: Final = ("apiVersion", "kind", "spec")


class WrongAnswerError(Exception):
    """A subject did not do its work; its speed means nothing then."""


def check(status: int, answer: bytes, uid: str, body: Body, *, trims: bool) -> None:
    """Check the answer to ``body``, sent with ``uid``. ``trims``: a body that is to be trimmed must be.

    Raises:
        WrongAnswerError: saying what is wrong with it.
    """
    response = _response(status, answer, uid)
    if not (trims and body.variant is Variant.TO_TRIM):
        _require("patch" not in response, "a patch although nothing is to be trimmed")
        return
    _require(response.get("patchType") == "JSONPatch", "no JSON Patch although there is something to trim")
    _check_result(body.submitted, _patched(body.submitted, response["patch"]))


def _response(status: int, answer: bytes, uid: str) -> dict[str, Any]:
    _require(status == _OK, f"HTTP status {status}: {answer[:200]!r}")
    try:
        review = msgspec.json.decode(answer, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise WrongAnswerError(f"no JSON object: {error}") from error
    _require(review.get("kind") == "AdmissionReview", "no AdmissionReview")
    _require(review.get("apiVersion") == "admission.k8s.io/v1", "not of admission.k8s.io/v1")
    response = review.get("response")
    if not isinstance(response, dict):
        raise WrongAnswerError("no response")
    _require(response.get("uid") == uid, f"uid {response.get('uid')!r}, expected {uid!r}")
    _require(response.get("allowed") is True, "not allowed")
    return response


def _patched(submitted: dict[str, Any], encoded: str) -> dict[str, Any]:
    try:
        operations = msgspec.json.decode(base64.b64decode(encoded, validate=True))
        result: dict[str, Any] = jsonpatch.apply_patch(submitted, operations)
    except (
        binascii.Error,
        msgspec.DecodeError,
        jsonpatch.JsonPatchException,
        JsonPointerException,
        TypeError,
    ) as error:
        raise WrongAnswerError(f"the patch does not apply: {error!r}") from error
    return result


def _check_result(submitted: dict[str, Any], result: dict[str, Any]) -> None:
    before, after = submitted["status"], result["status"]
    newest = before["conditions"][-KEPT_CONDITIONS:]
    _require(len(after["conditions"]) == KEPT_CONDITIONS, f"{len(after['conditions'])} conditions are left")
    for kept, expected in zip(after["conditions"], newest, strict=True):
        _check_condition(kept, expected)
    _require(_without(after, "conditions") == _without(before, "conditions"), "the rest of the status has changed")
    for member in _BESIDE_THE_STATUS:
        _require(result.get(member) == submitted.get(member), f"{member} has changed")


def _check_condition(kept: dict[str, Any], expected: dict[str, Any]) -> None:
    _require(_without(kept, "message") == _without(expected, "message"), "another condition than the newest is left")
    if len(expected["message"].encode()) <= MESSAGE_BYTES:
        _require(kept["message"] == expected["message"], "a short message has changed")
    else:
        _require(len(kept["message"].encode()) <= MESSAGE_BYTES, "a message is still too long")


def _without(members: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key != name}


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise WrongAnswerError(complaint)
