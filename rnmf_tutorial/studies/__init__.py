"""The experiments of the chapters: one module per paper, each a few declared grids.

``python -m rnmf_tutorial.studies --help`` lists them; the command finishes or remakes their
results.
"""

from rnmf_tutorial.studies import cheng, choosing, diaz, guan, sparse, zhang

#: Chapter -> its grids.
STUDIES = {
    "zhang": zhang.GRIDS,
    "diaz": diaz.GRIDS,
    "guan": guan.GRIDS,
    "sparse": sparse.GRIDS,
    "cheng": cheng.GRIDS,
    "choosing": choosing.GRIDS,
}

__all__ = ["STUDIES"]
