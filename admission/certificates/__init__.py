"""The certificates that statuscap makes for itself: what they are, and what to do next with them.

Pure: no files, no network, no clock. Time is an argument everywhere; only keys and serial numbers are drawn at random,
by the system.

- :mod:`~admission.certificates.keypair`: a certificate and its key
- :mod:`~admission.certificates.issuing`: makes CAs, and leaves for names
- :mod:`~admission.certificates.validity`: what a certificate is good for at a time
- :mod:`~admission.certificates.bundle`: the leaf that is served, and the CAs to trust for it
- :mod:`~admission.certificates.secretdata`: a bundle as a Secret holds it
- :mod:`~admission.certificates.published`: what the API server trusts
- :mod:`~admission.certificates.rotation`: from a bundle to the next one, in an order that keeps every leaf trusted
- :mod:`~admission.certificates.mending`: from whatever is in a Secret to a bundle
- :mod:`~admission.certificates.adoption`: which leaf a replica shows
- :mod:`~admission.certificates.overview`: what people want to know of it
"""
