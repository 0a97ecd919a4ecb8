// Roofline: MACs a cycle over MACs a byte, both on logarithmic axes.

const ROOFLINE = {width: 720, height: 470, left: 58, right: 18, top: 14, bottom: 44};

const inRoofline = (layer) => layer.cycles > 0 && layer.macs > 0 && layer.bytes > 0;

// The logarithms of what lies around values, with some room.
function around(values) {
  return [Math.log10(Math.min(...values) / 1.5), Math.log10(Math.max(...values) * 1.5)];
}

// 1, 2 and 5 times the powers of ten between two logarithms; 1 times alone where those are many.
function ticks(low, high) {
  const found = [];
  for (let power = Math.floor(low); power <= high; ++power)
    for (const factor of high - low > 3 ? [1] : [1, 2, 5]) {
      const value = factor * 10 ** power;
      if (Math.log10(value) >= low && Math.log10(value) <= high) found.push(value);
    }
  return found;
}

function axisText(value) {
  return value >= 1 || value === 0 ? scaled(value).replace(/\.0+/, "") : value.toPrecision(1);
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
    [this.x0, this.x1] = around([...intensities, peak / this.slope / 4, peak / this.slope * 4]);
    [this.y0, this.y1] = around([...this.layers.map(([layer]) => layer.macs / layer.cycles), peak, peak / 20]);
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
    const names = roofs.map(([bytes, name]) => this.drawRoof(peak, bytes, name));
    names.push(shape("text", {class: "over", x: width - ROOFLINE.right, y: this.y(peak) - 7, "text-anchor": "end"},
      `peak: ${count(peak)} MACs a cycle`));
    const all = this.data.total.cycles;
    // Small dots last: none hides behind a large one.
    for (const [layer, i] of [...this.layers].sort((a, b) => b[0].cycles - a[0].cycles)) this.drawDot(layer, i, all);
    this.svg.append(...names);
    document.querySelector("#roofline .drawing").replaceChildren(this.svg);
    const timed = this.data.layers.filter((layer) => layer.cycles > 0), out = timed.length - this.layers.length;
    byId("roofline-left-out").textContent = out
      ? `Not in it, for they have no MACs of their own (pooling, additions): ${out} of ${timed.length} layers on the accelerator.` : "";
  }
  drawAxes() {
    const {width, height, left, right, top, bottom} = ROOFLINE;
    for (const value of ticks(this.x0, this.x1)) {
      const x = this.x(value);
      this.svg.append(shape("line", {class: "grid", x1: x, x2: x, y1: top, y2: height - bottom}),
        shape("text", {x, y: height - bottom + 17, "text-anchor": "middle"}, axisText(value)));
    }
    for (const value of ticks(this.y0, this.y1)) {
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
    const points = [[low, low * bytes], [knee, peak], [high, peak]].map(([x, y]) => `${this.x(x)},${this.y(y)}`);
    this.svg.append(shape("polyline", {class: "roof " + name, points: points.join(" ")}));
    const middle = Math.sqrt(low * knee);
    const x = this.x(middle), y = this.y(middle * bytes);
    const angle = Math.atan2(this.y(knee * bytes) - this.y(low * bytes), this.x(knee) - this.x(low)) * 180 / Math.PI;
    return shape("text", {class: "over", x, y: y - 8, "text-anchor": "middle", transform: `rotate(${angle} ${x} ${y})`},
      `${name}: ${bytes} bytes a cycle`);
  }
  drawDot(layer, i, all) {
    const intensity = layer.macs / layer.bytes, rate = layer.macs / layer.cycles;
    const dot = shape("circle", {
      class: "dot" + (intensity * this.slope >= this.data.facts.macs_per_cycle ? " bound" : ""), tabindex: 0,
      cx: this.x(intensity), cy: this.y(rate), r: 3.5 + 22 * Math.sqrt(layer.cycles / all),
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
