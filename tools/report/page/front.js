// The front as a table, sortable; and a pinned point with all that is known of it.

class FrontTable {
  constructor(points, pin) {
    this.points = points;
    const column = (axis) => ({name: axis.name, className: "number", key: (i) => axis.numbers[i], cell: (i) => axis.textOf(i)});
    const config = (i) => points.list[i].config;
    this.columns = [{name: "config", className: "name", key: config, cell: config}, ...points.axes.map(column)];
    const head = this.columns.map((one) => {
      const button = element("button", {}, one.name);
      button.addEventListener("click", () => this.sort(one));
      return one.head = element("th", {scope: "col", class: one.className}, button);
    });
    this.rows = new Map(points.front.map((i) => [i, this.row(i, pin)]));
    this.body = element("tbody", {}, ...this.rows.values());
    document.querySelector("#front table").append(element("thead", {}, element("tr", {}, ...head)), this.body);
  }
  row(i, pin) {
    const row = element("tr", {tabindex: 0}, ...this.columns.map(({className, cell}) => element("td", {class: className}, cell(i))));
    row.addEventListener("click", () => pin(i));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") pin(i); });
    return row;
  }
  // Once more turns the order round.
  sort(column) {
    const descending = this.sorted === column && !this.descending, way = descending ? -1 : 1;
    Object.assign(this, {sorted: column, descending});
    for (const {head} of this.columns) head.removeAttribute("aria-sort");
    column.head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", {numeric: true}));
    this.body.append(...[...this.points.front].sort((a, b) => way * compare(column.key(a), column.key(b)) || a - b).map((i) => this.rows.get(i)));
  }
  show() { for (const [i, row] of this.rows) row.hidden = !this.points.keeps(i); }
  mark(pinned) { for (const [i, row] of this.rows) row.classList.toggle("selected", i === pinned); }
}

// A word for a shell.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

// A network that is known by name is built first.
function commandOf(name, config, {built, assume, dims, effort}) {
  const options = [...dims.flatMap((dim) => ["--dim", dim]), ...(assume ? ["--assume", assume] : []), "--effort", String(effort)];
  const run = (model) => ["vta", "run", model, "-c", config, ...options, "--engine", "cycle"].map(quoted).join(" ");
  return built.includes(name) ? `vta model ${name} -o ${name}.onnx && ${run(name + ".onnx")}` : run(name);
}

function drawDetail(points, i) {
  const box = byId("detail"), point = points.list[i];
  if (!point) return box.replaceChildren();
  const list = (rows) => element("dl", {}, ...rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  const networks = points.data.networks.map(({name}, n) => {
    const of = point.networks[n];
    return list([["network", name], ["cycles", count(of.cycles)], ["of them ideal", percent(of.ideal_cycles, of.cycles)],
      ["DRAM", inBytes(of.dram_bytes)], ["energy, mJ", String(Number(of.energy_mj.toPrecision(4)))],
      ["multiplications on the accelerator", percent(of.macs_share, 1)]]);
  });
  const run = point.front
    ? points.data.networks.map(({name}) => element("code", {}, commandOf(name, `front/${point.config}.json`, points.data)))
    : [element("p", {class: "hint"}, "Not on the front: its config is not written.")];
  // Beside the page, where the results' folder is whole.
  const reports = (point.reports ?? []).map((file, n) => file && element("p", {}, element("a", {href: file}, `report of ${points.data.networks[n].name}`)));
  const predicted = point.predicted;
  box.replaceChildren(element("h3", {}, `${point.config}, point ${count(point.point)}${point.front ? ", on the front" : ""}${
    point.confirmed ? "; the RTL takes these cycles" : ""}`),
    list(points.measured.map((axis) => [axis.name, axis.textOf(i)])), list(points.parameters.map((axis) => [axis.name, axis.textOf(i)])),
    ...(predicted ? [element("p", {class: "hint"},
      `Predicted LUTs are off by up to ${percent(predicted.lut_error, 1)}, flip-flops by ${percent(predicted.ff_error, 1)}.`)] : []),
    ...networks, ...reports.filter(Boolean), ...run);
}
