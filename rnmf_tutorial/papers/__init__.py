"""The papers' boxes: every printed algorithm as one plain function, in NumPy alone.

A box is a generator: arrays in, and after each pass it yields what the box carries. It never ends;
take as many passes as you want with :func:`itertools.islice`. X is features × samples, as in all
the papers, and every code line has the number of the line or equation that it is. Beside a box
stands its objective, ``<box>_objective``. Where a printed line is wrong, the corrected one stands,
and a comment says what is printed.

The boxes are the reference for the estimators, which do the same with less time and memory.

>>> from itertools import islice
>>> import numpy as np
>>> from rnmf_tutorial import papers
>>> X, W, H = np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones((2, 1)), np.ones((1, 2))
>>> *_, (W, H, S) = islice(papers.zhang.robust_nmf(X, W, H, lam=0.1), 50)
>>> bool(np.allclose(W @ H + S, X))
True
>>> bool(papers.zhang.robust_nmf_objective(X, W, H, S, lam=0.1) < 1e-10)
True
"""

from rnmf_tutorial.papers import cheng, diaz, guan, lee, regularized, zhang

__all__ = ["cheng", "diaz", "guan", "lee", "regularized", "zhang"]
