"""Random policies and random writes that are shaped like what policies are for.

Everything is rolled with :class:`Dice`, so that hypothesis (which shrinks what it finds) and a seeded long run draw
from one source: repeated condition types, odd times, ``null``, nested lists and maps, names that need escapes, texts
that Go escapes, integers beyond 2^53, empty containers, ``managedFields`` that fit the object and some that do not.
"""

from tests.engine.strategies.dice import Dice, Drawn, Seeded, happens, pick
from tests.engine.strategies.pairs import a_pair
from tests.engine.strategies.policies import some_policies

__all__ = ["Dice", "Drawn", "Seeded", "a_pair", "happens", "pick", "some_policies"]
