"""How long property tests look: the same examples every time, more of them on request."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# taken out: a server that a test starts would refuse it
EXAMPLES = int(os.environ.pop("STATUSCAP_FUZZ_EXAMPLES", "0"))

# Fixed examples make a red run repeatable; a long run (STATUSCAP_FUZZ_EXAMPLES=20000) looks for new ones.
# A shared machine may stop for longer than any deadline.
settings.register_profile(
    "statuscap", deadline=None, derandomize=EXAMPLES == 0, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("statuscap")
