"""The directive ``public-names``: a table of what a module exports.

Every estimator gets a page of its own, with its name as address.
"""

from importlib import import_module
from inspect import isclass
from pathlib import Path

from docutils.statemachine import StringList
from sphinx.ext.autosummary import Autosummary

import rnmf_tutorial

PAGE = """{name}
{line}

{first}

.. currentmodule:: rnmf_tutorial

.. autoclass:: {name}
   :members: {members}
"""
METHODS = [
    "fit",
    "fit_transform",
    "transform",
    "inverse_transform",
    "score",
    "sweeps",
    "with_components",
    "robust_start",
]


def exported(module):
    """What a module offers, by name: of its `__all__`, or of all names, those of its own folder."""
    own = module.__name__
    names = getattr(module, "__all__", None) or vars(module)
    named = {x: getattr(module, x) for x in names if not x.startswith("_")}
    return {
        x: v for x, v in named.items() if getattr(v, "__module__", "").startswith(own)
    }


class PublicNames(Autosummary):
    required_arguments = 1
    has_content = False

    def run(self):
        name = self.arguments[0]
        public = [
            f"~{name}.{x}"
            for x, value in exported(import_module(name)).items()
            if callable(value)
        ]
        self.options["nosignatures"] = None
        self.content = StringList(public, source=name)
        return super().run()


def write_pages(app, config):
    """Write the page of each estimator, unless it is as it was."""
    folder = Path(app.srcdir, "book", "api", "models")
    folder.mkdir(exist_ok=True)
    for name, kind in exported(rnmf_tutorial).items():
        if isclass(kind) and issubclass(kind, Exception):
            continue
        text = PAGE.format(
            name=name,
            line="=" * len(name),
            first=kind.__doc__.strip().splitlines()[0],
            members=", ".join(x for x in METHODS if hasattr(kind, x)),
        )
        page = folder / f"{name}.rst"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("config-inited", write_pages)
    app.add_directive("public-names", PublicNames)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
