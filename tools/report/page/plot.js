// A canvas with a drawing over it, in the same pixels; and the places of an axis's numbers.

class Plot {
  constructor(box, height, label, draw) {
    this.height = height;
    this.canvas = element("canvas", {tabindex: 0, "aria-label": label});
    this.canvas.style.height = height + "px";
    this.svg = shape("svg", {"aria-hidden": "true"});
    this.hovered = shape("path", {class: "hovered"});
    this.pinned = shape("path", {class: "pinned"});
    box.replaceChildren(this.canvas, this.svg);
    new ResizeObserver(() => this.request()).observe(box);
    this.draw = draw;
    this.request();
  }
  // Draws before the next frame, once.
  request() {
    this.drawn = false;
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.begin();
      this.draw();
    });
  }
  begin() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren();
  }
  // Pixels from the canvas's corner.
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}

// Where the numbers of an axis from low to high lie between two pixels.
class Scale {
  constructor(axis, low, high, from, to) {
    if (low === high) [low, high] = axis.log ? [low / 1.5, high * 1.5] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
    Object.assign(this, {axis, low, high, from, to});
    const [a, b] = [low, high].map((value) => this.turned(value));
    this.slope = (to - from) / (b - a);
    this.start = from - a * this.slope;
  }
  turned(value) { return this.axis.log ? Math.log(value) : value; }
  at(value) { return this.start + this.turned(value) * this.slope; }
  // The number at a pixel.
  value(pixel) {
    const turned = (pixel - this.start) / this.slope;
    return this.axis.log ? Math.exp(turned) : turned;
  }
  // Numbers with their texts and pixels, apart by `room` at least.
  ticks(room) {
    const found = [];
    for (const [value, text] of this.axis.ticks(this.low, this.high, Math.abs(this.to - this.from) / (2 * room))) {
      const at = this.at(value);
      if (found.every((other) => Math.abs(other.at - at) >= room)) found.push({at, text});
    }
    return found;
  }
}
