"""Run notebooks, store their outputs, and make the stored bytes repeatable.

    python tools/notebooks.py book/nmf.ipynb     run one, then normalize it python
    tools/notebooks.py --all              run every notebook of the book python
    tools/notebooks.py --normalize        normalize all, run none; `make format` does it
    python tools/notebooks.py --check            report what is wrong, change nothing

To normalize is to drop what differs from run to run without meaning anything: random
widget ids, progress bars, execution times, names and versions of kernel and Python,
private classes of widgets. It also puts the same cell after the title of each notebook:
it finds `figures` and `studies`; the pages do not show it. What the site folds by its
tags, Jupyter folds by metadata that are written here.
"""

import argparse
import base64
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import ipywidgets
import nbformat
from PIL import Image
from tqdm.auto import tqdm

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
LARGEST = 1_000_000  # bytes; larger notebooks make the history heavy
# A formula that ends with a comma, and a new sentence after it: something between them
# was lost.
CUT = re.compile(r",\s*(?:\\end\{\w+\}\s*)?\$\$(?: \([\w-]+\))?\n\n[*(]*[A-Z]\w*")
ONE_THREAD = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
}
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SETUP = """\
# `figures` and `studies` are in the folder `book`: here, above, or beside what is above.
import sys
from pathlib import Path

near = [y for x in (Path.cwd(), *Path.cwd().parents) for y in (x, x / "book")]
book = [x for x in near if (x / "figures/__init__.py").is_file()]
if not book:
    raise FileNotFoundError(
        "This notebook needs the files beside it. Run `git clone "
        "https://github.com/rnmf-tutorial/rnmf_tutorial` in a terminal, and open the notebook "
        "of this name there, in the folder `book`."
    )
sys.path.insert(0, str(book[0]))
import figures  # noqa: F401 - it says what is not installed"""
SETUP_ALONE = """\
# Find the package of the book; Colab installs it here.
import sys
from importlib.util import find_spec

source = "git+https://github.com/rnmf-tutorial/rnmf_tutorial"
if "google.colab" in sys.modules:
    get_ipython().run_line_magic("pip", f"install -q {source}")
elif not find_spec("rnmf_tutorial"):
    raise ModuleNotFoundError(
        "The package of this book is not installed where this notebook runs. Run "
        f"`%pip install {source}` in a cell, then restart the kernel."
    )"""
WHOLE = {"hide-cell", "remove-cell"}  # what they fold, they fold whole
WIDGET_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")


def chapters():
    """Every notebook of the book, in order of name."""
    return sorted(
        p for p in BOOK.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts
    )


def read(path):
    return nbformat.read(path, as_version=4)


def write(path, notebook):
    """Write beside the file, then rename: an interrupted run leaves the old notebook."""
    unfinished = path.with_suffix(".ipynb.part")
    nbformat.write(notebook, unfinished)
    unfinished.replace(path)


def execute(path, timeout=600):
    """Run every cell from the top in the notebook's folder; widget states are kept."""
    from nbclient import NotebookClient

    notebook = read(path)
    if missing := missing_data(notebook):
        raise SystemExit(
            f"{path.name} is stored with the data set {', '.join(missing)}, which is not here; "
            "get it as book/data.md says, then run again."
        )
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    with tqdm(total=len(code), desc=path.name, unit="cell") as bar:

        def count(cell, **_):
            bar.update(cell.cell_type == "code")

        client = NotebookClient(
            notebook,
            timeout=timeout,
            kernel_name="python3",
            resources={"metadata": {"path": str(path.parent)}},
            on_cell_executed=count,
        )
        with tempfile.TemporaryDirectory() as folder:
            manager = client.create_kernel_manager()
            if (
                os.name == "posix"
            ):  # sockets in a folder of our own: no port to clash with others
                manager.transport = "ipc"
                manager.ip = f"{folder}/kernel"
            client.execute()
    return notebook


def missing_data(notebook):
    """The data sets that a notebook's stored outputs show, by its metadata, and that are absent.

    Without them the notebook still runs, on other faces, and would store those.
    """
    from rnmf_tutorial.data import available

    shown = notebook.metadata.get("rnmf", {}).get("stored_with", [])
    return [name for name in shown if not available(name)]


def normalize(notebook):
    """The notebook without what changes from run to run."""
    place_setup(notebook)
    runs = 0
    for number, cell in enumerate(c for c in notebook.cells if not is_setup(c)):
        cell["id"] = f"cell-{number}"
        cell.metadata.pop("execution", None)
        fold(cell)
        if cell.cell_type == "code":
            if cell.execution_count is not None:
                cell.execution_count = runs = runs + 1
            for output in cell.outputs:
                if "execution_count" in output:
                    output["execution_count"] = cell.execution_count
            cell.outputs = [
                output for output in cell.outputs if not is_progress(output)
            ]
            shrink_pictures(cell)
            merge_streams(cell)
    notebook.metadata.update(KERNEL)
    name_widgets(notebook)
    return renumber_widgets(notebook)


def fold(cell):
    """Fold a cell in programs that open notebooks where the site does, by its tags.

    A cell of checks gets the tag that MyST-NB knows, besides ours.
    """
    tags = set(cell.metadata.get("tags", []))
    if "checks" in tags:
        tags.add("hide-cell")
        cell.metadata.tags = sorted(tags)
    folds = {"source_hidden": tags & {*WHOLE, "hide-input", "remove-input"}}
    folds["outputs_hidden"] = tags & {*WHOLE, "hide-output", "remove-output"}
    cell.metadata.pop("jupyter", None)
    if any(folds.values()) and cell.cell_type == "code":
        cell.metadata["jupyter"] = {name: True for name, why in folds.items() if why}


def is_setup(cell):
    return "setup" in cell.metadata.get("tags", [])


def place_setup(notebook):
    """Put the cell that finds the book after the title, in place of the one that may be there.

    A notebook whose metadata say ``"alone": true`` shows nothing that the repository
    stores, and needs the package only.
    """
    alone = notebook.metadata.get("rnmf", {}).get("alone", False)
    source = SETUP_ALONE if alone else SETUP
    cell = nbformat.v4.new_code_cell(source, id="setup", execution_count=0)
    cell.metadata.tags = ["remove-cell", "setup"]
    fold(cell)
    others = [other for other in notebook.cells if not is_setup(other)]
    titled = others[:1] if others and others[0].cell_type == "markdown" else []
    notebook.cells = [*titled, cell, *others[len(titled) :]]


def is_progress(output):
    """Whether an output is a progress bar of tqdm: it shows how long the run took."""
    return bool(re.match(r".*\d+%\|", output.get("data", {}).get("text/plain", "")))


def shrink_pictures(cell):
    """Store figures with 128 colors: they are drawn at twice their shown size, and weigh less."""
    for output in cell.outputs:
        stored = output.get("data", {}).get("image/png")
        if stored is None:
            continue
        picture = Image.open(io.BytesIO(base64.b64decode(stored)))
        if picture.mode != "P":  # which it is when this was done before
            few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
            kept = io.BytesIO()
            few.save(kept, "png", optimize=True, dpi=picture.info.get("dpi", (96, 96)))
            output["data"]["image/png"] = base64.b64encode(kept.getvalue()).decode()


def merge_streams(cell):
    """Join neighboring pieces of one stream: where they are cut depends on the clock."""
    merged = []
    for output in cell.outputs:
        last = merged[-1] if merged else {}
        if output.output_type == "stream" and output.get("name") == last.get("name"):
            last["text"] += output["text"]
        else:
            merged.append(output)
    cell.outputs = merged


def widget_states(notebook):
    stored = notebook.metadata.get("widgets", {})
    return stored.get("application/vnd.jupyter.widget-state+json", {}).get("state", {})


def shown_widgets(notebook):
    """Each output that is a widget, as its data by kind, and the name of the widget's state."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            view = data.get("application/vnd.jupyter.widget-view+json")
            if view:
                yield data, view["model_id"]


def name_widgets(notebook):
    """Let the text of a widget be what its state calls it.

    The text that ipywidgets writes names the class that made it, which may be renamed,
    and cuts off the rest at some length.
    """
    states = widget_states(notebook)
    for data, name in shown_widgets(notebook):
        if name in states and "text/plain" in data:
            kind = states[name]["model_name"].removesuffix("Model")
            data["text/plain"] = f"{kind}(...)"


def renumber_widgets(notebook):
    """Give widgets the ids 000…0, 000…1, … in the order in which the outputs mention them.

    The states of widgets that no output refers to, such as finished progress bars, are
    removed.
    """
    states = widget_states(notebook)
    order = {}
    texts = {name: json.dumps(state, sort_keys=True) for name, state in states.items()}

    def visit(text):
        for name in WIDGET_ID.findall(text):
            if name in states and name not in order:
                order[name] = f"{len(order):032x}"
                visit(texts[name])

    visit(json.dumps([cell.get("outputs", []) for cell in notebook.cells]))
    # A link is referred to by nobody: it is kept for the widgets it ties together.
    links = [
        name
        for name, state in states.items()
        if state["model_name"] in ("LinkModel", "DirectionalLinkModel")
        and order.keys() & WIDGET_ID.findall(texts[name])
    ]
    for name in sorted(links, key=lambda name: rename(texts[name], order)):
        visit(name)
    for name in states.keys() - order.keys():
        del states[name]
    if not states:
        notebook.metadata.pop("widgets", None)
    renamed = json.loads(rename(json.dumps(notebook), order))
    if states:
        stored = renamed["metadata"]["widgets"][
            "application/vnd.jupyter.widget-state+json"
        ]
        stored["state"] = dict(sorted(stored["state"].items()))
    return nbformat.from_dict(renamed)


def rename(text, order):
    return WIDGET_ID.sub(lambda match: order.get(match[0], match[0]), text)


def frames_of(states):
    """The pictures of stored sliders, each as the names of its attributes in HTML."""
    values = (state["state"].get("value") for state in states.values())
    tags = (
        re.match(r"<img [^>]*>", value) for value in values if isinstance(value, str)
    )
    return [re.findall(r' ([\w-]+)="', tag[0]) for tag in tags if tag]


def frame_of_today():
    """The same of a picture that `figures` puts into a slider now."""
    sys.path.append(str(BOOK))
    from figures import pixel_png, static_slider

    box = static_slider(
        [pixel_png([[[0.0]]])] * 2, ["a", "b"], description="x", alts=["a", "b"]
    )
    (frame,) = frames_of({"": {"state": {"value": box.children[-1].children[0].value}}})
    return frame


def problems(path):
    """Sentences about what is wrong with a stored notebook."""
    notebook = read(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if path.stat().st_size > LARGEST:
        yield f"takes {path.stat().st_size / 1e6:.1f} MB; draw with fewer dots or frames"
    if not any(cell.outputs for cell in code):
        yield "has no outputs; run `make notebooks NB=...`"
    if any(cell.execution_count is None for cell in code if cell.source.strip()):
        yield "has cells that were not run; run `make notebooks NB=...`"
    if any(output.output_type == "error" for cell in code for output in cell.outputs):
        yield "stores an error"
    if any(output.get("name") == "stderr" for cell in code for output in cell.outputs):
        yield "stores a warning, which begins with a path; avoid it, ignore it or print its text"
    if not any(re.search(r"\bassert\b|\bchecks\.\w+\(", cell.source) for cell in code):
        yield "verifies nothing: it has no assert and no check"
    states = widget_states(notebook)
    for _, name in shown_widgets(notebook):
        kind = (
            states[name]["model_name"].removesuffix("Model")
            if name in states
            else "without state"
        )
        if not hasattr(ipywidgets, kind):
            yield f"shows a widget that no longer exists ({kind}); run `make notebooks NB=...`"
    frames = frames_of(states)
    if stale := len(frames) - frames.count(frame_of_today()) if frames else 0:
        yield f"shows {stale} frames of sliders that are stale; run `make notebooks NB=...`"
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (cut := CUT.search(cell.source)):
            yield f"has a formula whose sentence does not go on: {cut[0]!r}"
    if normalize(read(path)) != read(path):
        yield "is not normalized; run `make format`"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--all", action="store_true", help="every notebook of the book")
    parser.add_argument("--normalize", action="store_true", help="do not run")
    parser.add_argument("--check", action="store_true", help="do not change anything")
    options = parser.parse_args()
    paths = [path.resolve() for path in options.notebooks]
    if options.all or ((options.check or options.normalize) and not paths):
        paths = chapters()
    if not paths:
        parser.error("name a notebook, or --all")
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        parser.error(f"no such notebook: {', '.join(missing)}")

    if options.check:
        found = [f"{path.name} {text}" for path in paths for text in problems(path)]
        print("\n".join(found) or f"{len(paths)} notebooks are in order")
        sys.exit(bool(found))
    os.environ.update(ONE_THREAD)
    for path in paths:
        write(path, normalize(read(path) if options.normalize else execute(path)))


if __name__ == "__main__":
    main()
