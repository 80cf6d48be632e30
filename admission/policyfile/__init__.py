"""Policy files: YAML in, typed policies of the engine out, or every problem with file, line and what to write instead.

Follow a file through: :mod:`~admission.policyfile.yamlfile` reads documents with their line marks,
:mod:`~admission.policyfile.document` and :mod:`~admission.policyfile.models` (the steps) give them types,
:mod:`~admission.policyfile.problems` words what pydantic found, :mod:`~admission.policyfile.checks` and
:mod:`~admission.policyfile.conflicts` judge what needs more than one field or more than one policy, and
:mod:`~admission.policyfile.loader` puts them in order.
"""
