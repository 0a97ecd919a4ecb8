// What became of the points that are in no picture.

const MOST_NAMED = 8;

function fillTable(section, titles, rows) {
  const head = element("tr", {}, ...titles.map(([name, className]) => element("th", {scope: "col", class: className}, name)));
  document.querySelector(section + " table").append(element("thead", {}, head), element("tbody", {}, ...rows));
}

function drawSurvivors({survivors}) {
  const most = survivors[0]?.left;
  fillTable("#survivors", [["what is asked", "name"], ["points left", "number"], ["", "spent"]], survivors.map(({what, left}) => {
    const track = element("div", {class: "track"}, element("i"));
    track.firstChild.style.width = 100 * left / most + "%";
    return element("tr", {}, element("td", {class: "name", title: what}, what), element("td", {class: "number"}, count(left)), element("td", {class: "spent"}, track));
  }));
}

// Reasons that differ in numbers alone are one.
function groupsOf(leftOut) {
  const alike = ({end, why}) => end + ": " + why.replace(/\d+(\.\d+)?/g, "N");
  return [...Map.groupBy(leftOut, alike).values()].map((group) => {
    const same = group.every((one) => one.why === group[0].why);
    return {end: group[0].end, why: same ? group[0].why : alike(group[0]).slice(group[0].end.length + 2), points: group.map((one) => one.point)};
  }).sort((a, b) => b.points.length - a.points.length);
}

function drawLeftOut({left_out: leftOut, survivors, points}) {
  const sums = ["pruned", "refused", "failed"].map((end) => [leftOut.filter((one) => one.end === end).length, end]);
  const rest = (survivors.at(-1)?.left ?? 0) - leftOut.length - points.length;
  byId("left-out-hint").textContent = sums.map(([size, end]) => `${count(size)} ${end}`).join(", ") +
    (rest > 0 ? `; ${count(rest)} not reached, or costed and outside the workload's constraints` : "") + ".";
  if (!leftOut.length) return;
  fillTable("#left-out", [["points", "number"], ["end", ""], ["why", "why"], ["which", "points"]], groupsOf(leftOut).map(({end, why, points: which}) =>
    element("tr", {}, element("td", {class: "number"}, count(which.length)), element("td", {}, end), element("td", {class: "why"}, why),
      element("td", {class: "points"}, which.slice(0, MOST_NAMED).join(", ") + (which.length > MOST_NAMED ? ", \u2026" : "")))));
}
