"""Tests of what the server is told."""
