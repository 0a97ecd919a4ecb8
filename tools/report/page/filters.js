// What is shown: a range of each thing that is measured, and values of each parameter.

class Filters {
  constructor(points, changed) {
    this.syncs = [];
    document.querySelector("#filters .ranges").append(...points.measured.map((axis) => this.range(axis, changed)));
    document.querySelector("#filters .choices").append(
      ...points.parameters.filter((axis) => axis.values.length > 1).map((axis) => this.choice(axis, changed)));
    byId("all").addEventListener("click", () => {
      for (const axis of points.axes) axis.clear();
      changed();
    });
  }
  range(axis, changed) {
    const end = (key, what, none, value) => {
      const input = element("input", {type: "number", step: "any", placeholder: axis.text(value), "aria-label": `${what} ${axis.name}`});
      input.addEventListener("input", () => {
        axis[key] = input.value === "" ? none : Number(input.value);
        changed();
      });
      this.syncs.push(() => {
        if (document.activeElement !== input) input.value = axis[key] === none ? "" : String(Number(axis[key].toPrecision(6)));
      });
      return input;
    };
    return element("div", {class: "range"}, element("span", {title: axis.name}, axis.name),
      end("from", "least", -Infinity, axis.low), end("to", "most", Infinity, axis.high));
  }
  choice(axis, changed) {
    const boxes = axis.values.map((_, v) => {
      const box = element("input", {type: "checkbox"});
      box.addEventListener("change", () => {
        axis.keepValue(v, box.checked);
        changed();
      });
      this.syncs.push(() => { box.checked = axis.keepsValue(v); });
      return element("label", {}, box, " " + axis.valueText(v));
    });
    return element("fieldset", {}, element("legend", {}, axis.name), ...boxes);
  }
  show() { for (const sync of this.syncs) sync(); }
}
