"""What the book makes of stored widgets: plain HTML that says the same."""

import re

from ipywidgets.embed import dependency_state

from rnmf_tutorial.display import Frame, pixel_png, static_chooser, static_slider
from tests.project import ROOT, load_module

sliders = load_module(ROOT / "book" / "_ext" / "sliders.py")

DARK, LIGHT = (pixel_png([[[value, value]]]) for value in (0.0, 1.0))


def html(box):
    """The HTML of a box, and the pictures that it saved."""
    saved = []

    def save(picture, kind):
        saved.append(picture)
        return f"{len(saved) - 1}.{kind}"

    state = dependency_state(box, drop_defaults=False)
    return sliders.Widgets(state, save).render(box.model_id), saved


def test_a_slider_keeps_pictures_stops_and_alternative_texts():
    text, saved = html(
        static_slider([DARK, LIGHT], ["0", "<1>"], description="a & b", alts=["x", 'y"'], start=1)
    )
    assert saved == [DARK, LIGHT]
    assert 'min="0" max="1" value="1"' in text
    assert 'aria-valuetext="&lt;1&gt;"' in text and ">a &amp; b</label>" in text
    assert re.findall(r"<div( hidden)?><img", text) == [" hidden", ""]
    assert re.findall(r'<img (?:loading="lazy" )?alt="([^"]*)"', text) == ["x", "y&quot;"]
    assert text.count('loading="lazy"') == 1  # the hidden one
    assert re.findall(r'src="([^"]*)"', text) == ["0.png", "1.png"]
    control = re.search(r'<input type="range" id="([^"]+)"', text)[1]
    assert f'<label for="{control}">' in text and f'data-control="{control}"' in text


def test_a_chooser_shows_one_picture_of_all():
    frames = [[Frame(DARK, alt=f"{i}{j}") for j in range(3)] for i in range(2)]
    text, _ = html(static_chooser(frames, {"first": "ab", "second": "cde"}, start=(1, 2)))
    assert re.findall(r"<option( selected)?>(\w)</option>", text) == [("", "a"), (" selected", "b")]
    shown, path = [], []
    for tag, hidden, alt in re.findall(r'<(/?div)[^>]*?( hidden)?>|<img [^>]*alt="(\d+)"', text):
        if alt:
            shown += [alt] if not any(path) else []
        elif tag == "div":
            path.append(bool(hidden))
        else:
            path.pop()
    assert shown == ["12"]
