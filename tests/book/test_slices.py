"""A slice of the stored rows of the longer studies, computed again, is what is stored."""

import pytest

from rnmf_tutorial.data import available
from studies import diaz, rerun, zhang

pytestmark = pytest.mark.long
#: Scores that change with a borderline face.
NEAR = {"ac": 0.05, "rate": 0.02, "found": 0.01}


@pytest.mark.parametrize(
    ("grid", "columns", "where"),
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
    ],
    ids=lambda it: getattr(it, "name", ""),
)
def test_a_slice_gives_the_stored_rows(grid, columns, where):
    on_yale = (zhang.CASE_STUDY, zhang.CLUSTERING, zhang.CLUSTERING_BASELINES)
    if grid in on_yale and not available("yale64"):
        pytest.skip("Yale is not at hand")
    assert rerun(grid, columns, near=NEAR, **where) > 0
