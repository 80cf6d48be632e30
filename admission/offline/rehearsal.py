"""A write put through the real handler, and what became of it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import jsonpatch
import jsonpointer
import msgspec

from admission.engine.decision import Decision
from admission.engine.evaluate import evaluate as evaluate_by_engine
from admission.engine.policy import PolicySet
from admission.engine.values import Object, Value
from admission.errors import ReviewError
from admission.handler import Evaluate, Fault, Handler
from admission.offline.gojson import tree_of_json
from admission.offline.write import Write


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What the webhook answers to a write, and the object that the API server would go on with.

    ``patch`` and ``result`` are trees. ``result`` is the submitted object with the patch applied by ``jsonpatch``;
    ``broken`` says why that failed, and is empty otherwise. ``code`` and ``message`` are a rejection's;
    ``message`` also tells why a write would have been rejected.
    """

    write: Write
    decision: Decision
    patch: list[Value]
    result: Object
    broken: str = ""
    code: int | None = None
    message: str = ""
    warnings: tuple[str, ...] = ()
    fault: Fault | None = None


class _Status(msgspec.Struct):
    code: int
    message: str = ""


class _Response(msgspec.Struct, rename="camel"):
    allowed: bool
    patch: str = ""
    status: _Status | None = None
    warnings: tuple[str, ...] = ()


class _Answer(msgspec.Struct):
    response: _Response


_ANSWER: Final = msgspec.json.Decoder(_Answer)


def rehearse(policies: PolicySet, write: Write, now: int, evaluate: Evaluate = evaluate_by_engine) -> Rehearsal:
    """Put a write through the handler at ``now`` (nanoseconds since the epoch), as the server would.

    ``evaluate`` is the engine; tests pass one that is wrong.

    Raises:
        ReviewError: the write makes no review that could be answered.
    """
    answer = Handler(policies, lambda: now, evaluate).mutate(write.review())
    if answer.decision is None:
        raise ReviewError(f"{write.source}: {answer.body.decode().strip()}", answer.status)
    response = _ANSWER.decode(answer.body).response
    patch = _patch_of(response)
    result, broken = _patched(write.submitted, patch)
    status = response.status or _Status(0)
    return Rehearsal(
        write,
        answer.decision,
        patch,
        result,
        broken,
        None if response.allowed else status.code,
        status.message or answer.decision.message,
        response.warnings,
        answer.fault,
    )


def _patch_of(response: _Response) -> list[Value]:
    ops = tree_of_json(base64.b64decode(response.patch)) if response.patch else []
    assert isinstance(ops, list), "a JSON Patch is a list"  # noqa: S101
    return ops


def _patched(submitted: Object, patch: Sequence[Value]) -> tuple[Object, str]:
    """Apply a patch as an independent judge does; scalars stay the bytes they are."""
    try:
        result = jsonpatch.JsonPatch([_as_op(op) for op in patch]).apply(submitted)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as error:
        return submitted, f"the patch does not apply: {error}"
    assert isinstance(result, dict), "an object stays one"  # noqa: S101
    return result, ""


def _as_op(op: Value) -> dict[str, Any]:
    """An operation as ``jsonpatch`` takes it: its words are text, its value stays a tree."""
    assert isinstance(op, dict), "an operation is an object"  # noqa: S101
    return {key: value if key == "value" else msgspec.json.decode(value) for key, value in op.items()}  # type: ignore[arg-type]
