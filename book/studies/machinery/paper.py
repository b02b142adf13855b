"""What a paper has to say of itself to stand on the scoreboard."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True)
class Paper:
    """One paper whose claims are rerun; its study has it under the name `PAPER`.

    `number` is its place in the book, `name` the one that the scoreboard and the slips
    use, `key` that of the bibliography, `chapter` the notebook in `book`, `box` the
    module in `rnmf_tutorial.papers`. Each of `rows` is a function that returns rows of
    the scoreboard, and `digits` is how many its printed numbers have, None if it prints
    none. `robust` is one of the papers on robust NMF, which some pages count.
    `equations` is the number of its last equation and `algorithms` has the names of its
    algorithms: of each the chapter says where it is, in a table *Equation by equation*.
    `left_out` has the places without a row and why, `silent` claims and questions that
    have none, and why.
    """

    number: int
    name: str
    key: str
    chapter: str
    box: str
    rows: tuple[Callable, ...]
    digits: int | None = None
    robust: bool = False
    equations: int = 0
    algorithms: tuple[str, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    silent: dict[str, str] = field(default_factory=dict)


def studies():
    """Name -> module, of every study in the folder that has grids."""
    import studies as package

    names = sorted(module.name for module in iter_modules(package.__path__))
    modules = {
        name: import_module(f"studies.{name}") for name in names if name != "__main__"
    }
    return {
        name: module for name, module in modules.items() if hasattr(module, "GRIDS")
    }


def papers():
    """Every paper that a study declares, in the order of the book."""
    found = [study.PAPER for study in studies().values() if hasattr(study, "PAPER")]
    return sorted(found, key=lambda paper: paper.number)
