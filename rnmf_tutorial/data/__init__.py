"""Faces, other data sets, and ways to corrupt them."""

from rnmf_tutorial.data.corruption import (
    add_blocks,
    add_gaussian,
    add_laplace,
    add_salt_and_pepper,
)
from rnmf_tutorial.data.files import (
    DatasetNotAvailable,
    available,
    fetch,
    report_missing,
)
from rnmf_tutorial.data.loaders import (
    load_cbcl,
    load_indian_pines,
    load_kinetic,
    load_msrc,
    load_orl,
    load_umist,
    load_yale,
    load_yaleb,
)
from rnmf_tutorial.data.toy import (
    random_low_rank,
    toy_houses,
)

__all__ = [
    "DatasetNotAvailable",
    "add_blocks",
    "add_gaussian",
    "add_laplace",
    "add_salt_and_pepper",
    "available",
    "fetch",
    "load_cbcl",
    "load_indian_pines",
    "load_kinetic",
    "load_msrc",
    "load_orl",
    "load_umist",
    "load_yale",
    "load_yaleb",
    "random_low_rank",
    "report_missing",
    "toy_houses",
]
