// Puts the page together: first what is small, then the timeline.

const data = JSON.parse(byId("data").textContent);
const {facts, total} = data;
const parts = {};

// A layer is shown in all pictures; once more, and none is.
function select(layer, zoom = true) {
  const shown = parts.selected === layer && zoom ? -1 : layer;
  parts.selected = shown;
  const one = data.layers[shown];
  if (total.cycles)
    drawCauses(data, one && one.cycles ? one : total, one && one.cycles ? "in " + one.name : "in the whole run");
  for (const part of [parts.roofline, parts.hosts, parts.chart]) if (part) part.mark(shown);
  parts.table.mark(shown, !zoom);
  if (!parts.timeline) return;
  if (zoom && shown >= 0) return parts.timeline.showLayer(shown);
  parts.timeline.layer = shown;
  parts.timeline.request();
}

function drawFacts() {
  byId("model").textContent = facts.model || "a model without a name";
  document.title = (facts.model || "model") + " on " + facts.config;
  const hash = (name, key) => [name, facts[key], "hash"];
  const list = [["config", facts.config], ["engine", facts.engine], ["clock", facts.clock_mhz + " MHz"],
    hash("timing hash", "timing_hash"), hash("arch hash", "arch_hash"), hash("package hash", "package_hash")];
  if (facts.batch > 1) list.push(["inferences in a run", count(facts.batch)]);
  byId("facts").append(...list.filter(([, value]) => value).map(([name, value, className = ""]) =>
    element("div", {}, element("dt", {}, name), element("dd", {class: className}, value))));
}

function notes() {
  const list = [];
  if (facts.assumed) list.push(facts.assumed);
  if (facts.inexact) list.push(facts.inexact);
  if (facts.clock_note) list.push(facts.clock_note);
  if (!data.layers.some((layer) => layer.where === "vta"))
    list.push("No layer ran on the accelerator: there are no cycles, no roofline and no timeline.");
  else if (!total.cycles)
    list.push(`The engine ${facts.engine} has no time: no cycles, no roofline and no timeline. With --engine cycle there are.`);
  else if (!total.path)
    list.push(`The engine ${facts.engine} says of each module only whether it was busy, waited for a token or for memory.` +
      (facts.engine === "cycle" ? "" : " With --engine cycle each cycle has its cause, and the critical path is there."));
  const {launches} = data.timeline, kept = launches.filter((launch) => launch.instructions).length;
  if (kept < launches.length)
    list.push(`The timeline holds the instructions of the first ${kept} of ${counted(launches.length, "layer")}: with all of them this page ` +
      "would be larger than 10 MB. --trace writes them all.");
  return list;
}

function drawFigures() {
  const onVta = data.layers.filter((layer) => layer.where === "vta").length;
  const list = [];
  if (total.cycles) {
    const ms = total.ms, rate = 1000 * facts.batch / ms;
    list.push([count(total.cycles), `${plural(total.cycles, "cycle")} on the accelerator, in ${counted(facts.launches, "launch")}`],
      [ms.toFixed(3) + " ms", `at ${facts.clock_mhz} MHz: ${rate.toFixed(1)} inferences/s`],
      [percent(total.peak, 1), `of the peak of ${count(facts.macs_per_cycle)} MACs a cycle`]);
    if (data.energy) list.push([milli(data.energy.mj) + " mJ", `by a model: ${data.energy.technology}, ${data.energy.dram}`]);
    for (const host of data.hosts || [])
      list.push([host.host_ms.toFixed(3) + " ms", `on the host, by a model of a ${host.name}: one run ${host.alone_ms.toFixed(3)} ms`]);
    if (total.bound) list.push([percent(total.bound, 1), "of the cycles are needed by the passes and bytes of the layers"]);
  }
  if (onVta) list.push([scaled(total.macs), "MACs on the accelerator"], [inBytes(total.bytes), "moved from and to DRAM"]);
  else list.push([scaled(sum(data.layers.map((layer) => layer.macs))), "MACs on the CPU"]);
  list.push([`${onVta} of ${data.layers.length}`, plural(data.layers.length, "layer") + " on the accelerator"]);
  byId("figures").append(...list.map(([value, name]) => element("div", {}, element("b", {}, value), element("span", {}, name))));
}

function drawTimed() {
  if (data.layers.some(inRoofline)) parts.roofline = new Roofline(data, select);
  else byId("roofline").hidden = true;
  if (data.hosts && data.layers.some((layer) => layer.host)) parts.hosts = new HostBars(data, select);
  else byId("hosts").hidden = true;
  byId("causes-hint").textContent = total.path
    ? "Each cycle of each unit has one cause; the critical path is what made the run as long as it is."
    : "What each unit did with its cycles.";
  drawCauses(data, total, "in the whole run");
  drawLegend(document.querySelector("#causes .legend"), causeLegend(data, true));
  parts.chart = new LayerChart(data, select);
}

function drawTimeline() {
  if (!data.timeline.launches.length) {
    byId("timeline").hidden = true;
    return;
  }
  const between = facts.between_launches;
  byId("timeline-total").textContent = between
    ? `The ${count(total.cycles)} cycles of the launches, and ${count(between)} between them, in which the host reads and writes registers.`
    : "";
  parts.timeline = new Timeline(data, decodeTimeline(data), select);
  const used = new Set(parts.timeline.decoded.instructions.flatMap((track) => [...new Set(track.kind)]));
  const [instructions, causes] = document.querySelectorAll("#timeline .legend");
  drawLegend(causes, causeLegend(data, false));
  drawLegend(instructions,
    INSTRUCTIONS.map((name, i) => [name, INSTRUCTION_COLOURS[i], "", i]).filter(([, , , i]) => used.has(i)));
}

drawFacts();
byId("notes").append(...notes().map((note) => element("li", {}, note)));
drawFigures();
if (total.cycles) drawTimed();
else for (const part of document.querySelectorAll(".columns, #by-layer")) part.hidden = true;
drawEnergy(data);
byId("layers-hint").textContent = "Click a title to sort" + (total.cycles ? ", a row to find the layer in the pictures above." : ".");
parts.table = new LayerTable(data, select);
// Behind the first paint.
requestAnimationFrame(() => setTimeout(() => {
  drawTimeline();
  document.documentElement.dataset.ready = "yes";
}));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours.cache = {};
  if (parts.timeline) parts.timeline.request();
});
// What tests look at.
window.vtaReport = {data, parts, select};
