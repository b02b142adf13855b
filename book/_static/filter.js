/* Lists of values above each .filter-table; a row shows if it has all that are chosen.
   What is chosen stands in the address (?paper=…&verdict=…), so it can be sent, kept and left by
   "back"; #row leads to a row, even to one that the lists would hide.
   The values of a row are in its data- attributes, so a page without this script shows all. */
"use strict";

function setUp(table, number) {
  const names = table.dataset.filters.split(" ");
  const last = names[names.length - 1];
  const counted = table.dataset.counted.split("|"); // values of the last list, in their order
  const rows = [...table.querySelectorAll("tbody tr")];
  const chosen = Object.fromEntries(names.map((name) => [name, ""]));

  const controls = document.createElement("div");
  controls.className = "filter-table-controls";
  const lists = names.map((name) => {
    const pair = document.createElement("div");
    const label = document.createElement("label");
    const list = document.createElement("select");
    list.id = `filter-${number}-${name}`;
    list.autocomplete = "off"; // after "back" it would name what the rows do not show
    label.htmlFor = list.id;
    label.textContent = name;
    pair.append(label, list);
    list.addEventListener("change", () => {
      chosen[name] = list.value;
      show();
      keep();
    });
    controls.append(pair);
    return list;
  });
  const all = document.createElement("button");
  all.type = "button";
  all.textContent = "show all";
  all.addEventListener("click", () => {
    names.forEach((name) => (chosen[name] = ""));
    show();
    keep();
  });
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  controls.append(all);
  table.prepend(controls, status);

  const has = (row, name) => !chosen[name] || row.dataset[name] === chosen[name];

  /* How often each value occurs, in the order of the rows. */
  function count(some, name) {
    const counts = new Map();
    some.forEach((row) => counts.set(row.dataset[name], (counts.get(row.dataset[name]) || 0) + 1));
    return counts;
  }

  function show() {
    rows.forEach((row) => (row.hidden = !names.every((name) => has(row, name))));
    /* A list offers what the other lists leave. */
    names.forEach((name, k) => {
      const others = names.filter((other) => other !== name);
      const left = rows.filter((row) => others.every((other) => has(row, other)));
      const values = count(left, name);
      if (chosen[name] && !values.has(chosen[name])) values.set(chosen[name], 0);
      const options = [new Option(`all (${left.length})`, "")];
      values.forEach((n, value) => options.push(new Option(`${value} (${n})`, value)));
      lists[k].replaceChildren(...options);
      lists[k].value = chosen[name];
    });
    const shown = rows.filter((row) => !row.hidden);
    const here = count(shown, last);
    status.replaceChildren(`${shown.length} of ${rows.length} rows`);
    counted.forEach((value) => {
      const part = document.createElement("b");
      const [mark, ...words] = value.split(" ");
      part.textContent = `${mark} ${here.get(value) || 0} ${words.join(" ")}`;
      status.append(" ", part);
    });
  }

  /* Put what is chosen into the address; what others put there stays, but for a row. */
  function keep(how = "pushState") {
    const address = new URL(location.href);
    names.forEach((name) => {
      if (chosen[name]) address.searchParams.set(name, chosen[name]);
      else address.searchParams.delete(name);
    });
    if (how === "pushState") address.hash = "";
    history[how](null, "", address);
  }

  /* Choose what the address says; a value that no row has is no choice. */
  function restore() {
    const asked = new URLSearchParams(location.search);
    names.forEach((name) => {
      const value = asked.get(name) || "";
      chosen[name] = rows.some((row) => row.dataset[name] === value) ? value : "";
    });
    const row = rows.find((each) => `#${each.id}` === location.hash);
    if (row && !names.every((name) => has(row, name))) {
      names.forEach((name) => (chosen[name] = ""));
      keep("replaceState");
    }
    show();
    if (row) row.scrollIntoView({ block: "center" });
  }

  addEventListener("popstate", restore); // "back", "forward", and a link to a row
  addEventListener("load", restore); // the page has its height by now
  restore();
}

document.querySelectorAll(".filter-table").forEach(setUp);
