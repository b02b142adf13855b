// The influence of an outlier: five losses fit the slope b of a line, x ≈ b t, to the same points (t is h here).
{
  const { HuberNMF, CauchyNMF, CIMNMF } = rnmf.models;
  const h = [1, 2, 3, 4, 5, 6, 7, 8];
  const x = [0.7, 0.8, 1.9, 1.8, 2.7, 2.9, 3.7];

  // A loss of u = (e/c)², and its derivative, the weight.
  const [huber, cauchy, cim] = [HuberNMF, CauchyNMF, CIMNMF].map((Model) => new Model());
  const LOSSES = [
    { name: "squares", method: "NMF", dash: "", loss: (u) => u, weight: () => 1 },
    { name: "absolute", method: "L1NMF", dash: "2 3", loss: (u) => 2 * Math.sqrt(u),
      weight: (u) => 1 / Math.sqrt(u) },
    { name: "Huber", method: "HuberNMF", dash: "9 3", loss: huber.loss, weight: huber.weight },
    { name: "Cauchy", method: "CauchyNMF", dash: "9 3 2 3", loss: cauchy.loss,
      weight: cauchy.weight },
    { name: "correntropy", method: "CIMNMF", dash: "4 3", loss: cim.loss, weight: cim.weight },
  ];

  /** The slope of least squares, Σ x h / Σ h². */
  const leastSquares = (x) => {
    const dot = (a, b) => a.reduce((total, _, i) => total + a[i] * b[i], 0);
    return dot(x, h) / dot(h, h);
  };

  /** The slope of least absolute errors: the median of x/h, where h counts each of them. */
  const leastAbsolute = (x) => {
    const order = h.map((_, i) => i).sort((i, j) => x[i] / h[i] - x[j] / h[j]);
    let half = h.reduce((a, b) => a + b) / 2;
    return order.map((i) => [x[i] / h[i], (half -= h[i])]).find(([, left]) => left <= 0)[0];
  };

  /** The slope of a loss with weights: the package's update of H, repeated until it rests. */
  const weighted = (x, model) => {
    const X = rnmf.matrix(8, 1, Float64Array.from(x)), W = rnmf.matrix(8, 1, Float64Array.from(h));
    let H = rnmf.matrix(1, 1, Float64Array.of(leastSquares(x))), before = 0;
    for (let k = 0; k < 500 && Math.abs(H.data[0] - before) > 1e-14; k++) {
      before = H.data[0];
      H = model.encode(X, W, H, model.look(X, W, H));
    }
    return H.data[0];
  };

  rnmf.slopes = (x, c) => [
    leastSquares(x),
    leastAbsolute(x),
    ...[HuberNMF, CauchyNMF, CIMNMF].map((Model) => weighted(x, new Model(c))),
  ];

  // ---------------------------------------------------------------- the picture
  const px = (h) => 28 + 34 * h, py = (x) => 290 - 28 * x; // in a drawing of 440 × 320
  const ex = (e) => 138 + 26 * e; // of a residual from -5 to 7, in a drawing of 330 × 440
  const PANELS = [
    { name: "cost of the error e", top: 24, zero: 124, unit: 14, of: (one, u, c) => c * c * one.loss(u) },
    { name: "influence ψ of the error e", top: 164, zero: 224, unit: 30, of: (one, u, c, e) =>
      one.weight(u) * e },
    { name: "weight = ψ / e", top: 324, zero: 404, unit: 66, of: (one, u) => one.weight(u) },
  ];
  const GONE = 0.03; // a weight below this is drawn as a point that is ignored
  const color = (one) => `style="--c:${live.COLORS[one.method]}"`;
  const stroke = (path, one, more = "") =>
    `<path d="${path}" ${color(one)} stroke-dasharray="${one.dash}" ${more}/>`;
  const u = (e, c) => Math.max((e / c) ** 2, 1e-4);

  /** Where names can stand that would like to stand at these heights, none on another. */
  function spread(heights, gap = 15, least = 14, most = 304) {
    const order = heights.map((_, k) => k).sort((i, j) => heights[i] - heights[j]), at = [];
    order.forEach((k, n) => (at[k] = Math.max(heights[k], n ? at[order[n - 1]] + gap : least)));
    order.reverse().forEach((k, n) => (at[k] = Math.min(at[k], n ? at[order[n - 1]] - gap : most)));
    return at;
  }

  rnmf.spread = spread;

  /** Axes, lines with their names, points, and a string to each line, as thick as the weight. */
  function drawFits(x, slopes, weights) {
    const end = 9.2, ends = slopes.map((w) => py(end * w)), names = spread(ends);
    return `<path class="axis" d="M${px(0)} 10V${py(0)}H${px(9.5)}"/>
    <text x="${px(9.3)}" y="308">t</text><text x="12" y="20">x</text>
    ${LOSSES.map((one, k) => stroke(`M${px(0)} ${py(0)}L${px(end)} ${ends[k]}`, one)).join("")}
    ${LOSSES.map((one, k) => `<path class="leader" ${color(one)} d="M${px(end) + 2} ${ends[k]}L${
      px(end) + 16} ${names[k]}"/><text class="named" ${color(one)} x="${px(end) + 20}" y="${
      names[k] + 4}">${one.name}</text>`).join("")}
    ${LOSSES.map((one, k) => {
      const at = h[7] + 0.3 * (k - 2), string = `M${px(h[7])} ${py(x[7])}L${px(at)} ${py(slopes[k] * at)}`;
      const width = weights[k] < GONE ? 0.4 : 1 + 7 * Math.min(weights[k], 1);
      return `<path d="${string}" ${color(one)} stroke-width="${width}"/>`;
    }).join("")}
    ${x.slice(0, 7).map((x, i) => `<circle cx="${px(h[i])}" cy="${py(x)}" r="4.5"/>`).join("")}`;
  }

  const bottomOf = ({ name, top, zero }) => (name.startsWith("influence") ? 2 * zero - top : zero);
  const place = ({ zero, unit, of }, one, e, c) => zero - unit * of(one, u(e, c), c, e);

  /** A panel: its name, its axes and five curves, which change with the scale alone. */
  const drawPanel = (panel, c) => {
    const { name, top, zero } = panel, bottom = bottomOf(panel);
    const residuals = Array.from({ length: 121 }, (_, i) => i / 10 - 5);
    const curves = LOSSES.map((one) => stroke(`M${residuals.map((e) =>
      `${ex(e)} ${place(panel, one, e, c).toFixed(1)}`).join("L")}`, one, `clip-path="url(#pull${top})"`));
    return `<clipPath id="pull${top}"><rect x="8" y="${top}" width="316" height="${bottom - top}"/>
      </clipPath><text x="8" y="${top - 8}">${name}</text><text x="316" y="${zero + 16}">e</text>
      <path class="axis" d="M8 ${zero}H324M${ex(0)} ${top}V${bottom}"/>${curves.join("")}`;
  };

  /** Where the large point stands on each curve; a triangle, if that is beyond the panel. */
  const drawMarks = (panel, residuals, c) => LOSSES.map((one, k) => {
    const y = place(panel, one, residuals[k], c), x = ex(residuals[k]), bottom = bottomOf(panel);
    if (y >= panel.top && y <= bottom) return `<circle class="now" ${color(one)} cx="${x}" cy="${y}" r="5"/>`;
    const arrow = y < panel.top ? `${panel.top}l6 -9l6 9z` : `${bottom}l6 9l6 -9z`;
    return `<path class="now" ${color(one)} d="M${x - 6} ${arrow}"/>`;
  }).join("");

  live.figure("pull", (stage, told) => {
    const within = (value, least, most) => Math.min(Math.max(Math.round(value * 10) / 10, least), most);
    const [first, second] = (told ?? "9_0.6").split("_").map(Number);
    let height = within(first || 0, 0, 10), c = within(second || 0.6, 0.2, 3);

    stage.innerHTML = `<p class="live-try"><b>Try this:</b> drag the orange point up and down, and
      watch which lines follow it and which lines ignore it.</p>${live.LINES}
      <div class="live-pair"><div><div class="live-plot">
      <svg viewBox="0 0 440 320" role="img" aria-label="Points, and the line of each loss"><g></g>
      <circle class="handle" r="11"/><text class="hint">drag ↕</text></svg>
      <div class="live-rail" style="left: ${px(h[7]) / 4.4}%"></div></div>
      <table class="live-table"><thead><tr><th>loss</th><th>slope b</th><th>weight</th><th>ψ</th></tr>
      </thead><tbody></tbody></table></div><div><svg viewBox="0 0 330 440" role="img"
      aria-label="Cost, influence and weight against the error e of the large point"><g></g><g></g></svg></div></div>`;
    const [plot, curves] = stage.querySelectorAll("div > svg"), body = stage.querySelector("tbody");

    function show() {
      const slopes = rnmf.slopes([...x, height], c);
      const residuals = slopes.map((w) => height - w * h[7]);
      const weights = LOSSES.map((one, k) => one.weight(u(residuals[k], c)));
      plot.firstElementChild.innerHTML = drawFits([...x, height], slopes, weights);
      curves.lastElementChild.innerHTML = PANELS.map((panel) => drawMarks(panel, residuals, c)).join("");
      for (const part of plot.querySelectorAll(".handle, .hint")) {
        for (const name of ["cx", "x"]) part.setAttribute(name, px(h[7]));
        for (const name of ["cy", "y"]) part.setAttribute(name, py(height));
      }
      body.innerHTML = LOSSES.map((one, k) => {
        const numbers = [slopes[k], weights[k], weights[k] * residuals[k]].map((v) => live.digits(v));
        return `<tr><th scope="row"><svg viewBox="0 0 40 8" aria-hidden="true">${stroke("M0 4H40", one)}
          </svg>${one.name}</th>${numbers.map((text) => `<td>${text}</td>`).join("")}</tr>`;
      }).join("");
      const gone = LOSSES.filter((_, k) => weights[k] < GONE).map((one) => one.name);
      const numbers = LOSSES.map((one, k) => `${one.name} ${slopes[k].toFixed(2)}`).join(", ");
      live.say(stage, `Point at ${height.toFixed(1)}: ${gone.length ? `${gone.join(" and ")} ${gone.length > 1 ? "ignore" : "ignores"} it.`
        : "no loss ignores it."}`, `Slopes: ${numbers}.`);
    }

    const drawCurves = () => {
      curves.firstElementChild.innerHTML = PANELS.map((panel) => drawPanel(panel, c)).join("");
    };
    const move = (to) => {
      height = within(to, 0, 10);
      range.set(height);
      show();
    };
    const range = live.slider("height", { min: 0, max: 10, step: 0.1, value: height }, move);
    const scale = live.slider("scale c", { min: 0.2, max: 3, step: 0.1, value: c }, (to) => {
      c = to;
      drawCurves();
      show();
    });
    plot.parentElement.after(range);
    curves.after(scale);
    stage.addEventListener("change", () => live.remember("pull", `${height}_${c}`));

    // Only an element of the page, none inside of a drawing, keeps a finger from scrolling it.
    const rail = stage.querySelector(".live-rail");
    const drag = (event) => {
      const box = plot.getBoundingClientRect();
      move((290 - ((event.clientY - box.top) * 320) / box.height) / 28);
    };
    rail.addEventListener("pointerdown", (event) => {
      rail.setPointerCapture(event.pointerId);
      rail.onpointermove = drag;
      drag(event);
    });
    rail.addEventListener("lostpointercapture", () => {
      rail.onpointermove = null;
      live.remember("pull", `${height}_${c}`);
    });
    drawCurves();
    show();
  });
}
