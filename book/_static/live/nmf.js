// The arithmetic of the live figures, line by line that of the package: X is features × samples,
// a sample is a column, W is features × r, H is r × samples. Numbers in brackets are the papers'.
// All of it stands in one function, because a worker is made from the function's text.
function makeModels() {
  "use strict";

  // ---------------------------------------------------------------- matrices, row after row
  const matrix = (rows, cols, data = new Float64Array(rows * cols)) => ({ rows, cols, data });

  /** The matrix product AB. */
  function mul(A, B) {
    const C = matrix(A.rows, B.cols), [a, b, c, n] = [A.data, B.data, C.data, B.cols];
    for (let i = 0, here = 0, ik = 0; i < A.rows; i++, here += n) {
      for (let k = 0, there = 0; k < A.cols; k++, ik++, there += n) {
        const aik = a[ik];
        for (let j = 0; j < n; j++) c[here + j] += aik * b[there + j];
      }
    }
    return C;
  }

  /** The transpose. */
  function T(A) {
    const B = matrix(A.cols, A.rows);
    for (let i = 0; i < A.rows; i++) {
      for (let j = 0; j < A.cols; j++) B.data[j * A.rows + i] = A.data[i * A.cols + j];
    }
    return B;
  }

  /** f entry by entry, of one matrix or of two. */
  function map(f, A, B = A) {
    const C = matrix(A.rows, A.cols), [a, b, c] = [A.data, B.data, C.data];
    for (let i = 0; i < c.length; i++) c[i] = f(a[i], b[i]);
    return C;
  }

  const times = (A, B) => map((a, b) => a * b, A, B);
  const minus = (A, B) => map((a, b) => a - b, A, B);
  const sum = (A, f = (a) => a) => A.data.reduce((total, a) => total + f(a), 0);
  const scaled = (A, s) => map((a) => a * s, A);
  const row = (A, i) => A.data.subarray(i * A.cols, (i + 1) * A.cols);

  // ---------------------------------------------------------------- rnmf_tutorial/arithmetic.py
  const TINY = 2.2250738585072014e-308; // the smallest normal number
  const FLOOR = Math.sqrt(TINY);
  const ratio = (A, B) => map((a, b) => a / Math.max(b, FLOOR), A, B);

  const norms = (W) => Array.from({ length: W.cols }, (_, k) => Math.hypot(...row(T(W), k)) || 1);

  /** W with column k times s[k]. */
  const columns = (W, s) => {
    const V = matrix(W.rows, W.cols);
    for (let i = 0; i < V.data.length; i++) V.data[i] = W.data[i] * s[i % W.cols];
    return V;
  };
  const rows = (H, s) => T(columns(T(H), s));

  // ---------------------------------------------------------------- starts.py
  /** NumPy's RandomState(seed).uniform: the Mersenne Twister, 53 bits a number. */
  function randomState(seed) {
    const s = new Uint32Array(624);
    s[0] = seed;
    for (let i = 1; i < 624; i++) s[i] = Math.imul(1812433253, s[i - 1] ^ (s[i - 1] >>> 30)) + i;
    let at = 624;
    const next = () => {
      for (let i = 0; at === 624 && i < 624; i++) {
        const y = (s[i] & 0x80000000) | (s[(i + 1) % 624] & 0x7fffffff);
        s[i] = s[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      let y = s[(at %= 624)];
      at += 1;
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      return (y ^ (y >>> 18)) >>> 0;
    };
    return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
  }

  /** The start point "random": uniform in (0, 1], scaled so that WH has the mean of X. */
  function initialize(X, r, seed) {
    const uniform = randomState(seed);
    const W = map(() => 1 - uniform(), matrix(X.rows, r));
    const H = map(() => 1 - uniform(), matrix(r, X.cols));
    const scale = Math.sqrt(sum(X) / sum(mul(W, H)));
    return [scaled(W, scale), scaled(H, scale)];
  }

  // ---------------------------------------------------------------- models/plain.py
  class NMF {
    look(X, W, H) {
      const WH = mul(W, H);
      return { WH, objective: sum(minus(X, WH), (e) => e * e) }; // (7)
    }

    cleaned(X) {
      return { M: X };
    }

    sweep(X, W, H) {
      H = times(H, ratio(mul(T(W), X), mul(mul(T(W), W), H))); // (9), left
      W = times(W, ratio(mul(X, T(H)), mul(W, mul(H, T(H))))); // (9), right
      return [W, H];
    }
  }

  // ---------------------------------------------------------------- solvers/zhang.py
  class RobustNMF {
    constructor(scale) {
      this.lam = 2 * scale;
      this.gauge = true; // the columns of W have length one
    }

    look(X, W, H) {
      const WH = mul(W, H), [S, Q] = [0, 1].map(() => matrix(X.rows, X.cols)), nu = this.lam / 2;
      let objective = 0;
      for (let i = 0; i < S.data.length; i++) {
        const e = X.data[i] - WH.data[i], s = e - Math.min(Math.max(e, -nu), nu);
        S.data[i] = s; Q.data[i] = Math.max(nu / Math.max(nu, Math.abs(e)), SMALLEST); // (28)
        objective += (e - s) ** 2 + this.lam * Math.abs(s); // (16)
      }
      return { WH, S, Q, objective };
    }

    cleaned(X, { WH, Q }) {
      return clean(X, WH, Q); // X - S: with S at its best this is Huber's loss
    }

    sweep(X, W, H, { S }) {
      const M = minus(X, S);
      W = times(W, ratio(mul(M, T(H)), mul(W, mul(H, T(H))))); // (24)
      H = times(H, ratio(mul(T(W), M), mul(mul(T(W), W), H))); // (23)
      const d = norms(W);
      return [columns(W, d.map((x) => 1 / x)), rows(H, d)]; // (29)-(30)
    }
  }

  // ---------------------------------------------------------------- losses.py
  const SMALLEST = Math.cbrt(TINY); // a weight of zero would leave a sample no way back

  class EntrywiseNMF {
    constructor(scale) {
      this.scale = scale;
    }

    look(X, W, H) {
      const WH = mul(W, H), c = this.scale;
      const u = this.means(map((x, y) => ((x - y) / c) ** 2, X, WH));
      const Q = map((q) => Math.max(q, SMALLEST), this.means(map(this.weight, u)));
      return { WH, Q, objective: c * c * sum(u, this.loss) };
    }

    means(A) {
      return A; // an entry is alone
    }

    cleaned(X, { WH, Q }) {
      return clean(X, WH, Q);
    }

    encode(X, W, H, { Q, WH }) {
      return times(H, ratio(mul(T(W), times(Q, X)), mul(T(W), times(Q, WH))));
    }

    sweep(X, W, H, now) {
      H = this.encode(X, W, H, now);
      const { Q, WH } = this.look(X, W, H);
      W = times(W, ratio(mul(times(Q, X), T(H)), mul(times(Q, WH), T(H))));
      return [W, H];
    }
  }

  class HuberNMF extends EntrywiseNMF {
    loss = (u) => (u <= 1 ? u : 2 * Math.sqrt(u) - 1);
    weight = (u) => 1 / Math.sqrt(Math.max(u, 1));
  }

  class CauchyNMF extends EntrywiseNMF {
    loss = Math.log1p;
    weight = (u) => 1 / (1 + u);
  }

  class CIMNMF extends EntrywiseNMF {
    loss = (u) => -2 * Math.expm1(-u / 2);
    weight = (u) => Math.exp(-u / 2);
  }

  // ---------------------------------------------------------------- windows.py
  class WindowNMF extends EntrywiseNMF {
    loss = (u) => u / (1 + u);
    weight = (u) => 1 / (1 + u) ** 2;
    grows = true;

    /** The means over windows of 5 × 5 pixels, mirrored at the edges of square pictures. */
    means(A) {
      const side = Math.sqrt(A.rows), n = A.cols;
      const inside = (i) => (i < 0 ? -1 - i : i < side ? i : 2 * side - 1 - i);
      const along = (A, step) => {
        const B = matrix(A.rows, n);
        for (let i = 0; i < A.rows; i++) {
          const at = Math.floor(i / step) % side, here = row(B, i);
          for (let k = at - 2; k <= at + 2; k++) {
            const there = row(A, i + (inside(k) - at) * step);
            for (let j = 0; j < n; j++) here[j] += there[j] / 5;
          }
        }
        return B;
      };
      return along(along(A, 1), side);
    }

    /** The start, of rank one: the median sample, and as much of it for each. */
    start(X) {
      const middle = (a, n = a.length >> 1) => (a[n] + a[a.length - 1 - n]) / 2;
      const W = matrix(X.rows, 1);
      for (let i = 0; i < X.rows; i++) W.data[i] = middle(row(X, i).slice().sort());
      return [W, map(() => 1, matrix(1, X.cols))];
    }

    /** One part more, mixed of what of the cleaned data is left over; its row of H is zero. */
    grow(X, { W, H, seen: { WH, Q } }, uniform) {
      const E = times(Q, minus(X, WH)), r = W.cols + 1;
      const part = map((p) => Math.max(p, 0), mul(E, map(() => uniform() - 0.5, matrix(X.cols, 1))));
      const usual = norms(W).reduce((a, b) => a + b) / W.cols / norms(part)[0];
      const wider = matrix(W.rows, r), higher = matrix(r, H.cols);
      for (let i = 0; i < W.rows; i++) row(wider, i).set([...row(W, i), usual * part.data[i]]);
      higher.data.set(H.data);
      return [wider, higher];
    }
  }

  // ---------------------------------------------------------------- losses.py, fitting.py
  /** The cleaned data X - (1 - Q) ⊙ E; what a sample counts, where all its weights are small. */
  function clean(X, WH, Q) {
    const M = matrix(X.rows, X.cols), n = X.cols, d = new Float64Array(n);
    for (let i = 0; i < Q.data.length; i++) d[i % n] = Math.max(d[i % n], Q.data[i]);
    for (let j = 0; j < n; j++) if (d[j] >= 0.5) d[j] = 1;
    for (let i = 0; i < M.data.length; i++) {
      const x = X.data[i];
      M.data[i] = x - (1 - Q.data[i] / d[i % n]) * (x - WH.data[i]);
    }
    return { M, d };
  }

  /** One pass: fit what was seen at W and H, then go further where that leads down. */
  function coordinatePass(model, X, { W, H, seen, before }) {
    const { M, d: counts } = model.cleaned(X, seen);
    let step = fit(M, W, H, counts);
    const bound = seen.objective - Math.max(step.drop, 0);
    const beyond = (Z, V) => map((z, v) => Math.max(z + (z - v) / 2, z / 10), Z, V);
    const far = before && [beyond(step.W, before.W), beyond(step.H, before.H)];
    const there = far && model.look(X, ...far);
    if (there && there.objective <= bound) {
      [W, H, seen] = [...far, there];
    } else {
      [W, H, seen] = [step.W, step.H, model.look(X, step.W, step.H)];
    }
    if (model.gauge) {
      const d = norms(W), inverse = d.map((x) => 1 / x);
      [W, H] = [columns(W, inverse), rows(H, d)];
      step = { W: columns(step.W, inverse), H: rows(step.H, d) };
    }
    return { W, H, seen, before: step };
  }

  // ---------------------------------------------------------------- solvers/coordinate.py
  /** Four rounds over the rows of H, each to its minimum with the others held fixed. */
  function descendRows(G, B, start) {
    const H = map((h) => h, start), r = H.rows;
    for (let n = 0; n < 4 * r; n++) {
      const k = n % r, Gk = row(G, k), Bk = row(B, k), Hk = row(H, k);
      if (Gk[k] < TINY) continue;
      const best = Bk.slice();
      for (let l = 0; l < r; l++) {
        const Hl = row(H, l);
        if (l !== k) for (let j = 0; j < best.length; j++) best[j] -= Gk[l] * Hl[j];
      }
      for (let j = 0; j < best.length; j++) Hk[j] = Math.max(best[j] / Gk[k], 0);
    }
    return H;
  }

  /** The rows of H, then the columns of W, and by how much the weighted squares fell. */
  function fit(M, W, H, d) {
    const weighted = (A) => (d ? columns(A, d) : A);
    const energy = (G, B, H) => times(H, map((g, b) => g - 2 * b, mul(G, H), B));
    const G = mul(T(W), W), B = mul(T(W), M), next = descendRows(G, B, H);
    const HD = weighted(next), Wt = T(W);
    const GW = mul(HD, T(next)), BW = T(mul(M, T(HD))), best = descendRows(GW, BW, Wt);
    const dropH = minus(energy(G, B, H), energy(G, B, next));
    const dropW = minus(energy(GW, BW, Wt), energy(GW, BW, best));
    return { W: T(best), H: next, drop: sum(weighted(dropH)) + sum(dropW) };
  }

  /** The factors with what is seen there; one sweep of the solver further. */
  const begin = (model, X, W, H) => ({ W, H, seen: model.look(X, W, H), before: null });
  function advance(model, solver, X, at) {
    if (solver === "cd") return coordinatePass(model, X, at);
    return begin(model, X, ...model.sweep(X, at.W, at.H, at.seen));
  }

  const models = { NMF, RobustNMF, HuberNMF, CauchyNMF, CIMNMF, WindowNMF };
  const tools = { initialize, map, matrix, minus, mul, randomState, ratio, sum, T, times };
  return { ...tools, models, begin, advance };
}

const rnmf = makeModels();
