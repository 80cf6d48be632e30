"""What the server tells: the decision log, metrics and the process log. Nothing in here can change an answer.

- :mod:`~admission.observe.entry`: one line of the decision log
- :mod:`~admission.observe.identity`: which object a line is about
- :mod:`~admission.observe.entryschema`: the JSON Schema of a line
- :mod:`~admission.observe.archive`: lines that hold what was removed
- :mod:`~admission.observe.sink`: where lines go
- :mod:`~admission.observe.logfile`, :mod:`~admission.observe.rotation`: a file that is rotated
- :mod:`~admission.observe.decisionlog`: which answers are logged, through a bounded queue
- :mod:`~admission.observe.metric`: the table of metrics
- :mod:`~admission.observe.labels`: their labels, which have few values
- :mod:`~admission.observe.distribution`: those that tell how values are spread
- :mod:`~admission.observe.series`: the series of all of them, for a scrape
- :mod:`~admission.observe.metrics`: how an answer counts, and what happens to the server
- :mod:`~admission.observe.saving`: what one decision saves
- :mod:`~admission.observe.ledger`: what all of them save, each write once
- :mod:`~admission.observe.creations`: which creations are new
- :mod:`~admission.observe.fights`: writers that put back what is taken from them
- :mod:`~admission.observe.typos`: paths that never lead anywhere
- :mod:`~admission.observe.processlog`: what the process says about itself, on stderr
- :mod:`~admission.observe.observer`: tells all of them about one answer
"""
