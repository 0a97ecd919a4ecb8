// Stacked causes of one unit, or of the critical path: a column for each layer with its name under it, in pixels of the
// page. Where columns would be narrower than their names are high, the chart is wider than the page and scrolls.

const CHART = {left: 54, right: 6, top: 10, height: 170, least: 15, most: 52, name: 6.6, longest: 26};

// A name with a mark for its middle, of at most so many letters.
function shortName(name, most) {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return name.slice(0, head) + "\u2026" + name.slice(name.length - (most - 1 - head));
}

class LayerChart {
  constructor(data, select) {
    this.data = data;
    this.select = select;
    this.layers = data.layers.map((layer, i) => [layer, i]).filter(([layer]) => layer.cycles > 0);
    this.names = this.layers.map(([layer]) => shortName(layer.name, CHART.longest));
    this.most = Math.max(...this.layers.map(([layer]) => layer.cycles));
    this.bars = barsOf(data, data.total).map(([unit]) => unit);
    this.bar = data.total.path ? this.bars.length - 1 : 2;
    this.buttons = this.bars.map((unit, bar) => {
      const button = element("button", {}, unit);
      button.addEventListener("click", () => { this.bar = bar; this.draw(); });
      return button;
    });
    document.querySelector("#by-layer .buttons").replaceChildren(...this.buttons);
    this.drawing = document.querySelector("#by-layer .drawing");
    new ResizeObserver(() => { if (this.drawing.clientWidth !== this.width) this.draw(); }).observe(this.drawing);
    this.draw();
  }
  y(cycles) { return CHART.top + (1 - cycles / this.most) * CHART.height; }
  draw() {
    this.width = this.drawing.clientWidth;
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === this.bar)));
    const {left, right, top, height} = CHART, letters = Math.max(...this.names.map((name) => name.length));
    const pitch = Math.max(CHART.least, (this.width - left - right) / this.layers.length);
    const lying = letters * CHART.name < pitch - 8;
    const width = Math.max(this.width, left + right + pitch * this.layers.length);
    const all = top + height + 14 + (lying ? 10 : letters * CHART.name);
    const svg = shape("svg", {viewBox: `0 0 ${width} ${all}`, style: `width:${width}px`, role: "group",
      "aria-label": `Causes of ${this.bars[this.bar]} by layer`});
    const step = roundStep(this.most / 5);
    for (let at = 0; at <= this.most; at += step)
      svg.append(shape("line", {class: "grid", x1: left, x2: width - right, y1: this.y(at), y2: this.y(at)}),
        shape("text", {x: left - 6, y: this.y(at) + 4, "text-anchor": "end"}, axisText(at)));
    const wide = Math.min(CHART.most, pitch - (pitch > 20 ? 6 : 2));
    this.columns = this.layers.map(([layer, i], n) => {
      const middle = left + (n + 0.5) * pitch, below = top + height + 8;
      return this.column(layer, i, middle - wide / 2, wide, shape("text", lying
        ? {class: "name", x: middle, y: below + 8, "text-anchor": "middle"}
        : {class: "name", x: middle, y: below, dy: "0.35em", "text-anchor": "end", transform: `rotate(-90 ${middle} ${below})`},
        this.names[n]));
    });
    svg.append(...this.columns);
    this.drawing.replaceChildren(svg);
    this.mark(this.selected);
  }
  column(layer, i, x, width, name) {
    const [unit, kinds] = barsOf(this.data, layer)[this.bar];
    const group = shape("g", {class: "column", "data-layer": i}, name);
    let below = 0;
    kinds.forEach((cycles, kind) => {
      if (cycles <= 0) return;
      group.append(shape("rect", {x, width, y: this.y(below + cycles), height: this.y(below) - this.y(below + cycles),
        style: `fill:var(--${this.data.kinds[kind]})`}));
      below += cycles;
    });
    explain(group, () => causeLines(this.data, layer, unit, kinds));
    group.addEventListener("click", () => this.select(i));
    return group;
  }
  mark(selected) {
    this.selected = selected;
    const any = this.layers.some(([, i]) => i === selected);
    this.columns.forEach((column, n) => column.classList.toggle("faint", any && this.layers[n][1] !== selected));
  }
}
