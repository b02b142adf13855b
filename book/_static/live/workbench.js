// The workbench: paint on toy houses, and watch NMF and a robust model fit them side by side.

/** Both fits, sweep by sweep. It runs in a worker, or in the page where there can be none. */
function makeBench(rnmf, post) {
  const { matrix, models, advance, begin, initialize, sum } = rnmf;
  let X, clean, fits, setting, timer, sweeps, quiet, took, ended;

  const distance = (A, B) => Math.sqrt(sum(rnmf.minus(A, B), (e) => e * e) / sum(B, (b) => b * b));
  const bytes = (A, j, most = 1) =>
    Uint8ClampedArray.from({ length: A.rows }, (_, i) => (255 * A.data[i * A.cols + j]) / most);
  const weights = ({ Q, S, WH }) => // of an error matrix S: what it leaves of the residual
    Q ?? rnmf.map((s, e) => (s ? 1 - s / e : 1), S, rnmf.minus(X, WH));
  const part = (W, k) => {
    const column = W.data.filter((_, i) => i % W.cols === k);
    return bytes(matrix(W.rows, 1, column), 0, Math.max(...column, 1e-9));
  };

  /** What the page shows: house j, its weights, the parts, and what the fits cost. */
  function frame() {
    const seen = fits.map(({ at }) => at.seen), j = setting.house;
    post({
      ended, sweeps, ms: took / Math.max(sweeps, 1),
      pictures: seen.map(({ WH }) => bytes(WH, j)), weights: bytes(weights(seen[1]), j),
      parts: fits.map(({ at }) => Array.from({ length: at.W.cols }, (_, k) => part(at.W, k))),
      objectives: seen.map((one) => one.objective), errors: seen.map(({ WH }) => distance(WH, clean)),
    });
  }

  /** A sweep. A model that grows takes coordinate descent until then, for five sweeps a part. */
  function step(fit) {
    const { model, uniform } = fit, growing = fit.sweeps++ < 5 * setting.rank && model.grows;
    fit.at = advance(model, growing ? "cd" : setting.solver, X, fit.at);
    if (growing && fit.sweeps % 5 === 0 && fit.at.W.cols < setting.rank) {
      fit.at = begin(model, X, ...model.grow(X, fit.at, uniform));
    }
  }

  /** Sweep for a sixtieth of a second, show, and go on, 150 sweeps or 500 in all. */
  function work() {
    const begun = performance.now(), most = setting.solver === "cd" ? 150 : 500;
    while (!ended && performance.now() - begun < 14) {
      const now = performance.now();
      ended = ++sweeps >= most;
      fits.forEach(step);
      took += performance.now() - now;
    }
    if (ended || !quiet) frame();
    if (!ended) timer = setTimeout(work);
  }

  return (message) => {
    clearTimeout(timer);
    const again = message.again || !fits;
    ({ setting, quiet } = message);
    if (message.clean) clean = matrix(1024, message.clean.length / 1024, message.clean);
    if (message.seen) X = matrix(1024, message.seen.length / 1024, message.seen);
    if (again || message.seen) {
      const chosen = [new models.NMF(), new models[setting.loss](setting.scale)];
      fits = chosen.map((model, k) => {
        if (!again) return { ...fits[k], at: begin(model, X, fits[k].at.W, fits[k].at.H) };
        const start = model.grows ? model.start(X) : initialize(X, setting.rank, setting.seed);
        return { model, at: begin(model, X, ...start), sweeps: 0, uniform: rnmf.randomState(setting.seed) };
      });
      [sweeps, took, ended] = [0, 0, false];
    }
    frame();
    if (!ended) timer = setTimeout(work);
  };
}

{
  const SIDE = 32, HOUSES = 40, SHOWN = 8, BLOCK = 8, BRUSH = 5;
  const BRUSHES = { w: "white", k: "black", n: "noise", e: "eraser" };
  const LOSSES = {
    RobustNMF: "RobustNMF (λ = 2c)", HuberNMF: "Huber", CauchyNMF: "Cauchy", CIMNMF: "correntropy",
    WindowNMF: "windows (5 × 5)",
  };
  const SOLVERS = { cd: "coordinate descent", mu: "multiplicative" };

  // The parts of a house: where they are, as functions of column and row.
  const box = (left, top, right, bottom) => (x, y) => x >= left && x < right && y >= top && y < bottom;
  const disc = (column, row, square) => (x, y) => (x - column) ** 2 + (y - row) ** 2 < square;
  const [pane, door] = [box(5, 18, 10, 22), box(12, 22, 16, 28)];
  const [crown, trunk] = [disc(26, 17, 17), box(25, 21, 28, 28)];
  const roof = (x, y) => y >= 8 && y < 16 && Math.abs(x - 11.5) < y - 5.5;
  const wall = (x, y) => box(3, 16, 21, 28)(x, y) && !door(x, y) && !pane(x, y);
  const chimney = (x, y) => box(15, 4, 18, 12)(x, y) && !roof(x, y);
  const tree = (x, y) => crown(x, y) || trunk(x, y);
  const PARTS = [wall, roof, door, pane, chimney, disc(26, 5.5, 14), tree];

  /** Pixels × houses: a house is the sum of its parts, each with a brightness of its own. */
  function makeHouses() {
    const uniform = rnmf.randomState(0), n = PARTS.length;
    const brightness = rnmf.map(() => 0.1 + 0.7 * uniform(), rnmf.matrix(HOUSES, n));
    const shapes = rnmf.matrix(SIDE * SIDE, n);
    for (let i = 0; i < SIDE * SIDE; i++) {
      PARTS.forEach((part, k) => (shapes.data[n * i + k] = part(i % SIDE, Math.floor(i / SIDE))));
    }
    return rnmf.mul(shapes, rnmf.T(brightness));
  }

  rnmf.makeHouses = makeHouses;

  /** Send messages to the bench, in a worker if there can be one. */
  function startBench(show) {
    try {
      const source = `const bench = (${makeBench})((${makeModels})(), (frame) => postMessage(frame));
        onmessage = (event) => bench(event.data);`;
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      worker.onmessage = (event) => show(event.data);
      return (message) => worker.postMessage(message);
    } catch {
      return makeBench(rnmf, show);
    }
  }

  /** 256 colors, from dark to bright, each given as red, green, blue. */
  const palette = (dark, bright) => Uint32Array.from({ length: 256 }, (_, b) => {
    const [red, green, blue] = dark.map((from, k) => Math.round(from + ((bright[k] - from) * b) / 255));
    return (255 << 24) | (blue << 16) | (green << 8) | red;
  });
  // Orange is what is not trusted.
  const GRAYS = palette([0, 0, 0], [255, 255, 255]), TRUST = palette([213, 94, 0], [255, 255, 255]);

  function draw(canvas, bytes, colors = GRAYS) {
    const context = canvas.getContext("2d"), image = context.createImageData(SIDE, SIDE);
    new Uint32Array(image.data.buffer).forEach((_, i, pixels) => (pixels[i] = colors[bytes[i]]));
    context.putImageData(image, 0, 0);
  }

  const canvas = (label) =>
    `<canvas width="${SIDE}" height="${SIDE}" role="img" aria-label="${label}"></canvas>`;

  live.figure("workbench", (stage, told) => {
    const clean = makeHouses(), X = rnmf.map((x) => x, clean), random = rnmf.randomState(1);
    const noise = rnmf.map(() => random(), clean);
    const corners = Array.from({ length: HOUSES }, () =>
      [0, 1].map(() => Math.floor(random() * (SIDE - BLOCK + 1))));
    const setting = { loss: "CauchyNMF", scale: 0.04, rank: 7, solver: "cd", house: 3, seed: 0 };
    let blocks = true, strokes = [], brush = "w", everywhere = false, place = [16, 16], errors = [];

    // ---------------------------------------------------------------- the data
    /** Fill a square of house j. */
    function fill(kind, j, left, top, size) {
      for (let y = Math.max(top, 0); y < Math.min(top + size, SIDE); y++) {
        for (let x = Math.max(left, 0); x < Math.min(left + size, SIDE); x++) {
          const i = (y * SIDE + x) * HOUSES + j;
          X.data[i] = { w: 1, k: 0, n: noise.data[i], e: clean.data[i] }[kind];
        }
      }
    }

    /** A stroke: a brush, a house (the number after the last one shown is all), a place. */
    function paint([kind, house, x, y]) {
      const houses = house === SHOWN ? corners.map((_, j) => j) : [house];
      for (const j of houses) fill(kind, j, x - (BRUSH >> 1), y - (BRUSH >> 1), BRUSH);
    }

    function paintAll() {
      X.data.set(clean.data);
      if (blocks) corners.forEach(([x, y], j) => fill("w", j, x, y, BLOCK));
      strokes.forEach(paint);
    }

    // In the address a stroke is four signs.
    const given = (told ?? "").split("_");
    if (Object.hasOwn(LOSSES, given[0])) setting.loss = given[0];
    if (given[1] >= 0.02 && given[1] <= 1) setting.scale = Number(given[1]);
    if (given[2] >= 1 && given[2] <= 12) setting.rank = Math.round(given[2]);
    if (Object.hasOwn(SOLVERS, given[3])) setting.solver = given[3];
    blocks = given[4] !== "clean";
    for (const [, kind, ...places] of (given[5] ?? "").matchAll(/([wkne])([0-8])(\w)(\w)/g)) {
      strokes.push([kind, ...places.map((sign) => Number.parseInt(sign, 36))]);
    }
    const signs = ([kind, ...places]) => kind + places.map((n) => n.toString(36)).join("");
    const keep = () => live.remember("workbench", [setting.loss, setting.scale, setting.rank,
      setting.solver, blocks ? "blocks" : "clean", strokes.map(signs).join("")].join("_"));

    // ---------------------------------------------------------------- the page
    stage.innerHTML = `<p class="live-try"><b>Try this:</b> paint on the first picture, and watch what
      each model makes of it; then take another loss, or paint on every house.</p>
      <div class="live-controls live-tools"></div>
      <div class="live-strip" role="group" aria-label="Houses"></div>
      <div class="live-pictures">${["seen", "NMF", "robust", "weights"].map((name) =>
      `<div class="live-${name}">${canvas(name)}<p></p></div>`).join("")}</div>
      <div class="live-controls live-knobs"></div>${live.LINES}
      <details class="live-more"><summary>Parts, curve and solver</summary>
      <div class="live-learned"><div class="live-parts"><p></p><div></div><p></p><div></div></div>
      <svg class="live-chart" viewBox="0 0 330 116" role="img" aria-label="Error against the sweep"></svg></div>
      <div class="live-controls"></div></details>`;
    const [seen, plain, robust, weights] = stage.querySelectorAll(".live-pictures canvas");
    const labels = stage.querySelectorAll(".live-pictures p, .live-parts p");
    const [tools, knobs, others] = stage.querySelectorAll(".live-controls");
    const strip = stage.querySelector(".live-strip"), more = stage.querySelector(".live-more");
    const parts = stage.querySelectorAll(".live-parts div"), chart = stage.querySelector(".live-chart");
    const name = () => LOSSES[setting.loss].split(" ")[0];

    function drawSeen() {
      const house = (j) => Uint8ClampedArray.from({ length: SIDE ** 2 }, (_, i) => 255 * X.data[i * HOUSES + j]);
      [...strip.children].forEach((button, j) => {
        draw(button.firstElementChild, house(j));
        button.setAttribute("aria-pressed", j === setting.house);
      });
      draw(seen, house(setting.house));
      if (document.activeElement === seen) {
        const context = seen.getContext("2d"), corner = place.map((n) => n - (BRUSH >> 1) + 0.5);
        context.strokeStyle = "#d55e00"; // the brush of the keyboard
        context.strokeRect(...corner, BRUSH - 1, BRUSH - 1);
      }
    }

    function show({ sweeps, ended, ms, pictures, weights: Q, parts: all, objectives, errors: now }) {
      if (sweeps === 0) errors = [];
      errors.push([sweeps, ...now]);
      Object.assign(stage.dataset, { ms, sweeps }); // for who measures
      stage.ariaBusy = String(!ended);
      if (live.still.matches && !ended) return;
      draw(weights, Q, TRUST);
      draw(plain, pictures[0]);
      draw(robust, pictures[1]);
      const robustName = name(), digits = now.map((error) => error.toFixed(3));
      const colors = ["NMF", setting.loss].map((model) => live.COLORS[model]);
      const model = (k, text) => `<b style="--c:${colors[k]}">${text}</b>`;
      ["<b>seen by both</b><span>paint here</span>", `${model(0, "NMF")}<span>error <output>${digits[0]}</output></span>`,
        `${model(1, robustName)}<span>error <output>${digits[1]}</output></span>`,
        `<b>trust of ${robustName}</b><span>orange: none</span>`, "Parts of NMF", `Parts of ${robustName}`].forEach(
        (text, k) => (labels[k].innerHTML = text));
      all.forEach((some, k) => {
        if (parts[k].childElementCount !== some.length) parts[k].innerHTML = some.map((_, i) =>
          canvas(`part ${i + 1}`)).join("");
        some.forEach((part, i) => draw(parts[k].children[i], part));
      });
      live.chart(chart, errors, {
        title: "error", names: ["NMF", robustName], colors, place: (error) => error / 0.7,
      });
      const text = `After ${sweeps} sweeps, distance of all ${HOUSES} houses from the clean ones, as a part of
        their size: NMF ${digits[0]}, ${robustName} ${digits[1]}. Objectives: ${objectives.map((o) => o.toPrecision(5)).join(" and ")}.`;
      if (ended) live.say(stage, text);
    }

    const send = startBench(show);
    const update = (more) => {
      stage.ariaBusy = "true";
      send({ setting, quiet: live.still.matches, ...more });
    };
    const restart = () => {
      keep();
      update({ seen: X.data, again: true });
    };
    const change = (key) => (value) => {
      setting[key] = typeof setting[key] === "number" ? Number(value) : value;
      restart();
    };
    const reset = (withBlocks) => () => {
      [blocks, strokes] = [withBlocks, []];
      paintAll();
      drawSeen();
      restart();
    };

    function stroke() {
      const next = [brush, everywhere ? SHOWN : setting.house, ...place];
      if (String(next) === String(strokes.at(-1))) return;
      strokes.push(next);
      paint(next);
      drawSeen();
      update({ seen: X.data });
    }
    seen.onpointerdown = (event) => {
      seen.setPointerCapture(event.pointerId);
      seen.onpointermove(event);
    };
    seen.onpointermove = (event) => {
      if (!seen.hasPointerCapture(event.pointerId)) return;
      const box = seen.getBoundingClientRect();
      place = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].map((part) =>
        Math.min(Math.max(Math.floor(part * SIDE), 0), SIDE - 1));
      stroke();
    };
    seen.onlostpointercapture = keep;
    seen.onkeydown = (event) => {
      const by = { ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, -2], ArrowDown: [0, 2], " ": [0, 0] }[event.key];
      if (!by) return;
      event.preventDefault();
      place = place.map((n, k) => Math.min(Math.max(n + by[k], 0), SIDE - 1));
      drawSeen();
      if (event.key !== " ") return live.say(stage, `Brush at column ${place[0]}, row ${place[1]}.`);
      stroke();
      keep();
    };
    seen.onfocus = seen.onblur = drawSeen;
    seen.tabIndex = 0;
    seen.setAttribute("role", "application");
    seen.setAttribute("aria-label", "The house as it is seen. Arrow keys move the brush, space paints.");

    const every = live.make(`<label class="live-check"><input type="checkbox" autocomplete="off"> on every house</label>`);
    every.firstElementChild.addEventListener("input", (event) => (everywhere = event.target.checked));
    tools.append(live.segments("brush", BRUSHES, brush, (kind) => (brush = kind)), every,
      live.button("White blocks", reset(true)), live.button("Clean", reset(false)));
    knobs.append(live.choice("loss", LOSSES, setting.loss, change("loss")),
      live.slider("scale c", { min: 0.02, max: 1, step: 0.02, value: setting.scale }, change("scale")),
      live.slider("rank", { min: 1, max: 12, step: 1, value: setting.rank }, change("rank")));
    others.append(live.choice("solver", SOLVERS, setting.solver, change("solver")), live.button("Start again", restart));
    for (let j = 0; j < SHOWN; j++) {
      strip.append(live.button(canvas(`house ${j + 1}`), () => {
        setting.house = j;
        drawSeen();
        update();
      }));
    }
    paintAll();
    drawSeen();
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      update({ clean: clean.data, seen: X.data, again: true });
    }).observe(stage);
  });
}
