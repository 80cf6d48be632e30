"""What asks an API server, read only; the one room that imports lightkube, and is itself imported late.

- :mod:`~admission.cluster.client`: the way there, and what becomes of lightkube's errors
- :mod:`~admission.cluster.crds`: the CRDs of a cluster, read once or followed
"""
