// The data of the page: what tools/report/page_timeline.cc packs, as typed arrays.

class Unpacker {
  constructor(base64) {
    const text = atob(base64);
    this.bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) this.bytes[i] = text.charCodeAt(i);
    this.at = 0;
  }
  more() { return this.at < this.bytes.length; }
  // Not by shifts: numbers may be longer than 32 bits.
  number() {
    let value = 0, scale = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return value;
  }
  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

// Slices in the order in which they begin; units: cycles since the first launch began.
class Track {
  constructor() {
    this.begin = [];
    this.end = [];
    this.kind = [];
    this.index = [];
    this.launch = [];
  }
  add(begin, end, kind, index, launch) {
    this.begin.push(begin);
    this.end.push(end);
    this.kind.push(kind);
    this.index.push(index);
    this.launch.push(launch);
    return this.begin.length - 1;
  }
  pack() {
    this.begin = Float64Array.from(this.begin);
    this.end = Float64Array.from(this.end);
    this.kind = Uint8Array.from(this.kind);
    this.index = Float64Array.from(this.index);
    this.launch = Uint32Array.from(this.launch);
  }
  get length() { return this.begin.length; }
  // The first slice that ends after a cycle; ends ascend.
  after(cycle) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > cycle) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  at(cycle) {
    const i = this.after(cycle);
    return i < this.length && this.begin[i] <= cycle ? i : -1;
  }
}

const INSTRUCTIONS = ["load.inp", "load.wgt", "load.acc", "load.uop", "gemm", "alu", "store", "other"];
const INSTRUCTION_COLOURS = ["inp", "wgt", "acc", "uop", "gemm", "alu", "store", "finish"];
function instructionKind(word) {
  const at = INSTRUCTIONS.findIndex((name) => word.startsWith(name));
  return at < 0 ? INSTRUCTIONS.length - 1 : at;
}

// Instructions of one module; those that overlap lie on lanes of their own.
class InstructionTrack extends Track {
  constructor() {
    super();
    this.texts = [];
    this.lane = [];
    this.lanes = 1;
    this.laneEnds = [];
    this.flows = [];  // by slice: the flows that begin or end there
  }
  addOne(begin, end, kind, index, launch, text) {
    let lane = this.laneEnds.findIndex((last) => last <= begin);
    if (lane < 0) lane = this.laneEnds.length;
    this.laneEnds[lane] = end;
    this.lanes = Math.max(this.lanes, lane + 1);
    this.lane.push(lane);
    this.texts.push(text);
    this.flows.push(null);
    return this.add(begin, end, kind, index, launch);
  }
}

class WhyTrack extends Track {
  constructor() {
    super();
    this.queue = [];
    this.other = [];
  }
}

function decodeInstructions(base64, launch, number, kinds, track) {
  const packed = new Unpacker(base64);
  let begin = launch.begin, index = 0;
  while (packed.more()) {
    begin += packed.signed();
    const end = begin + packed.number();
    index += packed.signed();
    const text = new Array(packed.number());
    for (let i = 0; i < text.length; ++i) text[i] = packed.number();
    track.addOne(begin, end, text.length ? kinds[text[0]] : kinds.length - 1, index, number, text);
    ++index;
  }
}

function decodeWhy(base64, launch, number, track) {
  const packed = new Unpacker(base64);
  let end = launch.begin, index = 0;
  while (packed.more()) {
    const head = packed.number(), cycles = packed.number();
    const begin = end + (head & 16 ? packed.signed() : 0);
    end = begin + cycles;
    track.queue.push(head & 32 ? packed.number() : -1);
    if (head & 64) index += packed.signed();
    track.other.push(head & 128 ? index + packed.signed() : -1);
    track.add(begin, end, head & 15, head & 64 ? index : -1, number);
  }
}

// Appends {queue, push, pop} to `flows`: places of the slices in the tracks of the queue's units.
function decodeFlows(base64, first, queues, instructions, flows) {
  const packed = new Unpacker(base64);
  const last = queues.map(() => [0, 0]);
  while (packed.more()) {
    const queue = packed.number(), places = last[queue];
    places[0] += packed.signed();
    places[1] += packed.signed();
    const flow = {queue, push: first[queues[queue].from] + places[0], pop: first[queues[queue].to] + places[1]};
    for (const [unit, at] of [[queues[queue].from, flow.push], [queues[queue].to, flow.pop]])
      (instructions[unit].flows[at] ||= []).push(flow);
    flows.push(flow);
  }
}

function decodeTimeline(data) {
  const {launches, words} = data.timeline;
  const kinds = words.map(instructionKind);
  const timeline = {
    launches, flows: [], words,
    instructions: data.units.map(() => new InstructionTrack()),  // fetch's stays empty
    why: data.units.map(() => new WhyTrack()),
    end: launches.length ? launches[launches.length - 1].end : 0,
    whole: launches.filter((launch) => launch.instructions).length,
  };
  launches.forEach((launch, number) => {
    if (!launch.instructions) return;
    const first = timeline.instructions.map((track) => track.length);
    launch.instructions.forEach((packed, module) =>
      decodeInstructions(packed, launch, number, kinds, timeline.instructions[module + 1]));
    launch.why.forEach((packed, unit) => decodeWhy(packed, launch, number, timeline.why[unit]));
    decodeFlows(launch.flows, first, data.queues, timeline.instructions, timeline.flows);
  });
  for (const track of [...timeline.instructions, ...timeline.why]) track.pack();
  return timeline;
}
