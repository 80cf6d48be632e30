"""The pure core: policies and facts in, a :class:`~admission.engine.decision.Decision` out.

Nothing in here reads a clock, a file, the environment or the network, logs, or keeps state between calls;
``tests/test_layers.py`` enforces it. Time enters as an argument (nanoseconds since the epoch).

Follow a write through: :mod:`~admission.engine.attributes` holds the facts of the request,
:mod:`~admission.engine.policy` picks the policies, :mod:`~admission.engine.document` is the working copy that the
:mod:`~admission.engine.steps` change, :mod:`~admission.engine.ownership` keeps ``managedFields`` in step,
:mod:`~admission.engine.invariants` re-checks the patch on its own reading of the bytes,
:mod:`~admission.engine.limits` judges what is still too big, :mod:`~admission.engine.settle` puts these in order, and
:mod:`~admission.engine.evaluate` applies the modes. :mod:`~admission.engine.validate` judges limits alone, when nobody
changes the object any more.
"""
