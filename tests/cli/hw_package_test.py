"""vta hw package and vta hw bitstream: what they refuse, what they warn of, and that a project is written whole or not at all."""

import json
import os
import shutil

import tool

BOARDS = "kv260, pynq_z1, ultra96, zcu104"


class HwPackageTest(tool.ToolTest):
    def write_config(self, base, **changes):
        with open(os.path.join(tool.SOURCE, f"isa/configs/{base}.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["name"] = "mine"
        for section, values in changes.items():
            config[section].update(values)
        self.write("mine.json", json.dumps(config))

    def hashes(self, config):
        return dict(line.split() for line in self.done("isa", "--hash", "-c", config).splitlines())

    def test_a_project_is_whole_or_not_there(self):
        out = self.done("hw", "package", "--board", "zcu104", "-o", "a/b/")
        self.assertEqual(out, "config zcu104 on board zcu104: project in a/b/; where Vivado is installed, run a/b/build.sh\n")
        self.assertEqual(sorted(os.listdir(self.path("a"))), ["b"])
        self.assertTrue(os.access(self.path("a/b/build.sh"), os.X_OK))
        names = sorted(os.path.join(folder, name) for folder, _, files in os.walk(self.path("a/b")) for name in files)
        self.done("hw", "package", "--board", "zcu104", "-o", "again")
        for name in names:  # the same bytes
            with open(name, "rb") as file:
                self.assertEqual(file.read(), self.read(name.replace("a/b", "again", 1)), name)
        self.fails("a/b: is a folder that is not empty", "hw", "package", "--board", "zcu104", "-o", "a/b")
        self.write("file", "")
        self.fails("file: cannot create: Not a directory", "hw", "package", "--board", "zcu104", "-o", "file")
        os.makedirs(self.path("empty"))
        os.symlink("empty", self.path("link"))
        self.done("hw", "package", "--board", "pynq_z1", "-o", "link")
        self.assertTrue(os.path.islink(self.path("link")) and os.path.exists(self.path("empty/project.json")))
        # A file of the design is missing.
        shutil.copytree(os.path.join(tool.SOURCE, "hw"), self.path("home/hw"))
        os.remove(self.path("home/hw/rtl/vta_ip.v"))
        before = sorted(os.listdir(self.folder))
        status, out, errors = self.run_shell(f"VTA_HOME=$PWD/home {tool.TOOL} hw package --board ultra96 -o c")
        self.assertEqual((status, out, sorted(os.listdir(self.folder))), (1, "", before))
        self.assertIn("hw/rtl/vta_ip.v: cannot open: No such file or directory\n", errors)

    def test_refused_command_lines(self):
        self.refuses(f"--board: zcu102: must be one of {BOARDS}", "hw", "package", "--board", "zcu102", "-o", "out")
        self.refuses("--board is required", "hw", "package", "-o", "out")
        self.refuses("--output is required", "hw", "package", "--board", "kv260")
        self.refuses("--board excludes --manifest", "hw", "package", "--manifest", "--board", "kv260")
        self.refuses(f"--board: zcu102: must be one of {BOARDS}", "hw", "bitstream", "--board", "zcu102")

    def test_configs_that_do_not_fit(self):
        def fails(message, board):
            self.fails(f"config mine on board {board}: {message}", "hw", "package", "--board", board, "-c", "./mine.json", "-o", "out")

        self.write_config("ultra96")
        fails("uarch.bus_bits = 128: must be a width of port S_AXI_HP0: 32, 64", "pynq_z1")
        self.write_config("ultra96", uarch={"clock_mhz": 400})
        fails("uarch.clock_mhz = 400: port S_AXI_HP0_FPD takes 333 MHz at most", "ultra96")
        self.write_config("pynq", uarch={"multiplier": "dsp"})
        fails("DSP = 288.0: the part xc7z020 offers 220 (products and scratchpads alone)", "pynq_z1")
        self.write_config("pynq", arch={"wgt_depth": 2048, "acc_depth": 1024})
        fails("BRAM = 145.8: the part xc7z020 offers 140 (products and scratchpads alone)", "pynq_z1")
        # Yosys found more than its scratchpads; its hardware is that of default but for the multipliers.
        self.fails("config default on board pynq_z1: DSP = 320.0: the part xc7z020 offers 220 (products and scratchpads alone)",
                   "hw", "package", "--board", "pynq_z1", "-c", "default", "-o", "out")

    def test_warnings(self):
        self.write_config("ultra96", uarch={"clock_mhz": 320})
        status, _, errors = self.run_tool("hw", "package", "--board", "ultra96", "-c", "./mine.json", "-o", "out")
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"^vta: warning: 320 MHz is above the estimate of \d+ MHz for xczu3eg speed -1\n$")
        self.write_config("ultra96", uarch={"outstanding_reads": 4})
        status, _, errors = self.run_tool("hw", "package", "--board", "ultra96", "-c", "./mine.json", "-o", "other")
        self.assertEqual((status, errors), (0, "vta: warning: whether it fits is not known: vta hw area -c ./mine.json --part xczu3eg "
                                               "says so\n"))

    def test_the_manifest(self):
        manifest = self.document("vta-bitstreams", self.done("hw", "package", "--manifest"))
        self.assertEqual([row["board"] for row in manifest["bitstreams"]], BOARDS.split(", "))
        for row in manifest["bitstreams"]:
            hashes = self.hashes(row["config"])
            self.assertEqual((row["arch_hash"], row["timing_hash"]), (hashes["arch"], hashes["timing"]))
            self.assertFalse(row["resources"]["is_measured"])
            self.assertRegex(row["resources"]["by"], r"^Yosys [0-9.]+$")
        with open(os.path.join(tool.SOURCE, "bitstreams/manifest.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), manifest)

    def test_which_bitstream_a_package_runs_on(self):
        hashes = {name: self.hashes(name)["arch"] for name in ("ultra96", "kv260")}
        self.write("m.json", self.done("hw", "package", "--manifest"))
        ask = ("hw", "bitstream", "--manifest", "m.json", "--board", "ultra96")
        self.fails("boards/ultra96/vta.bit: is not built yet; `vta hw package --board ultra96 -o DIR` writes the project that builds it", *ask)
        os.makedirs(self.path("boards/ultra96"))
        self.write("boards/ultra96/vta.bit", "")
        self.assertEqual(self.done(*ask), "boards/ultra96/vta.bit\n")
        digits = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
        self.done("compile", digits, "-c", "ultra96", "-o", "digits.vta")
        self.assertEqual(self.done(*ask, "--package", "digits.vta"), "boards/ultra96/vta.bit\n")
        self.done("compile", digits, "-c", "kv260", "-o", "other.vta")
        self.fails(f"m.json: board ultra96: arch_hash = {hashes['ultra96']}: the bitstream is of config ultra96; config kv260 has "
                   f"{hashes['kv260']}", *ask, "--package", "other.vta")
        self.done("compile", digits, "--target", "cpu", "-o", "cpu.vta")
        self.fails("cpu.vta: has no accelerator program, so it needs no bitstream", *ask, "--package", "cpu.vta")
        self.write("m.json", '{"bitstreams": []}')
        self.fails("m.json: board = ultra96: has no bitstream here", *ask)


tool.main()
