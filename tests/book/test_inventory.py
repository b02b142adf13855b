"""The inventory of the book names what a page has lost."""

import json

import pytest

from tests.project import load_tool, tracked

inventory = load_tool("inventory")

TEXT = """\
(sec-descent)=
## Descent

$$
X \\approx WH
$$ (eq-model)

```{prf:theorem} Descent
:label: thm-descent
No sweep raises the objective.
```

````{dropdown} Proof of the theorem
By the surrogate.
````

```{exercise} By hand (5 minutes)
:label: ex-hand
```

```{predict} How large?
:name: predict-size
```

```{admonition} The verdict
:class: verdict-card
It falls.
```
"""
#: (kind, name) -> the part of the page whose removal loses it, and nothing else.
PARTS = {
    ("equation", "eq-model"): "(eq-model)",
    ("target", "sec-descent"): "(sec-descent)=",
    ("theorem", "thm-descent"): "```{prf:theorem} Descent\n:label: thm-descent\n",
    ("proof", "Proof of the theorem"): "````{dropdown} Proof of the theorem\n",
    ("exercise", "ex-hand"): "```{exercise} By hand (5 minutes)\n:label: ex-hand\n",
    ("quiz", "predict-size"): "```{predict} How large?\n:name: predict-size\n",
    ("verdict card", ""): ":class: verdict-card\n",
    ("assertion", "2 < 3"): "assert 2 < 3\n",
    ("figure", "fig-fall"): "fig-fall",
    ("verdict", "lee-table-1"): '<tr id="lee-table-1" data-verdict="reproduced">',
}


def page(without=None):
    """A notebook with one of everything, but for one part."""
    code = "x = 1\nassert 2 < 3\n"
    row = '<tr id="lee-table-1" data-verdict="reproduced">'
    figure = {"name": "fig-fall"}
    if without is not None:
        code = code.replace(without, "")
        row = row.replace(without, "")
        figure = {} if without == "fig-fall" else figure
    text = TEXT if without is None else TEXT.replace(without, "")
    output = {"output_type": "display_data", "data": {"text/html": [row]}}
    drawn = {
        "cell_type": "code",
        "metadata": {"mystnb": {"figure": figure}},
        "source": code,
    }
    cells = [{"cell_type": "markdown", "metadata": {}, "source": text}]
    cells += [drawn | {"outputs": [output]}]
    return inventory.items_of_page("a.ipynb", json.dumps({"cells": cells}))


@pytest.mark.parametrize(("item", "part"), PARTS.items(), ids=lambda x: x[0])
def test_what_a_page_has_lost_is_named(item, part):
    gone, moved, new = inventory.changes(
        {"a.ipynb": page()}, {"a.ipynb": page(without=part)}
    )
    assert gone == [f"a.ipynb: {inventory.described(item)}"]
    assert moved == new == []


def test_what_stands_on_another_page_now_has_moved():
    """Cells have no names to follow them by."""
    gone, moved, new = inventory.changes({"a.ipynb": page()}, {"b.ipynb": page()})
    assert "a.ipynb: equation eq-model -> b.ipynb" in moved
    assert gone == ["a.ipynb: verdict card", "a.ipynb: code cell"]
    assert new == ["b.ipynb: verdict card", "b.ipynb: code cell"]


def test_the_inventory_of_the_book_has_something_of_every_kind():
    assert tracked()  # a copy without git is skipped
    lines = inventory.table(inventory.inventory())
    assert "0" not in lines[-1].split() and "·" not in lines[-1].split()


def test_the_files_as_they_are_now_are_compared_with_a_revision(monkeypatch, capsys):
    """The command ends with status 1 if the revision has more."""
    old = {"book/a.md": inventory.items_of_page("book/a.md", TEXT)}
    new = {
        "book/a.md": inventory.items_of_page(
            "book/a.md", TEXT.replace("(eq-model)", "")
        )
    }
    monkeypatch.setattr(
        inventory, "inventory", lambda rev=None: old if rev == "v1" else new
    )
    assert inventory.main(["--against", "v1"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("Disappeared: 1\n  book/a.md: equation eq-model\n")
    monkeypatch.setattr(inventory, "inventory", lambda rev=None: new)
    assert inventory.main(["--against", "v1"]) == 0
