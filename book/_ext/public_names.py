"""The directive ``public-names``: a table of what a module's ``__all__`` has.

It also keeps the request methods that scikit-learn adds to each estimator out
of the reference.
"""

import re
from importlib import import_module

from docutils.statemachine import StringList
from sphinx.ext.autosummary import Autosummary


class PublicNames(Autosummary):
    required_arguments = 1
    has_content = False

    def run(self):
        name = self.arguments[0]
        module = import_module(name)
        public = [
            f"~{name}.{x}"
            for x in module.__all__
            if callable(getattr(module, x))
        ]
        self.options["nosignatures"] = None
        self.content = StringList(public, source=name)
        return super().run()


def skip_requests(app, what, name, member, skip, options):
    if re.fullmatch(r"set_\w+_request|get_metadata_routing", name):
        return True
    if name.endswith("_") and isinstance(member, property):
        return True  # the docstring of the class describes it
    return None  # leave it to autodoc


def setup(app):
    app.connect("autodoc-skip-member", skip_requests)
    app.add_directive("public-names", PublicNames)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
