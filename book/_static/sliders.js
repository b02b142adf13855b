// A control shows one page of every stack that names it; book/_ext/sliders.py writes both.
const choose = (control) => {
  const index = control.type === "range" ? Number(control.value) : control.selectedIndex;
  if (control.type === "range") {
    const label = JSON.parse(control.dataset.stops)[index];
    control.setAttribute("aria-valuetext", label);
    control.nextElementSibling.textContent = label;
  }
  for (const stack of document.querySelectorAll(`[data-control="${control.id}"]`)) {
    [...stack.children].forEach((page, k) => (page.hidden = k !== index));
  }
};

// Pictures load when they are first shown; once a hand is on a control, its others load too.
const load = (control) => {
  for (const image of control.closest(".widget-vbox").querySelectorAll("img")) {
    image.loading = "eager";
  }
};

for (const control of document.querySelectorAll(".widget-vbox input, .widget-vbox select")) {
  control.addEventListener("input", () => choose(control));
  for (const event of ["pointerenter", "pointerdown", "focus"]) {
    control.addEventListener(event, () => load(control), { once: true });
  }
}
