// What the live figures share: where they stand, how they speak, their controls, their address.
const live = {
  // The colors of rnmf_tutorial.display, by method.
  COLORS: {
    NMF: "#0072B2",
    RobustNMF: "#12A270",
    L1NMF: "#593417",
    HuberNMF: "#10523F",
    CauchyNMF: "#641061",
    CIMNMF: "#9C3781",
    WindowNMF: "#7B60DF",
  },

  still: matchMedia("(prefers-reduced-motion: reduce)"),

  /** An element from its HTML. */
  make(html) {
    const box = document.createElement("template");
    box.innerHTML = html.trim();
    return box.content.firstElementChild;
  },

  /** Put a figure where its picture is, or leave the picture if it cannot be built. */
  figure(name, build) {
    for (const figure of document.querySelectorAll(`figure.live-${name}`)) {
      const stage = live.make(`<div class="live-stage" role="group" aria-label="Live figure"></div>`);
      const picture = figure.firstElementChild;
      picture.after(stage);
      const told = new URLSearchParams(location.hash.slice(1)).get(name);
      build(stage, told);
      picture.classList.add("live-still");
      if (told !== null) figure.scrollIntoView();
    }
  },

  /** Keep the state of a figure in the address, beside that of others. */
  remember(name, state) {
    const before = location.hash.includes("=") ? location.hash.slice(1) : "";
    const all = new URLSearchParams(before);
    all.set(name, state);
    history.replaceState(history.state, "", `#${all}`);
  },

  /** Show and speak a sentence once the hand rests; speak also what is drawn. */
  say(line, text, drawn = "") {
    clearTimeout(line.waiting);
    line.waiting = setTimeout(() => {
      line.innerHTML = `${text} <span class="live-spoken">${drawn}</span>`;
    }, 250);
  },

  digits: (value) => (value > 99 ? "large" : value.toFixed(2).replace(/^-/, "−")),

  slider(label, { min, max, step, value, shown = String }, moved) {
    const box = live.make(`<label class="live-slider"><span>${label}</span>
      <input type="range" aria-label="${label}" min="${min}" max="${max}" step="${step}" value="${value}"
        autocomplete="off"><output></output></label>`);
    const input = box.querySelector("input");
    box.show = () => {
      box.lastElementChild.textContent = shown(Number(input.value));
      input.setAttribute("aria-valuetext", box.lastElementChild.textContent);
    };
    box.set = (x) => {
      input.value = x;
      box.show();
    };
    input.addEventListener("input", () => moved(Number(input.value), box.show()));
    box.show();
    return box;
  },

  choice(label, options, value, chosen) {
    const list = Object.entries(options).map(
      ([key, text]) => `<option value="${key}"${key === value ? " selected" : ""}>${text}</option>`,
    );
    const box = live.make(`<label class="live-choice"><span>${label}</span>
      <select aria-label="${label}" autocomplete="off">${list.join("")}</select></label>`);
    box.lastElementChild.addEventListener("input", (event) => chosen(event.target.value));
    return box;
  },

  button(label, pressed) {
    const box = live.make(`<button type="button">${label}</button>`);
    box.addEventListener("click", pressed);
    return box;
  },
};
