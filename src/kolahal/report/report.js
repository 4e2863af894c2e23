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

// The budget planner: one share moves, the others keep their proportions, and errors are read between those computed.
for (const section of document.querySelectorAll("[data-plan]")) {
  const plan = JSON.parse(section.dataset.plan);
  const shares = [...plan.shares];
  const sliders = [...section.querySelectorAll("input[type=range]:not(.budget)")];
  const budget = section.querySelector("input.budget");
  const between = (xs, ys, x) => {
    const place = Math.max(1, xs.findIndex(other => x <= other));
    const i = x > xs[xs.length - 1] ? xs.length - 1 : place;
    const part = (Math.min(Math.max(x, xs[0]), xs[xs.length - 1]) - xs[i - 1]) / (xs[i] - xs[i - 1]);
    return ys[i - 1] + part * (ys[i] - ys[i - 1]);
  };
  let moved = 0;
  const tell = () => {
    const logs = plan.budgets.map(Math.log);
    const log = between(logs.map((_, i) => 10 * i), logs, Number(budget.value));
    const eps = Math.exp(log);
    budget.parentElement.querySelector("output").textContent = Number(eps.toPrecision(2));
    sliders.forEach((slider, i) => {
      const row = slider.closest("tr");
      const [share, scale] = row.querySelectorAll("output");
      if (i !== moved) slider.value = Math.round(100 * shares[i]);
      share.textContent = `${Math.round(100 * shares[i])} %`;
      scale.textContent = Number((plan.whole[i] / shares[i] / eps).toPrecision(3));
    });
    const error = between(logs, plan.errors[moved].map(row => between(plan.parts, row, shares[moved])), log);
    section.querySelector(".planned").textContent =
      plan.kind === "probability" ? `${Math.round(100 * error)} % wrong outputs` : `${Number(error.toPrecision(3))} off on average`;
  };
  sliders.forEach((slider, i) => slider.addEventListener("input", () => {
    const rest = plan.shares.reduce((sum, share, j) => sum + (j === i ? 0 : share), 0);
    const wanted = Number(slider.value) / 100;
    moved = i;
    plan.shares.forEach((share, j) => { shares[j] = j === i ? wanted : share / rest * (1 - wanted); });
    tell();
  }));
  budget.addEventListener("input", tell);
}

// On paper everything is open.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(part => { part.open = true; }));
