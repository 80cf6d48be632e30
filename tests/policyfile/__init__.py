"""Tests of the policy files' room."""
