"""vta asm, dis, exec and check: results, messages and exit statuses."""

import json
import math
import os
import re

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")

ADD = """.config vta_0.0.2
load.uop dram=kernel x=1
load.acc dram=input x=2
alu.add uop=0:1 in=2 dst=0,1 imm=5 push_next
store.out dram=output x=2 pop_prev push_prev
finish pop_next
.uop
kernel: dst=0
.data
input: .int 1*16 -7*16
.data
output: .space 32
"""
# Address of each label: sections lie at multiples of 4096.
OUTPUT = 0x3000


class ProgramsTest(tool.ToolTest):
    def checked(self, out):
        """What vta check --json says of the one program of a file."""
        return self.document("vta-check", out)["programs"][0]

    def test_usage(self):
        status, out, errors = self.run_tool("--help")
        self.assertEqual((status, errors), (0, ""))
        for command in ("asm", "check", "dis", "exec"):
            self.assertIn(f"\n  {command} ", out)
        # ./vta knows them before the tool is built.
        known = self.run_process(["bash", "-c", '. "$0"; echo "${tool_commands[@]}"', f"{tool.SOURCE}/tools/wrapper/tool.sh"])[1].split()
        self.assertEqual(known, re.findall(r"^  ([a-z]+) ", out[:out.index("\nEverywhere:")], re.MULTILINE))
        self.assertEqual(self.run_tool("jump"), (2, "", "vta: jump: is not a command; vta --help lists them\n"))
        self.assertEqual(self.run_tool("--bogus"), (2, "", "vta: --bogus: is not an option; vta --help lists them\n"))
        self.assertEqual(self.run_tool(), (2, "", "vta: a command is missing; vta --help lists them\n"))
        for wrong in (["asm"], ["exec", "p.s", "--engine"], ["dis", "p.img", "--count", "-1"],
                      ["asm", "p.s", "-o", "p.img", "--bogus"]):
            status, out, errors = self.run_tool(*wrong)
            self.assertEqual((status, out), (2, ""), wrong)
            self.assertRegex(errors, r"^vta: .*\n(Run with --help for more information.\n)?$")

    def test_asm(self):
        self.write("p.s", ADD)
        self.assertEqual(self.done("asm", "p.s", "-o", "p.img"),
                         "5 instructions at 0x0, 12320 bytes: --insn 0x0 --count 5\n"
                         "input 0x2000\nkernel 0x1000\noutput 0x3000\n")
        facts = self.document("vta-asm", self.done("asm", "p.s", "-o", "p.img", "--json"))
        self.assertEqual(facts, {"schema": "vta-asm", "version": 1, "insn": 0, "count": 5, "bytes": 12320,
                                 "labels": {"input": 0x2000, "kernel": 0x1000, "output": OUTPUT}})
        self.assertEqual(len(self.read("p.img")), 12320)

    def test_asm_errors(self):
        self.write("p.s", "finish\nload.inp x=65536\n")
        self.fails("p.s:2: x = 65536: must be in [0, 65535] (16 bits)", "asm", "p.s", "-o", "p.img")
        self.fails("none.s: cannot open: No such file or directory", "asm", "none.s", "-o", "p.img")
        status, _, errors = self.run_tool("asm", "p.s", "-o", "p.img", "-c", "nothing")
        self.assertEqual(status, 2)
        self.assertRegex(errors, r"^vta: config: nothing: must be the path of a file or one of .*\bdefault, .*vta_0.0.2")

    def test_dis(self):
        self.write("p.s", ADD)
        self.done("asm", "p.s", "-o", "p.img")
        text = self.done("dis", "p.img", "--count", "5", "-c", "vta_0.0.2")
        self.assertEqual(text, ".code 0x0\n"
                         "load.uop sram=0 dram=0x400 y=1 x=1 stride=0\n"
                         "load.acc sram=0 dram=0x80 y=1 x=2 stride=0\n"
                         "alu.add uop=0:1 out=1 in=2 dst=0,1 src=0,0 imm=5 push_next\n"
                         "store.out sram=0 dram=0x300 y=1 x=2 stride=0 pop_prev push_prev\n"
                         "finish pop_next\n"
                         ".uop 0x1000\ndst=0 src=0 wgt=0\n")
        self.assertEqual(self.done("dis", "p.s"), text)
        self.write("again.s", text)
        self.done("asm", "again.s", "-o", "again.img")
        self.assertEqual(self.read("again.img"), self.read("p.img")[:0x1004])
        numbered = self.done("dis", "p.img", "--insn", "0x10", "--count", "1", "--number")
        self.assertEqual(numbered, ".code 0x10\nload.acc sram=0 dram=0x80 y=1 x=2 stride=0  # 0\n")

    def test_ranges(self):
        self.write("p.img", bytes(40))
        self.fails("p.img: --insn = 0x30: lies after the end of its 40 bytes", "dis", "p.img", "--insn", "48")
        self.refuses("p.img: --insn = 0x8: must be a multiple of 16", "exec", "p.img", "--insn", "8")
        for value in ("-5", "0x", "1e3", str(1 << 64)):
            status, out, errors = self.run_tool("exec", "p.img", "--insn", value)
            self.assertEqual((status, out, errors.splitlines()[0]),
                             (2, "", f"vta: --insn: {value} must be a byte address, 0 to 2^64 - 1, decimal or hex (0x...)"))
        self.fails("p.img: --insn = 0xfffffffffffffff0: lies after the end of its 40 bytes",
                   "exec", "p.img", "--insn", str((1 << 64) - 16))
        self.fails("p.img: --count = 2: there is room for 1 instruction between 0x10 and the end of its 40 bytes",
                   "exec", "p.img", "--insn", "16", "--count", "2")
        self.write("p.s", "finish")
        rule = "is for flat images; this file says itself where its instructions are"
        self.refuses(f"p.s: --insn: {rule}", "exec", "p.s", "--insn", "0")
        self.refuses(f"p.s: --count: {rule}", "check", "p.s", "--count", "1")
        self.done("compile", DIGITS, "-o", "package")  # known by its content, whatever its name
        self.refuses("package: --config = default: a package holds its own config", "dis", "package", "-c", "default")
        self.refuses(f"package: --insn: {rule}", "exec", "package", "--insn", "0")
        self.fails("package: is a package, not program text; vta dis prints it as text", "asm", "package", "-o", "p.img")

    def test_only_an_image_that_is_called_one_is_one(self):
        rule = ("is neither program text (*.s) nor a package; of a flat image say where its instructions lie: "
                "--insn ADDRESS")
        for command in ("dis", "check", "exec"):
            self.fails(f"{DIGITS}: {rule}", command, DIGITS)
        self.write("p.img", bytes(40))
        self.fails(f"p.img: {rule}", "dis", "p.img")
        self.assertEqual(self.done("dis", "p.img", "--insn", "0").count("load.uop"), 2)

    def test_a_text_with_a_config_takes_no_other(self):
        self.write("p.s", ADD)
        for words in (["exec", "p.s"], ["dis", "p.s"], ["asm", "p.s", "-o", "p.img"]):
            self.fails("p.s:1: p.s: --config = pynq: the text names its own config: vta_0.0.2", *words, "-c", "pynq")
        self.write("p.s", ".config arch.token_capacity=1\nfinish")  # changes the one that is given
        self.done("exec", "p.s", "-c", "pynq")

    def test_exec_proves_first(self):
        # A STORE that nothing orders after the ALU: whether it is right depends on the timing.
        self.write("race.s", ADD.replace(" push_next", "").replace(" pop_prev push_prev", "").replace(" pop_next", ""))
        refusal = self.run_tool("check", "race.s")[1]
        status, out, errors = self.run_tool("exec", "race.s", "-o", "after.img")
        self.assertEqual((status, errors), (1, "vta: nothing was run; with --unproved it runs all the same\n"))
        without_time = lambda text: [line for line in text.splitlines() if not line.startswith("scan time")]
        self.assertEqual(without_time(out), without_time(refusal))
        self.assertFalse(os.path.exists(self.path("after.img")))
        status, out, errors = self.run_tool("exec", "race.s", "-o", "after.img", "--unproved")
        self.assertEqual((status, errors), (0, "vta: --unproved: it runs all the same\n"))
        self.assertIn("\nfinished\n", out)
        self.assertTrue(os.path.exists(self.path("after.img")))
        status, out, _ = self.run_tool("exec", "race.s", "--json")
        report, = self.document("vta-exec", out)["programs"]
        self.assertEqual((status, report["proof"]["ok"], "outcome" in report), (1, False, False))
        report, = self.document("vta-exec", self.run_tool("exec", "race.s", "--json", "--unproved")[1])["programs"]
        self.assertEqual((report["proof"]["ok"], report["outcome"]), (False, "finished"))

    def test_a_package_is_text_and_its_programs_run_in_turn(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        self.assertEqual(self.run_shell(f"'{tool.TOOL}' dis d.vta | '{tool.TOOL}' asm -o again.vta"),
                         (0, f"a package of 8 programs, 287 instructions, {len(self.read('d.vta'))} bytes\n", ""))
        self.assertEqual(self.read("again.vta"), self.read("d.vta"))
        text = self.done("dis", "d.vta")
        self.write("d.s", text.replace("\n", "\r\n"))
        facts = self.document("vta-asm", self.done("asm", "d.s", "-o", "again.vta", "--json"))
        self.assertEqual((facts["programs"], facts["bytes"]), (8, os.path.getsize(self.path("again.vta"))))
        self.assertEqual(self.read("again.vta"), self.read("d.vta"))
        # A package may be larger than an image.
        self.write("large.s", re.sub(r'"arena_bytes": \d+', '"arena_bytes": 4294967296', re.sub(r"\.code 0x\w+", ".code 0x100000000", text)))
        self.done("asm", "large.s", "-o", "large.vta")
        self.assertEqual(self.run_shell(f"'{tool.TOOL}' dis large.vta | '{tool.TOOL}' asm -o again.vta")[0], 0)
        self.assertEqual(self.read("again.vta"), self.read("large.vta"))
        self.write("far.s", self.read("large.s") + b".data 0x1fffffff0\n.byte 1\n")
        offset = int(re.search(r'"constants_offset": (\d+)', text)[1])
        self.fails(f"far.s: section = end 0x1fffffff1: the package's constants begin at {hex(offset)} and must be at most "
                   "268435456 bytes", "asm", "far.s", "-o", "far.vta")
        self.write("modules.s", ".code\nfinish\n.modules\n| func\n")
        self.fails("modules.s:3: .modules: belongs to a package: there is no .package", "asm", "modules.s", "-o", "m.img")
        self.write("d.s", text)
        without_time = lambda text: [line for line in text.splitlines() if not line.startswith("scan time")]
        self.assertEqual(without_time(self.done("check", "d.s")), without_time(self.done("check", "d.vta")))
        status, out, errors = self.run_tool("exec", "d.vta", "-o", "after.img")
        self.assertEqual((status, errors), (0, "vta: 3 of 10 steps run on the CPU, left out here: programs find there "
                                               "what the image holds\n"))
        self.assertEqual([line for line in out.splitlines() if ":" in line], ["conv1 to dense: proved", "conv1 to dense: finished"])
        together = self.read("after.img")
        # Each layer by its own program leaves the same.
        status, out, errors = self.run_tool("exec", "d.vta", "--apart", "-o", "after.img")
        self.assertEqual(self.read("after.img"), together)
        names = ("conv1", "conv2", "depthwise", "pointwise", "conv3", "average", "dense")
        self.assertEqual([line for line in out.splitlines() if ":" in line],
                         [f"{name}: proved" for name in names] + [f"{name}: finished" for name in names])
        reports = self.document("vta-exec", self.run_tool("exec", "d.s", "--apart", "--json")[1])["programs"]
        self.assertEqual([(r["program"], r["outcome"]) for r in reports], [(name, "finished") for name in names])
        # The same launch, but for a STORE that reaches another step's tensors.
        text = self.read("d.s").decode()
        found = re.search(r"(?s)step_\d+_dense:.*?store\.out sram=\d+ (dram=0x[0-9a-f]+) ", text)
        self.write("bad.s", text[:found.start(1)] + "dram=0xef" + text[found.end(1):])
        status, out, _ = self.run_tool("exec", "bad.s", "--apart")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"dense: refused: 2 findings\n  instruction \d+: foreign_store: stores to 0xef0, which its "
                              r"step does not make\n")

    def test_a_small_package_takes_no_large_memory(self):
        self.done("compile", DIGITS, "-o", "d.vta")
        text = self.done("dis", "d.vta")
        for old, new, message in (
                ('|   "arena_bytes": ', '|   "arena_bytes": 40000',
                 r"device cycle: memory = 4\d+ bytes: the largest free range has \d+"),):
            self.write("bad.s", text.replace(old, new))
            self.done("asm", "bad.s", "-o", "bad.vta")
            status, out, errors = self.run_tool("run", "bad.vta")
            self.assertEqual((status, out), (1, ""))
            self.assertRegex(errors.splitlines()[-1], f"^vta: {message}$")

    def test_what_holds_no_program(self):
        for text in ("", "# nothing\n", ".config default\n"):
            self.write("p.s", text)
            self.fails("p.s: holds no program: neither instructions nor data nor a package", "asm", "p.s", "-o", "p.img")
        self.fails(f"{DIGITS}: launches = 0: nothing of it runs on the accelerator",
                   "compile", DIGITS, "--target", "cpu", "--raw", "raw")

    def test_raw_folders(self):
        out = self.done("compile", DIGITS, "-c", "vta_0.0.2", "--raw", "raw")
        self.assertEqual(out, "raw: 8 launches; vta exec raw runs and compares them\n")
        folder = self.document("vta-launches", self.read("raw/launches.json"))
        self.assertEqual((folder["model"], folder["config"]["name"], len(folder["launches"])), ("digits_int8", "vta_0.0.2", 8))
        out = self.done("exec", "raw")
        for launch in folder["launches"]:
            name = launch["name"]
            self.assertIn(f"{name}: finished\n", out)
            self.assertIn(f"{name}: memory as expected\n", out)
            # What the entry says is all that another machine needs.
            where = ["--insn", str(launch["instruction_address"]), "--count", str(launch["instruction_count"])]
            self.done("exec", f"raw/{launch['image']}", "-c", "vta_0.0.2", *where, "-o", "after.img")
            after, expected = self.read("after.img"), self.read(f"raw/{launch['expected']}")
            self.assertEqual(after, expected)
            before = self.read(f"raw/{launch['image']}")
            changed = {i for i in range(len(before)) if before[i] != expected[i]}
            made = set()
            for tensor in launch["outputs"]:
                self.assertEqual(tensor["type"], "int8")
                made |= set(range(tensor["address"], tensor["address"] + math.prod(tensor["shape"])))
            self.assertTrue(changed, name)
            self.assertLessEqual(changed, made, name)
        first = folder["launches"][0]
        self.write(f"raw/{first['expected']}", self.read(f"raw/{first['expected']}")[:-1] + b"x")
        status, out, errors = self.run_tool("exec", "raw")
        self.assertEqual((status, errors), (1, ""))
        size = len(self.read(f"raw/{first['expected']}"))
        self.assertIn(f"{first['name']}: memory differs from what is expected in 1 byte, the first at {hex(size - 1)}\n", out)
        rule = "is for one program; give exec an image of the folder with --insn and --count"
        self.refuses(f"raw: --config: {rule}", "exec", "raw", "-c", "pynq")
        self.refuses("--raw: must not be empty", "compile", DIGITS, "--raw", "")
        self.fails("/proc/none: cannot create: No such file or directory", "compile", DIGITS, "--raw", "/proc/none")
        # Lists of tools that said no version are read, those of newer tools are not.
        self.write("raw/launches.json", json.dumps({key: value for key, value in folder.items() if key not in ("schema", "version")}))
        self.assertIn("conv1: finished\n", self.run_tool("exec", "raw")[1])
        for key, value, message in (("version", 2, "raw/launches.json: version = 2: this vta knows vta-launches up to version 1; a newer one reads it"),
                                    ("schema", "vta-report", 'raw/launches.json: schema = "vta-report": must be vta-launches, which vta compile --raw writes'),
                                    ("launches", [], "raw: holds no program"),
                                    ("launches", [{**first, "instruction_address": 8}],
                                     "raw/launches.json: launches[0].instruction_address = 8: must be a multiple of 16")):
            self.write("raw/launches.json", json.dumps({**folder, key: value}))
            self.fails(message, "exec", "raw")
        # A folder that could not be written whole has no list.
        image = self.path("raw/" + folder["launches"][1]["image"])
        os.remove(image)
        os.makedirs(image + "/in_the_way")
        self.assertEqual(self.run_tool("compile", DIGITS, "-c", "vta_0.0.2", "--raw", "raw")[0], 1)
        self.assertFalse(os.path.exists(self.path("raw/launches.json")))
        self.write("raw/launches.json", "{}")
        self.fails("raw/launches.json: model: is missing", "exec", "raw")
        self.assertEqual(self.run_tool("compile", DIGITS)[0], 2)

    def test_exec(self):
        self.write("p.s", ADD)
        self.assertEqual(self.done("exec", "p.s", "-o", "after.img"),
                         "proved\n"
                         "finished\n"
                         "instructions  load 2, store 1, finish 1, alu 1\n"
                         "work          alu micro-ops 2\n"
                         "bytes         uop 4, acc 128, out 32\n"
                         "tokens        compute->store 1, store->compute 1\n")
        self.assertEqual(self.read("after.img")[OUTPUT:], bytes([6] * 16 + [0xFE] * 16))
        # A pipe gives its bytes once.
        self.done("asm", "p.s", "-o", "p.img")
        status, out, errors = self.run_shell(f"cat p.img | '{tool.TOOL}' exec /dev/stdin --insn 0 --count 5 -c vta_0.0.2 -o piped.img")
        self.assertEqual((status, errors, self.read("piped.img")), (0, "", self.read("after.img")), out)
        report, = self.document("vta-exec", self.done("exec", "p.s", "--json"))["programs"]
        self.assertEqual((report["outcome"], report["modules"], report["bytes"]["acc"]), ("finished", [], 128))
        self.assertEqual(report["proof"], self.checked(self.done("check", "p.s", "--json"))["report"])
        status, out, errors = self.run_tool("exec", "p.s", "--engine", "abacus", "-o", "x.img")
        self.assertEqual((status, out, errors.splitlines()[0]),
                         (2, "", f"vta: --engine: abacus must be one of {tool.ENGINES}"))

    def test_exec_of_a_fault(self):
        self.write("p.s", "load.acc sram=2047 x=2\nstore.out pop_prev\nfinish\n.data\n.space 128")
        unproved = "vta: --unproved: it runs all the same\n"
        status, out, errors = self.run_tool("exec", "p.s", "--unproved")
        self.assertEqual((status, errors), (1, unproved))
        self.assertEqual(out[out.index("fault\n"):], "fault\n"
                         "  compute: halted with index out of range at instruction 0 (0x0)\n"
                         "  store: waits for a token of compute->store at instruction 1 (0x10)\n"
                         "  compute stands at: load.acc sram=2047 dram=0x0 y=1 x=2 stride=0\n"
                         "  store stands at: store.out sram=0 dram=0x0 y=1 x=0 stride=0 pop_prev\n"
                         "instructions  none\nwork          none\nbytes         acc 64\ntokens        none\n")
        status, out, errors = self.run_tool("exec", "p.s", "--json", "--unproved")
        report, = self.document("vta-exec", out)["programs"]
        self.assertEqual((status, errors, report["outcome"]), (1, unproved, "fault"))
        self.assertEqual([m["module"] for m in report["modules"]], ["compute", "store"])
        self.assertEqual(report["modules"][0]["fault"], "index out of range")

    def test_exec_of_a_deadlock_and_an_endless_program(self):
        self.write("p.s", "finish pop_prev")
        status, out, _ = self.run_tool("exec", "p.s", "--unproved")
        self.assertEqual(status, 1)
        self.assertIn("deadlock\n  compute: waits for a token of load->compute at instruction 0 (0x0)\n", out)
        self.write("p.s", "load.uop x=0\n" + "gemm uop=0:8192 out=16383 in=16383\n" * 9 + "finish")
        status, out, _ = self.run_tool("exec", "p.s", "--limit", "0.05", "--unproved")
        self.assertEqual(status, 1)
        self.assertIn("\nstopped\n", out)

    def test_exec_on_short_command_queues(self):
        self.write("short.json", '{"name": "short", "isa": "0.0.2", "uarch": {"command_queue_depth": 2}}')
        self.write("p.s", "load.inp x=0 pop_next\n" * 3 + "gemm uop=0:0 push_prev\n" * 3 + "finish")
        self.assertIn("\nfinished\n", self.done("exec", "p.s", "-c", "default"))
        status, out, _ = self.run_tool("exec", "p.s", "-c", "./short.json")
        self.assertEqual(status, 1)
        self.assertIn("compute never gets its instruction: fetch is stuck at instruction 2, whose command queue holds 2", out)
        status, out, _ = self.run_tool("exec", "p.s", "-c", "./short.json", "--unproved")
        self.assertEqual(status, 1)
        self.assertIn("deadlock\n"
                      "  fetch: waits for space in the command queue of load at instruction 2 (0x20)\n"
                      "  load: waits for a token of compute->load at instruction 0 (0x0)\n", out)
        report, = self.document("vta-exec", self.run_tool("exec", "p.s", "-c", "./short.json", "--json", "--unproved")[1])["programs"]
        self.assertEqual((report["fetched"], report["fetch_waits_for"], report["fetch_address"]), (2, "load", 32))

    def test_check(self):
        self.write("p.s", ADD)
        self.assertTrue(self.done("check", "p.s").startswith("proved\n"))
        self.assertEqual(self.checked(self.done("check", "p.s", "--json"))["report"]["ok"], True)
        self.write("race.s", ADD.replace(" push_next", "").replace(" pop_prev push_prev", "").replace(" pop_next", ""))
        status, out, errors = self.run_tool("check", "race.s")
        self.assertEqual((status, errors), (1, ""))
        self.assertTrue(out.startswith("refused: "), out)
        self.assertIn(": race: ", out)
        self.assertTrue(out.endswith("2: alu.add uop=0:1 out=1 in=2 dst=0,1 src=0,0 imm=5\n"
                                     "3: store.out sram=0 dram=0x300 y=1 x=2 stride=0\n"), out)
        status, out, _ = self.run_tool("check", "race.s", "--json")
        self.assertEqual((status, self.checked(out)["report"]["ok"]), (1, False))

    def test_check_published(self):
        self.write("p.s", ADD)  # whose micro-op adds to rows 0 and 1, but names row 0 as src of both
        self.assertNotIn("published", self.done("check", "p.s"))
        status, out, errors = self.run_tool("check", "p.s", "--published")
        self.assertEqual((status, errors), (1, ""))
        self.assertTrue(out.startswith("proved\n"), out)
        self.assertTrue(out.endswith(
            "published       1 rule broken\n"
            "  immediate_row: an ALU operation with an immediate names the same row as src and dst\n"
            "    rtl: takes acc[src] instead of acc[dst]\n"
            "    instruction 2: the inner loop steps src by 0 and dst by 1\n"
            "2: alu.add uop=0:1 out=1 in=2 dst=0,1 src=0,0 imm=5 push_next\n"), out)
        status, out, _ = self.run_tool("check", "p.s", "--published", "--json")
        entry = self.checked(out)
        self.assertEqual((status, entry["report"]["ok"], entry["published"]["ok"]), (1, True, False))
        self.assertEqual(entry["published"]["broken"], [{
            "name": "immediate_row", "count": 1,
            "rule": "an ALU operation with an immediate names the same row as src and dst",
            "executors": {"rtl": "takes acc[src] instead of acc[dst]"},
            "first": [{"instruction": 2, "message": "the inner loop steps src by 0 and dst by 1"}]}])
        self.write("p.s", ADD.replace("dst=0,1", "dst=0,1 src=0,1"))
        self.assertIn("published       functional, hls and rtl agree on it\n",
                      self.done("check", "p.s", "--published"))
        # Of a flat image the instructions are named; a package's programs are all looked at.
        self.done("asm", "p.s", "-o", "p.img")
        self.done("check", "p.img", "--count", "5", "-c", "vta_0.0.2", "--published")

    def test_isa(self):
        self.assertIn("\n# ISA manual\n", self.done("isa"))
        self.assertIn("\n# Published hardware\n", self.done("isa", "--published"))
        self.assertIn("\npackage vta_pkg;\n", self.done("isa", "--sv"))
        self.assertIn("\n#define VTA_BLOCK_IN 16\n", self.done("isa", "--c"))
        hashes = self.done("isa", "--hash", "-c", "vta_0.0.2")
        self.assertRegex(hashes, r"^arch   0x[0-9a-f]{16}\ntiming 0x[0-9a-f]{16}\n$")
        self.write("copy.json", self.done("isa", "--json", "-c", "vta_0.0.2"))
        self.assertEqual(self.done("isa", "--hash", "-c", "copy.json"), hashes)
        self.assertNotEqual(self.done("isa", "--hash"), hashes)
        self.assertEqual(self.run_tool("isa", "--c", "--sv")[0], 2)


tool.main()
