"""The directive ``public-names``: a table of what a module's ``__all__`` has.

The page that autosummary writes for an estimator has its name as address.
"""

from importlib import import_module

from docutils.statemachine import StringList
from sphinx.ext.autosummary import Autosummary

import rnmf_tutorial


class PublicNames(Autosummary):
    required_arguments = 1
    has_content = False

    def run(self):
        name = self.arguments[0]
        module = import_module(name)
        public = [
            f"~{name}.{x}"
            for x in module.__all__
            if callable(getattr(module, x)) and not x.isupper()
        ]
        self.options["nosignatures"] = None
        self.content = StringList(public, source=name)
        return super().run()


def describe(app, config):
    """Give the template of an estimator's page its address and first line."""
    names = [x for x in rnmf_tutorial.__all__ if not x.startswith("_")]
    config.autosummary_filename_map = {f"rnmf_tutorial.{x}": x for x in names}
    docs = {x: getattr(rnmf_tutorial, x).__doc__ for x in names}
    config.autosummary_context = {
        "first": {x: doc.strip().splitlines()[0] for x, doc in docs.items()}
    }


def setup(app):
    app.connect("config-inited", describe)
    app.add_directive("public-names", PublicNames)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
