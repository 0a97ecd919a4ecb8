// Roofline: MACs a cycle over MACs a byte, both on logarithmic axes. Names of roofs stand where no dot is.

const ROOFLINE = {width: 720, height: 440, left: 58, right: 18, top: 52, bottom: 44};
const DOT = {least: 3.5, more: 22};  // radii: of no cycles, and what all cycles add

const inRoofline = (layer) => layer.cycles > 0 && layer.macs > 0 && layer.bytes > 0;

// The logarithms at the ends of an axis of so many pixels, on which values keep a dot's distance from the ends.
function around(values, pixels, end = true) {
  const low = Math.log10(Math.min(...values)), high = Math.log10(Math.max(...values));
  const room = DOT.least + DOT.more + 2, share = (high - low) / (pixels - (end ? 2 : 1) * room);
  return [low - room * share, high + (end ? room * share : 0)];
}

// Places for a text along a line, the best first: in the middle and near, above it, then below.
function placesAlong([x0, y0], [x1, y1]) {
  const angle = Math.atan2(y1 - y0, x1 - x0) * 180 / Math.PI;
  return [8, 18, 34, 50, -22, -38].flatMap((away) => [0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9].map((at) =>
    ({x: x0 + at * (x1 - x0), y: y0 + at * (y1 - y0), angle, away})));
}

// Circles along a line, which keep texts off it.
function circlesAlong([x0, y0], [x1, y1], r) {
  const steps = Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 4);
  return Array.from({length: steps + 1}, (_, i) => ({x: x0 + i / steps * (x1 - x0), y: y0 + i / steps * (y1 - y0), r}));
}

// Puts a text at the first of the places at which it is clear of all circles and inside the drawing; they gain its own.
function placeText(text, places, circles) {
  const {width, height} = text.getBBox();
  const inside = (x, y) => x >= ROOFLINE.left && x <= ROOFLINE.width && y >= 0 && y <= ROOFLINE.height - ROOFLINE.bottom;
  for (const {x, y, angle, away} of places) {
    const cos = Math.cos(angle * Math.PI / 180), sin = Math.sin(angle * Math.PI / 180);
    const middle = away + height / 2 - 4;  // of the text, above the line
    const ends = [-1, 1].map((side) => [x + side * width / 2 * cos + middle * sin, y + side * width / 2 * sin - middle * cos]);
    text.setAttribute("transform", `translate(${x} ${y}) rotate(${angle})`);
    text.setAttribute("y", -away);
    const meets = circles.some((circle) => {
      const dx = circle.x - x, dy = circle.y - y, along = dx * cos + dy * sin, above = dx * sin - dy * cos;
      return Math.hypot(Math.max(0, Math.abs(along) - width / 2), Math.max(0, Math.abs(above - middle) - height / 2)) < circle.r + 1;
    });
    if (meets || !ends.every(([ex, ey]) => inside(ex, ey))) continue;
    circles.push(...circlesAlong(...ends, height / 2));
    return;
  }
}

class Roofline {
  constructor(data, select) {
    this.data = data;
    this.select = select;
    this.dots = new Map();
    this.layers = data.layers.map((layer, i) => [layer, i]).filter(([layer]) => inRoofline(layer));
    const peak = data.facts.macs_per_cycle;
    const roofs = [[data.facts.bus_bytes, "bus"]];
    if (data.facts.memory_bytes < data.facts.bus_bytes) roofs.push([data.facts.memory_bytes, "memory"]);
    this.slope = Math.min(...roofs.map(([bytes]) => bytes));
    const intensities = this.layers.map(([layer]) => layer.macs / layer.bytes);
    const {width, height, left, right, top, bottom} = ROOFLINE;
    [this.x0, this.x1] = around([...intensities, peak / this.slope / 4, peak / this.slope * 4], width - left - right);
    [this.y0, this.y1] = around([...this.layers.map(([layer]) => layer.macs / layer.cycles), peak, peak / 20], height - top - bottom, false);
    this.draw(peak, roofs);
  }
  x(value) {
    const {left, right, width} = ROOFLINE;
    return left + (Math.log10(value) - this.x0) / (this.x1 - this.x0) * (width - left - right);
  }
  y(value) {
    const {top, bottom, height} = ROOFLINE;
    return height - bottom - (Math.log10(value) - this.y0) / (this.y1 - this.y0) * (height - top - bottom);
  }
  draw(peak, roofs) {
    const {width, height} = ROOFLINE;
    this.svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Roofline"});
    this.drawAxes();
    const corners = roofs.map(([bytes, name]) => this.drawRoof(peak, bytes, name));
    const all = this.data.total.cycles;
    // Small dots last: none hides behind a large one.
    for (const [layer, i] of [...this.layers].sort((a, b) => b[0].cycles - a[0].cycles)) this.drawDot(layer, i, all);
    document.querySelector("#roofline .drawing").replaceChildren(this.svg);
    const circles = [...this.dots.values()].map((dot) =>
      ({x: Number(dot.getAttribute("cx")), y: Number(dot.getAttribute("cy")), r: Number(dot.getAttribute("r"))}));
    for (const [low, knee, high] of corners) circles.push(...circlesAlong(low, knee, 1), ...circlesAlong(knee, high, 1));
    const name = (text, places) => {
      const label = shape("text", {class: "over", "text-anchor": "middle"}, text);
      this.svg.append(label);
      placeText(label, places, circles);
    };
    name(`peak: ${count(peak)} MACs a cycle`, placesAlong(...corners[corners.length - 1].slice(1)));
    roofs.forEach(([bytes, roof], i) => name(`${roof}: ${bytes} bytes a cycle`, placesAlong(...corners[i])));
    const timed = this.data.layers.filter((layer) => layer.cycles > 0), out = timed.length - this.layers.length;
    byId("roofline-left-out").textContent = out
      ? `Not in it, for they have no MACs of their own (pooling, additions): ${out} of ${timed.length} layers on the accelerator.` : "";
  }
  drawAxes() {
    const {width, height, left, right, top, bottom} = ROOFLINE;
    for (const value of logTicks(this.x0, this.x1)) {
      const x = this.x(value);
      this.svg.append(shape("line", {class: "grid", x1: x, x2: x, y1: top, y2: height - bottom}),
        shape("text", {x, y: height - bottom + 17, "text-anchor": "middle"}, axisText(value)));
    }
    for (const value of logTicks(this.y0, this.y1)) {
      const y = this.y(value);
      this.svg.append(shape("line", {class: "grid", x1: left, x2: width - right, y1: y, y2: y}),
        shape("text", {x: left - 7, y: y + 4, "text-anchor": "end"}, axisText(value)));
    }
    this.svg.append(
      shape("text", {x: (left + width - right) / 2, y: height - 7, "text-anchor": "middle"}, "MACs for each byte of DRAM traffic"),
      shape("text", {x: 13, y: (top + height - bottom) / 2, "text-anchor": "middle",
        transform: `rotate(-90 13 ${(top + height - bottom) / 2})`}, "MACs a cycle"));
  }
  drawRoof(peak, bytes, name) {
    const low = Math.max(10 ** this.x0, 10 ** this.y0 / bytes), knee = peak / bytes, high = 10 ** this.x1;
    const corners = [[low, low * bytes], [knee, peak], [high, peak]].map(([x, y]) => [this.x(x), this.y(y)]);
    this.svg.append(shape("polyline", {class: "roof " + name, points: corners.join(" ")}));
    return corners;
  }
  drawDot(layer, i, all) {
    const intensity = layer.macs / layer.bytes, rate = layer.macs / layer.cycles;
    const dot = shape("circle", {
      class: "dot" + (intensity * this.slope >= this.data.facts.macs_per_cycle ? " bound" : ""), tabindex: 0,
      cx: this.x(intensity), cy: this.y(rate), r: DOT.least + DOT.more * Math.sqrt(layer.cycles / all),
      role: "button", "aria-label": layer.name,
    });
    explain(dot, () => [layer.name, `${layer.op}, ${layer.shape}`,
      `${rate.toFixed(1)} MACs a cycle, ${percent(layer.peak, 1)} of the peak`,
      `${intensity.toFixed(1)} MACs a byte; ${count(layer.cycles)} cycles, ${percent(layer.cycles, all)} of the run`,
      "critical path: " + topCauses(this.data, layer, 3).join(", ")].filter((line) =>
        layer.path || !line.startsWith("critical path")));
    dot.addEventListener("click", () => this.select(i));
    dot.addEventListener("keydown", (event) => { if (event.key === "Enter") this.select(i); });
    this.dots.set(i, dot);
    this.svg.append(dot);
  }
  mark(selected) {
    for (const [i, dot] of this.dots) dot.classList.toggle("selected", i === selected);
  }
}
