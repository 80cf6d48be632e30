"""From nothing to a running API server with statuscap in front of it, and noisy controllers to watch: ``make demo``.

``command`` is the way through it, top to bottom: ``stage`` brings up the servers and statuscap, ``kinds`` are what is
written (``jobs``, ``applications``, ``clusters``), a ``controller`` writes one object like its real one would and
keeps a ``tally`` of what etcd stored and would have stored, ``verdict`` compares it with what was promised, ``show``
prints, ``advice`` says what to try next. Imports point down in this order: ``command`` → ``advice``, ``show``,
``verdict`` → ``controller`` → ``stage`` → ``kinds`` → ``kind``, ``tally``, ``failure``, ``signals``.
"""
