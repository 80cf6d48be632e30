"""What the server tells: the decision log, metrics and the process log. Nothing in here can change an answer.

- :mod:`~admission.observe.entry`: one line of the decision log
- :mod:`~admission.observe.sink`: where lines go
- :mod:`~admission.observe.decisionlog`: which answers are logged, through a bounded queue
- :mod:`~admission.observe.metrics`: the table of metrics and how an answer counts
- :mod:`~admission.observe.processlog`: what the process says about itself, on stderr
- :mod:`~admission.observe.observer`: tells all of them about one answer
"""
