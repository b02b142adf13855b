"""Turn stored widgets into plain HTML, so that they work in the built page.

A notebook stores the state of its widgets: controls, pictures, and links that
let a control choose the picture. The usual way to show them in a page is the
whole widget manager, two megabytes of script. Ours is a native control, the
pictures as files, and ``sliders.js``, which hides all pictures but one.
"""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

VIEW = re.compile(
    r'(?s)<script type="application/vnd.jupyter.widget-view\+json">(.*?)</script>'
)
PICTURE = re.compile(r'src="data:image/(\w+);base64,([^"]+)"')


class Widgets:
    """The widgets of a notebook; `save(picture, kind)` returns its place."""

    def __init__(self, state, save):
        # A reference is the name of a model, after this prefix.
        self.models = json.loads(json.dumps(state).replace("IPY_MODEL_", ""))
        self.save = save
        links = [
            x["state"] for x in self.models.values() if x["model_name"] == "LinkModel"
        ]
        self.controls = {link["target"][0]: link["source"][0] for link in links}

    def render(self, name):
        kind = self.models[name]["model_name"].removesuffix("Model")
        render = getattr(self, f"render_{kind.lower()}", None)
        if render is None:
            raise NotImplementedError(
                f"A built page cannot show the widget {kind}; "
                "static_slider makes widgets that it can show."
            )
        return render(name, self.models[name]["state"])

    def render_vbox(self, name, model):
        inside = "".join(map(self.render, model["children"]))
        return f'<div class="jupyter-widgets widget-vbox">{inside}</div>'

    def render_html(self, name, model):
        def file(match):
            return f'src="{self.save(base64.b64decode(match[2]), match[1])}"'

        return PICTURE.sub(file, model["value"])

    def render_stack(self, name, model):
        inside = ""
        for k, page in enumerate(map(self.render, model["children"])):
            if k == model["selected_index"]:
                inside += f"<div>{page}</div>"
            else:  # a hidden picture loads when it is wanted
                lazy = page.replace("<img alt", '<img loading="lazy" alt')
                inside += f"<div hidden>{lazy}</div>"
        return (
            '<div class="widget-stack mathjax_process" aria-live="polite" '
            f'data-control="widget-{self.controls[name]}">{inside}</div>'
        )

    def render_dropdown(self, name, model):
        options = "".join(
            f"<option{' selected' if k == model['index'] else ''}>{html.escape(label)}</option>"
            for k, label in enumerate(model["_options_labels"])
        )
        field = f'<select id="widget-{name}" autocomplete="off">{options}</select>'
        return self.control(name, model, "dropdown", field)

    def render_selectionslider(self, name, model):
        labels = model["_options_labels"]
        now = html.escape(labels[model["index"]])
        stops = html.escape(json.dumps(labels, ensure_ascii=False))
        field = (
            f'<input type="range" id="widget-{name}" min="0" max="{len(labels) - 1}" '
            f'value="{model["index"]}" autocomplete="off" aria-valuetext="{now}" '
            f'data-stops="{stops}"><span class="widget-readout" aria-hidden="true">{now}</span>'
        )
        return self.control(name, model, "slider", field)

    def control(self, name, model, kind, inside):
        return (
            f'<div class="jupyter-widgets widget-{kind}"><label for="widget-{name}">'
            f"{html.escape(model['description'])}</label>{inside}</div>"
        )


def show_widgets(app, pagename, templatename, context, doctree):
    scripts = getattr(app.env, "nb_metadata", {}).get(pagename, {})
    stored = scripts.get("js_files", {}).pop("ipywidgets_state", None)
    if stored is None:
        return
    folder = Path(app.outdir) / "_images"
    folder.mkdir(exist_ok=True)

    def save(picture, kind):
        file = folder / f"{hashlib.sha256(picture).hexdigest()[:24]}.{kind}"
        file.write_bytes(picture)
        return context["pathto"](f"_images/{file.name}", resource=True)

    widgets = Widgets(json.loads(stored[1]["body"])["state"], save)
    context["body"] = VIEW.sub(
        lambda match: widgets.render(json.loads(match[1])["model_id"]), context["body"]
    )
    app.add_js_file("sliders.js", loading_method="defer")


def leave_manager_out(app, config):
    config.nb_ipywidgets_js = {}


def setup(app):
    app.connect("config-inited", leave_manager_out)
    # before MyST-NB puts the stored state into the page
    app.connect("html-page-context", show_widgets, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
