// Puts the page together: one choice of points, one pinned and one under the pointer, in all pictures.

const data = JSON.parse(byId("data").textContent);
const points = new Points(data);
const parts = {};

function drawFacts() {
  const {space, networks, seconds, sampled} = data;
  byId("model").textContent = space.name;
  document.title = "Exploration of " + space.name;
  const weigh = networks.length > 1 ? ({name, weight}) => `${name} (weight ${weight})` : ({name}) => name;
  const list = [["networks", networks.map(weigh).join(", ")], ["part", space.part], ["objectives", data.objectives.join(", ")],
    ["space", counted(space.size, "point") + (sampled ? ", sampled" : "")], ["space hash", space.hash, "hash"],
    ["costed by the last call", `${count(data.costed)} in ${seconds.toFixed(1)} s`]];
  byId("facts").append(...list.filter(([, value]) => value).map(([name, value, className = ""]) =>
    element("div", {}, element("dt", {}, name), element("dd", {class: className}, value))));
}

function drawFigures() {
  const {list, shown, front, shownFront, objectives} = points;
  const figures = [[`${count(shown.length)} of ${count(list.length)}`, "points shown"], [`${count(shownFront.length)} of ${count(front.length)}`, "of the front"]];
  for (const [, axis] of shown.length ? objectives : []) {
    const best = shown.reduce((a, b) => (axis.numbers[b] < axis.numbers[a] ? b : a));
    figures.push([axis.textOf(best), "least " + axis.name]);
  }
  byId("figures").replaceChildren(...figures.map(([value, what]) => element("div", {}, element("b", {}, value), element("span", {}, what))));
}

function hover(i, x, y) {
  for (const part of [parts.scatter, parts.parallel]) part.mark(i);
  if (i >= 0) tooltip.show(x, y, points.linesOf(i));
  else tooltip.hide();
}

// Once more, or nothing, lets go.
function pin(i) {
  parts.pinned = i === parts.pinned ? -1 : i;
  for (const part of [parts.scatter, parts.parallel]) part.mark(undefined, parts.pinned);
  parts.front.mark(parts.pinned);
  drawDetail(points, parts.pinned);
}

function draw() {
  for (const part of [parts.scatter, parts.parallel]) part.plot.request();
}

function changed() {
  points.filter();
  drawFigures();
  parts.filters.show();
  parts.front.show();
  draw();
  // Behind the next frame, and of many changes in a row once.
  clearTimeout(parts.waiting);
  parts.waiting = setTimeout(() => drawEffects(points), 150);
}

function colour(p) {
  const axis = points.parameters[p];
  parts.scatter.colour = parts.parallel.colour = axis;
  const legend = axis ? axis.values.map((_, v) => {
    const swatch = element("i");
    swatch.style.background = colourOf(axis, v);
    return element("li", {}, swatch, axis.valueText(v));
  }) : [];
  document.querySelector("#scatter .legend").replaceChildren(...legend);
  draw();
}

function drawPoints() {
  parts.filters = new Filters(points, changed);
  parts.scatter = new Scatter(points, hover, pin);
  parts.parallel = new Parallel(points, hover, pin, changed);
  parts.front = new FrontTable(points, pin);
  for (const key of ["x", "y"])
    byId(key + "-log").addEventListener("change", (event) => {
      parts.scatter[key].log = event.target.checked;
      parts.scatter.showLogs();
      draw();
    });
  // The parameter that moves the first objective most.
  const choice = byId("colour"), most = data.effects.find((one) => one.parameters.length === 1)?.parameters[0];
  choice.append(...points.parameters.map((axis, p) => element("option", {value: p}, axis.name)));
  choice.value = Math.max(0, points.parameters.findIndex((axis) => axis.name === most));
  choice.addEventListener("change", () => colour(choice.value));
  parts.filters.show();
  colour(choice.value);
  drawEffects(points);
}

drawFacts();
drawFigures();
drawSurvivors(data);
drawLeftOut(data);
if (points.list.length) drawPoints();
else for (const part of document.querySelectorAll("[data-points]")) part.hidden = true;
requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.ready = "yes"; }));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours.cache = {};
  if (parts.scatter) draw();
});
// What tests look at.
window.vtaExplore = {data, points, parts, effectsOf};
