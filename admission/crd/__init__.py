"""CRDs: what statuscap knows of the kinds that policies are for.

- :mod:`~admission.crd.definition`: one CRD as far as it matters
- :mod:`~admission.crd.demands`: what the engine needs of it
- :mod:`~admission.crd.shape`: what a schema says of one value
- :mod:`~admission.crd.catalogue`: many of them, by group and resource
- :mod:`~admission.crd.files`: those in files and directories
"""
