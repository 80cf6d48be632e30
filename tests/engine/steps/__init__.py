"""The steps, one table of small cases each."""
