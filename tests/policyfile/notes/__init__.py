"""Tests of what is hardly meant."""
