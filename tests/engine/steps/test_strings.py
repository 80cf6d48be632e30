"""``truncate``: cut to the byte, between code points, with a marker that tells the truth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.decision import Op, Outcome, Reason
from admission.engine.measure import stored_size
from admission.engine.steps import Truncate
from admission.engine.steps.strings import DEFAULT_MARKER
from tests.engine.build import Json, custom_resource, decide, entry, go, judge, policy, trimmed, truncate, write
from tests.engine.oracle import cut_by_the_book


def cut(step: Truncate, text: str) -> str:
    return trimmed(step, {"message": text})["message"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("keep", "text", "expected"),
    [
        pytest.param("Head", "abcdefghij", "abcd[6]", id="the head"),
        pytest.param("Tail", "abcdefghij", "[6]ghij", id="the tail"),
        pytest.param("HeadAndTail", "abcdefghij", "ab[6]ij", id="both"),
        pytest.param("Head", "abcdefg", "abcdefg", id="exactly as long as allowed"),
        pytest.param("Head", "abcdefgh", "abcd[4]", id="one byte too long"),
        pytest.param("Head", "a" * 12, "aaaa[8]", id="one digit"),
        pytest.param("Head", "a" * 13, "aaaa[9]", id="the most that one digit counts"),
        pytest.param("Head", "a" * 14, "aaa[11]", id="two digits take a byte more"),
        pytest.param("Head", "é" * 10, "é[18]", id="a code point is not split"),
        pytest.param("Head", "aééééé", "aé[8]", id="nor after an odd start"),
        pytest.param("Tail", "éééééa", "[8]éa", id="nor at the tail"),
        pytest.param("HeadAndTail", "😀" * 5, "[20]", id="nothing fits: the marker alone"),
        pytest.param("HeadAndTail", "abc😀😀", "abc[8]", id="the tail cannot hold a code point"),
        pytest.param("HeadAndTail", "😀abcdefg", "[7]defg", id="what the head cannot use the tail can"),
        pytest.param("Head", "", "", id="an empty text"),
    ],
)
def test_keeps_what_fits_beside_the_marker(keep: str, text: str, expected: str) -> None:
    assert cut(truncate(7, keep=keep, marker="[{bytes}]"), text) == expected


def test_the_default_marker_says_how_many_bytes_are_gone() -> None:
    assert cut(truncate(48), "x" * 1000) == "x" * 18 + "… [statuscap: 982 bytes cut]"


def test_a_marker_need_not_count() -> None:
    assert cut(truncate(5, marker="…"), "x" * 1000) == "xx…"
    assert cut(truncate(5, marker=""), "x" * 1000) == "x" * 5


TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]) | st.sampled_from('<>&\u2028\n"\\é😀…a'), max_size=120
)


@given(TEXTS, st.integers(40, 90), st.sampled_from(["Head", "Tail", "HeadAndTail"]))
def test_cuts_as_the_rule_says(text: str, max_bytes: int, keep: str) -> None:
    step = truncate(max_bytes, keep=keep)
    expected = cut_by_the_book(text, max_bytes, keep, DEFAULT_MARKER)
    assert cut(step, text) == expected
    assert cut(step, expected) == expected
    assert len(expected.encode()) <= max(max_bytes, 0)
    assert stored_size(go(expected)) <= stored_size(go(text))


@given(st.text("é😀a€", max_size=40), st.integers(5, 20), st.sampled_from(["Head", "Tail", "HeadAndTail"]))
def test_cuts_wide_characters_as_the_rule_says(text: str, max_bytes: int, keep: str) -> None:
    marker = "[{bytes}]"
    assert cut(truncate(max_bytes, keep=keep, marker=marker), text) == cut_by_the_book(text, max_bytes, keep, marker)


@pytest.mark.parametrize("value", [None, 12345678901234567890, [1] * 40, {"a": "x" * 99}, True, "short"])
def test_only_long_texts_are_cut(value: Json) -> None:
    status = {"message": value}
    assert decide(truncate(40), status).patch == ()


def test_the_patch_says_the_new_text_as_go_would_write_it() -> None:
    text = '<&>\u2028\u2029\n\t\x01\x7f"\\é' + "x" * 99
    decision = decide(truncate(40, marker="…"), {"message": text})
    value = b'"\\u003c\\u0026\\u003e\\u2028\\u2029\\n\\t\\u0001\x7f\\"\\\\\xc3\xa9' + b"x" * 20 + "…".encode() + b'"'
    assert decision.patch == (Op("replace", "/status/message", value),)
    assert decision.bytes_after == len(b'{"message":}') + len(value)


@pytest.mark.parametrize("sent", ['"' + "\\u0061" * 9 + '"', '"' + "\\/" * 9 + '"', '"' + "\\ud83d\\ude00" * 3 + '"'])
def test_escapes_do_not_count_as_text(sent: str) -> None:
    assert judge(truncate(12, marker="…"), write(f'{{"status":{{"message":{sent}}}}}')).patch == ()
    assert judge(truncate(8, marker="…"), write(f'{{"status":{{"message":{sent}}}}}')).outcome is Outcome.TRIMMED


@pytest.mark.parametrize("name", ["type", "status", "reason"])
def test_what_machines_read_in_a_condition_is_never_cut(name: str) -> None:
    conditions = [{"type": "A"} | {name: "x" * 99, "message": "y" * 99}]
    both = truncate(10, f"status.conditions[*].{name}", "status.conditions[*].message", marker="…")
    assert trimmed(both, {"conditions": conditions}) == {"conditions": [conditions[0] | {"message": "y" * 7 + "…"}]}
    everything = truncate(10, "status.conditions[*].*", marker="…")
    assert trimmed(everything, {"conditions": conditions})["conditions"][0][name] == "x" * 99
    elsewhere = truncate(10, f"status.{name}", f"status.history[*].{name}", marker="…")
    cut = {name: "x" * 7 + "…"}
    assert trimmed(elsewhere, {name: "x" * 99, "history": [{name: "x" * 99}]}) == cut | {"history": [cut]}


def test_cuts_wherever_its_paths_lead() -> None:
    step = truncate(4, "status.nodes.*.m", "status.l[:-1]", "status.none", marker="…")
    status = {"nodes": {"a/b": {"m": "xxxxx"}, "~": {"m": "yyyyy"}, "c": {"n": "zzzzz"}}, "l": ["one 1", "two 2"]}
    decision = decide(step, status)
    assert [op.path for op in decision.patch] == ["/status/nodes/a~1b/m", "/status/nodes/~0/m", "/status/l/0"]
    report = decision.policies[0].steps[0]
    assert (report.path, report.items, report.found) == ("status.nodes.*.m, status.l[:-1], status.none", 3, True)
    assert report.bytes == decision.bytes_before - decision.bytes_after


def test_leaves_a_text_that_an_applier_shares_and_cuts_the_others() -> None:
    owned: Json = {"f:status": {"f:message": {}}}
    managed = [entry("argocd", owned, "Apply"), entry("controller", {"f:status": {"f:message": {}, "f:other": {}}})]
    status = {"message": "x" * 99, "other": "y" * 99}
    step = policy(truncate(10, "status.message", "status.other", marker="…"))
    decision = judge(step, write(custom_resource(status, managed=managed)))
    assert [op.path for op in decision.patch] == ["/status/other"]
    assert decision.policies[0].reason is Reason.CO_OWNED


@pytest.mark.parametrize(
    ("at_path", "found"),
    [
        ("status.message", True),
        ("status.mesage", False),
        ("status.conditions[*].message", True),
        ("status.conditions[*].other", False),
        ("status.conditions[*].phase", False),
        ("status.conditions[5].message", False),
        ("status.*", True),
        ("status.nodes.*.message", False),
        ("status['a<b']", True),
        ("status", True),
        ("status.none", False),
        ("status.null", True),
    ],
)
def test_a_short_text_is_found_too(at_path: str, found: bool) -> None:
    conditions = [{"type": "A"}, {"type": "B", "message": "short"}]
    status = {"message": "short", "conditions": conditions, "phase": "x", "a<b": "y", "null": None}
    assert decide(truncate(40, at_path), status).policies[0].steps[0].found is found
    assert not judge(truncate(40, "status.message"), write(custom_resource(None))).policies[0].steps[0].found


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("2026-01-01T00:00:00.123456789Z", False),
        ("2026-01-01T00:00:00+01:00", False),
        ("1234567890123456Ki", False),
        ("123456789012345678901234567890", False),
        ("0.00000000000000001e-12", False),
        ("2026-01-01T00:00:00Z and more", True),
        ("12345678901234567890 items", True),
        ("a1b2c3d4e5f6a1b2c3d4e5f6", True),
    ],
)
def test_times_and_quantities_are_never_cut(text: str, cut: bool) -> None:
    assert (trimmed(truncate(12, marker="…"), {"message": text})["message"] != text) is cut
