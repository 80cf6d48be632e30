"""Random structural schemas that fit the random objects: some of what they demand holds, some does not."""

from __future__ import annotations

from tests.engine.build import Json
from tests.engine.strategies.dice import Dice, happens, pick

ROOTS = ("status", "report", "results", "conditions")


def a_text(dice: Dice) -> Json:
    made: dict[str, Json] = {"type": "string"}
    if happens(dice, 40):
        made["minLength"] = pick(dice, (1, 2, 20, 50, 80, 130))
    if happens(dice, 30):
        made["maxLength"] = pick(dice, (70, 3, 25, 0))
    if happens(dice, 5):
        made[pick(dice, ("allOf", "anyOf", "oneOf"))] = [{"maxLength": pick(dice, (50, 2))}, {"maxLength": 1_000}]
    if happens(dice, 10):
        made |= pick(dice, ({"pattern": "^.*$"}, {"format": "date-time"}, {"enum": ["Running", "Done"]}))
    return made


def an_object(dice: Dice, *required: str, **properties: Json) -> Json:
    """An object whose members are as given; each of ``required`` is demanded now and then."""
    made: dict[str, Json] = {"type": "object", "properties": properties}
    demanded = [name for name in required if happens(dice, 25)]
    if demanded:
        made["required"] = demanded
    if happens(dice, 10):
        made["minProperties"] = dice.number(1, 3)
    if happens(dice, 10):
        made[pick(dice, ("allOf", "anyOf", "oneOf"))] = [{"required": [name]} for name in required[:1]]
    return made


def a_list(dice: Dice, items: Json, *keys: str) -> Json:
    """A list; keyed or a set now and then."""
    made: dict[str, Json] = {"type": "array", "items": items}
    if happens(dice, 40):
        made["minItems"] = dice.number(1, 6)
    if happens(dice, 30):
        made["maxItems"] = dice.number(0, 4)
    if keys and happens(dice, 40):
        made |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [pick(dice, keys)]}
    elif happens(dice, 15):
        made["x-kubernetes-list-type"] = "set"
    if happens(dice, 5):
        made["allOf"] = [{"minItems": dice.number(1, 4)}]
    return made


def of_conditions(dice: Dice) -> Json:
    texts = {name: a_text(dice) for name in ("message", "reason", "lastTransitionTime", "transitionID")}
    return a_list(dice, an_object(dice, "message", "lastTransitionTime", **texts), "type")


def of_records(dice: Dice) -> Json:
    inner = a_list(dice, an_object(dice, "n"))
    return a_list(dice, an_object(dice, "m", "k", "type", m=a_text(dice), k=a_text(dice), l=inner), "id", "k")


def of_executors(dice: Dice) -> Json:
    """A map of entries; now and then some of them are named."""
    entry = an_object(dice, "m", "k", m=a_text(dice), k=a_text(dice))
    made: dict[str, Json] = {"type": "object", "additionalProperties": entry}
    if happens(dice, 25):
        made |= {"properties": {"exec-1": entry}, "required": ["exec-1"]}
    if happens(dice, 40):
        made["minProperties"] = dice.number(1, 6)
    return made


def of_a_status(dice: Dice) -> Json:
    nodes = {
        "executors": of_executors(dice),
        "conditions": of_conditions(dice),
        "message": a_text(dice),
        "history": of_records(dice),
    }
    return an_object(
        dice,
        "message",
        "extra",
        "nodes",
        conditions=of_conditions(dice),
        clusterConditions=of_conditions(dice),
        nodeConditions={"additionalProperties": of_conditions(dice)},
        history=of_records(dice),
        message=a_text(dice),
        set=a_list(dice, a_text(dice)),
        executors=of_executors(dice),
        nodes={"additionalProperties": an_object(dice, "message", "history", **nodes)},
    )


def a_schema(dice: Dice) -> Json:
    """The ``openAPIV3Schema`` of the sample kind."""
    return {
        "type": "object",
        "properties": {
            "status": of_a_status(dice),
            "report": of_a_status(dice),
            "results": of_records(dice),
            "conditions": of_conditions(dice),
        },
    }
