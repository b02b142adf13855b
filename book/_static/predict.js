/* A form for each question of the directive `predict`; without it the answer waits in a fold. */
"use strict";
(() => {
  const NUMBER = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?:\/(\d+\.?\d*|\.\d+))?(%?)$/i;

  /* Every number that a text may mean: 31% is 0.31 and 31, 1,000 is one and a thousand, 7/3 is 2.33. */
  function readings(text) {
    const bare = text.replace(/\s/g, "").replace(/[−–]/g, "-");
    const points = bare.replace(",", ".");
    const written = [points, bare.replace(/(\d),(?=\d{3}(\D|$))/g, "$1")];
    return written.flatMap((each) => {
      const found = NUMBER.exec(each);
      if (!found) return [];
      const value = Number(found[1]) / Number(found[2] ?? 1);
      if (!Number.isFinite(value)) return [];
      return found[3] ? [value / 100, value] : [value];
    });
  }

  const create = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  function numberField(box) {
    const { number, within, shown } = box.dataset;
    const key = Number(number);
    const room = Number(within) + 1e-9 * Math.max(1e-9, Math.abs(key)); // 0.26 is within 0.31 ± 0.05
    const readable = (text) =>
      shown.includes("%") ? readings(text).concat(readings(`${text}%`)) : readings(text);
    const input = create("input", { type: "text", inputMode: "decimal", autocomplete: "off" });
    const field = create("label", { className: "predict-guess" }, "Your guess ", input);
    return {
      field,
      truth: () => [`Answer: ${shown}.`],
      judge() {
        const values = readable(input.value);
        if (!values.length) return { say: ["Write a number, such as 2, 0.5, 7/3, 50% or 1e-3."] };
        const off = (value) => Math.abs(value - key);
        const meant = values.reduce((best, value) => (off(value) < off(best) ? value : best));
        const right = off(meant) <= room;
        const side = meant < key ? "small" : "large";
        return { right, say: right ? [`Right: ${shown}.`] : [`Too ${side}. Try again.`] };
      },
    };
  }

  function choiceField(box) {
    const list = box.querySelector(".predict-choices");
    const reasons = [...box.querySelectorAll(".predict-reasons > li")];
    const field = create("div", { className: "predict-choices" });
    field.setAttribute("role", "radiogroup");
    field.setAttribute("aria-labelledby", box.getAttribute("aria-labelledby"));
    const inputs = [...list.children].map((item) => {
      const input = create("input", { type: "radio", name: box.id, autocomplete: "off" });
      const words = create("span", {}, ...item.childNodes);
      field.append(create("label", { className: "predict-choice" }, input, words));
      return input;
    });
    list.remove();
    const copy = (reason, part) => [...reason.querySelector(part).cloneNode(true).childNodes];
    const right = reasons.findIndex((reason) => reason.classList.contains("predict-right"));
    return {
      field,
      mark: (wanted) => field.children[right].classList.toggle("predict-choice-shown", wanted),
      truth: () => ["Answer: ", ...copy(reasons[right], "em"), " ", ...copy(reasons[right], ".predict-why")],
      judge() {
        const chosen = inputs.findIndex((input) => input.checked);
        if (chosen < 0) return { say: ["Choose an answer first."] };
        const why = copy(reasons[chosen], ".predict-why");
        return { right: chosen === right, say: [chosen === right ? "Right. " : "No. ", ...why] };
      },
    };
  }

  function setUp(box) {
    const answer = box.querySelector("details");
    const kind = "number" in box.dataset ? numberField(box) : choiceField(box);
    answer.id = `${box.id}-answer`;
    const check = create("button", { type: "submit", textContent: "Check" });
    const show = create("button", { type: "button", textContent: "Show me" });
    show.setAttribute("aria-controls", answer.id);
    const said = create("p", { className: "predict-said" });
    said.setAttribute("role", "status");
    const buttons = create("div", { className: "predict-buttons" }, check, show);
    const form = create("form", { autocomplete: "off" }, kind.field, buttons, said);

    const tell = (words, verdict) => {
      said.replaceChildren(...words);
      box.dataset.verdict = verdict;
    };
    const open = (wanted) => {
      answer.open = wanted;
      show.setAttribute("aria-expanded", wanted);
      show.textContent = wanted ? "Hide" : "Show me";
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { right, say } = kind.judge();
      tell(say, right === undefined ? "" : right ? "right" : "wrong");
      if (right) open(true);
    });
    show.addEventListener("click", () => {
      const wanted = !answer.open;
      tell(wanted ? kind.truth() : [], wanted ? "shown" : "");
      kind.mark?.(wanted);
      open(wanted);
    });
    open(false);
    answer.before(form);
    box.classList.add("predict-form");
    addEventListener("beforeprint", () => {
      const title = box.querySelector(".predict-title").cloneNode(true);
      last.append(create("p", { className: "predict-title" }, ...title.childNodes), answer);
      box.closest("article").append(last);
    });
    addEventListener("afterprint", () => {
      form.after(answer);
      last.replaceChildren(last.firstChild);
      last.remove();
    });
  }

  // On paper the answers stand last.
  const last = create("section", {}, create("h2", { textContent: "Answers" }));
  // Equations are typeset in their place first: what moves later is their picture.
  document.querySelectorAll(".predict").forEach(setUp);
})();
