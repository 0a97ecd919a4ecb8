"""--engine xrt: the tool and the runner through XRT's own library, on a simulated device behind XRT's driver interface."""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time

import tool

DIGITS = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
RUNNER = os.path.join(os.path.dirname(tool.TOOL), "vta-run")
RESNET8 = os.path.join(os.environ.get("VTA_CASES", os.path.join(tool.SOURCE, "../shared/cases")),
                       "public/resnet8_cifar_qdq/model.onnx")
DEBIAN = "/usr/lib/x86_64-linux-gnu"
# The step of the demo's network that the accelerator runs first; where steps, buffers and addresses differ, see plain().
STEP = "digits.vta: step conv1: "
BOARD = "xrt:small.xclbin: "
# VTA_XRT_FAULT, and what the runner says.
FAULTS = {
    "bus_error": STEP + "program N did not finish: fault\n"
                        "  fetch: halted with bus error at instruction 0 (0x400.....)",
    "dead_bus": STEP + BOARD + "register status = 0x00000046: memory answered nothing for 10 ms (1000000 cycles at 100 MHz), so the watchdog ended the launch",
    "stuck": STEP + BOARD + "register status = 0x00000001: the accelerator is busy and does nothing; it was reset",
    "hung": STEP + BOARD + "register status = 0x00000001: the accelerator does not come out of its reset; load its bitstream again",
    "forgetful": STEP + BOARD + "register status = 0x00000000: the accelerator forgot its launch: was it reset?",
    "wrong_id": "device xrt:small.xclbin: register id = 0x31415457: is not a VTA's, 0x31415456",
    "wrong_hash": BOARD + 'arch hash = ARCH (config "small_8x8"): the device "xrt:small.xclbin" is OTHER',
    "no_answer": BOARD + "register 0x010: XRT says: failed to read ip(0): Input/output error",
    "no_answer@20": STEP + BOARD + "register 0x060: XRT says: failed to write ip(0): Input/output error",
    "all_ones": "device xrt:small.xclbin: register id = 0xffffffff: is not a VTA's, 0x31415456",
    "all_ones@24": STEP + BOARD + "register status = 0xffffffff: no VTA answers there any more",
    "all_ones@40": STEP + BOARD + "register status = 0xffffffff: no VTA answers there any more",
    "refused_xclbin": BOARD + "xclbin: XRT says: failed to load xclbin: Input/output error",
    "refused_sync": BOARD + "memory of N bytes: XRT says: unable to sync BO: Input/output error",
    "bus": BOARD + "device: XRT says: VTA_XRT_FAULT: bus: must be one of none, bus_error, dead_bus, stuck, hung, wrong_id, "
                   "wrong_hash, forgetful, no_answer, all_ones, refused_xclbin, refused_sync, lost_sync_in, lost_sync_out",
    "stuck@x": BOARD + "device: XRT says: VTA_XRT_FAULT: x: must be an integer, 0 to 1000000000",
    "stuck@-1": BOARD + "device: XRT says: VTA_XRT_FAULT: -1: must be an integer, 0 to 1000000000",
}


def plain(text):
    """Messages without what the compiler chose: the shape of a step, the number of a program, the size of a buffer, where in the memory's upper half it lies."""
    text = re.sub(r"step \d+ (\w+) \(.*?\): ", r"step \1: ", text)
    text = re.sub(r"program \d+ did", "program N did", text)
    text = re.sub(r"memory of \d+ bytes", "memory of N bytes", text)
    return re.sub(r"\(0x400[0-9a-f]{5}\)", "(0x400.....)", text)


def bit_file(part):
    """As Vivado writes it for a part."""
    fields = [letter + struct.pack(">H", len(text) + 1) + text + b"\0" for letter, text in (
        (b"a", b"system_wrapper;UserID=0XFFFFFFFF;Version=2022.2"), (b"b", part.encode()), (b"c", b"2023/01/31"), (b"d", b"12:34:56"))]
    return bytes.fromhex("00090ff00ff00ff00ff0000001") + b"".join(fields) + b"e" + struct.pack(">I", 6) + b"design"


class XrtTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.setting("XILINX_XRT", self.path("xrt"))
        self.done("hw", "xrt", "-o", "xrt")

    def setting(self, name, value):
        """A variable of the environment, for this test."""
        old = os.environ.get(name)
        self.addCleanup(lambda: os.environ.pop(name, None) if old is None else os.environ.__setitem__(name, old))
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

    def make(self, model, package, config, xclbin):
        self.done("compile", model, "--config", config, "-o", package)
        self.done("hw", "xclbin", "-c", config, "-o", xclbin)

    def make_digits(self):
        self.make(DIGITS, "digits.vta", "small_8x8", "small.xclbin")
        self.arch = dict(line.split() for line in self.done("isa", "--hash", "-c", "small_8x8").splitlines())["arch"]
        # What the fault wrong_hash, and a file that lies, has in its place.
        self.other = f"0x{int(self.arch, 16) ^ 1:016x}"

    def run_xrt(self, package, engine, *arguments):
        return self.run_process([RUNNER, package, "--engine", engine, *arguments])

    def output_of(self, package, engine):
        status, out, errors = self.run_xrt(package, engine, "--output", "out.bin")
        self.assertEqual(status, 0, errors)
        self.assertIn(f" and {engine}: " if engine != "functional" else ", the accelerator simulated: ", out)
        content = self.read("out.bin")
        os.remove(self.path("out.bin"))
        return content

    def is_equal(self, package, xclbin, engine):
        self.setting("VTA_XRT_ENGINE", engine)
        want = self.output_of(package, "functional")
        self.assertGreater(len(set(want)), 4)
        self.assertEqual(self.output_of(package, f"xrt:{xclbin}"), want)

    def refused(self, message, engine="xrt:small.xclbin", package="digits.vta"):
        status, out, errors = self.run_xrt(package, engine)
        self.assertEqual((status, out, plain(errors.replace("vta-run: no --input: one random sample from seed 1\n", ""))),
                         (1, "", f"vta-run: {message}\n"))

    def test_the_demo_is_equal_on_each_engine(self):
        self.make_digits()
        for engine in "functional", "cycle":
            with self.subTest(engine):
                self.is_equal("digits.vta", "small.xclbin", engine)
        self.assertEqual(self.output_of("digits.vta", "xrt:small.xclbin@0"), self.output_of("digits.vta", "functional"))

    def test_the_tool_reports_what_the_registers_count(self):
        self.make_digits()
        self.write("in.bin", struct.pack("<64f", *range(64)))
        self.done("run", "digits.vta", "--input", "in.bin", "--output", "want.bin")
        cycles = {}
        for engine in "xrt:small.xclbin", "cycle":
            out = self.done("run", "digits.vta", "--input", "in.bin", "--engine", engine, "--reference", "want.bin")
            self.assertIn("1 of 1 sample equal", out)
            cycles[engine] = [line for line in out.splitlines() if "cycles on the accelerator" in line]
        self.assertEqual(cycles["xrt:small.xclbin"], cycles["cycle"])

    def test_without_a_clock_no_time_is_modelled(self):
        self.make_digits()
        self.setting("VTA_XRT_ENGINE", "functional")
        self.write("in.bin", struct.pack("<64f", *range(64)))
        run = ["run", "digits.vta", "--input", "in.bin", "--engine"]
        out = self.done(*run, "xrt:small.xclbin", "--time", "number=1", "--report", "report.json")
        self.assertNotIn("modelled", out)
        self.assertIn("  wall time of the simulation\n", out)
        self.assertNotIn("modelled", json.loads(self.read("report.json")))
        out = self.done(*run, "xrt:small.xclbin,cycle")
        self.assertRegex(out, r"\nxrt:small\.xclbin +equal +\d+\.\d+\n")
        self.assertIn("\noutputs equal\n", out)

    @tool.unittest.skipUnless(shutil.which("verilator"), "no verilator")
    def test_a_network_is_equal_on_the_rtl(self):
        self.make(RESNET8 if os.path.exists(RESNET8) else DIGITS, "net.vta", "default", "default.xclbin")
        self.is_equal("net.vta", "default.xclbin", "rtl")
        self.done("compile", DIGITS, "-o", "digits.vta")
        for fault in "bus_error", "dead_bus", "stuck":
            with self.subTest(fault):
                self.setting("VTA_XRT_FAULT", fault)
                self.refused(FAULTS[fault].replace("small.xclbin", "default.xclbin"),
                             "xrt:default.xclbin")
        self.setting("VTA_XRT_FAULT", None)
        if not os.path.exists(RESNET8):
            self.skipTest("no case resnet8_cifar_qdq: the demo's network ran in its place")

    @tool.unittest.skipUnless(shutil.which("verilator"), "no verilator")
    def test_a_bug_in_the_rtl_is_found_by_its_layer(self):
        self.make_digits()
        # The larger of two is the first where the second is negative: only the layer that pools compares negative numbers.
        tool.plant(self, "bug", "vta_alu.sv", "subtract_i && less == least_i;", "subtract_i && (less == least_i || b_i[31]);")
        self.setting("VTA_XRT_ENGINE", "rtl")
        self.setting("VTA_XRT_QUICK", "1")
        status, out, _ = self.run_tool("run", "digits.vta", "--engine", "functional,xrt:small.xclbin", "--seed", "3")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"first difference: layer conv2, tensor pool\.1, element \d+: functional -?\d+, xrt:small.xclbin -?\d+\n")

    def test_resnet18_is_equal_for_ultra96(self):
        self.done("model", "resnet18", "-o", "resnet18.onnx")
        self.make("resnet18.onnx", "resnet18.vta", "ultra96", "ultra96.xclbin")
        self.is_equal("resnet18.vta", "ultra96.xclbin", "cycle")

    @tool.unittest.skipUnless(shutil.which("verilator"), "no verilator")
    def test_a_model_that_cannot_be_built_is_one_line(self):
        self.make_digits()
        tool.plant(self, "broken", "vta_alu.sv", "endmodule", "  assign = 1;\nendmodule")
        self.setting("VTA_XRT_ENGINE", "rtl")
        errors = self.run_xrt("digits.vta", "xrt:small.xclbin")[2]
        self.assertRegex(errors.splitlines()[-1], "^vta-run: xrt:small.xclbin: xclbin: XRT says: config small_8x8: Verilator model: the build failed; "
                                                  r"its log is \S+\.log$")
        self.assertNotIn("x0a", errors)

    def test_each_fault_ends_in_its_error_and_locks_nothing(self):
        self.make_digits()
        for fault, message in FAULTS.items():
            with self.subTest(fault):
                self.setting("VTA_XRT_FAULT", fault)
                self.refused(message.replace("ARCH", self.arch).replace("OTHER", self.other))
                self.setting("VTA_XRT_FAULT", None)
                self.assertEqual(self.run_xrt("digits.vta", "xrt:small.xclbin")[0], 0)

    def test_the_page_has_each_fault(self):
        with open(os.path.join(tool.SOURCE, "docs/xrt.md"), encoding="utf-8") as file:
            page = file.read()
        for name in FAULTS["bus"].split("one of none, ")[1].split(", "):
            self.assertIn(f"`{name}`", page)
            self.assertTrue(name in FAULTS or name.startswith("lost_sync_"), name)

    def test_a_sync_that_is_lost_shows(self):
        self.make_digits()
        self.run_tool("run", "digits.vta", "--output", "want.bin")
        self.setting("VTA_XRT_FAULT", "lost_sync_in")
        self.refused(STEP + "program N did not finish: fault\n  compute: halted with illegal mode at instruction 0 (0x400.....)")
        self.setting("VTA_XRT_FAULT", "lost_sync_out")
        status, out, _ = self.run_tool("run", "digits.vta", "--engine", "functional,xrt:small.xclbin")
        self.assertEqual(status, 1)
        self.assertRegex(out, "first difference: layer conv1, tensor conv1.1, element 0: functional -?[0-9]+, xrt:small.xclbin -?[0-9]+\\n")
        status, out, _ = self.run_tool("run", "digits.vta", "--engine", "xrt:small.xclbin", "--reference", "want.bin")
        self.assertEqual(status, 1)
        self.assertIn("0 of 1 sample equal", out)

    def test_memory_ends(self):
        """With room for nothing, for the first of a session's two buffers, and for both."""
        self.make_digits()
        for variable, value, rule in (("VTA_XRT_MEMORY_BYTES", "9223372036854775807", "0 to 1099511627776"),
                                      ("VTA_XRT_MEMORY_BYTES", "1G", "0 to 1099511627776"), ("VTA_XRT_QUICK", "yes", "0 to 1")):
            self.setting(variable, value)
            self.refused(f"{BOARD}device: XRT says: {variable}: {value}: must be an integer, {rule}")
            self.setting(variable, None)
        pages = 0
        for _ in range(2):
            self.setting("VTA_XRT_MEMORY_BYTES", str(4096 * pages))
            self.refused(BOARD + "memory of N bytes: XRT has no memory for it")
            asked = int(re.search(r"memory of (\d+) bytes", self.run_xrt("digits.vta", "xrt:small.xclbin")[2])[1])
            pages += -(-asked // 4096)
        self.setting("VTA_XRT_MEMORY_BYTES", str(4096 * pages))
        self.assertEqual(self.run_xrt("digits.vta", "xrt:small.xclbin")[0], 0)
        # One sample at a time needs a session beside the first, whatever the number.
        self.setting("VTA_XRT_MEMORY_BYTES", str(2 * 4096 * pages))
        self.assertEqual(self.run_xrt("digits.vta", "xrt:small.xclbin", "--in-flight", "64")[0], 0)
        status, _, errors = self.run_xrt("digits.vta", "xrt:small.xclbin", "--in-flight", "2", "--repeat", "2")
        self.assertEqual((status, plain(errors).splitlines()[-1]),
                         (1, f"vta-run: sample 2 of 2 in flight: {BOARD}memory of N bytes: XRT has no memory for it"))

    def test_one_process_has_it(self):
        self.make_digits()
        first = subprocess.Popen([RUNNER, "digits.vta", "--engine", "xrt:small.xclbin", "--repeat", "1000000"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 60
            while self.path("xrt") not in tool.open_files(first.pid):
                self.assertLess(time.monotonic(), end)
            self.refused(BOARD + "accelerator: is held already, by another process or this one")
            self.assertIsNone(first.poll())
        finally:
            first.send_signal(signal.SIGKILL)
            first.wait()
        self.assertEqual(self.run_xrt("digits.vta", "xrt:small.xclbin")[0], 0)

    def test_where_there_is_no_device(self):
        self.make_digits()
        self.refused("xrt:small.xclbin@1: device: XRT says: Could not open device with index '1'", "xrt:small.xclbin@1")
        self.setting("XILINX_XRT", None)
        self.refused(BOARD + "device: XRT says: XILINX_XRT not set")
        self.setting("XILINX_XRT", "nowhere")
        self.refused(BOARD + "device: XRT says: No such library 'nowhere/lib/libxrt_core.so.2'")
        # XRT's real driver, on a machine without a board; vta hw xrt does not take its place, but that of its own device.
        os.makedirs(self.path("real/lib"))
        os.symlink(f"{DEBIAN}/libxrt_core.so.2", self.path("real/lib/libxrt_core.so.2"))
        self.fails(self.path("real/lib/libxrt_core.so.2") + ": cannot be made: File exists", "hw", "xrt", "-o", "real")
        self.assertEqual(self.done("hw", "xrt", "-o", "xrt/"), f"xrt/: XRT finds a simulated device there, by XILINX_XRT={self.path('xrt')}\n")
        self.refuses("--output: must not be empty", "hw", "xrt", "-o", "")
        self.write("file", "")
        self.fails(self.path("file/lib") + ": cannot be made: Not a directory", "hw", "xrt", "-o", "file")
        self.setting("XILINX_XRT", "real")
        self.refused(BOARD + "device: XRT says: Could not open device with index '0'")

    def test_what_is_for_the_simulated_device_is_for_no_other(self):
        """XRT's own driver that does nothing plays the board."""
        self.make_digits()
        os.makedirs(self.path("noop/lib"))
        os.symlink(f"{DEBIAN}/libxrt_noop.so.2", self.path("noop/lib/libxrt_noop.so.2"))
        self.setting("XILINX_XRT", "noop")
        self.setting("XCL_EMULATION_MODE", "noop")
        self.refused("small.xclbin: section BITSTREAM: is missing: the file is for the simulated device alone; vta hw xclbin "
                     "--bitstream puts one in")
        self.write("vta.bit", bit_file("xczu3eg-sbva484-1-e"))
        out = self.done("hw", "xclbin", "-c", "small_8x8", "--bitstream", "vta.bit", "-o", "board.xclbin")
        self.assertEqual(out, f"config small_8x8: board.xclbin, arch hash {self.arch}, with a bitstream\n")
        self.assertIn(b"design", self.read("board.xclbin"))
        self.refused("xrt:board.xclbin: register 0x010: XRT says: failed to read ip(0): Operation not permitted", "xrt:board.xclbin")

    def test_other_files_are_refused(self):
        self.make_digits()
        self.done("hw", "xclbin", "-c", "ultra96", "-o", "other.xclbin")
        status, _, errors = self.run_xrt("digits.vta", "xrt:other.xclbin")
        self.assertEqual(status, 1)
        self.assertRegex(errors, rf'^vta-run: xrt:other.xclbin: arch hash = {self.arch} \(config "small_8x8"\): the device '
                                 r'"other.xclbin" is 0x[0-9a-f]{16} .*: .*block_in')
        good = self.read("small.xclbin")
        for content, message in (
                (b"", "is no xclbin: it does not begin with xclbin2"),
                (self.read("digits.vta"), "is no xclbin: it does not begin with xclbin2"),
                (good[:400], "400 bytes: is cut off: it must have 496"),
                (good[:-8], f"{len(good) - 8} bytes: is cut off: it must have {len(good)}"),
                (good.replace(b"vta:vta_1", b"dpu:dpu_1"), "section IP_LAYOUT: has no vta:vta_1"),
                (good.replace(self.arch.encode(), self.other.encode()),
                 f"section USER_METADATA: arch_hash = {self.other}: its config has {self.arch}; make the file again with this "
                 "version of vta hw xclbin"),
                (good.replace(struct.pack("<I16s", 16, b"vta"), struct.pack("<I16s", 99, b"vta")),
                 "section USER_METADATA: is missing, so nothing says what accelerator it holds; vta hw xclbin writes it")):
            with self.subTest(message):
                self.write("bad.xclbin", content)
                self.refused(f"bad.xclbin: {message}", "xrt:bad.xclbin")
        self.refused("nothing.xclbin: cannot open: No such file or directory", "xrt:nothing.xclbin")
        for engine in "xrt", "xrt:", "xrt:@0", "xrt:small.xclbin@", "xrt:small.xclbin@-1", "xrt:small.xclbin@99999999999":
            rule = f"{engine} must be xrt:FILE.xclbin[@INDEX]"
            status, out, errors = self.run_xrt("digits.vta", engine)
            self.assertEqual((status, out, errors.splitlines()[0]), (2, "", f"vta-run: --engine: {engine}: must be xrt:FILE.xclbin[@INDEX]"))
            self.refuses(f"--engine: {rule}", "run", "digits.vta", "--engine", engine)

    def test_an_xclbin_is_made_of_its_config_alone(self):
        first = self.done("hw", "xclbin", "-c", "small_8x8", "-o", "a.xclbin")
        self.assertRegex(first, r"^config small_8x8: a.xclbin, arch hash 0x[0-9a-f]{16}, without a bitstream: for the simulated device\n$")
        self.done("hw", "xclbin", "-c", os.path.join(tool.SOURCE, "isa/configs/small_8x8.json"), "-o", "b.xclbin")
        self.assertEqual(self.read("a.xclbin"), self.read("b.xclbin"))
        self.done("hw", "xclbin", "-c", "default", "-o", "b.xclbin")
        self.assertNotEqual(self.read("a.xclbin")[416:432], self.read("b.xclbin")[416:432])  # the UUID
        for board, address in ("kv260", 0xa0000000), ("pynq_z1", 0x43c00000):
            self.done("hw", "xclbin", "-c", "default", "--board", board, "-o", "b.xclbin")
            self.assertIn(address.to_bytes(8, "little") + b"vta:vta_1\0", self.read("b.xclbin"))
        good = bit_file("xczu3eg-sbva484-1-e")
        for content, message in ((b"a text", "vta.bit: is no bitstream of Xilinx's tools (.bit)"),
                                 (b"", "vta.bit: is no bitstream of Xilinx's tools (.bit)"),
                                 (good.replace(b"d\0\x09", b"x\0\x09"), "vta.bit: field d: is no bitstream of Xilinx's tools (.bit)"),
                                 (good[:13], "vta.bit: field a: is cut off: 1 byte must follow where 0 do"),
                                 (good[:-2], "vta.bit: field e: is cut off: 6 bytes must follow where 4 do"),
                                 (good[:-10] + bytes(4), "vta.bit: field e: is empty: there is no design"),
                                 (good + b"\0", "vta.bit: is 1 byte longer than it says"),
                                 (bit_file("7z020clg400"), "vta.bit: part = 7z020clg400: the board has a zu3eg")):
            self.write("vta.bit", content)
            self.fails(message, "hw", "xclbin", "--bitstream", "vta.bit", "-o", "c.xclbin")
        self.write("vta.bit", bit_file("7z020clg400"))
        self.done("hw", "xclbin", "--board", "pynq_z1", "--bitstream", "vta.bit", "-o", "c.xclbin")


tool.main()
