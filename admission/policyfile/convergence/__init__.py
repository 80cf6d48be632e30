"""Whether policies settle: each of them, and each pair that shares a resource, on samples made for them.

A policy settles when its result is left alone by it, sent again or stored; two settle when neither changes again what
both have left. The rounds of an evaluation protect the writes from those that do not; here somebody is told before.
Samples are made from what policies name (paths, caps, sizes, requirements, times), always the same ones for the same
policies.
"""

from __future__ import annotations

from admission.policyfile.convergence.judgement import QUICK, THOROUGH, Disagreement, Effort, Judgement, judge

__all__ = ["QUICK", "THOROUGH", "Disagreement", "Effort", "Judgement", "judge"]
