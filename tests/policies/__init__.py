"""Tests of the policies that ship."""
