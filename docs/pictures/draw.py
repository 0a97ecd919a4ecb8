#!/usr/bin/python3 -B
"""Draws the pictures of the pages from what the tool says; that they are current is a test (tests/lint/generated.txt).

usage: draw.py machine [CONFIG] | flow | timeline    an SVG on stdout
       draw.py report FILE.png                       the page of a run in Chromium

Takes `vta` from PATH, else build/bin/vta.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIGITS = os.path.join(ROOT, "tools/demo/digits_int8.onnx")
# Boxes have a ground of their own and text of its own, so that they read on light and dark pages; what lies between them is of a grey that does.
INK, GREY = "#1f2933", "#768390"
BLUE, GREEN, ORANGE, VIOLET, STONE = "#d6e6f4", "#d5ecd9", "#fbe3cf", "#e4dcf3", "#e7e9ec"
# Of a timeline: instructions, and why a module did not work.
WORK = {"load.inp": "#5b9bd0", "load.wgt": "#8d80c9", "load.acc": "#c9a227", "load.uop": "#8a6d1a", "gemm": "#4ba36b", "alu": "#e08a4f",
        "store.out": "#c46a92", "other": "#9aa5b1"}
WAITS = {"token": "#d64545", "latency": "#f0b429", "contention": "#f0b429", "bandwidth": "#f0b429", "row_miss": "#f0b429"}


def vta(*arguments):
    tool = shutil.which("vta") or os.path.join(ROOT, "build/bin/vta")
    return subprocess.run([tool, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


class Svg:
    def __init__(self, width, height, what, command):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif" '
                      f'font-size="14" role="img" aria-label="{what}">', f"<!-- Generated, do not edit: docs/pictures/draw.py {command} -->",
                      f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
                      f'<path d="M0 0L8 4L0 8z" fill="{GREY}"/></marker></defs>']

    def box(self, x, y, width, height, fill, *lines, size=14, around=False):
        """A title, bold, and lines under it; in the middle, or at the top where other boxes lie in it."""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{GREY}"/>')
        top = y + 20 if around else y + height / 2 - (len(lines) - 1) * 8.5 + 5
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + 17 * number, line, INK, size if number == 0 else 12, bold=number == 0)

    def text(self, x, y, text, colour=GREY, size=12, anchor="middle", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{weight}>{text}</text>')

    def arrow(self, *points, both=False, width=1.5, dashed=False, colour=GREY):
        start = ' marker-start="url(#tip)"' if both else ""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash} marker-end="url(#tip)"{start}/>')

    def bar(self, x, y, width, height, fill):
        self.parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" fill="{fill}"/>')

    def __str__(self):
        return "\n".join(self.parts + ["</svg>\n"])


def size(rows, row_bytes):
    return f"{rows:,} rows of {row_bytes:,} bytes: {rows * row_bytes / 1024:g} KiB"


def machine(name="default"):
    """The modules of a config, with its sizes."""
    config = json.loads(vta("isa", "--json", "-c", name))
    arch, uarch, memory = config["arch"], config["uarch"], config["memory"]
    batch, block_in, block_out = arch["batch"], arch["block_in"], arch["block_out"]
    svg = Svg(960, 560, f"the modules, queues and scratchpads of the config {name}", f"machine {name}")
    svg.box(40, 20, 220, 60, STONE, "registers", "AXI4-Lite: start, counters, hashes")
    svg.box(350, 20, 260, 60, STONE, "fetch", f"{uarch['fetch_buffer_instructions']} instructions of 128 bits ahead")
    svg.arrow((260, 50), (350, 50))
    svg.text(640, 98, f"command queues of {uarch['command_queue_depth']} instructions", anchor="start")
    for x, to in ((400, 140), (480, 480), (560, 820)):
        svg.arrow((x, 80), (x, 105), (to, 105), (to, 130))
    svg.box(40, 130, 200, 190, BLUE, "load", "copies tiles from DRAM", "and pads them", around=True)
    svg.box(340, 130, 280, 190, GREEN, "compute", around=True)
    svg.box(720, 130, 200, 190, VIOLET, "store", "copies tiles to DRAM", around=True)
    svg.box(355, 160, 120, 70, "#ffffff", "GEMM", f"{batch} x {block_in} x {block_out} = {batch * block_in * block_out:,}", "MACs a cycle")
    svg.box(485, 160, 120, 70, "#ffffff", "ALU", f"{batch * block_out} lanes", "of 32 bits")
    svg.box(355, 236, 250, 36, "#ffffff", "micro-ops", size(arch["uop_depth"], 4), size=12)
    svg.box(355, 278, 250, 36, "#ffffff", "accumulators", size(arch["acc_depth"], batch * block_out * 4), size=12)
    for left, right in ((240, 340), (620, 720)):
        svg.arrow((left, 200), (right, 200), dashed=True)
        svg.arrow((right, 225), (left, 225), dashed=True)
        svg.text((left + right) / 2, 190, "tokens")
        svg.text((left + right) / 2, 243, f"at most {arch['token_capacity']}", size=11)
    svg.box(40, 370, 250, 44, ORANGE, "inp", size(arch["inp_depth"], batch * block_in))
    svg.box(310, 370, 270, 44, ORANGE, "wgt", size(arch["wgt_depth"], block_in * block_out))
    svg.box(650, 370, 270, 44, ORANGE, "OUT", size(arch["acc_depth"], batch * block_out))
    svg.arrow((120, 320), (120, 370))
    svg.arrow((180, 320), (180, 345), (330, 345), (330, 370))
    svg.arrow((270, 370), (270, 357), (370, 357), (370, 320))
    svg.arrow((430, 370), (430, 320))
    svg.arrow((620, 300), (690, 300), (690, 370))
    svg.arrow((820, 370), (820, 320))
    svg.box(40, 480, 880, 56, STONE, "DRAM", f"AXI4 of {uarch['bus_bits']} bits, {uarch['clock_mhz']} MHz; a read waits {memory['read_latency_cycles']} cycles, "
            f"{uarch['outstanding_reads']} are on the way at a time")
    svg.arrow((165, 480), (165, 414))
    svg.text(175, 450, "input tiles", anchor="start")
    svg.arrow((445, 480), (445, 414))
    svg.text(455, 450, "weights", anchor="start")
    svg.arrow((605, 480), (605, 320))
    svg.text(615, 450, "micro-ops, parameters", anchor="start")
    svg.arrow((785, 414), (785, 480))
    svg.text(795, 450, "output tiles", anchor="start")
    return svg


def flow():
    """From a model to a device."""
    svg = Svg(960, 300, "from a model through compiler, package, runtime and driver to a simulator or a board", "flow")
    svg.box(20, 90, 130, 50, BLUE, "model", ".onnx or .tflite, int8")
    svg.box(20, 20, 130, 44, STONE, "vta quantize", "float to int8")
    svg.arrow((85, 64), (85, 90))
    svg.box(190, 60, 170, 110, GREEN, "compiler", "fuses, places, tiles;", "programs for VTA,", "native code for CPUs;", "a proof of each program")
    svg.box(400, 60, 150, 110, ORANGE, "package.vta", "manifest", "programs, weights", "code for CPUs", "hashes")
    svg.box(590, 60, 120, 110, VIOLET, "runtime", "C, C++, vta-run;", "no compiler,", "no LLVM")
    svg.arrow((150, 115), (190, 115))
    svg.arrow((360, 115), (400, 115))
    svg.arrow((550, 115), (590, 115))
    for number, (title, says) in enumerate((("functional", "bit-exact"), ("cycle", "counts the RTL's cycles"), ("rtl", "the Verilog itself"),
                                            ("xrt, uio, serial", "boards"))):
        y = 20 + 48 * number
        svg.box(770, y, 170, 40, STONE, title, says)
        svg.arrow((710, 115), (740, 115), (740, y + 20), (770, y + 20))
    svg.box(20, 230, 920, 50, STONE, "isa/", "one contract: instruction set, configs, encoder, checker, RTL parameters. Everything reads it")
    for x in (275, 475, 650, 855):
        svg.arrow((x, 230), (x, 206 if x == 855 else 170), dashed=True)
    return svg


def kind(name):
    return name if name in WORK else name.split(".")[0] if name.split(".")[0] in WORK else "other"


def timeline(layer="conv2"):
    """What the modules did in one layer of the demo's network, from the trace of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        vta("run", DIGITS, "--engine", "cycle", "--trace", path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    slices = [event for event in events if event["ph"] == "X"]
    launch = next(event for event in slices if lanes[event["tid"]] == "launches" and event["name"] == layer)
    begin, end = launch["ts"], launch["ts"] + launch["dur"]
    svg = Svg(960, 330, f"load, compute and store over the {launch['dur']:,} cycles of the layer {layer}", "timeline")
    left, wide = 90, 850
    x = lambda cycle: left + (cycle - begin) * wide / (end - begin)
    tops = {"load": 40, "compute": 110, "store": 180}
    for module, top in tops.items():
        svg.text(left - 10, top + 24, module, anchor="end", size=14)
        svg.bar(left, top, wide, 36, STONE)
        svg.bar(left, top + 38, wide, 6, STONE)
    drawn = set()
    for event in slices:
        module, _, why = lanes[event["tid"]].partition(",")
        if module not in tops or not begin <= event["ts"] < end:
            continue
        width = min(event["dur"], end - event["ts"]) * wide / (end - begin)
        cause = event["name"].split(" ")[0]
        if why != " why":
            drawn.add(kind(event["name"]))
            svg.bar(x(event["ts"]), tops[module], width, 36, WORK[kind(event["name"])])
        elif cause in WAITS:
            svg.bar(x(event["ts"]), tops[module] + 38, width, 6, WAITS[cause])
    at = {event["id"]: event for event in events if event["ph"] == "s"}
    arrows = [(at[event["id"]], event) for event in events if event["ph"] == "f" and begin <= event["ts"] < end]
    for push, pop in arrows:
        first, last = (tops[lanes[event["tid"]].partition(",")[0]] for event in (push, pop))
        down = first < last
        svg.arrow((x(push["ts"]), first + (44 if down else 0)), (x(pop["ts"]), last + (0 if down else 44)), width=0.8)
    step = next(step for step in (50, 100, 200, 500, 1000, 2000, 5000, 10000) if (end - begin) / step <= 12)
    for cycle in range(0, end - begin, step):
        svg.text(x(begin + cycle), 248, f"{cycle:,}")
    svg.text(left - 10, 248, "cycle", anchor="end")
    place = left
    for label, colour in [(name, WORK[name]) for name in WORK if name in drawn] + [
            ("waits for a token", WAITS["token"]), ("waits for memory", WAITS["latency"])]:
        svg.bar(place, 270, 12, 12, colour)
        svg.text(place + 17, 280, label, anchor="start")
        place += 31 + 6.3 * len(label)
    svg.text(left, 312, f"{layer} of the demo, {launch['dur']:,} cycles on default: instructions, why a module waits under them, and tokens from push to pop",
             anchor="start")
    return svg


def report(output):
    """The page of a run, with a layer chosen."""
    sys.path.insert(0, os.path.join(ROOT, "tests/cli"))
    import browser
    from PIL import Image
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        vta("run", DIGITS, "--html", page)
        shown = browser.Browser(width=1200, height=1070)
        shown.open(page)
        place = shown.place('.dot[aria-label="conv2"]')
        shown.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        shown.mouse("mouseMoved", 1, 1)
        shown.evaluate("scrollTo(0, 0)")
        shown.frame()
        shown.screenshot(output, whole=False)
        shown.close()
    Image.open(output).quantize(128).save(output, optimize=True)


def main(arguments):
    if arguments[:1] == ["report"] and len(arguments) == 2:
        report(arguments[1])
    elif arguments[:1] in (["machine"], ["flow"], ["timeline"]):
        sys.stdout.write(str({"machine": machine, "flow": flow, "timeline": timeline}[arguments[0]](*arguments[1:])))
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
