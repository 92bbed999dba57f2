"use strict";
const rows = [...document.querySelectorAll("#calls details")];
const [search, action, rule, agent] = ["search", "action", "rule", "agent"].map((id) => document.getElementById(id));
const shown = document.getElementById("shown");
const show = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    row.words ??= row.textContent.toLowerCase();
    const fits = (!action.value || row.dataset.action === action.value)
      && (!rule.value || row.dataset.rule === rule.value)
      && (!agent.value || row.dataset.agent.split("\n").includes(agent.value)) && words.every((word) => row.words.includes(word));
    row.hidden = !fits;
    count += fits;
  }
  shown.textContent = `${count} of ${rows.length} distinct calls`;
};
for (const field of [search, action, rule, agent]) field.addEventListener("input", show);
document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
show();
