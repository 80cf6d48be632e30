"""Review bytes in, review bytes out, whatever happens in between."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome, Reason, unchanged
from admission.engine.policy import PolicySet
from admission.errors import DocumentError
from admission.handler import Answer, Cause, Handler, Phase, Shed
from admission.review.ends import Ends
from tests.review_sample import UID, review

NOW = 1_767_225_600_000_000_000
NO_POLICIES = PolicySet.of([])
TRIMMED = Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/x"),))


def answering(decision: Decision) -> Callable[[PolicySet, Attributes, int], Decision]:
    return lambda policies, attributes, now: decision


def failing(error: BaseException) -> Callable[[PolicySet, Attributes, int], Decision]:
    def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        raise error

    return evaluate


def handler(evaluate: Callable[[PolicySet, Attributes, int], Decision]) -> Handler:
    return Handler(NO_POLICIES, lambda: NOW, evaluate)


def response_of(answer: Answer) -> dict[str, Any]:
    response: dict[str, Any] = json.loads(answer.body)["response"]
    return response


def deep(levels: int) -> bytes:
    return review(object="X").replace(b'"object":"X"', b'"object":' + b"[" * levels + b"]" * levels)


def test_answers_with_the_engines_verdict() -> None:
    answer = handler(answering(TRIMMED)).mutate(review())
    assert (answer.status, answer.uid, answer.decision, answer.fault) == (200, UID, TRIMMED, None)
    assert response_of(answer)["patchType"] == "JSONPatch"
    assert answer.attributes is not None
    assert answer.attributes.name == "train-mpi"


def test_the_engine_is_asked_with_the_policies_the_facts_and_the_time() -> None:
    asked: list[tuple[PolicySet, str, int]] = []

    def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        asked.append((policies, attributes.uid, now))
        return unchanged()

    answer = handler(evaluate).mutate(review())
    assert asked == [(NO_POLICIES, UID, NOW)]
    assert (answer.at, answer.policies) == (NOW, NO_POLICIES)


def test_the_real_engine_is_the_default() -> None:
    answer = Handler(NO_POLICIES).mutate(review())
    assert (answer.fault, response_of(answer)) == (None, {"uid": UID, "allowed": True})


def test_policies_are_replaced_between_two_reviews() -> None:
    asked: list[PolicySet] = []

    def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        asked.append(policies)
        return unchanged()

    used, other = handler(evaluate), PolicySet.of([])
    used.mutate(review())
    used.policies = other
    used.mutate(review())
    assert asked[0] is NO_POLICIES
    assert asked[1] is other


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        pytest.param(DocumentError("broken"), Cause.BAD_DOCUMENT, id="an object that cannot be read"),
        pytest.param(RecursionError(), Cause.TOO_DEEP, id="too deep"),
        pytest.param(MemoryError(), Cause.OUT_OF_MEMORY, id="out of memory"),
        pytest.param(KeyError("x"), Cause.ENGINE, id="a mistake of ours"),
        pytest.param(AssertionError(), Cause.ENGINE, id="a broken assumption"),
    ],
)
def test_a_fault_of_ours_lets_the_write_pass(error: Exception, cause: Cause) -> None:
    answer = handler(failing(error)).mutate(review())
    assert answer.status == 200
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert answer.decision == Decision(Outcome.SKIPPED, Reason.FAULT)
    assert answer.fault is not None
    assert answer.fault.cause is cause
    assert answer.attributes is not None


@pytest.mark.parametrize("text", [b'"\xff"', b'"caf\xe9"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'{"\xf4\x90\x80\x80":1}'])
def test_no_patch_holds_what_is_no_text(text: bytes) -> None:
    patch = (Op("replace", "/status/x", b'["\xc3\xa9",' + text + b"]"),)
    answer = handler(answering(Decision(Outcome.TRIMMED, patch=patch))).mutate(review())
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert answer.fault is not None
    assert answer.fault.cause is Cause.BAD_DOCUMENT


def test_a_verdict_that_cannot_be_written_lets_the_write_pass() -> None:
    answer = handler(answering(Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/\ud800"),)))).mutate(review())
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert answer.fault is not None


def test_an_interrupt_is_no_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        handler(failing(KeyboardInterrupt())).mutate(review())


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        pytest.param(review()[:400], Cause.UNDECODABLE, id="cut off"),
        pytest.param(deep(2_000), Cause.TOO_DEEP, id="too deep for the decoder"),
        pytest.param(deep(2_000_000), Cause.TOO_DEEP, id="four megabytes of brackets"),
        pytest.param(review(name=5), Cause.UNDECODABLE, id="a number as name"),
        pytest.param(review().replace(b"/v1", b"/v9"), Cause.UNDECODABLE, id="another version"),
        pytest.param(review(name="X").replace(b'"X"', b'"\xff"'), Cause.UNDECODABLE, id="bad UTF-8"),
    ],
)
def test_what_cannot_be_decoded_passes_by_the_uid_in_its_prefix(body: bytes, cause: Cause) -> None:
    answer = handler(answering(TRIMMED)).mutate(body)
    assert (answer.status, response_of(answer)) == (200, {"uid": UID, "allowed": True})
    assert answer.fault is not None
    assert answer.fault.cause is cause
    assert answer.attributes is None


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"\xff\xfe", b"[" * 100_000, review(uid=""), b"null", b'"text"', review()[:40]]
)
def test_what_has_no_uid_is_refused(body: bytes) -> None:
    for answer in (handler(answering(TRIMMED)).mutate(body), handler(answering(TRIMMED)).shed(body)):
        assert (answer.status, answer.decision, answer.uid) == (400, None, "")
        assert answer.body.endswith(b"\n")
        assert answer.fault is not None
        assert answer.fault.cause is Cause.BAD_REVIEW


@pytest.mark.parametrize("operation", ["DELETE", "CONNECT"])
def test_what_writes_no_object_is_not_evaluated(operation: str) -> None:
    answer = handler(failing(KeyError())).mutate(review(operation=operation, object=None))
    assert answer.decision == unchanged(Reason.NO_POLICY)


def test_sheds_with_the_right_uid_and_the_facts() -> None:
    answer = handler(failing(KeyError())).shed(review())
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert answer.decision == Decision(Outcome.SKIPPED, Reason.SHED)
    assert answer.attributes is not None
    assert answer.fault is None
    assert answer.shed is Shed.DEADLINE


def test_tells_why_it_shed() -> None:
    assert handler(answering(TRIMMED)).shed(review(), Shed.BYTES_IN_FLIGHT).shed is Shed.BYTES_IN_FLIGHT
    assert handler(answering(TRIMMED)).mutate(review()).shed is None


def test_sheds_what_cannot_be_decoded() -> None:
    answer = handler(failing(KeyError())).shed(deep(2_000))
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert (answer.shed, answer.fault) == (Shed.DEADLINE, None)


def test_sheds_what_was_not_kept_by_its_ends() -> None:
    answer = handler(failing(KeyError())).shed(Ends.of(review(dryRun=True)), Shed.BYTES_IN_FLIGHT)
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert answer.attributes is not None
    assert answer.attributes.request_dry_run


def test_sheds_by_the_uid_alone_when_the_envelope_is_too_long_to_be_kept() -> None:
    body = review(userInfo={"username": "someone", "groups": ["g" * 100] * 100})
    answer = handler(failing(KeyError())).shed(body)
    assert (response_of(answer), answer.attributes) == ({"uid": UID, "allowed": True}, None)
    assert answer.decision == Decision(Outcome.SKIPPED, Reason.SHED)


def test_sheds_a_review_that_somebody_else_wrote() -> None:
    members = json.loads(review())
    members["request"] = dict(sorted(members["request"].items()))  # the uid comes last
    answer = handler(failing(KeyError())).shed(json.dumps(members).encode())
    assert response_of(answer) == {"uid": UID, "allowed": True}
    assert answer.attributes is not None


def test_each_phase_asks_the_engine_of_its_own_and_says_which() -> None:
    asked = Handler(NO_POLICIES, lambda: NOW, answering(TRIMMED), answering(unchanged()))
    mutated, validated = asked.mutate(review()), asked.validate(review())
    assert (mutated.decision, mutated.phase) == (TRIMMED, Phase.MUTATING)
    assert (validated.decision, validated.phase) == (unchanged(), Phase.VALIDATING)
    assert asked.answer(review(), Phase.VALIDATING) == validated


def test_a_fault_in_the_validating_phase_lets_the_write_pass() -> None:
    answer = Handler(NO_POLICIES, lambda: NOW, answering(TRIMMED), failing(KeyError())).validate(review())
    assert (response_of(answer), answer.phase) == ({"uid": UID, "allowed": True}, Phase.VALIDATING)


@pytest.mark.parametrize("body", [review(), deep(2_000), b"{}"], ids=["a review", "too deep", "no review"])
def test_what_is_shed_or_cannot_be_read_has_its_phase_too(body: bytes) -> None:
    used = handler(answering(TRIMMED))
    answers = (used.validate(body), used.shed(body, phase=Phase.VALIDATING), used.mutate(body), used.shed(body))
    assert [answer.phase for answer in answers] == [*[Phase.VALIDATING] * 2, *[Phase.MUTATING] * 2]


def well_formed(answer: Answer) -> bool:
    if answer.status == 400:
        return answer.decision is None and answer.body.endswith(b"\n")
    return answer.status == 200 and response_of(answer)["uid"] == answer.uid and bool(answer.uid)


BODIES = st.one_of(
    st.binary(max_size=300),
    st.builds(lambda at, junk: review()[:at] + junk, st.integers(0, 2500), st.binary(max_size=40)),
    st.builds(lambda at, junk: review()[:at] + junk + review()[at + 1 :], st.integers(0, 2500), st.binary(max_size=3)),
)


@given(BODIES)
def test_any_bytes_get_a_well_formed_answer(body: bytes) -> None:
    assert well_formed(Handler(NO_POLICIES, lambda: NOW).mutate(body))
    assert well_formed(Handler(NO_POLICIES, lambda: NOW).validate(body))
    assert well_formed(Handler(NO_POLICIES, lambda: NOW).shed(body))
