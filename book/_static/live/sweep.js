// One sweep, cell by cell: numerator, denominator, quotient; then to the end, and with weights.
{
  const { matrix, mul, ratio, T, times } = rnmf;
  const CLEAN = [3, 2, 1, 2, 2, 0, 0, 2, 1, 2, 1, 0]; // the first row is the sum of the others
  const WRONG = 9, SCALE = 0.3, SEED = 0;
  const { NMF, HuberNMF, CauchyNMF } = rnmf.models;
  const CHOICES = [new NMF(), new HuberNMF(SCALE), new CauchyNMF(SCALE)];

  /** A fit that can stop after a third of a cell: numerator, denominator, quotient. */
  class Sweeps {
    constructor(X, choice) {
      [this.X, this.model] = [X, CHOICES[choice]];
      [this.W, this.H] = rnmf.initialize(X, 2, SEED);
      this.done = 0; // sweeps
      this.look("H");
      this.history = [[0, this.objective]];
    }

    /** See what is there, and make ready for the first cell of H or of W. */
    look(side) {
      const { X, W, H } = this, { WH, Q, objective } = this.model.look(X, W, H);
      const QX = Q ? times(Q, X) : X, QWH = Q ? times(Q, WH) : WH;
      const up = side === "H" ? mul(T(W), QX) : mul(QX, T(H));
      const down = side === "H" ? mul(T(W), QWH) : mul(QWH, T(H));
      const next = times(this[side], ratio(up, down)); // (9), with weights if there are any
      Object.assign(this, { side, WH, Q, objective, up, down, next, part: 0 });
    }

    step() {
      this.part += 1;
      if (this.part <= 3 * this.next.data.length) return;
      this.finish();
      this.part = 1;
    }

    /** End the update of this factor. */
    finish() {
      this[this.side] = this.next;
      this.done += this.side === "W";
      this.look(this.side === "H" ? "W" : "H");
      if (this.side === "H") this.history.push([this.done, this.objective]);
    }

    /** Other data: another objective, and a curve of its own. */
    renew() {
      this.look("H");
      this.history = [[this.done, this.objective]];
    }

    sweep() {
      if (this.side === "H") this.finish();
      this.finish();
    }

    /** Sweep until the objective rests, 500 times at most. */
    *run() {
      for (let k = 0, before = NaN; k < 500; k++) {
        if (Math.abs(before - this.objective) <= 1e-5 * before || this.objective < 1e-4) return;
        before = this.objective;
        yield this.sweep();
      }
    }
  }

  rnmf.Sweeps = Sweeps;

  // ---------------------------------------------------------------- the picture
  const two = live.digits;
  const entry = (A, i, j) => two(A.data[i * A.cols + j]);
  const table = (name, rows, cols, inside) => {
    const row = (i) => Array.from({ length: cols }, (_, j) =>
      `<td data-cell="${name}${i}${j}">${inside}</td>`).join("");
    return `<table class="live-grid live-${name}"><caption>${name}</caption><tbody>${
      Array.from({ length: rows }, (_, i) => `<tr>${row(i)}</tr>`).join("")}</tbody></table>`;
  };
  const fraction = (up, down, lit) => `<span class="live-fraction"><span class="${
    lit !== 2 ? "up" : ""}">${up}</span><span class="${lit !== 1 ? "down" : ""}">${down}</span></span>`;

  live.figure("sweep", (stage, told) => {
    // With this option the figure has no weights, which its page has not explained yet.
    const plain = stage.closest("figure").classList.contains("live-plain");
    const X = matrix(3, 4, Float64Array.from(CLEAN)), log = [];
    let fit = new Sweeps(X, 0), running = null;
    stage.innerHTML = `<p class="live-try"><b>Try this:</b> press <i>Next</i> a few times, and then <i>Run to
      the end</i>. Tap an entry of X to corrupt it, and run again.${plain ? "" :
      " Then choose Cauchy weights, and run once more."}</p>
      <div class="live-controls"></div><div class="live-formula"></div>${live.LINES}<div class="live-factors">
      <svg class="live-chart" viewBox="0 0 290 118" role="img" aria-label="Objective against the sweep"></svg>${
      table("X", 3, 4, "<button type=button></button>")}${table("H", 2, 4, "")}
      ${table("W", 3, 2, "")}${table("WH", 3, 4, "")}</div>`;
    const [formula, chart] = stage.querySelectorAll(".live-formula, .live-chart");
    const cell = (name, i, j) => stage.querySelector(`[data-cell="${name}${i}${j}"]`);

    /** The present cell, as sums of numbers that the tables show. */
    function drawFormula() {
      const { side, part, W, H, WH, Q, up, down, next } = fit, lit = ((part - 1) % 3) + 1;
      const place = Math.floor((part - 1) / 3), [i, j] = [Math.floor(place / next.cols), place % next.cols];
      const name = `${side}<sub>${i + 1}${j + 1}</sub>`, sub = `<sub>${i + 1}${j + 1}</sub>`;
      const q = (x) => (Q ? `(Q⊙${x})` : x);
      const of = (x) => (side === "H" ? `(W<sup>T</sup>${q(x)})${sub}` : `(${q(x)}H<sup>T</sup>)${sub}`);
      const sums = [[], []];
      for (let l = 0; l < (side === "H" ? 3 : 4); l++) {
        const [a, b] = side === "H" ? [l, j] : [i, l];
        const [factor, c, d] = side === "H" ? [W, l, i] : [H, j, l];
        const weight = Q ? `${entry(Q, a, b)}·` : "";
        sums[0].push(`${entry(factor, c, d)}·${weight}${X.data[a * 4 + b]}`);
        sums[1].push(`${entry(factor, c, d)}·${weight}${entry(WH, a, b)}`);
        cell(side === "H" ? "W" : "H", c, d).className = lit === 2 ? "down" : "up";
        if (lit !== 2) cell("X", a, b).className = "up";
        if (lit !== 1) cell("WH", a, b).className = "down";
      }
      cell(side, i, j).className = "now";
      const total = (k, A) => `${sums[k].join(" + ")} = ${entry(A, i, j)}`;
      formula.innerHTML = `<p><span>${name} ← ${name} ×</span> ${fraction(of("X"), of("WH"), lit)}</p>
        <p><span>${name} ← ${entry(fit[side], i, j)} ×</span> ${fraction(total(0, up), lit > 1 ? total(1, down) : "…", lit)}${
        lit > 2 ? ` = <b>${entry(next, i, j)}</b>` : ""}</p>`;
      const say = [`Numerator ${entry(up, i, j)}`, `denominator ${entry(down, i, j)}`,
        `${side} ${i + 1} ${j + 1} becomes ${entry(next, i, j)}`];
      return `${say[lit - 1]}.`;
    }

    function show() {
      for (const name of ["W", "H", "X", "WH"]) {
        const A = fit[name], finished = fit.side === name ? Math.floor(fit.part / 3) : 0;
        A.data.forEach((value, k) => {
          const td = cell(name, Math.floor(k / A.cols), k % A.cols), q = fit.Q?.data[k] ?? 1;
          td.className = "";
          if (name !== "X") return (td.textContent = two(k < finished ? fit.next.data[k] : value));
          const place = `X ${Math.floor(k / 4) + 1} ${(k % 4) + 1}, ${value}`;
          td.firstElementChild.textContent = value;
          td.firstElementChild.setAttribute("aria-pressed", value !== CLEAN[k]);
          td.firstElementChild.setAttribute("aria-label", fit.Q ? `${place}, weight ${two(q)}` : place);
          td.style.setProperty("--doubt", 1 - q);
        });
      }
      cell("X", 0, 0).closest("table").caption.textContent = fit.Q ? "X (orange: low weight)" : "X";
      const away = Math.max(...fit.WH.data.map((value, k) => Math.abs(value - CLEAN[k])));
      const drawn = fit.part > 0 ? drawFormula() : "";
      if (!drawn) formula.innerHTML = `<p>Every entry of H is multiplied by its target, which is computed from the data X, divided by
        its current value, which is computed from the product WH. Then WH is computed again, and W is next.</p>`;
      stage.ariaBusy = String(running !== null);
      live.chart(chart, fit.history, {
        title: "objective, logarithmic", names: [two(fit.objective)], colors: [live.COLORS.NMF],
        place: (value) => (Math.log10(Math.max(value, 1e-4)) + 4) / 6,
      });
      live.say(stage, `After ${fit.done} ${fit.done === 1 ? "sweep" : "sweeps"}: objective ${
        two(fit.objective)}. Largest error${
        X.data.some((value, k) => value !== CLEAN[k]) ? " against the true X" : ""}: ${two(away)}.`, drawn);
    }

    const actions = {
      n: (times) => Array.from({ length: Number(times) || 1 }, () => fit.step()),
      s: () => fit.sweep(),
      r: () => [...fit.run()],
      x: (k) => {
        X.data[k] = X.data[k] === CLEAN[k] ? WRONG : CLEAN[k];
        fit.renew();
      },
      m: (choice) => (fit = new Sweeps(X, choice)),
    };

    /** Do something, and keep it in the address; `r` takes its time where motion is welcome. */
    function act(action) {
      if (running) [...running];
      running = null;
      const last = log.at(-1);
      if (action === "n" && last?.startsWith("n")) log.push(`n${(Number(log.pop().slice(1)) || 1) + 1}`);
      else if (action.startsWith("m")) log.splice(0, Infinity, ...log.filter((a) => a[0] === "x"), action);
      else log.push(action);
      live.remember("sweep", log.join("."));
      if (action !== "r" || live.still.matches) {
        actions[action[0]](action.slice(1));
        return show();
      }
      const mine = (running = fit.run());
      const frame = () => {
        if (running !== mine) return;
        if (mine.next().done) running = null;
        show();
        if (running) requestAnimationFrame(frame);
      };
      frame();
    }

    for (const action of (told ?? "n3").split(".").filter((a) => /^(n\d{0,3}|s|r|x([0-9]|1[01])|m[012])$/.test(a))) {
      actions[action[0]](action.slice(1));
      log.push(action);
    }
    const weights = live.choice("weights", ["none", "Huber", "Cauchy"], String(CHOICES.indexOf(fit.model)),
      (k) => act(`m${k}`));
    stage.querySelector(".live-controls").append(
      live.button("Next", () => act("n"), "live-first"), live.button("Whole sweep", () => act("s")),
      live.button("Run to the end", () => act("r")), ...(plain ? [] : [weights]),
      live.button("Start again", () => act(`m${CHOICES.indexOf(fit.model)}`)),
    );
    stage.querySelectorAll("td button").forEach((button, k) =>
      button.addEventListener("click", () => act(`x${k}`)));
    show();
  });
}
