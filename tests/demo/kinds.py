"""The kinds of the demo, in the order of its table."""

from __future__ import annotations

from typing import Final

from tests.demo.applications import Applications
from tests.demo.clusters import Clusters
from tests.demo.jobs import Jobs
from tests.demo.kind import Kind

KINDS: Final[tuple[Kind, ...]] = (Jobs(), Applications(), Clusters())
