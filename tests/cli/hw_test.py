"""vta hw: lint of every config, and what it refuses."""

import glob
import json
import os
import shutil

import tool


def config(name, **changes):
    sections = {"name": name, "isa": "0.0.2", "arch": {"block_in": 16, "block_out": 16}, "uarch": {}}
    for key, value in changes.items():
        sections["uarch" if key == "bus_bits" else "arch"][key] = value
    return json.dumps(sections)


class HwTest(tool.ToolTest):
    def test_lint_is_clean_on_every_config(self):
        if not shutil.which("verilator"):
            self.skipTest("verilator is not installed")
        paths = glob.glob(tool.SOURCE + "/isa/configs/*.json") + glob.glob(tool.SOURCE + "/tests/rtl/configs/*.json")
        self.assertGreater(len(paths), 5)
        for path in paths:
            with open(path, encoding="utf-8") as file:
                name = json.load(file)["name"]
            self.assertEqual(self.done("hw", "lint", "-c", path), f"config {name}: verilator -Wall has nothing to say\n",
                             os.path.basename(path))

    def test_lint_of_boards_is_clean(self):
        if not shutil.which("verilator"):
            self.skipTest("verilator is not installed")
        for board in glob.glob(tool.SOURCE + "/bitstreams/boards/*/board.f"):
            self.done("hw", "lint", "-c", "small_8x8", "--board", os.path.basename(os.path.dirname(board)))
        self.fails("config ultra96: uarch.bus_bits = 128: must be 64, as the memory of ecp5_85f",
                   "hw", "lint", "-c", "ultra96", "--board", "ecp5_85f")

    def test_lint_is_clean_on_the_widest_rows(self):
        self.write("rows.json", config("rows", batch=16, block_in=4, block_out=64, uop_depth=32, inp_depth=16, wgt_depth=16,
                                       acc_depth=16))
        self.done("hw", "lint", "-c", "./rows.json")

    def test_refused_configs(self):
        self.write("few.json", config("few", uop_depth=16, bus_bits=128, block_in=64, block_out=64, inp_depth=64,
                                      wgt_depth=64, acc_depth=64))
        self.done("hw", "lint", "-c", "./few.json")
        self.write("wide.json", config("wide", uop_depth=16, bus_bits=512, block_in=64, block_out=64, inp_depth=64,
                                       wgt_depth=64, acc_depth=64))
        self.fails("./wide.json: arch.uop_depth = 16: must be at least 32: two rows of the micro-ops of a beat",
                   "hw", "lint", "-c", "./wide.json")
        self.write("thin.json", config("thin", batch=16, bus_bits=512, block_in=4, block_out=4))
        self.fails("./thin.json: uarch.bus_bits = 512: a beat of 64 bytes is wider than a weight element of 16",
                   "hw", "area", "-c", "./thin.json")

    def test_unknown_command(self):
        self.assertEqual(self.run_tool("hw", "frob", "-c", "pynq"),
                         (2, "", "vta: frob: is not a command; vta hw --help lists them\n"))
        self.assertEqual(self.run_tool("hw"), (2, "", "vta: a command is missing; vta hw --help lists them\n"))

    def test_unknown_part(self):
        self.refuses("--part: xc6 must be one of xc7z020, xczu3eg, xczu7ev, xck26, lfe5u-85f; did you mean xck26?", "hw", "area", "--part", "xc6")

    def write_netlist(self, table="LUT1"):
        """n.json: clk_i, a_q -> lookup table -> u_b.b_q."""
        def flop(d, q):
            return {"type": "FDRE", "port_directions": {"C": "input", "D": "input", "Q": "output"},
                    "connections": {"C": [1], "D": [d], "Q": [q]}}
        lut = {"type": table, "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [2], "O": [3]}}
        top = {"attributes": {"top": "1"}, "ports": {"clk_i": {"direction": "input", "bits": [1]}},
               "cells": {"a": flop("0", 2), "b": flop(3, 4), "l": lut},
               "netnames": {"a_q": {"bits": [2]}, "u_b.b_q": {"bits": [4]}}}
        self.write("n.json", json.dumps({"modules": {"vta_core": top}}))

    def test_timing_of_a_netlist(self):
        """By hand: 0.456 + 0.607 + 0.124 - 0.031 ns."""
        self.write_netlist()
        lines = self.done("hw", "timing", "-c", "pynq", "--netlist", "./n.json").splitlines()
        self.assertEqual(lines[0], "config pynq, part xc7z020 -1 (PYNQ-Z1)")
        self.assertTrue(lines[2].startswith("estimate      865 MHz (1.2 ns), "), lines[2])
        self.assertEqual(lines[3], "config names  100 MHz: meets")
        self.assertEqual(lines[7].split(), ["u_b", "1.2", "0.5", "0.6", "1", "a_q", "u_b.b_q"])
        report = self.document("vta-hw-timing", self.done("hw", "timing", "-c", "pynq", "--netlist", "./n.json", "--json"))
        self.assertEqual(report["paths"][0]["through"], ["a_q"])
        self.write_netlist("LUT9")
        self.fails("netlist: cell l = LUT9: the delay table does not know this cell",
                   "hw", "timing", "-c", "pynq", "--netlist", "./n.json")
        self.refuses("--part: xc6 must be one of xc7z020, xczu3eg, xczu7ev, xck26, lfe5u-85f; did you mean xck26?", "hw", "timing", "--part", "xc6")

    def write_yosys(self):
        """A stand-in for Yosys, which takes minutes: it looks at what it is to do, and copies a netlist."""
        self.write_netlist()
        self.write("yosys", """#!/bin/sh
            if [ "$1" = -V ]; then echo "${VERSION-Yosys 0.99 (git sha1 1)}"; exit; fi
            case "$3" in
              *"hw/rtl/vta_core.sv "*"; $SYNTHESIS -top vta_core; setattr -mod -unset keep_hierarchy *; flatten; clean; setattr -unset src */*; write_json /"*)
                cp n.json "${3##*write_json }" ;;
              *) echo "not as planned: $3"; exit 1 ;;
            esac""")
        os.chmod(self.path("yosys"), 0o755)

    def test_timing_synthesises(self):
        self.write_yosys()
        run = f"PATH=$PWD:$PATH SYNTHESIS=%s {tool.TOOL} hw timing -c pynq --part %s"
        for part, synthesis in (("xc7z020", "'synth_xilinx -flatten -noiopad -noclkbuf -nosrl -family xc7'"),
                                ("xczu3eg", "'synth_xilinx -flatten -noiopad -noclkbuf -nosrl -family xcup'")):
            status, out, errors = self.run_shell(run % (synthesis, part))
            self.assertEqual((status, errors), (0, ""))
            self.assertTrue(out.startswith(f"config pynq, part {part} -1 "), out)
        status, out, errors = self.run_shell(run % ("synth_ecp5", "lfe5u-85f"))
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(errors, "vta: netlist: cell a = FDRE: the delay table does not know this cell\n")
        status, out, errors = self.run_shell(run % ("other", "xc7z020"))
        self.assertEqual((status, out), (1, ""))
        self.assertIn("vta: config pynq: yosys: says:\nnot as planned: read_verilog -sv ", errors)
        status, out, errors = self.run_shell(f"PATH=$PWD/none {tool.TOOL} hw timing")
        self.assertEqual((status, out, errors), (1, "", "vta: vta hw: yosys: is not installed\n"))

    def test_area_keeps_what_a_config_takes(self):
        stat = {"modules": {"\\vta_ip": {"num_cells_by_type": {"LUT6": 7, "FDRE": 5, "DSP48E2": 3, "RAMB18E2": 1}}}}
        self.write("stat.json", json.dumps(stat))
        self.write("yosys", """#!/bin/sh
            if [ "$1" = -V ]; then echo "Yosys 0.99 (git sha1 1)"; exit; fi
            out=${3##*tee -q -o }
            cp stat.json "${out% stat -json}" """)
        os.chmod(self.path("yosys"), 0o755)
        os.makedirs(self.path("home/hw/synth"))
        for name in "hw/vta.f", "hw/rtl", "hw/synth/area.sh", "hw/synth/estimates.txt", "hw/synth/floors.txt":
            os.symlink(os.path.join(tool.SOURCE, name), self.path("home/" + name))
        kept = "home/hw/synth/areas.jsonl"
        self.write(kept, "")
        keep = f"PATH=$PWD:$PATH VTA_HOME=$PWD/home {tool.TOOL} hw area --keep -c "
        status, out, errors = self.run_shell(keep + "kv260 --part xczu7ev")
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(out.startswith("config kv260, part xczu7ev (ZCU104)"), out)
        self.write("mine.json", config("mine"))
        self.assertEqual(self.run_shell(keep + "./mine.json --part xc7z020")[::2], (0, ""))
        # The same hardware on a part of the same family is in place of what was kept.
        stat["modules"]["\\vta_ip"]["num_cells_by_type"]["LUT6"] = 8
        self.write("stat.json", json.dumps(stat))
        self.assertEqual(self.run_shell(keep + "kv260 --part xck26")[::2], (0, ""))
        lines = [json.loads(line) for line in self.read(kept).decode().splitlines()]
        self.assertEqual([(line["config"]["name"], line["family"], line["modules"]["vta_ip"]["lut"]) for line in lines],
                         [("mine", "xc7", 7), ("kv260", "xcup", 8)])
        self.assertEqual(lines[1]["modules"], {"vta_ip": {"lut": 8, "ff": 5, "dsp": 3, "bram": .5}})
        self.assertRegex(lines[1]["design"], "^0x[0-9a-f]{16}$")
        self.assertEqual(lines[1]["yosys"], "0.99")
        self.assertNotIn("memory", lines[1]["config"])

    def test_area_is_predicted(self):
        status, out, errors = self.run_shell(f"PATH=$PWD/none {tool.TOOL} hw area --predict -c pynq")
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(out, "(?s)^config pynq, part xc7z020 .*\npredicted +[0-9]+ +[0-9]+ +160 +130.0\ncounted +29764 +17476 +160 +130.0\n")
        self.assertRegex(out, "\nLUT within [0-4][.][0-9] % and FF within [0-4][.][0-9] % of Yosys' counts")
        status, out, errors = self.run_shell(f"{tool.TOOL} hw area --predict --keep")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--predict excludes --keep", errors)

    def test_timing_keeps_estimates(self):
        self.write_yosys()
        os.makedirs(self.path("home/hw/synth"))
        for name in "hw/vta.f", "hw/rtl", "hw/synth/timing.sh", "hw/synth/floors.txt":
            os.symlink(os.path.join(tool.SOURCE, name), self.path("home/" + name))
        kept = "home/hw/synth/estimates.txt"
        self.write(kept, "# kept\nultra96 xczu3eg 200.0 0.23 0x1\npynq xczu3eg 1.0 0.23 0x1\n")
        keep = (f"PATH=$PWD:$PATH VTA_HOME=$PWD/home SYNTHESIS='synth_xilinx -flatten -noiopad -noclkbuf -nosrl -family %s' {tool.TOOL} "
                "hw timing --keep -c ")
        status, out, errors = self.run_shell(keep % "xc7" + "pynq --part xc7z020")
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(out.startswith("config pynq, part xc7z020 -1 "), out)
        self.assertRegex(self.read(kept).decode(),
                         r"^# kept\nultra96 xczu3eg 200.0 0.23 0x1\npynq xc7z020 864[.][0-9] 0[.]99 0x[0-9a-f]{16}\n$".replace("864", "86[0-9]"))
        # Without --part that of the row.
        status, out, errors = self.run_shell(keep % "xcup" + "ultra96")
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(out.startswith("config ultra96, part xczu3eg -1 "), out)
        before = self.read(kept)
        self.assertNotIn(b"200.0", before)
        # Of what is no shipped config, though it may be called so, in another file.
        self.write("mine.json", config("pynq", block_out=32))
        self.write("home/hw/synth/clocks.jsonl", "")
        for _ in range(2):
            self.assertEqual(self.run_shell(keep % "xc7" + "./mine.json --part xc7z020")[::2], (0, ""))
        line, = self.read("home/hw/synth/clocks.jsonl").decode().splitlines()
        line = json.loads(line)
        self.assertEqual((line["family"], line["config"]["name"], line["mhz"], line["yosys"]), ("xc7", "pynq", 865.1, "0.99"))
        self.refuses("--netlist excludes --keep", "hw", "timing", "--keep", "--netlist", "./n.json")
        self.assertEqual(self.run_shell("VERSION=none " + keep % "xc7" + "pynq")[::2],
                         (1, "vta: yosys: -V = none: must be Yosys VERSION\n"))
        self.assertEqual(self.read(kept), before)
        self.write(kept, "pynq xc7z020\n")
        self.assertEqual(self.run_shell(keep % "xc7" + "pynq"),
                         (1, "", f"vta: {self.path(kept)}: line 1: must be CONFIG PART MHZ YOSYS DESIGN\n"))


tool.main()
