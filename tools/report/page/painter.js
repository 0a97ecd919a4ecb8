// Slices on a canvas, however many there are: what is narrower than two pixels adds up to the shares of its pixel.

class Bins {
  constructor(kinds) {
    this.kinds = kinds;
    this.shares = new Float32Array(0);
  }
  reset(width) {
    const size = Math.ceil(width + 2) * this.kinds;
    if (this.shares.length < size) this.shares = new Float32Array(size);
    else this.shares.fill(0);
    this.first = Infinity;
    this.last = -1;
  }
  add(x0, x1, kind) {
    const first = Math.floor(x0), last = Math.floor(x1);
    this.first = Math.min(this.first, first);
    this.last = Math.max(this.last, last);
    if (first === last) {
      this.shares[first * this.kinds + kind] += x1 - x0;
    } else {
      this.shares[first * this.kinds + kind] += last - x0;
      this.shares[last * this.kinds + kind] += x1 - last;
    }
  }
  paint(context, left, y, height, colour) {
    for (let x = this.first; x <= this.last; ++x) {
      let bottom = y + height;
      for (let kind = 0; kind < this.kinds; ++kind) {
        const share = this.shares[x * this.kinds + kind];
        if (share <= 0) continue;
        context.fillStyle = colour(kind);
        const part = Math.min(1, share) * height;
        context.fillRect(left + x, bottom - part, 1, part);
        bottom -= part;
      }
    }
  }
}

// Paints the slices of a track that a view shows, at [left, left + width) of a row; tells `wide` of each that has room
// for a text. Returns how many slices it looked at.
function paintTrack(context, track, view, box, bins, colour, {lane = -1, wide = () => {}} = {}) {
  const scale = box.width / (view.end - view.begin);
  bins.reset(box.width);
  const first = track.after(view.begin);
  let i = first;
  for (; i < track.length && track.begin[i] < view.end; ++i) {
    if (lane >= 0 && track.lane[i] !== lane) continue;
    const x0 = Math.max(0, (track.begin[i] - view.begin) * scale);
    const x1 = Math.min(box.width, (track.end[i] - view.begin) * scale);
    if (x1 - x0 < 2) {
      bins.add(x0, x1, track.kind[i]);
      continue;
    }
    context.fillStyle = colour(track.kind[i]);
    context.fillRect(box.left + x0, box.y, x1 - x0 - (x1 - x0 > 4 ? 1 : 0), box.height);
    if (x1 - x0 > 34) wide(i, box.left + x0, x1 - x0);
  }
  bins.paint(context, box.left, box.y, box.height, colour);
  return i - first;
}

// As much of a text as fits, in a font of fixed width.
function paintText(context, text, x, y, width) {
  const fits = Math.floor((width - 8) / context.measureText("0").width);
  if (fits < Math.min(5, text.length)) return;
  context.fillText(text.length <= fits ? text : text.slice(0, fits - 1) + "\u2026", x + 4, y);
}

// A curve from the end of a push to the begin of a pop, with a head.
function paintArrow(context, x0, y0, x1, y1) {
  const bend = Math.max(8, Math.min(60, Math.abs(x1 - x0) / 2));
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 6, y1 - 3);
  context.lineTo(x1 - 6, y1 + 3);
  context.fill();
}

// Steps of 1, 2 or 5 times a power of ten, at least `least` long.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return Math.max(1, power * [1, 2, 5, 10].find((factor) => factor * power >= least));
}
