"""An editable installation is one of the book: a Jupyter server there shows pages as readers see
them, by `tools/rnmf_book`. All else is in pyproject.toml."""

import sys

from setuptools import Distribution, setup


class OfTheBook(Distribution):
    has_data = (
        Distribution.has_data_files
    )  # what editable_wheel asks before it installs them


if "editable_wheel" in sys.argv:
    folder = "jupyter_server_config.d"
    setup(
        distclass=OfTheBook,
        package_dir={"rnmf_book": "tools/rnmf_book"},
        py_modules=["rnmf_book"],
        data_files=[
            (f"etc/jupyter/{folder}", [f"tools/jupyter/{folder}/rnmf_book.json"])
        ],
    )
else:
    setup()
