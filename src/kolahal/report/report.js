"use strict";
document.documentElement.classList.add("js");

// Tables sort by their headings: numbers as numbers, what is missing always last.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[column].dataset.sort;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      const order = isNaN(x) || isNaN(y) ? x.localeCompare(y, "en", {numeric: true}) : x - y;
      return down ? -order : order;
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  }));
}

// A pair of neighbours shows the event that is chosen, in the list or by its bar.
for (const pair of document.querySelectorAll("details.pair")) {
  const choices = [...pair.querySelectorAll("input[type=radio]")];
  const bars = [...pair.querySelectorAll("[data-bin]")];
  const choose = choice => {
    const inside = new Set(choice.dataset.bins.split(" ").filter(Boolean));
    bars.forEach(bar => bar.classList.toggle("k-in", inside.size === 0 || inside.has(bar.dataset.bin)));
    choices.forEach(other => other.closest("tr").classList.toggle("chosen", other === choice));
    pair.querySelector(".event").textContent = choice.dataset.label;
    pair.querySelector(".about").textContent = choice.dataset.say;
  };
  choices.forEach(choice => choice.addEventListener("change", () => choose(choice)));
  bars.forEach(bar => bar.addEventListener("click", () => {
    const choice = choices.find(c => c.dataset.bins === bar.dataset.bin);
    if (choice) { choice.checked = true; choose(choice); }
  }));
}

// On paper everything is open.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(part => { part.open = true; }));
