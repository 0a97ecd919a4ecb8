"""vta hw package --hls: the test bench is compiled and runs, the scripts run in stand-ins for Vitis HLS (vitis.tcl) and Vivado (stub.tcl), the
block design joins the kernels as their simulation does, and defects planted into all of it are refused.

usage: hls_project_test.py TOOL SOURCE_FOLDER
"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../cli"))
import project  # noqa: E402
import tool  # noqa: E402

KERNELS = ("fetch", "load", "compute", "store", "monitor")
SCRIPTS = ("hls.tcl", "project.tcl")
WITH_BENCH = ("zcu104", "pynq_z1")  # compiling it is what takes the time; the others have the same programs
BENCH = [[name + ":", "as", "the", "golden", "model"] for name in ("whole", "fault", "deadlock", "again")]
# What stands in a file, what takes its place, and what is said of it.
OF_HLS = (
    ("    if {$kernel eq [lindex $kernels 0]} { csim_design }", "    csim", 'invalid command name "csim"'),
    ("set_top $kernel", "set_top ${kernel}s", "is not the top"),
    ("hls $kernel.cc]", "hls $kernel.cpp]", "no such file: "),
    ("-flow_target vivado", "-flow_target vitis", "open_solution: the flow makes no IP of Vivado's"),
    ("create_clock -period", "create_clock -ns", "create_clock: unknown option -ns"),
    ("  config_interface -m_axi_addr64=true\n", "", "csynth_design: addresses have 32 bits"),
    ("  set_directive_interface -mode $control $kernel\n", "", "csynth_design: no protocol of the block is set"),
    ("-format ip_catalog", "-format xo", "export_design: makes no IP"),
    (" -ipname $kernel", "", "export_design: -ipname is missing"),
    ("-ipname $kernel", "-ipname vta", "create_bd_cell: no IP vta:accelerator:vta_fetch:1.0"),
    ("    csynth_design\n    export", "    export", "export_design: nothing is synthesised"),
    ("-version $ip_version\n    close_project", "-version $ip_version", "open_project: a project is open"),
)
OF_BENCH = (
    ("hls.tcl", "  add_files -tb [file join $here launches.txt]\n", "", "csim_design: launches.txt: cannot be opened"),
    ("hls.tcl", "    if {$other ne $kernel} {", "    if {$other eq {}} {", "csim_design: "),
    ("launches.txt", "again ", "again 1", "again: differs"),
    ("hls/vta_load.cc", "rows[row][i] = int8_t(element[i]);", "rows[row][i] = 0;", "whole: differs"),
    ("hls/vta_store.cc", "out[row + i / kBeats]", "out[row + i]", "whole: differs"),
)
OF_KERNELS = (
    ("vta_load.cc", "load", "mode=axis port=commands", "mode=axis port=command", "vta_load: pragma INTERFACE: no argument command"),
    ("vta_load.cc", "load", "#pragma HLS INTERFACE mode=axis port=to_next\n", "", "vta_load: port to_next has no mode"),
    ("vta_load.cc", "load", "mode=axis port=to_next\n", "mode=axis port=from_next\n", "vta_load: port from_next has two modes"),
    ("vta_load.cc", "load", "storage_type=ram_1p", "storage=ram_1p", "pragma INTERFACE: has no option storage"),
    ("vta_load.cc", "load", "port=inp storage_type=ram_1p", "port=inp storage_type=ram_2p", "port inp: has two ports unless it is a ram_1p"),
    ("vta_load.cc", "load", "offset=off", "offset=none", "offset=none: must be one of off|direct|slave"),
    ("vta_load.cc", "load", "depth=kBenchBeats ", "", "port memory: m_axi wants depth"),
    ("vta_load.cc", "load", "max_read_burst_length=kBurstBeats", "max_read_burst_length=512",
     "max_read_burst_length=512 is 512: must be in 1 to 256"),
    ("vta_load.cc", "load", "max_read_burst_length=kBurstBeats num", "num", None),
    ("vta_load.cc", "load", "mode=m_axi port=memory", "mode=axis port=memory", "is not an option of axis"),
    ("vta_load.cc", "load", "#pragma HLS ARRAY_RESHAPE variable=wgt type=complete dim=2\n", "", "port wgt: rows are not reshaped into one word"),
    ("vta_load.cc", "load", "#pragma HLS AGGREGATE variable=state compact=bit\n", "", "port state: a struct on wires wants AGGREGATE"),
    ("vta_load.cc", "load", "mode=ap_vld port=state", "mode=ap_none port=state", "port state: ap_none: an output is valid at times"),
    ("vta_load.cc", "load", "#pragma HLS RESET variable=pad\n", "#pragma HLS RESET variable=pads\n", "pragma RESET: no variable pads"),
    ("vta_store.cc", "store", "#pragma HLS PIPELINE II=1", "#pragma HLS PIPELINE II=0", "II=0 is 0: must be in 1 to 64"),
    ("vta_store.cc", "store", "#pragma HLS UNROLL", "#pragma HLS UNROL", "pragma UNROL: is not documented"),
    ("vta_store.cc", "store", "#pragma HLS LOOP_TRIPCOUNT min=1 max=64 avg=8\n", "", "has a variable bound and no LOOP_TRIPCOUNT"),
    ("vta_store.cc", "store", "max=kOutBeats", "max=kOutWords", "'kOutWords' was not declared"),
    ("vta_store.cc", "store", "outputs", "out", "port out is a keyword, or the tool's"),
    ("vta_transfer.h", "load", "#pragma HLS LOOP_TRIPCOUNT min=1 max=65536 avg=64\n", "",
     "the loop 'uint64_t i = 0; i < beats; ++i' has a variable bound"),
    ("vta_transfer.h", "load", "#pragma HLS ARRAY_PARTITION variable=element type=complete", "#pragma HLS ARRAY_PARTITION variable=element",
     "pragma ARRAY_PARTITION: wants type"),
    ("vta_state.h", "load", "  uint64_t index;\n", "  uint32_t index;\n", "vta_command has bytes between its members, or behind them"),
    ("vta_state.h", "monitor", "uint32_t outcome, done;", "uint32_t outcome, done, more;", "vta_result has bytes between"),
    ("vta_fetch.cc", "fetch", "vta_throw_away(load_space, found);", "load_space.write_nb(0);", "stream load_space must be read or written, and not both"),
    ("vta_compute.cc", "compute", "variable=copies type=inter", "variable=copys type=inter", "pragma DEPENDENCE: no variable copys"),
    ("vta_compute.cc", "compute", "variable=run.parameters", "variable=run.parameter_rows", "no member parameter_rows"),
    ("vta_store.cc", "store", "outputs", "start", "port start is a keyword, or the tool's"),
    ("vta_compute.cc", "compute", "variable=m.state.elements", "variable=m.state.elemental", "no member elemental"),
    ("vta_monitor.cc", "monitor", "void vta_monitor(uint32_t start_number,", "void vta_monitors(uint32_t start_number,", "no top function vta_monitor"),
)
OF_DESIGN = (
    ("accelerator.tcl", "  load/to_next compute/from_prev $token_fifo_words \\\n", "", "/vta/compute/from_prev is not connected"),
    ("accelerator.tcl", "load/to_next compute/from_prev ", "compute/from_prev load/to_next ", "/vta/compute/from_prev is no master"),
    ("accelerator.tcl", "monitor/load_orders load/orders", "monitor/load_orders load/commands", "is there already"),
    ("accelerator.tcl", "compute/to_prev load/from_next $token", "compute/to_prev store/from_prev $token", "is there already"),
    ("accelerator.tcl", "store/orders 16", "store/orders 8", "FIFO_DEPTH of /vta/fifo_store_orders: 8 is not one of"),
    ("accelerator.tcl", "load/inp compute/inp", "compute/inp load/inp", "access read, /vta/inp/BRAM_PORTA: write"),
    ("settings.tcl", "set inp_rows 2048", "set inp_rows 1024", "inp_PORTA: rows 2048"),
    ("settings.tcl", "set wgt_row_bytes 1024", "set wgt_row_bytes 512", "wgt_PORTA has 8192 bits"),
    ("settings.tcl", "fetch 288", "fetch 256", "widths 288 and 256"),
    ("settings.tcl", "monitor 2432", "monitor 2400", "widths 2432 and 2400"),
    ("accelerator.tcl", "  connect vta/$kernel/${port}_ap_vld vta/held_$kernel/value_ap_vld\n", "", "value_ap_vld is not connected"),
    ("accelerator.tcl", "{start_number stop_number launch}", "{start_number launch}", "/vta/monitor/stop_number is not connected"),
    ("accelerator.tcl", "CONFIG.NUM_SI 4", "CONFIG.NUM_SI 3", "cell vta/join has no bus S03_AXI"),
    ("accelerator.tcl", "CONFIG.NUM_SI 4", "CONFIG.NUM_SI 5", "/vta/join/S04_AXI is not connected"),
    ("accelerator.tcl", "lmap kernel {fetch load compute store} { string cat", "lmap kernel {fetch load compute} { string cat",
     "is neither assigned nor excluded, or both"),
    ("accelerator.tcl", "vta/host/s_axi_control/reg0", "vta/s_axi_control/reg0", "get_bd_addr_segs: no vta/s_axi_control/reg0"),
    ("accelerator.tcl", "    connect vta/ap_rst_n vta/$name/s_axis_aresetn\n", "", "s_axis_aresetn is not connected"),
    ("accelerator.tcl", "  connect vta/host/interrupt vta/interrupt\n", "", "/vta/interrupt is not connected"),
    ("accelerator.tcl", "[get_bd_intf_pins vta/join/M00_AXI] [get_bd_intf_pins vta/m_axi_gmem]",
     "[get_bd_intf_pins vta/join/M00_AXI] [get_bd_intf_pins ps/S_AXI_HP0_FPD]", "are not of one hierarchy"),
    ("accelerator.tcl", "connect vta/host/interrupt vta/interrupt", "connect vta/host/interrupt ps/$::interrupt_port", "of one hierarchy"),
    ("accelerator.tcl", "-reference vta_scratchpad", "-reference vta_memory", "create_bd_cell: no Verilog file of module vta_memory"),
    ("accelerator.tcl", "CONFIG.MEMORY_MIB", "CONFIG.MEMORY_GIB", "has no property CONFIG.MEMORY_GIB"),
    ("accelerator.tcl", "-type hier vta", "-type ip vta", "key \"-vlnv\" not known"),
    ("accelerator.tcl", "[get_bd_intf_pins vta/$from] [get_bd_intf_pins vta/$name/S_AXIS]",
     "[get_bd_intf_pins vta/$from] [get_bd_intf_pins vta/m_axi_gmem]", "are of other kinds"),
    ("accelerator.tcl", "build hls $kernel solution impl ip", "build hls $kernel impl ip", "no such file: "),
    ("rtl/vta_scratchpad.v", '  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 BRAM_PORTA RST" *)\n', "", "BRAM_PORTA has not the ports of bram"),
    ("rtl/vta_host_ip.v", "  input  wire          s_axi_control_rready,\n", "", "s_axi_control has not the ports of AXI4-Lite"),
    ("rtl/vta_host_ip.v", "output wire [511:0]  launch", "output wire [447:0]  launch", "widths 448 and 512"),
)


def calls_of(text):
    """The arguments of each kernel's call in a test bench, and the names of its parameters in vta.h."""
    with open(os.path.join(tool.SOURCE, "hw/hls/vta.h"), encoding="utf-8") as file:
        header = file.read()
    for kernel in KERNELS:
        parameters = re.search(rf"(?m)^void vta_{kernel}\(([^;]*)\);", header)[1]
        names = [re.sub(r"\[.*", "", parameter).split()[-1].lstrip("&*") for parameter in parameters.split(",")]
        arguments = re.search(rf"vta_{kernel}\(([^;]*)\);", text)[1]
        arguments = [re.sub(r"reinterpret_cast<[^>]*>\((.*)\)", r"\1", argument.strip()).split(".")[-1] for argument in arguments.split(",")]
        assert len(names) == len(arguments), kernel
        yield kernel, list(zip(names, arguments))


class HlsProjectTest(project.ProjectCase):
    def package_hls(self, board, *arguments, **where):
        return self.package(board, "--hls", *arguments, **where)

    def test_every_board(self):
        for board, config in (("ultra96", "ultra96"), ("zcu104", "zcu104"), ("kv260", "kv260"), ("pynq_z1", "pynq")):
            with self.subTest(board):
                self.package_hls(board, folder=board)
                facts, errors = self.run_scripts(board, SCRIPTS, **({"STUB_NO_CSIM": "1"} if board not in WITH_BENCH else {}))
                self.assertEqual(errors, "")
                self.check(board, config, facts)

    def check(self, folder, config, facts):
        rows = {}
        for name, *words in facts:
            rows.setdefault(name, []).append(words)
        values = json.loads(self.done("isa", "--json", "-c", config))
        arch, uarch = values["arch"], values["uarch"]
        self.assertEqual(rows.get("csim"), BENCH if folder in WITH_BENCH else None)
        self.assertEqual([row[0] for row in rows["kernel"]], ["vta_" + kernel for kernel in KERNELS])
        self.assertEqual({float(row[2]) for row in rows["kernel"]}, {round(1000 / uarch["clock_mhz"], 3)})
        self.assertEqual(rows["clock"], [[str(uarch["clock_mhz"])]])
        # Joined as the test bench joins them, whose channels have names of their own.
        ends = {}
        with open(self.path(folder + "/bench.cc"), encoding="utf-8") as file:
            for kernel, pairs in calls_of(file.read()):
                for name, argument in pairs:
                    ends.setdefault(argument, set()).add(f"/vta/{kernel}/{name}")
        channels = {frozenset(pair) for name, pair in ends.items() if re.search(r"orders|commands|space|_", name) and len(pair) == 2}
        self.assertEqual({frozenset(row[:2]) for row in rows["stream"]}, channels)
        self.assertEqual(len(rows["stream"]), 18)
        for _, to, words in rows["stream"]:
            least = uarch["command_queue_depth"] if to.endswith("/commands") else \
                arch["token_capacity"] if re.search(r"/from_(prev|next)$", to) else 1
            self.assertGreaterEqual(int(words), max(16, least), to)
        row_bits = {"inp": 8 * arch["batch"] * arch["block_in"], "wgt": 8 * arch["block_out"] * arch["block_in"],
                    "out": 8 * arch["batch"] * arch["block_out"]}
        depth = {"inp": arch["inp_depth"], "wgt": arch["wgt_depth"], "out": arch["acc_depth"]}
        self.assertEqual(sorted((row[1].split("/")[2], int(row[2]), int(row[3])) for row in rows["scratchpad"]),
                         sorted((name, row_bits[name], depth[name]) for name in row_bits for _ in range(2)))
        self.assertEqual(sorted(int(row[1]) for row in rows["memory"]), sorted([128] + 3 * [uarch["bus_bits"]]))
        facts = self.document("vta-project", self.read(folder + "/project.json"))
        self.assertEqual((facts["timing_hash"], facts["resources"]), ("0x" + 16 * "0", None))
        self.assertEqual(facts["arch_hash"], dict(line.split() for line in self.done("isa", "--hash", "-c", config).splitlines())["arch"])
        package = self.read(folder + "/rtl/vta_pkg.sv").decode()
        self.assertIn("TimingHash = 64'h0;", package)
        self.assertEqual(package.replace("TimingHash = 64'h0;", ""),
                         re.sub(r"TimingHash = 64'h\w+;", "", self.done("isa", "--sv", "-c", config).split("\n", 1)[1]))
        self.assertEqual(self.read(folder + "/hls/vta_config.h").decode(), self.done("isa", "--c", "-c", config).split("\n", 1)[1])
        self.assertTrue(os.path.exists(self.path(folder + "/build/vta.bit")))
        # Where the board's memory ends, which the driver does not say.
        end = max(int(row["address"], 0) + int(row["bytes"], 0) for row in facts["memory"]["ranges"])
        self.assertIn(f"set memory_mib {end >> 20}\n", self.read(folder + "/settings.tcl").decode())

    @unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
    def test_the_modules_have_no_warning(self):
        self.package_hls("pynq_z1")
        rtl = self.path("project/rtl/")
        for top, files in (("vta_host_ip", ("vta_pkg.sv", "vta_regs.sv", "vta_host.sv", "vta_host_ip.v")), ("vta_hold", ("vta_hold.v",)),
                           ("vta_scratchpad", ("vta_scratchpad.v",))):
            run = subprocess.run(["verilator", "--lint-only", "-Wall", "-Wno-WIDTHCONCAT", "-Wno-SYMRSVDWORD", "--top-module", top,
                                  *(rtl + file for file in files)], capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""), top)

    def test_cosimulation_is_of_blocks_that_are_started(self):
        self.package_hls("pynq_z1")
        facts, errors = self.run_scripts("project", ["hls.tcl"], VTA_COSIM="1")
        self.assertEqual((facts, errors), ([["cosim", "vta_" + kernel] for kernel in KERNELS], ""))
        text = self.read("project/hls.tcl").decode()
        self.write("project/hls.tcl", text.replace("ap_ctrl_hs", "ap_ctrl_none"))
        self.assertIn("cosim_design: takes no ap_ctrl_none kernel", self.run_scripts("project", ["hls.tcl"], VTA_COSIM="1")[1])

    def test_build_sh(self):
        self.package_hls("pynq_z1")
        os.makedirs(self.path("bin"))
        run = "PATH=$PWD/bin:/usr/bin:/bin project/build.sh"
        self.assertEqual(self.run_shell(run)[::2], (1, "build.sh: vitis_hls is not in PATH: source the settings64.sh of Vitis\n"))
        for name, script in (("vitis_hls", f'[ "$1 $3" = "-l -f" ] || exit 9; exec tclsh {FOLDER}/vitis.tcl "$4"'),
                             ("vivado", f'exec tclsh {FOLDER}/stub.tcl "$7" $9'), ("bootgen", "")):
            self.write("bin/" + name, "#!/bin/sh\n" + script + "\n")
            os.chmod(self.path("bin/" + name), 0o755)
        status, out, errors = self.run_shell(run + " 3")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("fact csim again: as the golden model\n", out)
        self.assertTrue(os.path.exists(self.path("project/build/measured.json")))
        os.remove(self.path("bin/vitis_hls"))
        self.write("bin/vitis-run", f'#!/bin/sh\n[ "$1 $2 $3" = "--mode hls --tcl" ] || exit 9\nexec tclsh {FOLDER}/vitis.tcl "$4"\n')
        os.chmod(self.path("bin/vitis-run"), 0o755)
        status, out, errors = self.run_shell(run + " cosim")
        self.assertEqual((status, errors, out.count("fact cosim ")), (0, "", 5))
        self.assertEqual(self.run_shell(run + " xo"),
                         (1, "", "build.sh: xo: the project is of the HLS kernels, which Vitis does not link as one\n"))
        self.package("pynq_z1", folder="rtl")
        self.assertEqual(self.run_shell("PATH=$PWD/bin:/usr/bin:/bin rtl/build.sh cosim"), (1, "", "build.sh: cosim: the project is of the RTL\n"))

    def plant(self, path, old, new, run, message):
        with self.subTest(f"{path}: {old!r} -> {new!r}"):
            text = self.read("project/" + path).decode()
            self.assertTrue(old in text)
            self.write("project/" + path, text.replace(old, new) if old == "outputs" else text.replace(old, new, 1))
            errors = run()
            self.write("project/" + path, text)
            self.assertIn(message, errors) if message else self.assertEqual(errors, "")

    def test_planted_defects_are_refused(self):
        self.package_hls("zcu104")
        self.assertEqual(self.run_scripts("project", SCRIPTS, STUB_NO_CSIM="1")[1], "")
        shutil.copytree(self.path("project/build"), self.path("kept"))
        shapes = self.path("shapes")
        os.makedirs(shapes)
        for kernel in KERNELS:
            self.run_shell(f"{sys.executable} -B {FOLDER}/kernel.py project/hls/vta_{kernel}.cc vta_{kernel} {FOLDER}/vitis > shapes/vta_{kernel}")
        quick = {"STUB_NO_CSIM": "1", "STUB_SHAPES": shapes}

        def design():
            return self.run_scripts("project", ["project.tcl"])[1]

        def from_hls(*names, **environment):
            errors = self.run_scripts("project", names, **environment)[1]
            shutil.rmtree(self.path("project/build"))
            shutil.copytree(self.path("kept"), self.path("project/build"))
            return errors

        for old, new, message in OF_HLS:
            self.plant("hls.tcl", old, new, lambda: from_hls(*SCRIPTS, **quick), message)
        for path, old, new, message in OF_BENCH:
            self.plant(path, old, new, lambda: from_hls("hls.tcl"), message)
        for file, kernel, old, new, message in OF_KERNELS:
            self.plant("hls/" + file, old, new, lambda name=kernel: self.read_kernel(name), message)
        for path, old, new, message in OF_DESIGN:
            self.plant(path, old, new, design, message)
        self.assertEqual(design(), "")

    def read_kernel(self, kernel):
        return self.run_shell(f"{sys.executable} -B {FOLDER}/kernel.py project/hls/vta_{kernel}.cc vta_{kernel} {FOLDER}/vitis")[2]

    def test_what_kernels_cannot_be(self):
        with open(os.path.join(tool.SOURCE, "isa/configs/zcu104.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["name"] = "mine"
        config["arch"]["token_capacity"] = 40000
        self.write("mine.json", json.dumps(config))
        self.fails("config mine on board zcu104: arch.token_capacity = 40000: the FIFO between two HLS kernels holds 32768 words at most",
                   "hw", "package", "--hls", "--board", "zcu104", "-c", "./mine.json", "-o", "out")
        self.refuses("--board: ecp5_85f: must be one of kv260, pynq_z1, ultra96, zcu104", "hw", "package", "--hls", "--board", "ecp5_85f",
                     "-o", "out")
        self.fails("/proc/x: cannot create: No such file or directory", "hw", "package", "--hls", "--board", "ultra96", "-o", "/proc/x")
        self.refuses("--hls excludes --manifest", "hw", "package", "--hls", "--manifest")


tool.main()
