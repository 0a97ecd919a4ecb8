"""vta run --html in a browser: what the page shows, against the report and the trace of the same run; its size and time.

Exit status 77 (skipped) where Chromium is not there.
"""

import json
import os
import re
import shutil
import sys
import unittest

import browser
import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
HOSTILE = "</script><img src=x onerror=alert(1)>&amp;<!--"
MOST_BYTES = 10_000_000
MOST_MS = 2000


class PageTest(tool.ToolTest):
    def page(self, **options):
        shown = browser.Browser(**options)
        self.addCleanup(shown.close)
        return shown

    def run_to(self, name, *words):
        status, _, errors = self.run_tool("run", *words, "--html", name)
        self.assertEqual(status, 0, errors)

    def data_of(self, name):
        text = self.read(name).decode()
        return json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])

    def good(self, page):
        self.assertEqual(page.complaints, [])

    def test_shows_the_report(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle", "--report", "r.json")
        report = json.loads(self.read("r.json"))
        page = self.page()
        page.open(self.path("r.html"))
        self.good(page)
        shown = page.evaluate("document.body.innerText")
        for text in ("digits_int8", "default", "cycle", "100 MHz", f"{report['total']['cycles']:,}", report["timing_hash"], report["arch_hash"],
                     report["package_hash"], "7 of 10"):
            self.assertIn(text, shown)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#layers td.name')].map(cell => cell.textContent)"),
                         [layer["name"] for layer in report["layers"]])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.dot')].map(dot => dot.getAttribute('aria-label')).sort()"),
                         sorted(layer["name"] for layer in report["layers"] if layer["macs"] and layer["where"] == "vta"))
        # A bar for each step of the CPU, on each host, whose times are a model's.
        steps = [layer for layer in report["layers"] if layer["where"] == "cpu"]
        for i, host in enumerate(report["hosts"]):
            page.evaluate(f"document.querySelectorAll('#hosts button')[{i}].click()")
            self.assertEqual(page.evaluate("[...document.querySelectorAll('#hosts .step')].map(bar => bar.getAttribute('aria-label'))"),
                             [layer["name"] for layer in steps])
            heights = page.evaluate("[...document.querySelectorAll('#hosts .step')].map(bar => bar.height.baseVal.value)")
            times = [layer["host_ms"][host["cpu"]] for layer in steps]
            for height, time in zip(heights, times):
                self.assertAlmostEqual(height, max(1, 110 * time / max(times)), places=3)
            self.assertIn(f"{host['name']}: {host['host_ms']:.3f} ms ({host['at_double']['host_ms']:.3f}, {host['at_half']['host_ms']:.3f}) beside "
                          f"{report['total']['ms']:.3f} ms on the accelerator", page.evaluate("document.getElementById('hosts-hint').textContent"))
            self.assertIn(f"by a model of a {host['name']}: one run {host['alone_ms']:.3f} ms", shown)
        # Energy: a row for each kind of event that there was, the longest bar that of the most.
        energy = report["energy"]
        self.assertIn(f"by a model: {energy['technology']}, {energy['dram']}", shown)
        rows = [row for row in energy["rows"] if row["count"]]
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#energy tbody tr')].map(row => row.cells[1].textContent)"),
                         [row["name"] for row in rows])
        most = max(range(len(rows)), key=lambda i: rows[i]["mj"])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#energy tbody div')].map(bar => bar.style.width === '100%').indexOf(true)"), most)
        # Every kind and kind of instruction has a colour.
        self.assertEqual(page.evaluate("""[...vtaReport.data.kinds, "inp", "wgt", "acc", "uop", "gemm", "alu", "store", "finish"].filter(name =>
            !getComputedStyle(document.documentElement).getPropertyValue("--" + name))"""), [])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.track')].map(bar => Math.round([...bar.children].reduce("
                                       "(all, part) => all + part.getBoundingClientRect().width, 0) / bar.clientWidth * 100))"), [100] * (5 if "path" in report["total"] else 4))

    def test_the_timeline_is_the_trace(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle", "--trace", "t.json")
        events = json.loads(self.read("t.json"))["traceEvents"]
        first = min(event["ts"] for event in events if event["ph"] == "X")
        tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        page = self.page()
        page.open(self.path("r.html"))
        decoded = page.evaluate("""(() => { const {timeline} = vtaReport.parts, {decoded, data} = timeline;
            const list = (track, unit, text) => [...track.begin].map((begin, i) => [data.units[unit], begin, track.end[i], text(track, i, unit)]);
            return {instructions: decoded.instructions.flatMap((track, unit) => list(track, unit, (t, i) => t.index[i] + " " + timeline.textOf(unit, i))),
              why: decoded.why.flatMap((track, unit) => list(track, unit, (t, i) => data.kinds[t.kind[i]] + (t.queue[i] < 0 ? "" : " " + data.queues[t.queue[i]].name))),
              flows: decoded.flows.map(flow => { const queue = data.queues[flow.queue], from = decoded.instructions[queue.from], to = decoded.instructions[queue.to];
                return [queue.name, from.end[flow.push], to.begin[flow.pop]]; })}; })()""")

        def slices(of, text):
            return sorted([tracks[e["tid"]].split()[0].strip(","), e["ts"] - first, e["ts"] - first + e["dur"], text(e)]
                          for e in events if e["ph"] == "X" and of(e))

        self.assertEqual(sorted(decoded["instructions"]),
                         slices(lambda e: "text" in e.get("args", {}), lambda e: f"{e['args']['index']} {e['args']['text']}"))
        self.assertGreater(len(decoded["why"]), 100)
        self.assertEqual(sorted(decoded["why"]), slices(lambda e: re.search("waits for$|why$", tracks[e["tid"]]),
                                                        lambda e: re.sub(" (of|in) ", " ", e["name"]).replace("row miss", "row_miss")))
        pushes = {e["id"]: e for e in events if e["ph"] == "s"}
        pops = [e for e in events if e["ph"] == "f"]
        self.assertGreater(len(pops), 50)
        self.assertEqual(sorted(decoded["flows"]),
                         sorted([e["name"], pushes[e["id"]]["ts"] + 1 - first, e["ts"] - first] for e in pops))
        self.good(page)

    def view(self, page):
        page.frame()
        return page.evaluate("(({begin, end}) => [begin, end])(vtaReport.parts.timeline.view)")

    def test_zooms_and_moves(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle")
        page = self.page()
        page.open(self.path("r.html"))
        box = page.place("#timeline canvas")
        picture = "document.querySelector('#timeline canvas').toDataURL()"
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        begin, end = whole = self.view(page)
        self.assertEqual(begin, 0)
        before = page.evaluate(picture)
        page.evaluate("document.querySelector('#timeline canvas').focus()")
        page.key("+")
        first = self.view(page)
        self.assertAlmostEqual(first[1] - first[0], end / 2)
        self.assertNotEqual(page.evaluate(picture), before)
        page.key("ArrowRight")
        self.assertGreater(self.view(page)[0], first[0])
        page.key("ArrowLeft")
        page.key("-")
        self.assertEqual(self.view(page), whole)
        self.assertEqual(page.evaluate(picture), before)
        # The wheel keeps the cycle under the pointer; a drag moves it along.
        at = page.evaluate(f"vtaReport.parts.timeline.cycle({x - box['x']})")
        page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600, modifiers=2)
        near = self.view(page)
        self.assertLess(near[1] - near[0], end / 2)
        self.assertAlmostEqual(page.evaluate(f"vtaReport.parts.timeline.cycle({x - box['x']})"), at, places=3)
        page.mouse("mousePressed", x, y, button="left", clickCount=1)
        page.mouse("mouseMoved", x + 80, y, button="left", buttons=1)
        page.mouse("mouseReleased", x + 80, y, button="left", clickCount=1)
        page.frame()
        self.assertAlmostEqual(page.evaluate(f"vtaReport.parts.timeline.cycle({x + 80 - box['x']})"), at, places=3)
        for _ in range(30):
            page.key("+")
        near = self.view(page)
        self.assertAlmostEqual(near[1] - near[0], 24)
        page.key("0")
        self.assertEqual(self.view(page), whole)
        for button, factor in (("#zoom-in", 0.5), ("#zoom-out", 1), ("#zoom-in", 0.5), ("#zoom-all", 1)):
            place = page.place(button)
            page.click(place["x"] + 4, place["y"] + 4)
            near = self.view(page)
            self.assertAlmostEqual(near[1] - near[0], end * factor)
        self.good(page)

    def test_a_layer_is_found_in_all_pictures(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle")
        page = self.page()
        page.open(self.path("r.html"))
        data = self.data_of("r.html")
        conv2, conv3 = (next(i for i, layer in enumerate(data["layers"]) if layer["name"] == name) for name in ("conv2", "conv3"))
        launch = next(one for one in data["timeline"]["launches"] if one["layer"] == conv3)
        marked = "[...document.querySelectorAll('.selected')].map(node => node.getAttribute('aria-label') || node.dataset.layer)"
        row = page.place(f"tr[data-layer='{conv3}']")
        page.click(row["x"] + 60, row["y"] + row["height"] / 2)
        self.assertEqual(page.evaluate(marked), ["conv3", str(conv3)])
        self.assertIn("in conv3", page.evaluate("document.querySelector('#causes h2').textContent"))
        begin, end = self.view(page)
        self.assertLess(begin, launch["begin"])
        self.assertGreater(end, launch["end"])
        self.assertLess(end - begin, 1.2 * (launch["end"] - launch["begin"]))
        page.click(row["x"] + 60, row["y"] + row["height"] / 2)
        self.assertEqual(page.evaluate(marked), [])
        dot = page.place(".dot[aria-label='conv2']")
        page.click(dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        self.assertEqual(page.evaluate(marked), ["conv2", str(conv2)])
        # And from the timeline.
        page.evaluate("vtaReport.parts.timeline.show(0, vtaReport.parts.timeline.decoded.end)")
        page.frame()
        box = page.place("#timeline canvas")
        x = page.evaluate(f"vtaReport.parts.timeline.x({(launch['begin'] + launch['end']) / 2})")
        page.click(box["x"] + x, box["y"] + 33)
        self.assertEqual(page.evaluate(marked), ["conv3", str(conv3)])
        # An instruction tells its tokens.
        y = page.evaluate("(row => row.y + row.height / 2)(vtaReport.parts.timeline.rows.find(row => row.type === 'lane' && row.unit === 3))")
        x = page.evaluate("(track => vtaReport.parts.timeline.x((track.begin[0] + track.end[0]) / 2))(vtaReport.parts.timeline.decoded.instructions[3])")
        box = page.place("#timeline canvas")
        page.click(box["x"] + x, box["y"] + y)
        self.assertRegex(page.evaluate("document.getElementById('detail').innerText"),
                         r"store, instruction \d+ at 0x[0-9a-f]+: store\.out .*\ntakes a token of compute->store from instruction \d+, \d+ cycles? after")
        self.good(page)

    def test_sorts(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle")
        page = self.page()
        page.open(self.path("r.html"))
        layers = self.data_of("r.html")["layers"]
        by_cycles = sorted((layer.get("cycles", -1) for layer in layers), reverse=True)
        order = "[...document.querySelectorAll('#layers tbody tr')].map(row => vtaReport.data.layers[row.dataset.layer].cycles ?? -1)"
        for want in by_cycles, by_cycles[::-1]:
            page.evaluate("[...document.querySelectorAll('th button')].find(one => one.textContent === 'cycles').click()")
            self.assertEqual(page.evaluate(order), want)
        page.evaluate("[...document.querySelectorAll('th button')].find(one => one.textContent === 'layer').click()")
        names = page.evaluate("[...document.querySelectorAll('#layers td.name')].map(cell => cell.textContent)")
        self.assertEqual(names, sorted(names))
        self.good(page)

    def test_names_are_text_whatever_they_hold(self):
        self.done("compile", DIGITS, "-o", "net.vta")
        text = self.done("dis", "net.vta")
        quoted = json.dumps(HOSTILE)
        for name in '"conv2"', '"digits_int8"':
            self.assertIn(name, text)
            text = text.replace(name, quoted)
        self.write("net.s", text)
        self.done("asm", "net.s", "-o", "hostile.vta")
        self.run_to("r.html", "hostile.vta", "--engine", "cycle")
        self.assertNotIn(b"<img", self.read("r.html"))
        page = self.page()
        page.open(self.path("r.html"))
        page.evaluate(f"vtaReport.select({next(i for i, layer in enumerate(self.data_of('r.html')['layers']) if layer['name'] == HOSTILE)})")
        page.frame()
        dot = page.place(".dot.selected")
        page.mouse("mouseMoved", dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        page.frame()
        self.assertEqual(page.evaluate("document.querySelector('#tooltip b').textContent"), HOSTILE)
        self.assertEqual(page.evaluate("[document.querySelector('h1').textContent, document.querySelectorAll('img').length, document.scripts.length]"),
                         [HOSTILE, 0, 2])
        self.good(page)

    def test_engines_without_causes_or_time(self):
        page = self.page()
        self.run_to("f.html", DIGITS, "--engine", "functional")
        page.open(self.path("f.html"))
        self.assertIn("The engine functional has no time", page.evaluate("document.getElementById('notes').innerText"))
        shown = "[...document.querySelectorAll('section')].filter(one => one.checkVisibility()).map(one => one.id)"
        self.assertEqual(page.evaluate(shown), ["figures", "layers"])
        self.assertEqual(page.evaluate("document.querySelectorAll('#layers tbody tr').length"), 10)
        self.run_to("h.html", DIGITS.replace("int8", "f32"), "--engine", "cycle")
        page.open(self.path("h.html"))
        self.assertIn("No layer ran on the accelerator", page.evaluate("document.getElementById('notes').innerText"))
        self.assertEqual(page.evaluate(shown), ["figures", "layers"])
        self.good(page)

    @unittest.skipUnless(shutil.which("verilator"), "no verilator")
    def test_the_rtl_tells_no_causes(self):
        self.run_to("r.html", DIGITS, "--engine", "rtl")
        page = self.page()
        page.open(self.path("r.html"))
        self.assertIn("With --engine cycle each cycle has its cause", page.evaluate("document.getElementById('notes').innerText"))
        self.assertEqual(page.evaluate("document.querySelectorAll('.track').length"), 4)
        self.assertGreater(page.evaluate("vtaReport.parts.timeline.decoded.flows.length"), 50)
        self.good(page)

    def test_dark_and_light(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle")
        background = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        for dark in False, True:
            page = self.page(dark=dark)
            page.open(self.path("r.html"))
            self.assertEqual(max(page.evaluate(background)) < 64, dark)
            self.good(page)

    def rewritten(self, name, data):
        """A page that shows other data."""
        text = self.read("r.html").decode()
        self.write(name, text.split('id="data">')[0] + 'id="data">' + json.dumps(data) + "</script>" + text.split("</script>", 1)[1])
        return self.path(name)

    def lies_well(self, page):
        """Nothing is cut, and no text covers another one, or a dot."""
        for table in "#layers .scroll", "#energy .scroll", "html":
            wide, room = page.evaluate(f"(box => [box.scrollWidth, box.clientWidth])(document.querySelector('{table}'))")
            self.assertLessEqual(wide, room, table)
        # Distances in the frame of each text, which may be turned; of dots to their rims.
        self.assertEqual(page.evaluate("""(() => { const svg = document.querySelector('#roofline svg'), found = [];
            for (const text of svg.querySelectorAll('text')) {
              const box = text.getBBox(), into = text.getCTM().inverse();
              for (const dot of svg.querySelectorAll('.dot')) {
                const at = new DOMPoint(dot.cx.baseVal.value, dot.cy.baseVal.value).matrixTransform(into.multiply(dot.getCTM()));
                const dx = Math.max(box.x - at.x, 0, at.x - box.x - box.width), dy = Math.max(box.y - at.y, 0, at.y - box.y - box.height);
                if (Math.hypot(dx, dy) < dot.r.baseVal.value) found.push(text.textContent + " covers " + dot.getAttribute("aria-label"));
              } }
            return found; })()"""), [])
        self.assertEqual(page.evaluate("""['#roofline', '#by-layer'].flatMap(part => {
            const boxes = [...document.querySelectorAll(part + ' svg text')].filter(text => (/rotate\\(([-.0-9]+)/.exec(text.getAttribute('transform')) || [0, 0])[1] % 90 === 0)
              .map(text => [text.textContent, text.getBoundingClientRect()]), found = [];
            boxes.forEach(([name, a], i) => boxes.slice(0, i).forEach(([other, b]) => {
              if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push(name + " covers " + other); }));
            return found; })"""), [])

    def test_nothing_is_cut_or_covered_and_columns_are_named(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle")
        data = self.data_of("r.html")
        timed = [layer for layer in data["layers"] if "cycles" in layer]
        # More of everything: a hundred layers with long names and as long numbers, and another roof.
        many = [{**layer, "name": f"features.{i}.stage.{layer['name']}", "op": layer["op"] + "+relu_i8", "macs": layer["macs"] * 10 ** (i % 3)}
                for i, layer in enumerate(timed * 13)]
        for name, shown in (("few.html", data), ("many.html", {
                **data, "layers": many, "timeline": {"launches": [], "words": []},
                "facts": {**data["facts"], "memory_bytes": data["facts"]["bus_bytes"] / 2},
                "total": {**data["total"], "cycles": 13 * data["total"]["cycles"]}})):
            path = self.rewritten(name, shown)
            names = [layer["name"] for layer in shown["layers"] if "cycles" in layer]
            page = self.page()
            for width in 1000, 1400, 1920:
                page.resize(width)
                page.open(path)
                self.lies_well(page)
                said = page.evaluate("[...document.querySelectorAll('#by-layer .column')].map(one => one.querySelector('text.name').textContent)")
                for text, whole in zip(said, names, strict=True):
                    head, _, tail = text.partition("\u2026")
                    self.assertTrue(whole.startswith(head) and whole.endswith(tail) and len(text) >= min(len(whole), 20), (text, whole))
                # A name is under its column.
                self.assertLess(page.evaluate("""Math.max(...[...document.querySelectorAll('#by-layer .column')].map(one => {
                    const [name, bar] = ['text.name', 'rect'].map(part => one.querySelector(part).getBoundingClientRect());
                    return Math.abs(name.left + name.right - bar.left - bar.right) / 2; }))"""), 3)
            self.good(page)

    def test_one_total_and_what_the_timeline_has_besides(self):
        status, out, errors = self.run_tool("run", DIGITS, "--engine", "cycle", "--apart", "--html", "r.html", "--report", "r.json")
        self.assertEqual(status, 0, errors)
        report = json.loads(self.read("r.json"))
        total, between = report["total"]["cycles"], report["between_launches_cycles"]
        launches = self.data_of("r.html")["timeline"]["launches"]
        gaps = [after["begin"] - before["end"] for before, after in zip(launches, launches[1:])]
        self.assertEqual((between, total), (sum(gaps), sum(one["end"] - one["begin"] for one in launches)))
        self.assertGreater(min(gaps), 0)
        self.assertIn(f"\n{total:,} cycles on the accelerator: ", out)
        self.assertIn(f"\nthe timeline has {between:,} more, between launches, in which the host reads and writes registers\n", out)
        page = self.page()
        page.open(self.path("r.html"))
        self.assertEqual(page.evaluate("document.querySelector('#figures b').textContent"), f"{total:,}")
        self.assertRegex(page.evaluate("document.getElementById('timeline-range').textContent"), f"^cycles 0 to {total + between:,} ")
        self.assertEqual(page.evaluate("document.getElementById('timeline-total').textContent"),
                         f"The {total:,} cycles of the launches, and {between:,} between them, in which the host reads and writes registers.")
        self.good(page)

    def test_what_is_cut_is_said_and_the_clock_is_warned_of(self):
        self.run_to("r.html", DIGITS, "--engine", "cycle")
        data = self.data_of("r.html")
        data["facts"]["clock_note"] = "warning: 100 MHz is above"
        for launch in data["timeline"]["launches"][3:]:
            for key in "instructions", "flows", "why":
                del launch[key]
        page = self.page()
        page.open(self.rewritten("cut.html", data))
        notes = page.evaluate("[...document.querySelectorAll('#notes li')].map(one => one.innerText)")
        self.assertEqual(notes[0], "warning: 100 MHz is above")
        self.assertIn("holds the instructions of the first 3 of 7 layers", notes[1])
        self.assertEqual(page.evaluate("vtaReport.parts.timeline.decoded.end"), data["timeline"]["launches"][-1]["end"])
        self.good(page)

    def test_a_search(self):
        """vta tune --html: a chart and a row for each task, which say what the log does."""
        self.done("model", "resnet_tiny", "-o", "m.onnx")
        self.done("tune", "m.onnx", "-c", "pynq", "--log", "l.jsonl", "--trials", "24", "--html", "t.html")
        tried = {}
        for line in self.read("l.jsonl").decode().splitlines():
            entry = json.loads(line)
            tried.setdefault(entry["step"], []).append(entry["cost"])
        page = self.page()
        page.open(self.path("t.html"))
        self.good(page)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#tasks td.name')].map(cell => cell.textContent)"), list(tried))
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#tasks tbody tr')].map(row => row.children[5].textContent)"),
                         [f"{min(costs):,}" for costs in tried.values()])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('figure')].map(one => one.querySelectorAll('.dot').length)"),
                         [len(costs) for costs in tried.values()])
        # The line of the best falls from one trial to the next, and no dot leaves its drawing.
        for text in page.evaluate("[...document.querySelectorAll('path.roof')].map(one => one.getAttribute('d'))"):
            heights = [float(height) for height in re.findall(r"(?:M\S+ |V)([0-9.]+)", text)]
            self.assertEqual(heights, sorted(heights))
        self.assertTrue(page.evaluate("[...document.querySelectorAll('.dot')].every(dot => dot.cy.baseVal.value >= 0 && dot.cy.baseVal.value <= 210)"))
        page.evaluate("document.querySelectorAll('#tasks tbody tr')[2].click()")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('figure')].findIndex(one => one.classList.contains('selected'))"), 2)

    def test_resnet50_is_small_and_quick(self):
        self.done("model", "resnet50", "-o", "net.onnx")
        self.run_to("r.html", "net.onnx", "--engine", "cycle")
        self.assertLessEqual(os.path.getsize(self.path("r.html")), MOST_BYTES)
        page = self.page()
        paints = [page.open(self.path("r.html")) for _ in range(3)]
        print(f"resnet50: {os.path.getsize(self.path('r.html')):,} bytes, first paint after {', '.join(f'{ms:.0f}' for ms in paints)} ms,"
              f" the timeline drawn in {page.evaluate('vtaReport.parts.timeline.drawMs'):.0f} ms", file=sys.stderr)
        self.assertLessEqual(min(paints), MOST_MS)
        self.assertGreater(page.evaluate("vtaReport.parts.timeline.decoded.flows.length"), 20_000)
        self.good(page)


if not browser.program():
    print("skipped: no chromium; ./vta test --browser installs it")
    sys.exit(77)
tool.main()
