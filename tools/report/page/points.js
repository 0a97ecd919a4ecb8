// The points as columns of numbers: an axis for each thing that is measured and for each parameter, and what is asked of it.

const WIDE = 30;  // an axis whose ends are so far apart begins as a logarithmic one

class Axis {
  // `better` is -1 where less is, 1 where more is, 0 where neither.
  constructor(name, numbers, better = 0) {
    Object.assign(this, {name, numbers, better});
    this.low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
    this.canLog = this.low > 0;
    this.log = this.canLog && this.high > WIDE * this.low;
    this.clear();
  }
  clear() {
    this.from = -Infinity;
    this.to = Infinity;
  }
  keep(from, to) {
    this.from = from;
    this.to = to;
  }
  keeps(i) { return this.numbers[i] >= this.from && this.numbers[i] <= this.to; }
  // A number of the axis, and that of a point.
  text(number) { return Number.isInteger(number) || Math.abs(number) >= 1000 ? count(number) : String(Number(number.toPrecision(4))); }
  textOf(i) { return this.text(this.numbers[i]); }
  ticks(low, high, about) {
    const found = this.log ? logTicks(Math.log10(low), Math.log10(high)) : [];
    return (found.length > 1 ? found : linearTicks(low, high, about)).map((at) => [at, at >= 1000 ? axisText(at) : String(Number(at.toPrecision(6)))]);
  }
}

// A parameter's values are where their numbers are; where not all are numbers, one beside the other.
class ParameterAxis extends Axis {
  constructor({name, values}, index) {
    const isNumber = values.every((value) => typeof value === "number");
    const places = values.map((value, v) => (isNumber ? value : v));
    super(name, index.map((v) => places[v]));
    Object.assign(this, {values, index, places, canLog: this.canLog && isNumber});
    this.log = this.canLog && this.high >= 4 * this.low;
  }
  clear() { this.kept = null; }
  keep(from, to) { this.kept = new Set([...this.places.keys()].filter((v) => this.places[v] >= from && this.places[v] <= to)); }
  keepValue(v, kept) {
    this.kept ||= new Set(this.values.keys());
    if (kept) this.kept.add(v);
    else this.kept.delete(v);
    if (this.kept.size === this.values.length) this.clear();
  }
  keepsValue(v) { return !this.kept || this.kept.has(v); }
  keeps(i) { return this.keepsValue(this.index[i]); }
  textOf(i) { return this.valueText(this.index[i]); }
  valueText(v) { return String(this.values[v]); }
  ticks(low, high) {
    return this.places.map((place, v) => [place, this.valueText(v)]).filter(([place]) => place >= low && place <= high);
  }
}

class Points {
  constructor(data) {
    this.data = data;
    this.list = data.points;
    const column = (of) => this.list.map(of);
    const {part, parameters} = data.space;
    const measured = [
      ["latency_ms", "latency, ms", -1], ["fps", "fps", 1], ["energy_mj", "energy, mJ", -1], ["error_percent", "error, %", -1],
      ["area", part ? `area, share of ${part}` : "area, products a cycle", -1]].map(([key, ...rest]) => [(point) => point[key], ...rest]);
    measured.push(...[["lut", "LUT"], ["ff", "FF"], ["dsp", "DSP"], ["bram", "BRAM"]].map(([key, name]) =>
      [(point) => point.predicted?.[key], name + ", predicted", -1]));
    measured.push([(point) => point.scratchpad_bytes, "scratchpads, bytes", -1]);
    // What not every point has is no axis.
    this.measured = measured.map(([of, name, better]) => [column(of), name, better])
      .filter(([numbers]) => numbers.every((number) => Number.isFinite(number))).map((of) => new Axis(of[1], of[0], of[2]));
    this.parameters = parameters.map((one, p) => new ParameterAxis(one, column((point) => point.values[p])));
    this.axes = [...this.measured, ...this.parameters];
    this.objectives = data.objectives.map((name) => [name, this.measured.find((axis) => axis.name.startsWith(name))]).filter(([, axis]) => axis);
    this.front = [...this.list.keys()].filter((i) => this.list[i].front);
    this.filter();
  }
  keeps(i) { return this.axes.every((axis) => axis.keeps(i)); }
  filter() {
    this.shown = [...this.list.keys()].filter((i) => this.keeps(i));
    this.shownFront = this.front.filter((i) => this.keeps(i));
  }
  // Lines about a point, for people.
  linesOf(i) {
    const line = (axes) => axes.map((axis) => `${axis.name}: ${axis.textOf(i)}`);
    return [this.list[i].config + (this.list[i].front ? ", on the front" : ""), ...line(this.measured),
      this.parameters.map((axis) => `${axis.name} ${axis.textOf(i)}`).join(", ")];
  }
}

// The colour of a parameter's value: from blue to yellow, in the order of the values.
function colourOf(axis, v) {
  const share = axis.values.length > 1 ? v / (axis.values.length - 1) : 0;
  return `hsl(${Math.round(255 - 210 * share)} 68% ${Math.round(54 - 4 * share)}%)`;
}
