"""A slice of the stored rows of the longer studies, computed again, is what is stored."""

import pytest

from rnmf_tutorial.data import available
from studies import diaz, guan, rerun, zhang
from tests.book.test_studies import GRIDS

pytestmark = pytest.mark.long
#: Scores that change with a borderline face.
NEAR = {"ac": 0.05, "rate": 0.02, "found": 0.01}


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
    if missing := [name for name in GRIDS[grid.name][1] if not available(name)]:
        pytest.skip(f"not here, see book/data.md: {', '.join(missing)}")
    assert rerun(grid, columns, near=NEAR, **options) > 0
