// What the theme leaves to do for the keyboard and for screen readers.

// A box that is narrower than its content scrolls; the keyboard has to reach it.
const BOXES =
  "pre, mjx-container, div.math, div.cell_output, div.cell_output > .output, " +
  ".pst-scrollable-table-container, .table-wrapper";

const name = (box) => {
  if (box.matches("pre")) return "Code";
  if (box.matches("mjx-container, div.math")) return "Equation";
  return box.querySelector("table") ? "Table" : "Output";
};

// An equation carries a hidden copy for screen readers, which does not count.
const inside = (box) =>
  box.querySelector(":scope > mjx-math")?.getBoundingClientRect().width ?? box.scrollWidth;

const check = (box) => {
  const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowX);
  if (scrolls && inside(box) > box.clientWidth + 1) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${name(box)}, scrolls sideways`);
    box.dataset.scrolls = "";
  } else if ("scrolls" in box.dataset) {
    for (const attribute of ["tabindex", "role", "aria-label", "data-scrolls"]) {
      box.removeAttribute(attribute);
    }
  }
};

// Sizes change with the window, when a fold opens, and when equations are typeset.
const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => check(target)));
const watch = () => document.querySelectorAll(BOXES).forEach((box) => observer.observe(box));
document.addEventListener("DOMContentLoaded", () => {
  for (const text of document.querySelectorAll(".cell_output pre")) {
    text.classList.toggle("columns", / {3}\S.*\n.* {3}\S/.test(text.textContent));
  }
  watch();
  window.MathJax?.startup?.promise?.then(watch);

  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", button.innerText.trim());
  }
  const brand = document.querySelector(".bd-sidebar-primary .navbar-brand");
  brand?.parentElement.setAttribute("role", "banner");
  for (const fold of document.querySelectorAll(".bd-sidebar-primary summary")) {
    const page = fold.closest("li").querySelector("a").textContent.trim();
    fold.setAttribute("aria-label", `Pages below ${page}`);
  }
});
