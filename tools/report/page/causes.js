// What cycles went into: stacked bars, in the section of their own and as the cells of the table.

const MEANINGS = {
  busy: "works: a micro-op, a beat, a row of padding, an instruction that is handed on",
  pipeline: "stages fill or empty",
  uops: "compute loads micro-ops",
  token: "waits for a token",
  space: "waits for space in a queue",
  barrier: "FINISH waits for the other modules",
  latency: "waits for memory: nobody is in the way of its burst",
  row_miss: "waits for memory, which opens the row of its burst",
  contention: "waits for the bus: bursts of others are before its own",
  bandwidth: "waits for the bus: bursts of its own are before this one, or beats come slowly",
  instruction: "waits for an instruction that fetch has not handed on yet",
  nothing: "has nothing left to do",
  memory: "waits for the bus",
};
const TOKEN_ALONE = "waits for a token, for space in a queue or for FINISH's barrier";

const PATH = "critical path";
const sum = (list) => list.reduce((a, b) => a + b, 0);
const title = (kind) => kind.replace("_", " ");

// The bars of a layer, or of the total: [name, cycles by kind, explanation].
function barsOf(data, layer) {
  const bars = data.units.map((unit, i) => [unit, layer.spent[i], "what " + unit + " did with its cycles"]);
  if (layer.path) {
    const all = layer.path[0].map((_, kind) => sum(layer.path.map((unit) => unit[kind])));
    bars.push([PATH, all, "the chain that made it as long as it is"]);
  }
  return bars;
}

// What the kinds with the most cycles on the critical path are, in words; of compute where it is not known.
function topCauses(data, layer, most) {
  const list = layer.path
    ? layer.path.flatMap((unit, u) => unit.map((cycles, kind) => [cycles, data.units[u] + " " + title(data.kinds[kind])]))
    : layer.spent[2].map((cycles, kind) => [cycles, "compute " + title(data.kinds[kind])]);
  return list.filter(([cycles]) => cycles > 0).sort((a, b) => b[0] - a[0]).slice(0, most)
    .map(([cycles, name]) => name + " " + percent(cycles, layer.cycles, 0));
}

function meaning(data, kind) {
  const name = data.kinds[kind];
  return name === "token" && !data.total.path ? TOKEN_ALONE : MEANINGS[name];
}

// As much of a name and a share as has room in so many pixels.
function partText(name, share, width) {
  return [name + " " + share, name].find((text) => 6.6 * text.length + 6 < width) || "";
}

function drawCauses(data, layer, name) {
  byId("causes-of").textContent = name;
  const stack = element("div", {class: "stack"});
  for (const [unit, kinds, what] of barsOf(data, layer)) {
    if (unit === PATH) stack.append(element("div", {class: "rule"}));
    const track = element("div", {class: "track"});
    const all = sum(kinds);
    kinds.forEach((cycles, kind) => {
      if (cycles <= 0) return;
      const share = cycles / all;
      const part = element("span", {class: data.kinds[kind], style: `width:${100 * share}%;background:var(--${data.kinds[kind]})`},
        partText(title(data.kinds[kind]), percent(cycles, all, 0), share * (byId("causes").clientWidth - 150)));
      explain(part, () => [unit + ": " + title(data.kinds[kind]), counted(cycles, "cycle") + ", " + percent(cycles, all),
        meaning(data, kind)]);
      track.append(part);
    });
    const label = element("div", {class: "name"}, unit);
    explain(label, () => [unit, what, counted(all, "cycle")]);
    stack.append(label, track);
  }
  document.querySelector("#causes .drawing").replaceChildren(stack);
}

// Entries are [name, colour, meaning or nothing].
function drawLegend(list, entries) {
  list.replaceChildren(...entries.map(([name, colour, what]) =>
    element("li", {}, element("i", {style: `background:var(--${colour})`}), ...(what ? [element("b", {}, name), what] : [name]))));
}

const usedKinds = (data) => data.kinds.map((_, kind) => kind).filter((kind) =>
  sum(data.total.spent.map((unit) => unit[kind])) > 0);

function causeLegend(data, meant) {
  return usedKinds(data).map((kind) => [title(data.kinds[kind]), data.kinds[kind], meant && meaning(data, kind)]);
}

// A tooltip's lines: the causes of a bar, the longest first.
function causeLines(data, layer, unit, kinds) {
  return [`${layer.name}: ${unit}`, ...kinds.map((cycles, kind) => [cycles, kind]).filter(([cycles]) => cycles > 0)
    .sort((a, b) => b[0] - a[0])
    .map(([cycles, kind]) => `${title(data.kinds[kind])} ${percent(cycles, layer.cycles)}, ${counted(cycles, "cycle")}`)];
}

// A bar that is one element: its parts are stops of a gradient.
function smallBar(data, kinds, width) {
  const all = sum(kinds);
  let at = 0;
  const stops = [];
  kinds.forEach((cycles, kind) => {
    if (cycles <= 0) return;
    const from = at;
    at += 100 * cycles / all;
    stops.push(`var(--${data.kinds[kind]}) ${from.toFixed(2)}% ${at.toFixed(2)}%`);
  });
  const colour = stops.length ? `linear-gradient(to right,${stops.join(",")})` : "none";
  return element("div", {style: `width:${width.toFixed(1)}%;background:${colour}`});
}
