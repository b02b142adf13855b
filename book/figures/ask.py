"""A question of the book as a form, where a kernel runs."""

import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import ipywidgets as widgets
from IPython.display import Markdown

__all__ = ["ask"]


@cache
def _book():
    """Return the book, read by what turns its pages into plain Markdown."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
    from rnmf_book.pages import Book

    return Book()


def ask(name: str) -> widgets.VBox:
    """Return a field for the answer to a question, and what is said to it.

    The question stands above the cell that calls this, its key in the page's source.

    Parameters
    ----------
    name : str
        The name of the question.

    Returns
    -------
    ipywidgets.VBox

    Examples
    --------
    >>> box = ask("predict-rnmf-buy")
    >>> guess, check, show = box.children[0].children
    >>> guess.value = "-3"
    >>> check.click()
    >>> box.children[1].outputs[0]["data"]["text/markdown"]
    'Too large. Try again.'
    """
    number, reasons, answer = _book().form(name)
    said = widgets.Output()
    if number:
        field = widgets.Text(
            placeholder="a number, 7/3 or 50%", continuous_update=False
        )
    else:
        field = widgets.ToggleButtons(options=list(reasons), value=None)
        reasons = {None: (False, "Choose an answer first.")} | reasons
        field.style.button_width = "3em"

    def say(text):
        said.outputs = ()
        said.append_display_data(Markdown(text))

    def check(_):
        right, text = _judged(number, field.value) if number else reasons[field.value]
        say(f"Right. {answer}" if right else text)

    buttons = [widgets.Button(description=word) for word in ("Check", "Show me")]
    buttons[0].on_click(check)
    buttons[1].on_click(lambda _: say(answer))
    return widgets.VBox([widgets.HBox([field, *buttons]), said])


def _judged(number, text):
    """Return whether a guess is near enough, and what else there is to say to it."""
    from rnmf_book.questions import number as read

    key, within = read(number)
    bare = text.replace(" ", "").replace(",", ".").replace("−", "-")
    try:
        value = float(Fraction(bare.rstrip("%")))
    except (ValueError, ZeroDivisionError):
        return False, "Write a number, such as 2, 0.5, 7/3, 50% or 1e-3."
    meant = [value, value / 100] if "%" in bare + number else [value]
    value = min(meant, key=lambda value: abs(value - key))
    if abs(value - key) <= within + 1e-9 * max(
        1e-9, abs(key)
    ):  # 0.26 is within 0.31 ± 0.05
        return True, ""
    return False, f"Too {'small' if value < key else 'large'}. Try again."
