"""Tests of the steps in a policy file."""
