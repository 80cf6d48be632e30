"""The tests of statuscap; the folders mirror ``admission/``."""
