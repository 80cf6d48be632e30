"""What a writer gets to read beside the answer."""

from __future__ import annotations

from admission.engine.policy import Mode, Policy
from tests.engine.build import (
    Json,
    at,
    cap_list,
    decide,
    policy,
    restore_times,
    suppress,
)

FIVE: Json = {"history": [1, 2, 3, 4, 5], "phase": "Running"}


def numbers(*items: int, phase: str = "Running") -> Json:
    return {"history": list(items), "phase": phase}


def test_a_warning_says_which_policy_and_how_much() -> None:
    warning = decide(policy(cap_list(2), mode=Mode.WARN, name="keep-two"), FIVE).warnings
    assert warning == ("statuscap: policy keep-two would remove 6 bytes of the status (3 items removed or cut)",)
    one = decide(policy(cap_list(4), mode=Mode.WARN, name="keep-four"), FIVE).warnings
    assert one == ("statuscap: policy keep-four would remove 2 bytes of the status (1 item removed or cut)",)
    no_op = decide(policy(cap_list(2), mode=Mode.WARN, name="keep-two"), FIVE, numbers(4, 5)).warnings
    assert no_op == (
        "statuscap: policy keep-two would make this write a no-op: trimmed, the status equals the stored one",
    )


def test_a_warning_tells_bytes_as_a_rejection_does() -> None:
    log = {"history": ["x" * 1021, "y"]}
    (warning,) = decide(policy(cap_list(1), mode=Mode.WARN, name="w"), log).warnings
    assert warning == "statuscap: policy w would remove 1Ki of the status (1 item removed or cut)"


def test_a_warning_says_why_a_write_would_be_held_back() -> None:
    def beating(minute: int) -> Json:
        return {"lastActiveTime": at(minute), "history": [1, 2]}

    held = policy(cap_list(2), suppress=[suppress()], mode=Mode.WARN, name="w")
    beat = ("statuscap: policy w would make this write a no-op: what is new in the status may wait",)
    assert decide(held, beating(720), beating(719)).warnings == beat
    trimmed = {**beating(720), "history": [0, 1, 2]}
    assert decide(held, trimmed, beating(719)).warnings == beat


def test_a_warning_tells_times_that_go_back_apart_from_what_goes() -> None:
    def condition(minute: int) -> Json:
        return {"type": "A", "lastTransitionTime": at(minute)}

    sent, stored = {**FIVE, "conditions": [condition(9)]}, {"conditions": [condition(1)]}
    restoring = policy(restore_times(), mode=Mode.WARN, name="w")
    assert decide(restoring, sent, stored).warnings == ("statuscap: policy w would put 1 stored time back",)
    both = policy(restore_times(), cap_list(2), mode=Mode.WARN, name="w")
    assert decide(both, sent, stored).warnings == (
        "statuscap: policy w would remove 6 bytes of the status (3 items removed or cut) and put 1 stored time back",
    )


def test_warnings_are_few_short_and_of_one_line() -> None:
    named: list[Policy] = [policy(cap_list(2), mode=Mode.WARN, name=f"p{n:02}\t\n" + "x" * 300) for n in range(12)]
    warnings = decide(named, FIVE).warnings
    assert len(warnings) == 8
    assert all(len(text) <= 256 and text.isprintable() for text in warnings)
    assert [text[18:21] for text in warnings] == [f"p{n:02}" for n in range(8)]


def test_a_policy_that_would_do_nothing_warns_of_nothing() -> None:
    assert decide(policy(cap_list(9), mode=Mode.WARN), FIVE).warnings == ()
