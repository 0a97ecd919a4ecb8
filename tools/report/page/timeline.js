// The timeline: launches, and for fetch and each module what it runs and why its cycles went by.

const ROW = {left: 92, right: 2, ruler: 22, launches: 22, lane: 19, why: 13, gap: 9};
const LEAST_CYCLES = 24;
const MOST_ARROWS = 500;
const FONT = "11.5px ui-monospace, 'DejaVu Sans Mono', monospace";

class Timeline {
  constructor(data, decoded, select) {
    this.data = data;
    this.decoded = decoded;
    this.select = select;
    this.canvas = document.querySelector("#timeline canvas");
    this.view = {begin: 0, end: decoded.end};
    this.layer = -1;
    this.picked = this.hovered = null;
    this.bins = new Bins(Math.max(data.kinds.length, INSTRUCTIONS.length));
    this.layOut();
    this.listen();
    this.draw();
  }

  layOut() {
    this.rows = [];
    let y = 0;
    const add = (type, height, unit = -1, lane = -1) => {
      this.rows.push({type, unit, lane, y, height});
      y += height + (type === "lane" ? 1 : 0);
    };
    add("ruler", ROW.ruler);
    add("launches", ROW.launches);
    this.data.units.forEach((_, unit) => {
      y += ROW.gap;
      const lanes = unit === 0 ? 0 : this.decoded.instructions[unit].lanes;
      for (let lane = 0; lane < lanes; ++lane) add("lane", ROW.lane, unit, lane);
      add("why", unit === 0 ? ROW.lane : ROW.why, unit);
    });
    this.height = y + 4;
    this.canvas.style.height = this.height + "px";
  }

  get width() { return this.canvas.clientWidth - ROW.left - ROW.right; }
  x(cycle) { return ROW.left + (cycle - this.view.begin) / (this.view.end - this.view.begin) * this.width; }
  cycle(x) { return this.view.begin + (x - ROW.left) / this.width * (this.view.end - this.view.begin); }

  show(begin, end) {
    const all = this.decoded.end, length = Math.min(all, Math.max(LEAST_CYCLES, end - begin));
    const first = Math.max(0, Math.min(all - length, (begin + end - length) / 2));
    this.view = {begin: first, end: first + length};
    this.request();
  }
  zoom(factor, around = (this.view.begin + this.view.end) / 2) {
    const {begin, end} = this.view;
    this.show(around - (around - begin) * factor, around + (end - around) * factor);
  }
  move(share) {
    const step = share * (this.view.end - this.view.begin);
    this.show(this.view.begin + step, this.view.end + step);
  }
  showLayer(layer) {
    this.layer = layer;
    const launch = this.decoded.launches.find((one) => one.layer === layer);
    if (!launch) return this.request();
    const margin = 0.04 * (launch.end - launch.begin);
    this.show(launch.begin - margin, launch.end + margin);
  }

  listen() {
    const on = (type, action) => this.canvas.addEventListener(type, action);
    let drag = null;
    on("pointerdown", (event) => {
      drag = {x: event.clientX, view: this.view, moved: false};
      this.canvas.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      if (!drag) return this.hover(event);
      const by = (event.clientX - drag.x) / this.width * (drag.view.end - drag.view.begin);
      drag.moved ||= Math.abs(event.clientX - drag.x) > 3;
      if (drag.moved) this.show(drag.view.begin - by, drag.view.end - by);
    });
    on("pointerup", (event) => {
      if (drag && !drag.moved) this.click(event);
      drag = null;
    });
    on("pointerleave", () => { tooltip.hide(); this.hovered = null; this.request(); });
    on("dblclick", (event) => {
      const hit = this.hit(event);
      if (hit && hit.type === "launches") this.showLayer(this.decoded.launches[hit.i].layer);
    });
    this.canvas.addEventListener("wheel", (event) => {
      const focused = document.activeElement === this.canvas;
      if (event.ctrlKey || event.metaKey || (focused && Math.abs(event.deltaY) > Math.abs(event.deltaX)))
        this.zoom(Math.exp(event.deltaY * 0.002), this.cycle(event.offsetX));
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.move(event.deltaX / this.width);
      else return;
      event.preventDefault();
    }, {passive: false});
    on("keydown", (event) => {
      const action = {
        "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
        ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2),
        0: () => this.show(0, this.decoded.end), Home: () => this.show(0, this.decoded.end),
      }[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      action();
      event.preventDefault();
    });
    byId("zoom-in").addEventListener("click", () => this.zoom(0.5));
    byId("zoom-out").addEventListener("click", () => this.zoom(2));
    byId("zoom-all").addEventListener("click", () => this.show(0, this.decoded.end));
    new ResizeObserver(() => this.request()).observe(this.canvas);
  }

  // What lies under the pointer: {type, unit, i}, or null.
  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const row = this.rows.find((one) => y >= one.y && y < one.y + one.height);
    if (!row || x < ROW.left) return null;
    const cycle = this.cycle(x), {type, unit} = row;
    let i = -1;
    if (type === "launches") i = this.decoded.launches.findIndex((one) => one.begin <= cycle && cycle < one.end);
    if (type === "why") i = this.decoded.why[unit].at(cycle);
    if (type === "lane") {
      const track = this.decoded.instructions[unit];
      for (let k = track.after(cycle); k < track.length && track.begin[k] <= cycle; ++k)
        if (track.lane[k] === row.lane) { i = k; break; }
    }
    return i < 0 ? null : {type, unit, i};
  }
  hover(event) {
    const hit = this.hit(event), before = this.hovered;
    this.hovered = hit && hit.type === "lane" ? hit : null;
    if (hit) tooltip.show(event.clientX, event.clientY, this.describe(hit));
    else tooltip.hide();
    if ((before && before.i) !== (this.hovered && this.hovered.i)) this.request();
  }
  click(event) {
    const hit = this.hit(event);
    if (hit && hit.type === "launches") return this.select(this.decoded.launches[hit.i].layer, false);
    this.picked = hit && hit.type === "lane" ? hit : null;
    byId("detail").replaceChildren(...(this.picked ? this.detail(this.picked) : []));
    this.request();
  }

  textOf(unit, i) {
    return this.decoded.instructions[unit].texts[i].map((word) => this.decoded.words[word]).join(" ");
  }
  span(track, i) {
    return `cycles ${count(track.begin[i])} to ${count(track.end[i])}: ${count(track.end[i] - track.begin[i])}`;
  }
  addressOf(track, i) {
    const {address} = this.decoded.launches[track.launch[i]];
    return address ? " at 0x" + (BigInt(address) + BigInt(track.index[i]) * 16n).toString(16) : "";
  }
  describe({type, unit, i}) {
    if (type === "launches") {
      const launch = this.decoded.launches[i], layer = this.data.layers[launch.layer];
      return [layer.name, `${layer.op}, ${layer.shape}`, `${counted(launch.end - launch.begin, "cycle")} from ${count(launch.begin)} on`,
        launch.instructions ? "" : "its instructions are left out of this page"];
    }
    if (type === "lane") {
      const track = this.decoded.instructions[unit];
      return [`${this.data.units[unit]}, instruction ${track.index[i]}`, this.textOf(unit, i), this.span(track, i)];
    }
    const track = this.decoded.why[unit], kind = track.kind[i], name = this.data.kinds[kind];
    const queue = track.queue[i] < 0 ? "" : " of " + this.data.queues[track.queue[i]].name;
    return [`${this.data.units[unit]}: ${title(name)}${queue}`, meaning(this.data, kind), this.span(track, i),
      track.index[i] >= 0 ? "about instruction " + track.index[i] : "",
      track.other[i] >= 0 ? "waits for instruction " + track.other[i] : ""];
  }
  detail({unit, i}) {
    const track = this.decoded.instructions[unit];
    const lines = [element("div", {}, element("b", {}, `${this.data.units[unit]}, instruction ${track.index[i]}${this.addressOf(track, i)}: `),
      element("code", {}, this.textOf(unit, i)), ` \u2014 ${this.span(track, i)}`)];
    for (const flow of track.flows[i] || []) {
      const queue = this.data.queues[flow.queue], pops = queue.to === unit && flow.pop === i;
      const other = pops ? queue.from : queue.to, at = pops ? flow.push : flow.pop;
      const from = this.decoded.instructions[queue.from], to = this.decoded.instructions[queue.to];
      lines.push(element("div", {}, `${pops ? "takes" : "gives"} a token of ${queue.name} ${pops ? "from" : "to"} instruction ` +
        `${this.decoded.instructions[other].index[at]}, ${counted(to.begin[flow.pop] - from.end[flow.push], "cycle")} after it was pushed`));
    }
    return lines;
  }

  request() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    const started = performance.now();
    const ratio = devicePixelRatio || 1, context = this.context = this.canvas.getContext("2d");
    const width = this.canvas.clientWidth;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(this.height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, this.height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.looked = 0;
    for (const row of this.rows) {
      if (row.type === "ruler") this.drawRuler(row);
      if (row.type === "launches") this.drawLaunches(row);
      if (row.type === "lane") this.drawLane(row);
      if (row.type === "why") this.drawWhy(row);
    }
    this.drawArrows();
    this.drawLabels();
    this.drawMs = performance.now() - started;
    const {begin, end} = this.view;
    byId("timeline-range").textContent = `cycles ${count(begin)} to ${count(end)} (${count(end - begin)})` +
      (this.hidden ? `; ${counted(this.hidden, "token")}: zoom in for their arrows` : "");
  }
  box(row) { return {left: ROW.left, width: this.width, y: row.y, height: row.height}; }

  drawRuler(row) {
    const context = this.context, step = roundStep((this.view.end - this.view.begin) * 90 / this.width);
    context.textAlign = "center";
    for (let at = Math.ceil(this.view.begin / step) * step; at <= this.view.end; at += step) {
      const x = this.x(at);
      context.fillStyle = colours.of("grid");
      context.fillRect(x, row.y + row.height - 4, 1, this.height);
      context.fillStyle = colours.of("soft");
      if (x > ROW.left + 20 && x < ROW.left + this.width - 30) context.fillText(count(at), x, row.y + 9);
    }
    context.textAlign = "left";
  }
  drawLaunches(row) {
    const context = this.context;
    this.decoded.launches.forEach((launch, i) => {
      const x0 = Math.max(ROW.left, this.x(launch.begin)), x1 = Math.min(ROW.left + this.width, this.x(launch.end));
      if (x1 <= x0) return;
      const selected = launch.layer === this.layer;
      context.fillStyle = colours.of(selected ? "strong" : "line");
      context.globalAlpha = selected ? 1 : i % 2 ? 0.65 : 1;
      context.fillRect(x0, row.y, Math.max(0.5, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), row.height);
      context.globalAlpha = 1;
      context.fillStyle = colours.of(selected ? "card" : "text");
      paintText(context, this.data.layers[launch.layer].name, x0, row.y + row.height / 2 + 1, x1 - x0);
    });
  }
  drawLane(row) {
    const track = this.decoded.instructions[row.unit], texts = [];
    this.looked += paintTrack(this.context, track, this.view, this.box(row), this.bins,
      (kind) => colours.of(INSTRUCTION_COLOURS[kind]), {lane: row.lane, wide: (i, x, width) => texts.push([i, x, width])});
    this.context.fillStyle = colours.of("on");
    for (const [i, x, width] of texts) paintText(this.context, this.textOf(row.unit, i), x, row.y + row.height / 2 + 1, width);
    for (const [at, colour] of [[this.hovered, "soft"], [this.picked, "text"]])
      if (at && at.unit === row.unit && track.lane[at.i] === row.lane) this.outline(row, track, at.i, colour);
  }
  outline(row, track, i, colour) {
    const x0 = Math.max(ROW.left, this.x(track.begin[i])), x1 = Math.min(ROW.left + this.width, this.x(track.end[i]));
    if (x1 < x0) return;
    this.context.strokeStyle = colours.of(colour);
    this.context.lineWidth = 2;
    this.context.strokeRect(x0, row.y, Math.max(2, x1 - x0 - 1), row.height);
  }
  drawWhy(row) {
    const track = this.decoded.why[row.unit], context = this.context;
    if (row.unit === 0 && !track.length) {
      context.fillStyle = colours.of("soft");
      context.fillText("the engine does not tell what fetch does when", ROW.left + 6, row.y + row.height / 2 + 1);
      return;
    }
    const texts = [];
    this.looked += paintTrack(context, track, this.view, this.box(row), this.bins,
      (kind) => colours.of(this.data.kinds[kind]), {wide: (i, x, width) => texts.push([i, x, width])});
    for (const [i, x, width] of texts) {
      context.fillStyle = colours.of(this.data.kinds[track.kind[i]] === "nothing" ? "text" : "on");
      paintText(context, title(this.data.kinds[track.kind[i]]), x, row.y + row.height / 2 + 1, width);
    }
  }
  laneMiddle(unit, i) {
    const lane = this.decoded.instructions[unit].lane[i];
    const row = this.rows.find((one) => one.type === "lane" && one.unit === unit && one.lane === lane);
    return row.y + row.height / 2;
  }
  drawFlow(flow) {
    const queue = this.data.queues[flow.queue];
    const x0 = this.x(this.decoded.instructions[queue.from].end[flow.push]);
    const x1 = this.x(this.decoded.instructions[queue.to].begin[flow.pop]);
    paintArrow(this.context, x0, this.laneMiddle(queue.from, flow.push), x1, this.laneMiddle(queue.to, flow.pop));
  }
  drawArrows() {
    const context = this.context, visible = [];
    for (const flow of this.decoded.flows) {
      const queue = this.data.queues[flow.queue];
      if (this.decoded.instructions[queue.from].end[flow.push] <= this.view.end &&
          this.decoded.instructions[queue.to].begin[flow.pop] >= this.view.begin) visible.push(flow);
    }
    this.hidden = visible.length > MOST_ARROWS ? visible.length : 0;
    this.arrows = this.hidden ? 0 : visible.length;
    context.save();
    context.beginPath();
    context.rect(ROW.left, 0, this.width, this.height);
    context.clip();
    context.lineWidth = 1.1;
    context.globalAlpha = 0.45;
    context.strokeStyle = context.fillStyle = colours.of("text");
    if (!this.hidden) visible.forEach((flow) => this.drawFlow(flow));
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeStyle = context.fillStyle = colours.of("strong");
    for (const at of [this.hovered, this.picked])
      if (at) for (const flow of this.decoded.instructions[at.unit].flows[at.i] || []) this.drawFlow(flow);
    context.restore();
  }
  drawLabels() {
    const context = this.context;
    context.clearRect(0, ROW.ruler, ROW.left - 1, this.height);
    context.textAlign = "right";
    for (const row of this.rows) {
      const first = row.type === "lane" ? row.lane === 0 : row.type === "why" && row.unit === 0;
      if (row.type === "launches" || first) {
        context.fillStyle = colours.of("text");
        context.fillText(first ? this.data.units[row.unit] : "layers", ROW.left - 10, row.y + row.height / 2 + 1);
      } else if (row.type === "why" && this.decoded.why[row.unit].length) {
        context.fillStyle = colours.of("soft");
        context.fillText("why", ROW.left - 10, row.y + row.height / 2 + 1);
      }
    }
    context.textAlign = "left";
  }
}
