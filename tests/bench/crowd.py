"""Policies for resources that nobody sends: a set as large as one likes, of which one policy is for the reviews."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.bench.bodies import GROUP

_IN_ONE_GROUP: Final = 10  # as many resources as a large operator brings
_POLICY: Final = """\
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata:
  name: crowd-{number:04}
spec:
  mode: Enforce
  match:
    resources:
      - {{apiGroups: [{group}], resources: [things{number}/status]}}
  trim:
    - capConditions: {{path: status.conditions, max: 10}}
    - truncate: {{paths: ["status.conditions[*].message"], maxBytes: 1024}}
"""


def write_crowd(file: Path, count: int) -> Path:
    """Write ``count`` policies: the first ones for the group of the reviews, then ten for each other group."""
    groups = (GROUP, *(f"group{number}.example.com" for number in range(count // _IN_ONE_GROUP)))
    documents = (_POLICY.format(number=number, group=groups[number // _IN_ONE_GROUP]) for number in range(count))
    file.write_text("---\n".join(documents))
    return file
