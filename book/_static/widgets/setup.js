// Runs before the widget manager.

// The theme's icon script rewrites icons whenever the page changes, which breaks Play buttons.
window.FontAwesomeConfig = { observeMutations: false };

// Widgets still ask for MathJax 2 (jupyter-widgets/ipywidgets#3829), by
// Queue(["Typeset", Hub, element]); hand their requests on to MathJax 3.
document.addEventListener("DOMContentLoaded", () => {
  const mathjax = window.MathJax;
  if (!mathjax) return; // a page without equations
  const typeset = ([, , element]) =>
    mathjax.startup?.promise.then(() => mathjax.typesetPromise([element]));
  mathjax.Hub = { Queue: (...requests) => requests.forEach(typeset) };
});
