"""What limits and rules that hold writes back do, in a sentence each."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from admission.engine.limits import Action, Items, Length, Limit, Size
from admission.engine.sides import Of
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import Amount, AnyValue, Percent
from admission.offline.explanation.wording import counted, duration, sentence, size, together
from admission.quantity import as_quantity

_KI: Final = 1024


def limit_told(limit: Limit, root: str) -> str:
    """What is too big, and what comes of it."""
    verb = "rejects a write" if limit.action is Action.REJECT else "warns of a write"
    return sentence(f"{verb} {_too_big(limit, root)}, unless it makes that no larger than what is stored")


def _too_big(limit: Limit, root: str) -> str:
    match limit.measure:
        case Size(of=of):
            what = root if of is Of.STATUS else "object"
            return f"after which the {what} takes more than {size(limit.most)}"
        case Items(path=path):
            return f"after which {path} has more than {counted(limit.most, 'item')}"
        case Length(path=path):
            return f"after which {path} has more than {counted(limit.most, 'character')}"
        case _:
            return f"that is above a limit of {limit.most}"


def rule_told(rule: SuppressRule) -> str:
    """What may wait, and for how long."""
    return sentence(
        f"holds a write back that changes nothing but {together(rule.fields)} ({_how_far(rule)}), as long as what is "
        f"stored there is at most {duration(rule.max_staleness)} old"
    )


def _how_far(rule: SuppressRule) -> str:
    match rule.tolerance:
        case Percent(share=share):
            return f"numbers, by at most {float(share):g} percent"
        case Amount(most=most):
            return f"numbers, by at most {_amount(most)}"
        case AnyValue():
            return "whatever they hold"
        case _:
            return "times"


def _amount(most: Fraction) -> str:
    exact = most.denominator == 1 and most % _KI == 0
    return as_quantity(int(most)) if exact else f"{float(most):g}"
