// The steps of the CPU on the hosts of a model: a bar for each, beside the accelerator's roofline.

const BARS = {left: 44, right: 6, top: 8, height: 110, bottom: 6, least: 5, most: 28};

class HostBars {
  constructor(data, select) {
    this.data = data;
    this.select = select;
    this.host = 0;
    this.layers = data.layers.map((layer, i) => [layer, i]).filter(([layer]) => layer.host);
    this.buttons = data.hosts.map((host, i) => {
      const button = element("button", {}, host.name);
      button.addEventListener("click", () => { this.host = i; this.draw(); });
      return button;
    });
    document.querySelector("#hosts .buttons").replaceChildren(...this.buttons);
    this.draw();
  }
  // "1.200 ms (0.600, 2.400)": and at double and at half the host's rates.
  times(key) {
    const host = this.data.hosts[this.host];
    return `${host[key].toFixed(3)} ms (${host.at_double[key].toFixed(3)}, ${host.at_half[key].toFixed(3)})`;
  }
  draw() {
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === this.host)));
    const host = this.data.hosts[this.host];
    byId("hosts-hint").textContent = `${host.name}: ${this.times("host_ms")} beside ${(this.data.total.ms || 0).toFixed(3)} ms on the accelerator; ` +
      `one run ${this.times("alone_ms")}, with two in flight one each ${this.times("interval_ms")}. In brackets: at double and at half its rates.`;
    const {left, right, top, height, bottom, least, most} = BARS;
    const longest = Math.max(...this.layers.map(([layer]) => layer.host[this.host].ms)) || 1;
    const pitch = Math.max(least, Math.min(most, (ROOFLINE.width - left - right) / this.layers.length));
    const width = Math.max(ROOFLINE.width, left + right + pitch * this.layers.length);
    const y = (ms) => top + (1 - ms / longest) * height;
    const svg = shape("svg", {viewBox: `0 0 ${width} ${top + height + bottom}`, role: "group", "aria-label": "Steps on " + host.name});
    if (width > ROOFLINE.width) svg.style.minWidth = width + "px";
    const [unit, size] = longest < 1 ? ["\u00b5s", 1000] : ["ms", 1];  // short numbers, which leave the unit its place
    for (const ms of linearTicks(0, longest, 4))
      svg.append(shape("line", {class: "grid", x1: left, x2: width - right, y1: y(ms), y2: y(ms)}),
        shape("text", {x: left - 6, y: y(ms) + 4, "text-anchor": "end"}, axisText(ms * size)));
    svg.append(shape("text", {x: 11, y: top + height / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${top + height / 2})`}, unit));
    this.bars = this.layers.map(([layer, i], n) => this.bar(layer, i, left + n * pitch, pitch, y));
    svg.append(...this.bars);
    document.querySelector("#hosts .bars").replaceChildren(svg);
    this.mark(this.selected);
  }
  bar(layer, i, x, pitch, y) {
    const host = this.data.hosts[this.host], {ms, by_bytes: byBytes} = layer.host[this.host];
    const bar = shape("rect", {class: "step" + (byBytes ? " bytes" : ""), "data-layer": i, "aria-label": layer.name, tabindex: 0, role: "button",
      x: x + 1, width: pitch - 2, y: Math.min(y(ms), y(0) - 1), height: Math.max(1, y(0) - y(ms))});
    explain(bar, () => [layer.name, `${layer.op}, ${layer.shape}`,
      `${ms.toFixed(3)} ms on a ${host.name}, by a model: ${percent(ms, host.host_ms)} of the host's`,
      `${inBytes(layer.kernel_bytes)} moved, which take ${byBytes ? "longer" : "less"} than its operations`, layer.why]);
    bar.addEventListener("click", () => this.select(i));
    bar.addEventListener("keydown", (event) => { if (event.key === "Enter") this.select(i); });
    return bar;
  }
  mark(selected) {
    this.selected = selected;
    this.bars.forEach((bar, n) => bar.classList.toggle("selected", this.layers[n][1] === selected));
  }
}
