"""Grids on a cluster: joblib hands the cells to Dask, and the rows are the same."""

import os

import joblib
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from rnmf_tutorial.evaluation import Grid, run
from studies.guan import BREAKDOWN


def cell(seed):
    """Return numbers that depend on the seed alone, and the process that found them."""
    A = np.random.default_rng(seed).random((30, 30))
    return {"norm": np.linalg.norm(A @ A), "process": os.getpid()}


GRID = Grid("cluster", cell, quick={"seed": list(range(6))}, paper={"seed": [0]})


@pytest.mark.slow
def test_a_local_cluster_computes_the_same_rows(tmp_path):
    here = run(GRID, n_jobs=1, progress=False)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        # The cluster decides how many cells run at once, whatever the number of jobs.
        there = run(GRID, results=tmp_path, n_jobs=1, progress=False)
        workers = set(client.run(os.getpid).values())
        # Its cell lives in the book: the workers have to find that module too.
        study = run(BREAKDOWN, n_jobs=1, progress=False)
    different = ["process", "seconds"]
    pd.testing.assert_frame_equal(there.drop(columns=different), here.drop(columns=different))
    assert set(there.process) <= workers
    assert len(workers) == 2
    alone = run(BREAKDOWN, n_jobs=1, progress=False)
    pd.testing.assert_frame_equal(study.drop(columns="seconds"), alone.drop(columns="seconds"))
