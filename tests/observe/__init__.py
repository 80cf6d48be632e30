"""Tests of what the server tells."""
