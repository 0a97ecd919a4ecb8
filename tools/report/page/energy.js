// The energy of the run, which is a model: what each kind of event took.

const milli = (value) => Number(value.toPrecision(3)).toString();

function drawEnergy(data) {
  const {energy} = data, section = byId("energy");
  section.hidden = !energy;
  if (!energy) return;
  byId("energy-hint").textContent = `Exact counts of the run, times what one of each takes by the table ${energy.technology} and in ${energy.dram}: ` +
    `${milli(energy.mj)} mJ, ${milli(energy.mw)} mW while the accelerator works. The host is not in it.`;
  const groups = new Map();
  for (const row of energy.rows) groups.set(row.group, (groups.get(row.group) || 0) + row.mj);
  section.querySelector(".legend").append(...[...groups].sort((a, b) => b[1] - a[1])
    .map(([name, mj]) => element("li", {}, element("b", {}, percent(mj, energy.mj)), " " + name)));
  const most = Math.max(...energy.rows.map((row) => row.mj));
  const cell = (text, className = "number") => element("td", {class: className}, text);
  const line = (row) => element("tr", {}, cell(row.group, "op"), cell(row.name, "name"), cell(counted(row.count, row.unit)),
    cell(milli(row.pj_each)), cell(milli(row.mj)), cell(percent(row.mj, energy.mj)),
    element("td", {class: "spent shape"}, element("div", {style: `width:${(most ? 100 * row.mj / most : 0).toFixed(1)}%;background:var(--busy)`})));
  const titles = [["of", ""], ["event", ""], ["count", "number"], ["pJ each", "number"], ["mJ", "number"], ["share", "number"], ["", ""]];
  section.querySelector("table").replaceChildren(
    element("thead", {}, element("tr", {}, ...titles.map(([name, className]) => element("th", {scope: "col", class: className}, name)))),
    element("tbody", {}, ...energy.rows.filter((row) => row.count).map(line)));
}
