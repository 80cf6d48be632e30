"""Whether what was promised is true of what etcd holds, kind by kind."""

from __future__ import annotations

from admission.cli.amounts import count
from tests.demo.controller import Controller, status_of
from tests.demo.kind import Promise
from tests.demo.tally import Tally


async def promises(controller: Controller) -> list[Promise]:
    """Return every promise about one controller's object; nothing is written."""
    stored = status_of(await controller.stored())
    refused = await controller.acceptable()
    return [
        taken(controller.tally),
        *about_object(controller, stored),
        held_back(controller.tally),
        Promise("the API server takes the stored object as it is", not refused, refused or "yes"),
    ]


def about_object(controller: Controller, stored: dict[str, object]) -> list[Promise]:
    """Return the kind's own promises; a status that lacks what they look at breaks them all."""
    try:
        return controller.kind.promises(controller.last, stored)
    except LookupError as error:
        return [Promise("the status is whole", False, f"{error} is missing from what is stored")]


def taken(tally: Tally) -> Promise:
    well = tally.writes - len(tally.refused)
    why = f": {tally.refused[0]}" if tally.refused else ""
    return Promise("every write was taken", not tally.refused, f"{well} of {tally.writes}{why}")


def held_back(tally: Tally) -> Promise:
    """Return that no repeat moved the resourceVersion, whether statuscap or the API server itself held it back."""
    return Promise(
        "writing the same again never reached etcd",
        not tally.reached,
        f"{count(tally.repeats, 'repeat')}, {tally.reached:,} reached it",
    )
