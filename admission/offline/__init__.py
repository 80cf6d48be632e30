"""The work on files: objects and reviews put through the real handler, suites, lint, manifests.

Nothing in here talks to a cluster or serves; what is printed is the business of :mod:`admission.cli`.
"""
