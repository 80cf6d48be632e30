"""Tests of the work on files."""
