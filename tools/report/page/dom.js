// Elements, numbers, the tooltip. Texts of the model only ever become text nodes.

const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children; a string child is text.
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}
function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const whole = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});
const count = (value) => whole.format(value);
const plural = (value, noun) => (value === 1 ? noun : noun + (/(s|x|ch|sh)$/.test(noun) ? "es" : "s"));
const counted = (value, noun) => `${count(value)} ${plural(value, noun)}`;
const percent = (part, all, digits = 1) => (all ? (100 * part / all).toFixed(digits) : "0") + " %";
// "12.3 M"
function scaled(value) {
  let step = 0;
  while (Math.abs(value) >= 999.5 && step < 4) value /= 1000, ++step;
  const digits = step === 0 ? (Number.isInteger(value) ? 0 : 2) : value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toFixed(digits) + ["", " k", " M", " G", " T"][step];
}

const inBytes = (value) => scaled(value) + (value < 999.5 ? " B" : "B");

const colours = {
  cache: {},
  of(name) {
    return this.cache[name] ||= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  },
};

const tooltip = {
  // Lines of text, the first in bold, beside a point of the window.
  show(x, y, lines) {
    const box = byId("tooltip");
    box.replaceChildren(element("b", {}, lines[0]), ...lines.slice(1).filter(Boolean).map((line) => element("div", {}, line)));
    box.hidden = false;
    const {width, height} = box.getBoundingClientRect();
    box.style.left = Math.max(4, x + 16 + width > innerWidth ? x - width - 12 : x + 16) + "px";
    box.style.top = Math.max(4, y + 16 + height > innerHeight ? y - height - 12 : y + 16) + "px";
  },
  hide() { byId("tooltip").hidden = true; },
};

// A tooltip for an element, by pointer and by focus.
function explain(node, lines) {
  node.addEventListener("pointermove", (event) => tooltip.show(event.clientX, event.clientY, lines()));
  node.addEventListener("pointerleave", () => tooltip.hide());
  node.addEventListener("focus", () => {
    const box = node.getBoundingClientRect();
    tooltip.show(box.right, box.bottom, lines());
  });
  node.addEventListener("blur", () => tooltip.hide());
}
