"""What asks an API server; the one room that imports lightkube, and is itself imported late.

- :mod:`~admission.cluster.client`: the way there, and what becomes of lightkube's errors
- :mod:`~admission.cluster.crds`: the CRDs of a cluster, read once or followed
- :mod:`~admission.cluster.secret`: one Secret, written by compare-and-swap
- :mod:`~admission.cluster.configurations`: what the webhook configurations trust, and how they come to trust more
"""
