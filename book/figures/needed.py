"""Say what is not installed where a notebook runs, before an import fails."""

from importlib.util import find_spec
from pathlib import Path

NEEDED = "rnmf_tutorial", "matplotlib", "ipywidgets", "pytest"
if missing := [name for name in NEEDED if not find_spec(name)]:
    raise ModuleNotFoundError(
        f"Not installed where this notebook runs: {', '.join(missing)}. Run `%pip install -e "
        f'"{Path(__file__).parents[2]}[figures]" pytest` in a cell, then restart the kernel.'
    )
