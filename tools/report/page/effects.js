// What moves each objective: the share of its variance that a parameter explains, or two beyond each by itself. Of all points
// the summary has it; of those that filters leave it is found here in the same way.

const LEAST_SHARE = 0.005, MOST_EFFECTS = 12;
const MEANS = {width: 220, height: 110, side: 30, top: 20, bottom: 22};

function effectsOf(points, [objective, axis]) {
  const {shown, parameters} = points, logs = shown.map((i) => Math.log(axis.numbers[i]));
  if (!logs.every(Number.isFinite)) return [];
  const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
  const all = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  if (!(all > 0)) return [];
  // What the groups explain, by the number of each shown point's group; and their means.
  const explained = (groupOf, size) => {
    const sums = new Float64Array(size), sizes = new Float64Array(size);
    for (let at = 0; at < logs.length; ++at) {
      sums[groupOf[at]] += logs[at];
      ++sizes[groupOf[at]];
    }
    const share = sums.reduce((found, sum, g) => found + (sizes[g] ? sizes[g] * (sum / sizes[g] - mean) ** 2 : 0), 0) / all;
    return {share, means: Array.from(sums, (sum, g) => (sizes[g] ? Math.exp(sum / sizes[g]) : null))};
  };
  const groups = parameters.map((one) => Int32Array.from(shown, (i) => one.index[i]));
  const alone = parameters.map((one, p) => explained(groups[p], one.values.length));
  const effects = alone.map(({share, means}, p) => ({objective, parameters: [parameters[p].name], share, means}));
  for (let p = 0; p < parameters.length; ++p)
    for (let q = p + 1; q < parameters.length; ++q) {
      const size = parameters[q].values.length;
      const both = explained(groups[p].map((v, at) => v * size + groups[q][at]), parameters[p].values.length * size);
      effects.push({objective, parameters: [parameters[p].name, parameters[q].name],
        share: Math.max(0, both.share - alone[p].share - alone[q].share), means: []});
    }
  return effects.filter(({share}) => share >= LEAST_SHARE).sort((a, b) => b.share - a.share).slice(0, MOST_EFFECTS);
}

// Means by value, of one parameter, on the heights of all of the objective's.
function drawMeans(parameter, means, axis, low, high) {
  const {width, height, side, top, bottom} = MEANS;
  const svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `means of ${axis.name} by ${parameter.name}: ` + means.map((mean, v) => `${parameter.valueText(v)}: ${mean === null ? "none" : axis.text(mean)}`).join(", ")});
  const x = (v) => (means.length > 1 ? side + v * (width - 2 * side) / (means.length - 1) : width / 2);
  const y = (mean) => (high > low ? top + (height - top - bottom) * (high - mean) / (high - low) : height / 2);
  const known = [...means.keys()].filter((v) => means[v] !== null);
  svg.append(shape("line", {class: "grid", x1: 0, x2: width, y1: height - bottom, y2: height - bottom}),
    shape("path", {d: known.map((v, at) => `${at ? "L" : "M"}${x(v)} ${y(means[v])}`).join("")}));
  const every = Math.ceil(means.length / 6);
  for (const v of known) {
    const dot = shape("circle", {class: "dot", cx: x(v), cy: y(means[v]), r: 3.2});
    explain(dot, () => [`${parameter.name} ${parameter.valueText(v)}`, `geometric mean of ${axis.name}: ${axis.text(means[v])}`]);
    svg.append(dot);
    if (v % every) continue;
    svg.append(shape("text", {class: "over", x: x(v), y: y(means[v]) - 7, "text-anchor": "middle"}, axis.text(Number(means[v].toPrecision(3)))),
      shape("text", {x: x(v), y: height - 6, "text-anchor": "middle"}, parameter.valueText(v)));
  }
  return element("div", {}, element("span", {class: "hint"}, parameter.name), svg);
}

function drawEffects(points) {
  const {data, shown, list} = points, whole = shown.length === list.length;
  byId("effects-hint").textContent = `The share of the variance (of logarithms) that each parameter explains, and geometric means by its values, of ${
    whole ? "all points" : `the ${counted(shown.length, "point")} shown`}; two parameters together where they do more than each by itself.`;
  document.querySelector("#effects .grid-of-charts").replaceChildren(...points.objectives.map((objective) => {
    const [name, axis] = objective;
    const effects = whole ? data.effects.filter((one) => one.objective === name) : effectsOf(points, objective);
    const mains = effects.filter((one) => one.parameters.length === 1), pairs = effects.filter((one) => one.parameters.length === 2);
    const bars = mains.map(({parameters: [parameter], share}) => {
      const bar = element("i");
      bar.style.width = 100 * Math.min(1, share) + "%";
      return element("li", {}, element("span", {class: "name", title: parameter}, parameter), element("span", {class: "track"}, bar),
        element("span", {class: "number"}, percent(share, 1)));
    });
    const known = mains.flatMap((one) => one.means).filter((mean) => mean !== null);
    const low = Math.min(...known), high = Math.max(...known);
    const charts = mains.map(({parameters: [parameter], means}) => drawMeans(points.parameters.find((one) => one.name === parameter), means, axis, low, high));
    return element("figure", {}, element("figcaption", {}, element("b", {}, name), ", " + axis.name.split(", ")[1]),
      element("ul", {class: "shares"}, ...(bars.length ? bars : [element("span", {class: "hint"}, "no parameter moves it")])),
      element("div", {class: "means"}, ...charts),
      element("ul", {class: "together"}, ...pairs.map(({parameters, share}) => element("li", {}, `${parameters.join(" \u00d7 ")}: ${percent(share, 1)}`))));
  }));
}
