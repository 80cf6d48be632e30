"""Tests of AdmissionReview on the wire."""
