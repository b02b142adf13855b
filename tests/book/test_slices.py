"""A slice of the stored rows of the longer studies, computed again, is what is stored."""

import pytest

from rnmf_tutorial.data import available
from studies import diaz, guan, rerun, zhang

pytestmark = pytest.mark.long
#: Scores that change with a borderline face.
NEAR = {"ac": 0.05, "rate": 0.02, "found": 0.01}
#: Data that only a copy gives, and the studies of them.
ON_COPIES = {
    "yale64": (zhang.CASE_STUDY, zhang.CLUSTERING, zhang.CLUSTERING_BASELINES),
    "orl32": (guan.TABLES, guan.POSITIVE_NOISE, guan.RULE_TABLES),
}


@pytest.mark.parametrize(
    ("grid", "columns", "options"),
    [
        (diaz.TABLE_ORL, ["rre", "objective"], {"noise": ["Gaussian 0.01"], "method": ["L21NMF"]}),
        (diaz.STRANGERS, ["rre"], {}),
        (diaz.START, ["rre", "objective", "zeros"], {"init": ["nndsvd"]}),
        (zhang.BLOCKS, ["rre"], {"method": ["RobustNMF"]}),
        (zhang.RECOGNITION, ["objective"], {}),
        (zhang.RECOGNITION_BASELINES, [], {}),
        (zhang.CASE_STUDY, ["share"], {"method": ["RobustNMF"]}),
        (zhang.CLUSTERING, ["objective", "rre"], {"lam": [0.3]}),
        (zhang.CLUSTERING_BASELINES, [], {}),
        (guan.BREAKDOWN, ["rre"], {}),
        (guan.TABLES, ["rre", "objective"], {"noise": ["salt & pepper 20"]}),
        (guan.POSITIVE_NOISE, ["rre"], {"method": ["NeNMF"], "rtol": 0.02}),
        # Single precision, a hundred passes: other processors round differently.
        (guan.RULE_TABLES, ["rre", "objective"], {"rule": ["none"], "rtol": 0.02}),
    ],
    ids=lambda it: getattr(it, "name", ""),
)
def test_a_slice_gives_the_stored_rows(grid, columns, options):
    for copy, grids in ON_COPIES.items():
        if grid in grids and not available(copy):
            pytest.skip(f"{copy} is not at hand")
    assert rerun(grid, columns, near=NEAR, **options) > 0
