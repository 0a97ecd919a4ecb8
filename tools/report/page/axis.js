// Where an axis has its numbers, and how they are written.

// 1, 2 and 5 times the powers of ten between two logarithms; 1 times alone where those are many.
function logTicks(low, high) {
  const found = [];
  for (let power = Math.floor(low); power <= high; ++power)
    for (const factor of high - low > 3 ? [1] : [1, 2, 5]) {
      const value = factor * 10 ** power;
      if (Math.log10(value) >= low && Math.log10(value) <= high) found.push(value);
    }
  return found;
}

function axisText(value) {
  return value >= 1 || value === 0 ? scaled(value).replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "") : value.toPrecision(1);
}

// Rounded steps of an axis, about so many of them.
function linearTicks(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) || 1;
  const list = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) list.push(at);
  return list;
}
