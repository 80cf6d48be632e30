"""Pre-filters: CEL by which the API server sees by itself that no policy has anything to do with a write."""

from __future__ import annotations

from admission.prefilter.condition import Need, Undecided, need_of, need_of_limits
from admission.prefilter.entry import Filter, filter_of

__all__ = ["Filter", "Need", "Undecided", "filter_of", "need_of", "need_of_limits"]
