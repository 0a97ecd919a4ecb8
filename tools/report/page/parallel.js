// Parallel coordinates: an axis beside the other, and a line through them for each point. A brush asks the same as the filters do.

const PARALLEL = {height: 380, side: 60, top: 46, bottom: 16, least: 88, grip: 14, slice_ms: 10, near: 8};

class Parallel {
  constructor(points, hover, pin, changed) {
    Object.assign(this, {points, hover, pin, changed});
    this.axes = [...points.parameters.filter((axis) => axis.values.length > 1), ...points.objectives.map(([, axis]) => axis)];
    const box = document.querySelector("#parallel .plot");
    box.style.minWidth = 2 * PARALLEL.side + (this.axes.length - 1) * PARALLEL.least + "px";
    this.plot = new Plot(box, PARALLEL.height, "Parallel coordinates of the points. The filters beside the points do by key what a drag does here.", () => this.draw());
    const {canvas} = this.plot;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.hover(-1));
  }
  x(a) {
    const {side} = PARALLEL;
    return this.axes.length > 1 ? side + a * (this.plot.width - 2 * side) / (this.axes.length - 1) : this.plot.width / 2;
  }
  // The axis that is meant at a place, by its line or its name, or -1.
  axisAt(px, py) {
    const room = py < PARALLEL.top ? PARALLEL.least / 2 : PARALLEL.grip;
    return this.axes.findIndex((_, a) => Math.abs(this.x(a) - px) <= room);
  }
  press(event) {
    const [px, py] = this.plot.place(event), axis = this.axisAt(px, py);
    this.pressed = {axis, py};
    if (axis >= 0) this.plot.canvas.setPointerCapture(event.pointerId);
  }
  move(event) {
    const [px, py] = this.plot.place(event), {axis, py: begin} = this.pressed || {};
    if (axis >= 0 && Math.abs(py - begin) > 3) {
      this.brushed = true;
      const [low, high] = [begin, py].map((pixel) => this.scales[axis].value(pixel)).sort((a, b) => a - b);
      this.axes[axis].keep(low, high);
      this.changed();
    } else if (!this.pressed) {
      this.hover(this.nearest(px, py), event.clientX, event.clientY);
    }
  }
  release(event) {
    const [px, py] = this.plot.place(event), axis = this.pressed?.axis ?? -1;
    if (axis >= 0 && py < PARALLEL.top && !this.brushed) {
      this.axes[axis].clear();
      this.changed();
    } else if (!this.brushed) {
      this.pin(this.nearest(px, py));
    }
    this.pressed = null;
    this.brushed = false;
  }
  y(a, i) { return this.scales[a].at(this.axes[a].numbers[i]); }
  // The point whose line passes nearest, of the front first.
  nearest(px, py) {
    const left = this.axes.findLastIndex((_, a) => this.x(a) <= px);
    if (left < 0 || (left === this.axes.length - 1 && px > this.x(left) + 1)) return -1;
    const right = Math.min(left + 1, this.axes.length - 1);
    const share = right > left ? (px - this.x(left)) / (this.x(right) - this.x(left)) : 0;
    let best = -1, least = PARALLEL.near;
    const look = (i) => {
      const away = Math.abs(this.y(left, i) * (1 - share) + this.y(right, i) * share - py);
      if (away < least) [best, least] = [i, away];
    };
    this.points.shownFront.forEach(look);
    this.points.shown.forEach(look);
    return best;
  }
  draw() {
    const {height, top, bottom} = PARALLEL, {svg} = this.plot;
    this.scales = this.axes.map((axis) => new Scale(axis, axis.low, axis.high, height - bottom - 6, top + 6));
    this.axes.forEach((axis, a) => this.drawAxis(axis, a));
    svg.append(this.plot.hovered, this.plot.pinned);
    this.mark();
    this.left = this.points.shown.filter((i) => !this.points.list[i].front).concat(this.points.shownFront);
    this.next = 0;
    this.turn = (this.turn || 0) + 1;
    this.drawLines(this.turn);
  }
  drawAxis(axis, a) {
    const {height, top, bottom, least} = PARALLEL, {svg} = this.plot, x = this.x(a), scale = this.scales[a];
    svg.append(shape("line", {class: "axis", x1: x, x2: x, y1: top, y2: height - bottom}));
    const title = shape("text", {class: "title over", x, y: a % 2 ? 30 : 14, "text-anchor": "middle"}, axis.name);
    svg.append(title);
    const room = 2 * least - 12;
    if (title.getComputedTextLength() > room) {
      title.setAttribute("textLength", room);
      title.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    for (const {at, text} of scale.ticks(15)) svg.append(shape("text", {class: "over", x: x + 6, y: at + 4}, text));
    const brush = (from, to) => svg.append(shape("rect", {class: "brush", x: x - 6, width: 12, y: to, height: Math.max(2, from - to)}));
    if (axis.kept) for (const v of axis.kept) brush(scale.at(axis.places[v]) + 6, scale.at(axis.places[v]) - 6);
    else if (axis.from > -Infinity || axis.to < Infinity)
      brush(scale.at(Math.max(axis.from, scale.low)), scale.at(Math.min(axis.to, scale.high)));
  }
  pathOf(i) { return this.axes.map((_, a) => [this.x(a), this.y(a, i)]); }
  // Lines a slice of time at once: a page of many points stays awake.
  drawLines(turn) {
    if (turn !== this.turn) return;
    const {context} = this.plot, {colour, points, left} = this, end = performance.now() + PARALLEL.slice_ms;
    const thin = Math.max(0.06, Math.min(0.6, 6 / Math.sqrt(left.length)));
    for (; this.next < left.length && performance.now() < end; ++this.next) {
      const i = left[this.next];
      context.globalAlpha = points.list[i].front ? 0.95 : thin;
      context.lineWidth = points.list[i].front ? 1.8 : 1;
      context.strokeStyle = colour ? colourOf(colour, colour.index[i]) : colours.of("busy");
      context.beginPath();
      for (const [px, py] of this.pathOf(i)) context.lineTo(px, py);
      context.stroke();
    }
    if (this.next < left.length) requestAnimationFrame(() => this.drawLines(turn));
    else this.plot.drawn = true;
  }
  mark(hovered = this.at, pinned = this.pinned) {
    this.at = hovered;
    this.pinned = pinned;
    const line = (i) => (i >= 0 && this.points.keeps(i) ? "M" + this.pathOf(i).join("L") : "");
    this.plot.hovered.setAttribute("d", line(hovered));
    this.plot.pinned.setAttribute("d", line(pinned));
  }
}
