"""What a step does is told in a sentence or two."""

from __future__ import annotations

import pytest

from admission.engine.steps import STEPS, Step
from admission.offline.explanation.steps import DESCRIPTIONS, told
from tests.engine.build import (
    budget,
    cap_conditions,
    cap_list,
    cap_map,
    dedupe,
    drop,
    expire,
    fit_schema,
    only,
    pin,
    restore_times,
    truncate,
)


@pytest.mark.parametrize(
    ("step", "sentences"),
    [
        (
            cap_conditions(10),
            ["Keeps the newest 10 conditions of status.conditions; the newest of every type always stays."],
        ),
        (
            cap_conditions(5, keep=["Ready", "Synced"]),
            [
                (
                    "Keeps the newest 5 conditions of status.conditions; of the types Ready and Synced the "
                    "newest always "
                    "stays, of others none has to."
                )
            ],
        ),
        (
            cap_conditions(5, keep=[]),
            ["Keeps the newest 5 conditions of status.conditions; of no type one has to stay."],
        ),
        (
            cap_conditions(5, type_field="kind"),
            [
                (
                    "Keeps the newest 5 conditions of status.conditions; the newest of every type always stays, which "
                    "stands in kind."
                )
            ],
        ),
        (cap_list(1), ["Keeps 1 item of status.history; the last one is the newest."]),
        (cap_list(3, "NewestFirst"), ["Keeps 3 items of status.history; the first one is the newest."]),
        (
            cap_list(3, "at Time", first=1, last=2, pins=[pin("state In Running Waiting", newest=2), pin("a Exists")]),
            [
                "Keeps 3 items of status.history; the one with the latest at is the newest.",
                (
                    "Of them always stay, even when they are more: the first one; the last 2; items where "
                    "state is Running "
                    "or Waiting (the newest 2 of them); items where a is there."
                ),
            ],
        ),
        (
            cap_list(3, "id Number", at="status.conditions"),
            [
                "Keeps 3 items of status.conditions; the one with the highest id is the newest.",
                "Of them always stay, even when they are more: the newest condition of every type.",
            ],
        ),
        (
            cap_list(3, "id Natural"),
            [
                (
                    "Keeps 3 items of status.history; the one with the highest id, numbers in it counted as "
                    "numbers, is the "
                    "newest."
                )
            ],
        ),
        (
            expire("5m", times=["at"]),
            [
                (
                    "Removes items of status.history that are older than 5 minutes by their at; an item of "
                    "unknown age stays."
                ),
                "Of them always stay, even when they are more: the newest one.",
            ],
        ),
        (dedupe("Newest", ["type"]), ["Of items of status.history with the same type keeps the newest."]),
        (
            dedupe("First", ignoring=["at"], scope="Consecutive"),
            ["Of neighbours in status.history that are equal but for at keeps the first."],
        ),
        (
            dedupe("Last", ignoring=[], position="First"),
            ["Of items of status.history that are equal keeps the last, at the place of the first of them."],
        ),
        (
            cap_map(4),
            [
                "Keeps 4 entries of status.nodes; the highest key is the newest (exec-10 is newer than exec-9).",
            ],
        ),
        (
            truncate(32_000, "status.conditions[*].message", keep="HeadAndTail"),
            ["Cuts status.conditions[*].message to 32000 bytes, marker included; the start and the end stays."],
        ),
        (drop("status.log", "status.raw"), ["Removes status.log and status.raw."]),
        (
            restore_times(),
            [
                (
                    "Puts the stored lastTransitionTime back in status.conditions[*] where the stored one with "
                    "the same type "
                    "is equal but for its times and its observedGeneration."
                )
            ],
        ),
        (
            restore_times(unless=["status", "reason"]),
            [
                (
                    "Puts the stored lastTransitionTime back in status.conditions[*] where the stored one with "
                    "the same type "
                    "has the same status and reason."
                )
            ],
        ),
        (
            fit_schema("status.message", "status.history"),
            [
                (
                    "Cuts status.message and status.history to the maxLength and maxItems of the CRD; of strings and "
                    "lists the start stays."
                ),
                "Of conditions the newest of every type stays, and without the CRD nothing is cut.",
            ],
        ),
        (
            fit_schema(),
            [
                (
                    "Cuts all strings and lists of which the CRD limits the size to the maxLength and maxItems of the "
                    "CRD; of strings and lists the start stays."
                ),
                "Of conditions the newest of every type stays, and without the CRD nothing is cut.",
            ],
        ),
        (
            budget(2**20, drop("status.log"), only("status.phase In Done", cap_list(1)), of="Object"),
            [
                "While the whole object takes more than 1Mi, does this, one after the other.",
                "(1) Removes status.log.",
                ("(2) Keeps 1 item of status.history; the last one is the newest. Only while status.phase is Done."),
            ],
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else "",
)
def test_a_step_is_told(step: Step, sentences: list[str]) -> None:
    assert told(step) == sentences


def test_every_step_has_sentences_of_its_own() -> None:
    assert set(STEPS) <= set(DESCRIPTIONS)
