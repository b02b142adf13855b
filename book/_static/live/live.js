// What the live figures share: where they stand, how they speak, their controls, their address.
const live = {
  // The colors of book/figures, by method.
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

  /** Two lines: what is shown changes at once; what is spoken waits until the hand rests. */
  LINES: `<p class="live-says" aria-hidden="true"></p><p class="live-spoken" aria-live="polite"></p>`,

  /** Show a sentence now, and speak it once the hand rests; speak also what is drawn. */
  say(stage, text, drawn = "") {
    const [shown, spoken] = stage.querySelectorAll(".live-says, .live-spoken");
    shown.innerHTML = text;
    clearTimeout(stage.waiting);
    stage.waiting = setTimeout(() => (spoken.innerHTML = `${text} ${drawn}`), 250);
  },

  /** Curves over the sweeps, from rows of a sweep and its values; their names stand at their ends. */
  chart(svg, rows, { title, names, colors, place }) {
    const [first, last] = [rows[0], rows.at(-1)], span = last[0] - first[0] || 1;
    const x = (sweep) => 8 + (230 * (sweep - first[0])) / span;
    const y = (value) => 96 - 78 * Math.min(Math.max(place(value), 0), 1);
    const ends = names.map((_, k) => y(last[k + 1]));
    if (ends.length > 1 && Math.abs(ends[0] - ends[1]) < 14) {
      const [high, low] = ends[0] <= ends[1] ? [0, 1] : [1, 0], middle = (ends[0] + ends[1]) / 2;
      [ends[high], ends[low]] = [Math.min(middle, 89) - 7, Math.min(middle, 89) + 7];
    }
    svg.innerHTML = `<path class="axis" d="M8 14V96H244"/><text x="13" y="13">${title}</text>
      <text x="238" y="112" text-anchor="end">sweep ${last[0]}</text>${names.map((name, k) =>
      `<path d="M${rows.map((row) => `${x(row[0]).toFixed(1)} ${y(row[k + 1]).toFixed(1)}`).join("L")}"
        style="--c:${colors[k]}" stroke-dasharray="${k ? "7 3" : "none"}" stroke-width="2"/>
      <circle class="now" r="4" cx="${x(last[0])}" cy="${y(last[k + 1])}" style="--c:${colors[k]}"/>
      <text x="248" y="${ends[k] + 4}">${name}</text>`).join("")}`;
  },

  digits: (value) => (value > 99 ? "large" : value.toFixed(2).replace(/^-/, "−")),

  slider(label, { min, max, step, value, shown = String }, moved) {
    const box = live.make(`<label class="live-slider"><span>${label}</span>
      <input type="range" aria-label="${label}" min="${min}" max="${max}" step="${step}" value="${value}"
        autocomplete="off"><output></output></label>`);
    const input = box.querySelector("input");
    box.show = () => {
      input.style.setProperty("--part", (input.value - min) / (max - min));
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

  /** A few choices side by side. */
  segments(label, options, value, chosen) {
    const name = `live-${label}-${(live.groups = (live.groups ?? 0) + 1)}`;
    const box = live.make(`<fieldset class="live-segments"><legend>${label}</legend>${Object.entries(options).map(
      ([key, text]) => `<label><input type="radio" name="${name}" value="${key}" autocomplete="off"${
        key === value ? " checked" : ""}><span>${text}</span></label>`).join("")}</fieldset>`);
    box.addEventListener("input", (event) => chosen(event.target.value));
    return box;
  },

  button(label, pressed, kind = "") {
    const box = live.make(`<button type="button" class="${kind}">${label}</button>`);
    box.addEventListener("click", pressed);
    return box;
  },
};
