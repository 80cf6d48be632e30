"""What policies name is known of the objects that they look at."""

from __future__ import annotations

from admission.engine.instant import HOUR, MINUTE
from admission.engine.steps import STEPS
from admission.policyfile.convergence.mold import Mold
from admission.policyfile.convergence.molding import mold_of
from admission.policyfile.loader import load_policies
from admission.policyfile.models import STEP_MODELS
from tests.engine.build import (
    cap_conditions,
    cap_list,
    cap_map,
    dedupe,
    drop,
    expire,
    only,
    path,
    pin,
    policy,
    restore_times,
    truncate,
)
from tests.policyfile.sample import bent, read, with_step


def item(mold: Mold, at: str) -> Mold:
    inside = mold.at(path(at)).item
    assert inside is not None
    return inside


def test_a_cap_is_known_with_its_pins() -> None:
    mold = mold_of([policy(cap_list(10, first=2, pins=[pin("state In Deployed Failed", newest=3)]))])
    history = mold.at(path("status.history"))
    assert history.is_list
    assert history.counts >= {10, 2}
    assert list(item(mold, "status.history").members["state"].words) == ["Deployed", "Failed"]


def test_what_expires_is_known_with_its_age() -> None:
    mold = mold_of([policy(expire("2h", times=["at"], newest=3, pins=[pin("state In Running")]))])
    assert mold.at(path("status.history")).counts >= {3}
    members = item(mold, "status.history").members
    assert members["at"].ages == {2 * HOUR}
    assert list(members["state"].words) == ["Running"]


def test_a_capped_map_is_known_with_what_it_evicts_and_its_order() -> None:
    mold = mold_of(
        [policy(cap_map(4, "at Time", where=["state In Done"]), cap_map(2, at="status.texts", where=[". In x"]))]
    )
    assert (mold.at(path("status.nodes")).is_map, mold.at(path("status.nodes")).counts) == (True, {4})
    members = item(mold, "status.nodes").members
    assert members["at"].is_time
    assert list(members["state"].words) == ["Done"]
    assert list(item(mold, "status.texts").words) == ["x"]


def test_conditions_have_what_conditions_have() -> None:
    for step in (cap_conditions(5), restore_times(), cap_list(5, at="status.clusterConditions")):
        (place,) = step.paths
        members = item(mold_of([policy(step)]), str(place)).members
        assert {"type", "status", "lastTransitionTime", "message"} <= members.keys()
        assert members["lastTransitionTime"].is_time


def test_types_that_stay_are_words_of_the_type() -> None:
    members = item(mold_of([policy(cap_conditions(5, keep=["Stalled"]))]), "status.conditions").members
    assert "Stalled" in members["type"].words


def test_an_order_by_a_field_makes_it_a_time_or_a_number() -> None:
    timed = item(mold_of([policy(cap_list(5, "at Time"))]), "status.history").members["at"]
    numbered = item(mold_of([policy(cap_list(5, "id Number"))]), "status.history").members["id"]
    assert (timed.is_time, numbered.is_number) == (True, True)


def test_keys_and_ignored_fields_are_members_of_items() -> None:
    members = item(mold_of([policy(dedupe("First", ["name", "inner.id"]))]), "status.history").members
    assert members["name"].is_text
    assert members["inner"].members["id"].is_text
    assert "reason" in item(mold_of([policy(dedupe("First", ignoring=["reason"]))]), "status.history").members


def test_items_may_be_texts_themselves() -> None:
    assert item(mold_of([policy(dedupe("First", ["."]))]), "status.history").is_text


def test_a_cut_text_is_known_with_its_size() -> None:
    message = mold_of([policy(truncate(64, "status.conditions[*].message"))]).at(path("status.conditions[*].message"))
    assert message.is_text
    assert message.sizes == {64}


def test_what_is_dropped_is_there() -> None:
    assert "log" in mold_of([policy(drop("status.log"))]).members["status"].members


def test_requirements_tell_words_and_ages() -> None:
    mold = mold_of([policy(only("status.phase In Done", cap_list(1)), when=["status.endedAt OlderThan 5m"])])
    assert list(mold.at(path("status.phase")).words) == ["Done"]
    assert mold.at(path("status.endedAt")).ages == {5 * MINUTE}


def test_a_rule_tells_what_its_fields_hold_and_how_old_they_get() -> None:
    rules = [
        {"fields": ["status.seenAt"], "maxStaleness": "60s"},
        {"fields": ["status.size"], "maxStaleness": "60s", "within": {"percent": 5}},
        {"fields": ["status.note"], "maxStaleness": "60s", "anyValue": True},
    ]
    members = mold_of(read(bent(("spec.suppress", rules))).policies.policies).members["status"].members
    assert members["seenAt"].is_time
    assert members["seenAt"].ages == {MINUTE}
    assert members["size"].is_number
    assert members["note"].is_text


def test_something_is_known_of_every_step() -> None:
    """A new step is read by what its fields hold."""
    for kind in (step.kind for step in STEPS):
        loaded = read(with_step_of_example(kind))
        assert loaded.problems == ()
        (learnt,) = loaded.policies.policies
        assert mold_of([learnt]).members["status"].members


def with_step_of_example(kind: str) -> object:
    from admission.policyfile.yamlfile import load_documents

    (document,) = load_documents(STEP_MODELS[kind].example.encode(), kind)
    return with_step(kind, document.data[kind])


def test_all_that_policies_name_is_in_one_mold() -> None:
    mold = mold_of(load_policies(["preset:argocd-application"]).policies)
    assert mold.at(path("status.history")).counts >= {5, 2}
    assert mold.at(path("status.operationState.message")).sizes == {4096}
    assert "Succeeded" in mold.at(path("status.operationState.phase")).words
