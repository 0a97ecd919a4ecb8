// The search of each task: trials, the best so far, the bound.

const data = JSON.parse(byId("data").textContent);
const AREA = {width: 460, height: 210, left: 62, right: 12, top: 14, bottom: 26, above: 1.5};

const costs = (task) => task.trials.filter((trial) => trial.cost !== null).map((trial) => trial.cost);
const gain = (before, after) => (before ? (100 * (1 - after / before)).toFixed(2) + " %" : "");

function drawHead() {
  byId("model").textContent = data.model || "a model without a name";
  document.title = "Search of " + (data.model || "model") + " on " + data.config;
  const list = [["of", data.config], ["costs", data.measurer], ["log", data.log]];
  byId("facts").append(...list.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  const sum = (key) => data.tasks.reduce((all, task) => all + (task[key] || 0) * task.steps, 0);
  const tried = data.tasks.reduce((all, task) => all + task.trials.length, 0);
  const figures = [[count(sum("best")), `${data.unit} of all layers, each alone`],
    [gain(sum("untuned"), sum("best")), data.effort === 1 ? "less than by estimates alone" : `less than the best of the first ${data.effort} of each task`],
    ...(sum("bound") ? [[percent(sum("bound"), sum("best")), "of these are needed by their passes and bytes"]] : []),
    [count(tried), plural(tried, "trial")], [count(data.tasks.length), plural(data.tasks.length, "task")]];
  byId("figures").append(...figures.map(([value, what]) => element("div", {}, element("b", {}, value), element("span", {}, what))));
}

function drawTable(show) {
  const columns = ["task", "layers", "points", "trials", "untuned", "best", "bound", "gain", "best point", "end"];
  const head = element("tr", {}, ...columns.map((name, i) => element("th", i > 0 && i < 8 ? {class: "number"} : {}, name)));
  const rows = data.tasks.map((task, i) => {
    const number = (value) => element("td", {class: "number"}, value);
    const cycles = (value) => number(value ? count(value) : "");
    const row = element("tr", {"data-task": i}, element("td", {class: "name", title: task.step}, task.step), number(count(task.steps)),
      number(task.size.toExponential(1)), number(count(task.trials.length)), cycles(task.untuned), cycles(task.best), cycles(task.bound),
      number(gain(task.untuned, task.best)), element("td", {class: "shape", title: task.point}, task.point), element("td", {}, task.end));
    row.addEventListener("click", () => show(i));
    return row;
  });
  document.querySelector("#tasks table").append(element("thead", {}, head), element("tbody", {}, ...rows));
}

function chart(task) {
  const known = costs(task), {left, right, top, bottom, width, height} = AREA;
  const figure = element("figure", {}, element("figcaption", {}, element("b", {}, task.step), ` ${counted(task.steps, "layer")}`));
  if (!known.length) {
    figure.append(element("p", {class: "hint"}, task.failure || "no trial has a cost"));
    return figure;
  }
  const best = Math.min(...known), low = Math.min(task.bound || best, best), high = Math.max(low * 1.02, Math.min(Math.max(...known), best * AREA.above));
  const margin = (high - low) * 0.05, most = Math.max(task.trials.length - 1, 1);
  const x = (trial) => left + (width - left - right) * trial / most;
  const y = (cycles) => top + (height - top - bottom) * (high + margin - Math.min(cycles, high)) / (high - low + 2 * margin);
  const svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Search of ${task.step}: ${count(known.length)} trials, best ${count(best)} ${data.unit}, bound ${count(task.bound)}`});
  for (const at of linearTicks(low, high, 4))
    svg.append(shape("line", {class: "grid", x1: left, x2: width - right, y1: y(at), y2: y(at)}),
      shape("text", {x: left - 6, y: y(at) + 4, "text-anchor": "end"}, scaled(at)));
  for (const at of linearTicks(0, most, 5).filter(Number.isInteger))
    svg.append(shape("text", {x: x(at), y: height - 8, "text-anchor": "middle"}, count(at + 1)));
  if (task.bound) svg.append(shape("line", {class: "roof memory", x1: left, x2: width - right, y1: y(task.bound), y2: y(task.bound)}));
  let path = "", least = Infinity;
  task.trials.forEach((trial, i) => {
    if (trial.cost === null || trial.cost >= least) return;
    path += path ? `H${x(i)}V${y(trial.cost)}` : `M${x(i)} ${y(trial.cost)}`;
    least = trial.cost;
  });
  svg.append(shape("path", {class: "roof", d: `${path}H${width - right}`}));
  task.trials.forEach((trial, i) => {
    const failed = trial.cost === null;
    const dot = shape("circle", {class: trial.cost === best ? "dot bound" : "dot", cx: x(i), cy: failed ? top : y(trial.cost), r: trial.cost === best ? 4 : 2.4});
    explain(dot, () => [failed ? "failed" : `${count(trial.cost)} ${data.unit}`, `trial ${count(i + 1)}, estimated ${count(trial.estimate)}`, trial.point, trial.failure]);
    svg.append(dot);
  });
  figure.append(svg);
  return figure;
}

drawHead();
const charts = data.tasks.map(chart);
document.querySelector(".grid-of-charts").append(...charts);
drawTable((task) => {
  charts.forEach((figure, i) => figure.classList.toggle("selected", i === task));
  document.querySelectorAll("#tasks tbody tr").forEach((row, i) => row.classList.toggle("selected", i === task));
  charts[task].scrollIntoView({block: "center"});
});
document.documentElement.dataset.ready = "yes";
