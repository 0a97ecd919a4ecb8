// Stacked causes of one unit, or of the critical path, a column per layer.

const CHART = {width: 720, height: 215, left: 50, right: 6, top: 8, bottom: 20};

class LayerChart {
  constructor(data, select) {
    this.data = data;
    this.select = select;
    this.layers = data.layers.map((layer, i) => [layer, i]).filter(([layer]) => layer.cycles > 0);
    this.most = Math.max(...this.layers.map(([layer]) => layer.cycles));
    this.bars = barsOf(data, data.total).map(([unit]) => unit);
    const buttons = element("div", {class: "buttons"}, ...this.bars.map((unit, bar) => {
      const button = element("button", {}, unit);
      button.addEventListener("click", () => this.draw(bar));
      return button;
    }));
    this.buttons = [...buttons.children];
    this.drawing = element("div", {class: "drawing"});
    byId("by-layer").replaceChildren(element("div", {class: "bar"}, element("h3", {}, "By layer"), buttons), this.drawing);
    this.draw(data.total.path ? this.bars.length - 1 : 2);
  }
  y(cycles) { return CHART.height - CHART.bottom - cycles / this.most * (CHART.height - CHART.top - CHART.bottom); }
  draw(bar) {
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === bar)));
    const {width, height, left, right, bottom} = CHART;
    const svg = shape("svg", {viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Causes of ${this.bars[bar]} by layer`});
    const step = roundStep(this.most / 6);
    for (let at = 0; at <= this.most; at += step)
      svg.append(shape("line", {class: "grid", x1: left, x2: width - right, y1: this.y(at), y2: this.y(at)}),
        shape("text", {x: left - 6, y: this.y(at) + 4, "text-anchor": "end"}, axisText(at)));
    const pitch = (width - left - right) / this.layers.length;
    this.columns = this.layers.map(([layer, i], n) =>
      this.column(layer, i, bar, left + n * pitch, Math.max(1, Math.min(46, pitch - (pitch > 5 ? 2 : 0.5)))));
    svg.append(...this.columns, shape("text", {x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle"},
      "layers on the accelerator, in order; cycles"));
    this.drawing.replaceChildren(svg);
    this.mark(this.selected);
  }
  column(layer, i, bar, x, width) {
    const [unit, kinds] = barsOf(this.data, layer)[bar];
    const group = shape("g", {class: "column", "data-layer": i});
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
