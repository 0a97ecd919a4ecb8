// All points over two axes to choose, with the front.

const SCATTER = {height: 480, left: 66, right: 16, top: 14, bottom: 46, near: 14, radius: 3, frontRadius: 5};

class Scatter {
  constructor(points, hover, pin) {
    this.points = points;
    this.hover = hover;
    const [first, second] = points.objectives.map(([, axis]) => axis);
    this.x = first || points.axes[0];
    this.y = second || points.axes[1] || this.x;
    this.plot = new Plot(document.querySelector("#scatter .plot"), SCATTER.height,
      "Scatter plot of the points. Keys: left and right go from point to point, Enter pins one, Escape lets go.", () => this.draw());
    for (const [key, choice] of [["x", byId("x")], ["y", byId("y")]]) {
      choice.append(...points.axes.map((axis, i) => element("option", {value: i}, axis.name)));
      choice.value = points.axes.indexOf(this[key]);
      choice.addEventListener("change", () => {
        this[key] = points.axes[choice.value];
        this.showLogs();
        this.plot.request();
      });
    }
    this.showLogs();
    const {canvas} = this.plot;
    canvas.addEventListener("pointermove", (event) => this.hover(this.nearest(...this.plot.place(event)), event.clientX, event.clientY));
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("click", (event) => pin(this.nearest(...this.plot.place(event))));
    canvas.addEventListener("keydown", (event) => this.key(event, pin));
    canvas.addEventListener("blur", () => this.hover(-1));
  }
  showLogs() {
    for (const key of ["x", "y"]) {
      byId(key + "-log").checked = this[key].log;
      byId(key + "-log").disabled = !this[key].canLog;
    }
  }
  key(event, pin) {
    const {shown} = this.points, step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.key === "Enter") pin(this.at ?? -1);
    else if (event.key === "Escape") pin(-1);
    if (!step || !shown.length) return;
    event.preventDefault();
    const {numbers} = this.x, order = [...shown].sort((a, b) => numbers[a] - numbers[b] || this.y.numbers[a] - this.y.numbers[b] || a - b);
    const place = order.indexOf(this.at ?? -1);
    const next = order[place < 0 ? (step > 0 ? 0 : order.length - 1) : Math.max(0, Math.min(order.length - 1, place + step))];
    const box = this.plot.canvas.getBoundingClientRect();
    this.hover(next, box.left + this.px[next], box.top + this.py[next]);
  }
  // The shown point whose dot is nearest, of the front first; -1 where none is near.
  nearest(px, py) {
    let best = -1, least = SCATTER.near ** 2;
    const look = (i) => {
      const away = (this.px[i] - px) ** 2 + (this.py[i] - py) ** 2;
      if (away < least) [best, least] = [i, away];
    };
    this.points.shownFront.forEach(look);
    this.points.shown.forEach(look);
    return best;
  }
  scales() {
    const {left, right, top, bottom, height} = SCATTER, room = 10;
    const of = (axis, from, to) => {
      let low = Infinity, high = -Infinity;
      for (const i of this.points.shown) {
        low = Math.min(low, axis.numbers[i]);
        high = Math.max(high, axis.numbers[i]);
      }
      return new Scale(axis, low, high, from, to);
    };
    this.xs = of(this.x, left + room, this.plot.width - right - room);
    this.ys = of(this.y, height - bottom - room, top + room);
    // Where each point is.
    this.px = Float32Array.from(this.x.numbers, (value) => this.xs.at(value));
    this.py = Float32Array.from(this.y.numbers, (value) => this.ys.at(value));
  }
  // Of the front what no other of it beats in these two axes, from the best across.
  joined() {
    const {x, y} = this;
    if (!x.better || !y.better || x === y) return [];
    const worth = (axis, i) => axis.better * axis.numbers[i];
    let best = -Infinity;
    return [...this.points.shownFront].sort((a, b) => worth(x, b) - worth(x, a) || worth(y, b) - worth(y, a)).filter((i) => {
      if (worth(y, i) <= best) return false;
      best = worth(y, i);
      return true;
    });
  }
  draw() {
    const {points, plot} = this, start = performance.now();
    if (points.shown.length) {
      this.scales();
      this.drawAxes();
      this.drawDots();
      const corners = this.joined().map((i) => [this.px[i], this.py[i]]);
      // Between two points of the front there are none: the line keeps to what each of them beats.
      const path = corners.map(([px, py], i) => (i ? `H${px}V${py}` : `M${px} ${py}`)).join("");
      plot.svg.append(shape("path", {class: "joined", d: path}), plot.hovered, plot.pinned);
    }
    this.mark();
    this.drawMs = performance.now() - start;
    plot.drawn = true;
  }
  drawAxes() {
    const {left, right, top, bottom, height} = SCATTER, {svg, width} = this.plot;
    for (const {at, text} of this.xs.ticks(44))
      svg.append(shape("line", {class: "grid", x1: at, x2: at, y1: top, y2: height - bottom}),
        shape("text", {x: at, y: height - bottom + 17, "text-anchor": "middle"}, text));
    for (const {at, text} of this.ys.ticks(20))
      svg.append(shape("line", {class: "grid", x1: left, x2: width - right, y1: at, y2: at}),
        shape("text", {x: left - 7, y: at + 4, "text-anchor": "end"}, text));
    const middle = (top + height - bottom) / 2;
    svg.append(shape("text", {class: "title", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"}, this.x.name),
      shape("text", {class: "title", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})`}, this.y.name));
  }
  drawDots() {
    const {points, colour, plot: {context}} = this;
    const dot = (i, radius) => {
      context.moveTo(this.px[i] + radius, this.py[i]);
      context.arc(this.px[i], this.py[i], radius, 0, 2 * Math.PI);
    };
    // A path for each colour.
    const paint = (list, radius) => {
      const groups = Map.groupBy(list, (i) => (colour ? colour.index[i] : 0));
      for (const [v, group] of groups) {
        context.beginPath();
        for (const i of group) dot(i, radius);
        context.fillStyle = colour ? colourOf(colour, v) : colours.of("busy");
        context.fill();
        if (radius === SCATTER.frontRadius) context.stroke();
      }
    };
    context.globalAlpha = 0.7;
    paint(points.shown, SCATTER.radius);
    context.globalAlpha = 1;
    context.strokeStyle = colours.of("text");
    context.lineWidth = 1.5;
    paint(points.shownFront, SCATTER.frontRadius);
  }
  ring(i) {
    if (!(i >= 0) || !this.points.keeps(i)) return "";
    return `M${this.px[i] - 8} ${this.py[i]}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`;
  }
  mark(hovered = this.at, pinned = this.pinned) {
    this.at = hovered;
    this.pinned = pinned;
    this.plot.hovered.setAttribute("d", this.ring(hovered));
    this.plot.pinned.setAttribute("d", this.ring(pinned));
  }
}
