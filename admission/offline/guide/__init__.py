"""What every field of a policy, a suite and the decision log means, from their JSON Schemas."""

from __future__ import annotations

from admission.offline.guide.documents import NAMES, Found, look_up, paths_below
from admission.offline.guide.page import page

__all__ = ["NAMES", "Found", "look_up", "page", "paths_below"]
