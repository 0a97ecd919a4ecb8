// The table of layers: sortable, and a way into the pictures.

function columnsOf(data) {
  const text = (name, key) => ({name, key: (layer) => layer[key], cell: (layer) => layer[key], className: key});
  const number = (name, key, cell) => ({name, key, cell, className: "number"});
  const all = data.total.cycles;
  const columns = [
    number("#", (_, i) => i, (_, i) => String(i)),
    text("layer", "name"), text("op", "op"), text("shape", "shape"), text("where", "where"),
    number("MACs", (layer) => layer.macs, (layer) => (layer.macs ? scaled(layer.macs) : "")),
    number("bytes", (layer) => layer.bytes + layer.kernel_bytes, (layer) => scaled(layer.bytes + layer.kernel_bytes)),
  ];
  if (!all) return columns;
  const timed = (value) => (layer) => (layer.cycles ? value(layer) : "");
  const key = (value) => (layer) => (layer.cycles ? value(layer) : -1);
  columns.push(
    number("cycles", key((layer) => layer.cycles), timed((layer) => count(layer.cycles))),
    number("of the run", key((layer) => layer.cycles), timed((layer) => percent(layer.cycles, all))),
    number("of peak", key((layer) => layer.peak), timed((layer) => (layer.macs ? percent(layer.peak, 1) : ""))),
    {...number("of bound", key((layer) => layer.bound || 0), timed((layer) => (layer.bound ? percent(layer.bound, 1) : ""))),
      title: (layer) => layer.lost_to},
    {name: data.total.path ? "path mostly" : "compute mostly", key: (layer) => (layer.cycles ? topCauses(data, layer, 1)[0] || "" : ""),
      cell: timed((layer) => topCauses(data, layer, 1)[0] || ""), className: "most"});
  if (data.hosts)
    columns.push({name: "host ms", className: "number host", key: (layer) => (layer.host ? layer.host[0].ms : -1),
      cell: (layer) => (layer.host ? layer.host[0].ms.toFixed(3) : "")});
  if (data.energy)
    columns.push({name: "mJ", className: "number energy", key: (layer) => layer.energy_mj || 0,
      cell: (layer) => (layer.energy_mj ? milli(layer.energy_mj) : "")});
  barsOf(data, data.total).forEach(([unit], u) => columns.push({
    name: unit === PATH ? "path" : unit, className: unit === PATH ? "spent" : "spent unit", key: key((layer) => barsOf(data, layer)[u][1][0] / layer.cycles), bar: u,
  }));
  return columns;
}

class LayerTable {
  constructor(data, select) {
    this.data = data;
    this.columns = columnsOf(data);
    this.sorted = null;
    this.scale = "share";
    const head = element("tr", {}, ...this.columns.map((column) => this.headCell(column)));
    this.body = element("tbody");
    this.rows = data.layers.map((layer, i) => this.row(layer, i, select));
    this.body.append(...this.rows);
    document.querySelector("#layers table").replaceChildren(element("thead", {}, head), this.body);
    for (const button of document.querySelectorAll("#bar-scale button"))
      button.addEventListener("click", () => this.setScale(button.dataset.scale));
    byId("bar-scale").hidden = !data.total.cycles;
  }
  headCell(column) {
    const button = element("button", {}, column.name);
    const cell = element("th", {scope: "col", class: column.className}, button);
    column.head = cell;
    button.addEventListener("click", () => this.sort(column));
    return cell;
  }
  row(layer, i, select) {
    const row = element("tr", {class: layer.where, tabindex: 0, "data-layer": i});
    for (const column of this.columns) {
      const cell = element("td", {class: column.className});
      if (column.bar === undefined) cell.textContent = column.cell(layer, i);
      if (["name", "op", "shape", "most"].includes(column.className)) cell.title = cell.textContent;
      if (column.className === "where" && layer.why) cell.title = layer.why;
      if (column.title && column.title(layer)) cell.title = column.title(layer);
      row.append(cell);
    }
    this.fillBars(row, layer);
    row.addEventListener("click", () => select(i));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") select(i); });
    return row;
  }
  fillBars(row, layer) {
    if (!layer.cycles) return;
    const most = Math.max(...this.data.layers.map((one) => one.cycles || 0));
    const width = this.scale === "share" ? 100 : 100 * layer.cycles / most;
    const bars = barsOf(this.data, layer);
    this.columns.forEach((column, c) => {
      if (column.bar === undefined) return;
      const [unit, kinds] = bars[column.bar];
      const bar = smallBar(this.data, kinds, width);
      explain(bar, () => causeLines(this.data, layer, unit, kinds));
      row.cells[c].replaceChildren(bar);
    });
  }
  setScale(scale) {
    this.scale = scale;
    for (const button of document.querySelectorAll("#bar-scale button"))
      button.setAttribute("aria-pressed", String(button.dataset.scale === scale));
    this.data.layers.forEach((layer, i) => this.fillBars(this.rows[i], layer));
  }
  sort(column) {
    const numeric = typeof column.key(this.data.layers[0], 0) === "number";
    const descending = this.sorted === column ? !this.descending : numeric && column.name !== "#";
    this.sorted = column;
    this.descending = descending;
    for (const one of this.columns) one.head.removeAttribute("aria-sort");
    column.head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const keys = this.data.layers.map((layer, i) => column.key(layer, i));
    const order = keys.map((_, i) => i).sort((a, b) =>
      (descending ? -1 : 1) * (numeric ? keys[a] - keys[b] : (keys[a] > keys[b]) - (keys[a] < keys[b])) || a - b);
    this.body.append(...order.map((i) => this.rows[i]));
  }
  mark(selected, scroll) {
    this.rows.forEach((row, i) => row.classList.toggle("selected", i === selected));
    if (scroll && this.rows[selected]) this.rows[selected].scrollIntoView({block: "nearest"});
  }
}
