"""Suites about the policy language, and what runs suites as tests: one test for each case."""
