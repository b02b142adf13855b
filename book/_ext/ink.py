r"""Blue models and orange outliers in formulas, where their source says so.

A comment in a displayed formula names what is the model and what the outlier:

    $$
    X \approx WH + S
    % model: WH
    % outlier: S
    $$

Jupyter, GitHub and every other reader of TeX pass over a comment; a macro
they would show as an error. The style sheet has the colors, in both themes.
"""

import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

SAYS = re.compile(r"\n?[ \t]*%[ \t]*(model|outlier):[ \t]*(.*)")


def inked(tex):
    r"""The formula without such comments, its terms given their classes."""
    kinds = {}
    for kind, terms in SAYS.findall(tex):
        kinds |= {term.strip(): kind for term in terms.split(";")}
    tex = SAYS.sub("", tex)
    if not kinds:
        return tex
    longest_first = sorted(map(re.escape, kinds), key=len, reverse=True)
    return re.sub(
        "|".join(longest_first),
        lambda term: rf"\class{{ink-{kinds[term[0]]}}}{{{term[0]}}}",
        tex,
    )


class Ink(SphinxTransform):
    default_priority = 500

    def apply(self, **kwargs):
        for formula in self.document.findall(nodes.math_block):
            tex = formula.astext()
            if "%" in tex:
                formula.children = []
                formula += nodes.Text(inked(tex))


def setup(app):
    app.add_transform(Ink)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
