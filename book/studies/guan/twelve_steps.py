"""Truncated Cauchy NMF by the shortcut: twelve gradient steps for each least squares problem.

The grids that compare rules, stops, starts and data use it. The verdicts on the paper's
tables use the printed algorithms (`literal`).
"""

from functools import partial

from rnmf_tutorial.published import guan

TruncatedCauchyNMF = partial(guan.TruncatedCauchyNMF, solver="nesterov")
