"""The one use case: the bytes of a review in, the bytes of its answer out. Shared by the server, the CLI and tests.

Whatever goes wrong in here is ours, not the writer's: the answer is then "allow, no patch" with the right uid. Only a
body in which no uid can be found is refused, since nobody could be answered.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from typing import Final, TypeAlias

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Reason, skipped, unchanged
from admission.engine.evaluate import evaluate as evaluate_by_engine
from admission.engine.policy import PolicySet
from admission.engine.validate import validate as validate_by_engine
from admission.errors import DocumentError, ReviewError
from admission.review.answer import encode_answer
from admission.review.ends import Ends, decode_ends, uid_in_prefix
from admission.review.request import decode

Clock: TypeAlias = Callable[[], int]
"""Tells the time: nanoseconds since the epoch."""

Evaluate: TypeAlias = Callable[[PolicySet, Attributes, int], Decision]
"""The engine, as the handler needs it."""

EVALUATED_OPERATIONS: Final = frozenset({"CREATE", "UPDATE"})
"""Operations that write an object; others have no policy."""


class Cause(StrEnum):
    """What kind of thing went wrong, for a metric's label and for logging it once a minute."""

    BAD_REVIEW = "bad_review"
    UNDECODABLE = "undecodable"
    TOO_DEEP = "too_deep"
    BAD_DOCUMENT = "bad_document"
    OUT_OF_MEMORY = "out_of_memory"
    ENGINE = "engine"


class Shed(StrEnum):
    """Why a review is allowed unevaluated, for a metric's label."""

    DEADLINE = "deadline"
    BYTES_IN_FLIGHT = "bytes_in_flight"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a review was not evaluated to its end. ``error`` may hold parts of an object: never log its text blindly."""

    cause: Cause
    error: Exception


class Phase(StrEnum):
    """When the API server asks: to have an object changed, or, when nobody changes it any more, whether it may pass."""

    MUTATING = "mutating"
    VALIDATING = "validating"


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back, and everything that observers may want to tell about it.

    ``attributes`` and ``decision`` are None when the body is no review (``status`` 400); ``attributes`` alone is None
    when only its uid could be found. ``at`` is the time that the review was judged by, ``policies`` the set. ``shed``
    tells why it was not evaluated, if that was for overload, ``phase`` what the API server asked for.
    """

    status: int
    body: bytes
    at: int
    policies: PolicySet
    uid: str = ""
    attributes: Attributes | None = None
    decision: Decision | None = None
    fault: Fault | None = field(default=None, compare=False)
    shed: Shed | None = None
    phase: Phase = Phase.MUTATING


class Handler:
    """Answers reviews by a set of policies, which may be replaced at any time with one assignment to ``policies``."""

    def __init__(
        self,
        policies: PolicySet,
        clock: Clock = time.time_ns,
        evaluate: Evaluate = evaluate_by_engine,
        validate: Evaluate = validate_by_engine,
    ) -> None:
        """``evaluate`` and ``validate`` are the engine in its two phases; tests pass one that fails."""
        self.policies = policies
        self._clock = clock
        self._engine = {Phase.MUTATING: evaluate, Phase.VALIDATING: validate}

    def mutate(self, body: bytes) -> Answer:
        """Answer a review of the mutating phase. Never raises (but for an interrupt)."""
        return self.answer(body, Phase.MUTATING)

    def validate(self, body: bytes) -> Answer:
        """Answer a review of the validating phase: by limits alone, never with a patch. Never raises."""
        return self.answer(body, Phase.VALIDATING)

    def answer(self, body: bytes, phase: Phase) -> Answer:
        """Answer a review of a phase. Never raises (but for an interrupt)."""
        policies = self.policies
        at = self._clock()
        attributes: Attributes | None = None
        try:
            attributes = decode(body)
            decision = self._decide(policies, attributes, at, phase)
            encoded = encode_answer(attributes.uid, decision)
            attributes = attributes.closed()
        except Exception as error:  # a fault of ours must not become a failed write
            return _faulty(body, attributes, error, at, policies, phase)
        return Answer(HTTPStatus.OK, encoded, at, policies, attributes.uid, attributes, decision, phase=phase)

    def shed(self, body: bytes | Ends, why: Shed = Shed.DEADLINE, phase: Phase = Phase.MUTATING) -> Answer:
        """Allow a review unevaluated, because there is no time or no room left for it. Never raises.

        Of a body from the API server only the ends are looked at: overload is no time for more.
        """
        policies, at, decision = self.policies, self._clock(), skipped(Reason.SHED)
        ends = body if isinstance(body, Ends) else Ends.of(body)
        attributes: Attributes | None = None
        try:
            attributes = _envelope(ends, body)
        except Exception as error:
            uid = uid_in_prefix(ends.head)
            if uid is None:
                return _refused(error, at, policies, phase)
        else:
            uid = attributes.uid
        encoded = encode_answer(uid, decision)
        return Answer(HTTPStatus.OK, encoded, at, policies, uid, attributes, decision, shed=why, phase=phase)

    def _decide(self, policies: PolicySet, attributes: Attributes, at: int, phase: Phase) -> Decision:
        if attributes.operation not in EVALUATED_OPERATIONS:
            return unchanged(Reason.NO_POLICY)
        return self._engine[phase](policies, attributes, at)


def _envelope(ends: Ends, body: bytes | Ends) -> Attributes:
    try:
        return decode_ends(ends)
    except ReviewError:
        if isinstance(body, Ends) or uid_in_prefix(ends.head) is not None:
            raise
        return decode(body)  # somebody else's review, with its members in another order


def _faulty(
    body: bytes, attributes: Attributes | None, error: Exception, at: int, policies: PolicySet, phase: Phase
) -> Answer:
    """Allow what could not be evaluated; refuse what has no uid to answer to."""
    uid = uid_in_prefix(body) if attributes is None else attributes.uid
    if uid is None:
        return _refused(error, at, policies, phase)
    decision = skipped(Reason.FAULT)
    fault = Fault(_cause(error), error)
    encoded = encode_answer(uid, decision)
    return Answer(HTTPStatus.OK, encoded, at, policies, uid, attributes, decision, fault, phase=phase)


def _refused(error: Exception, at: int, policies: PolicySet, phase: Phase) -> Answer:
    status = error.status if isinstance(error, ReviewError) else HTTPStatus.BAD_REQUEST
    message = str(error) if isinstance(error, ReviewError) else "the body cannot be read and has no uid to answer to"
    fault = Fault(Cause.BAD_REVIEW, error)
    return Answer(status, f"{message}\n".encode(), at, policies, fault=fault, phase=phase)


_CAUSES: Final[tuple[tuple[type[Exception], Cause], ...]] = (
    (ReviewError, Cause.UNDECODABLE),
    (DocumentError, Cause.BAD_DOCUMENT),
    (RecursionError, Cause.TOO_DEEP),
    (MemoryError, Cause.OUT_OF_MEMORY),
)


def _cause(error: Exception) -> Cause:
    return next((cause for kind, cause in _CAUSES if isinstance(error, kind)), Cause.ENGINE)
