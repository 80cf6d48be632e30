"""One random review after the other through the handler, bytes in and bytes out, judged by the oracle.

Every review has a number of its own from which it is made anew, so that a failure is repeated by its seed and number
alone. A failure is made small before it is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from admission.handler import Answer
from tests.engine.oracle import problems
from tests.fuzz.coverage import Coverage
from tests.fuzz.judging import Oracle, answer_to, wrong, wrong_with
from tests.fuzz.review import Review, make
from tests.fuzz.shrinking import smaller


@dataclass(slots=True)
class Summary:
    """What a run found; ``pairs`` of a policy and an object: a review has one for each of its policies."""

    reviews: int = 0
    pairs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    coverage: Coverage = field(default_factory=Coverage)

    def __str__(self) -> str:
        shares = ", ".join(f"{count} {name}" for name, count in self.outcomes.most_common())
        pairs = f"{self.pairs} pairs of a policy and an object"
        return f"{self.reviews} reviews, {pairs} ({shares}): {len(self.failures)} failed"

    def add(self, other: Summary) -> None:
        """Add what another run found."""
        self.reviews += other.reviews
        self.pairs += other.pairs
        self.outcomes += other.outcomes
        self.failures += other.failures
        self.coverage.add(other.coverage)


@dataclass(frozen=True, slots=True)
class Failure:
    """A review that was answered wrongly, as small as it could be made."""

    seed: int
    number: int
    review: Review
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        pair = self.review.pair
        policies = "\n".join(map(repr, pair.policies))
        lines = [
            f"repeat with: python -m tests.fuzz --seed {self.seed} --only {self.number}",
            *self.wrong,
            f"policies:\n{policies}",
            f"schema:\n{pair.openapi}",
            f"review:\n{self.review.body.decode(errors='backslashreplace')}",
        ]
        return "\n".join(lines)


def run(
    seed: int, numbers: Sequence[int], on_review: Callable[[], None] = lambda: None, oracle: Oracle = problems
) -> Summary:
    """Answer and judge the reviews of these numbers."""
    summary = Summary()
    for number in numbers:
        review = make(seed, number)
        summary.reviews += 1
        summary.pairs += len(review.pair.policies)
        if not _is_right(review, summary, oracle):
            smallest = smaller(review, oracle)
            summary.failures.append(Failure(seed, number, smallest, tuple(wrong(smallest, oracle))))
        on_review()
    return summary


def _is_right(review: Review, summary: Summary, oracle: Oracle) -> bool:
    """Judge a review, and count it."""
    try:
        answer = answer_to(review)
        summary.outcomes[_outcome(review, answer)] += 1
        summary.coverage.note(review, answer)
        return not wrong_with(review, answer, oracle)
    except Exception:  # told when it has been made small
        summary.outcomes["raised"] += 1
        return False


def _outcome(review: Review, answer: Answer) -> str:
    if review.damage:
        return f"damaged {answer.status}"
    return str(answer.decision.outcome) if answer.decision is not None else "undecided"
