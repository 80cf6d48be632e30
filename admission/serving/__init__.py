"""The server: reviews over TLS, probes beside them, and a life from start to drain.

- :mod:`~admission.serving.reviews`: what ``/mutate`` and ``/validate`` answer, as HTTP
- :mod:`~admission.serving.target`, :mod:`~admission.serving.body`: what a call asks for, and the bytes of its review
- :mod:`~admission.serving.connection`: whose turn it is on a connection, and how long its client may take
- :mod:`~admission.serving.connections`: how many there are, and which one makes room
- :mod:`~admission.serving.inflight`: the bytes that are held
- :mod:`~admission.serving.pieces`: large answers, held until they are read
- :mod:`~admission.serving.probes`: ``/healthz``, ``/readyz``, ``/metrics``
- :mod:`~admission.serving.listener`: accepts connections, and leaves descriptors for the probes
- :mod:`~admission.serving.lifecycle`: starting, ready, draining
- :mod:`~admission.serving.tls`: certificates from files, its own and those of its callers
- :mod:`~admission.serving.developmentpair`: a pair of its own for a test on this machine
- :mod:`~admission.serving.expiry`: warns of a certificate that nobody renews
- :mod:`~admission.serving.server`: puts them together: one replica
- :mod:`~admission.serving.policysource`: the policies that it was told to serve, at the start and when they change
- :mod:`~admission.serving.certificatesource`: the same of its certificate
- :mod:`~admission.serving.reload`: reads files again when they change, and keeps what is in use when they are wrong
- :mod:`~admission.serving.watch`, :mod:`~admission.serving.fingerprint`, :mod:`~admission.serving.notices`: see that
  files changed
- :mod:`~admission.serving.signals`: what ends it
- :mod:`~admission.serving.runner`: from settings to a running server, and to its exit code
"""
