"""vta hw package: the scripts of each board's project in a stand-in for Vivado (stub.tcl), what they build against facts from elsewhere,
and defects planted into them, each of which is refused.

usage: project_test.py TOOL SOURCE_FOLDER
"""

import glob
import json
import os
import re
import shutil
import sys
import xml.etree.ElementTree

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../cli"))
import project  # noqa: E402
import tool  # noqa: E402

SCRIPTS = ("package_ip.tcl", "package_xo.tcl", "project.tcl")
# What the documents of boards and parts say: UG1085 (HPM0, GIC), UG585 (GP0, GIC), the boards' user guides (DDR).
BOARDS = {
    "ultra96": ("xczu3eg", "ultra96", "S_AXI_HP0_FPD", 128, 0xa0000000, 89, [(0, 2 << 30)]),
    "zcu104": ("xczu7ev", "zcu104", "S_AXI_HP0_FPD", 128, 0xa0000000, 89, [(0, 2 << 30)]),
    "kv260": ("xck26", "kv260", "S_AXI_HP0_FPD", 128, 0xa0000000, 89, [(0, 2 << 30), (0x800000000, 2 << 30)]),
    "pynq_z1": ("xc7z020", "pynq", "S_AXI_HP0", 64, 0x43c00000, 29, [(0, 512 << 20)]),
}
# A file, what stands in it, what takes its place, and what is said of it.
DEFECTS = (
    # Commands, options, properties, files.
    ("project.tcl", "validate_bd_design\n", "check_bd_design\n", 'invalid command name "check_bd_design"'),
    ("project.tcl", "launch_runs impl_1 -to_step", "launch_runs impl_1 -step", "launch_runs: unknown option -step"),
    ("package_ip.tcl", "-import_files -force", "-import_files -overwrite", "ipx::package_project: unknown option -overwrite"),
    ("package_ip.tcl", "-vendor $ip_vendor ", "", "ipx::package_project: -vendor is missing"),
    ("project.tcl", "CONFIG.PRIM_SOURCE", "CONFIG.PRIM_SRC", "set_property: /clock has no property CONFIG.PRIM_SRC"),
    ("processing_systems.tcl", "PSU__USE__IRQ0 1", "PSU__USE__IRQ 1", "set_property: /ps has no property CONFIG.PSU__USE__IRQ"),
    ("package_ip.tcl", "sdx_kernel_type rtl", "sdx_type rtl", "set_property: core:1 has no property sdx_type"),
    ("settings.tcl", '"rtl/vta_load.sv"', '"rtl/vta_loads.sv"', "no such file: "),
    ("settings.tcl", '"rtl/vta_load.sv"', '"rtl/vta_core.sv"', "is there already"),
    ("settings.tcl", 'set part "xczu7ev-', 'set part "xczu7ev ', "create_project: no such part: "),
    ("project.tcl", "ip:smartconnect", "ip:smart_connect", "create_bd_cell: no IP xilinx.com:ip:smart_connect"),
    ("project.tcl", "\nwrite_measured\nclose_project", "\nwrite_measured", "the project is left open"),
    ("project.tcl", "dsp DSPs", "dsp DSP48E2", "build/utilization.txt has no row DSP48E2"),
    ("system.xdc", "set_false_path -to", "set_false_path -into", "set_false_path: unknown option -into"),
    # The IP.
    ("package_ip.tcl", "$bus_bits [ipx::get_hdl_parameters", "64 [ipx::get_hdl_parameters", "packager: the parameters differ"),
    ("settings.tcl", "set bus_bits 128", "set bus_bits 64", "packager: the parameter is 64, the design's bus 128 bits"),
    ("rtl/vta_ip.v", "m_axi_gmem_wlast", "m_axi_gmem_wend", "packager: interface m_axi_gmem has no port m_axi_gmem_wlast"),
    ("rtl/vta_ip.v", "interrupt,\n", "irq,\n", "packager: port irq belongs to no interface"),
    ("rtl/vta_ip.v", "Bufferable = 4'b0011", "Bufferable = 4'b1111", "validate: /ps/S_AXI_HP0_FPD does not take AxCACHE 1111"),
    ("package_ip.tcl", "{m_axi_gmem s_axi_control}", "{m_axi_gmem}", "packager: s_axi_control has no clock"),
    ("settings.tcl", "[list status 0x004 32", "[list status 0x002 32", "packager: register status overlaps the one before it"),
    ("settings.tcl", "set control_bytes 4096", "set control_bytes 256", "packager: registers do not fit their block"),
    ("kernel.xml", ':vta:1.0"', ':vta:2.0"', "package_xo: the kernel's vlnv is not the IP's"),
    # Connections.
    ("project.tcl", "  connect vta/interrupt ps/$interrupt_port\n", "", "validate: /ps/pl_ps_irq0 is not connected"),
    ("project.tcl", "memory/aclk \\\n", "\\\n", "validate: /memory/aclk is not connected"),
    ("project.tcl", "vta/ap_rst_n control/aresetn", "control/aresetn", "validate: /vta/ap_rst_n is not connected"),
    ("project.tcl", "  connect clock/locked", "  connect reset/peripheral_aresetn vta/ap_rst_n\n  connect clock/locked",
     "connect_bd_net: /vta/ap_rst_n is connected already, to /reset/peripheral_aresetn"),
    ("project.tcl", "[get_bd_intf_pins vta/m_axi_gmem] [get_bd_intf_pins memory/S00_AXI]",
     "[get_bd_intf_pins vta/m_axi_gmem] [get_bd_intf_pins control/S00_AXI]", "connect_bd_intf_net: /control/S00_AXI is connected already"),
    ("project.tcl", "CONFIG.NUM_SI 1", "CONFIG.NUM_SI 2", "validate: /control/S01_AXI is not connected"),
    ("project.tcl", "peripheral_aresetn vta", "peripheral_reset vta", "connect_bd_net: /reset/peripheral_reset to /vta/ap_rst_n: reset on reset_n"),
    ("project.tcl", "connect vta/interrupt", "connect vta/ap_clk", "must be an output and an input"),
    # Widths, clocks, resets.
    ("processing_systems.tcl", "width PSU__SAXIGP2__DATA_WIDTH bits 128", "width PSU__SAXIGP2__DATA_WIDTH bits 64",
     "validate: /ps/S_AXI_HP0_FPD has not the 128 bits that it has after power-up"),
    ("processing_systems.tcl", "width PSU__MAXIGP0__DATA_WIDTH bits 128", "width PSU__MAXIGP0__DATA_WIDTH bits 32",
     "validate: /ps/M_AXI_HPM0_FPD has not the 128 bits that it has after power-up"),
    ("project.tcl", "connect clock/clk_out1 reset/slowest_sync_clk vta/ap_clk",
     "connect ps/pl_clk0 vta/ap_clk\n  connect clock/clk_out1 reset/slowest_sync_clk", "have different clocks"),
    ("project.tcl", "connect clock/clk_out1 reset/slowest_sync_clk", "connect ps/pl_clk0 reset/slowest_sync_clk\n  connect clock/clk_out1",
     "validate: the reset is not of the IP's clock"),
    ("project.tcl", "CONFIG.PRIM_SOURCE Global_buffer ", "", "validate: clock takes its clock from a pin of the part"),
    # Addresses.
    ("settings.tcl", 'control_address "0xa0000000"', 'control_address "0x90000000"', "validate: /ps/M_AXI_HPM0_FPD does not reach 0x90000000"),
    ("settings.tcl", 'control_address "0xa0000000"', 'control_address "0xa0000800"', "are not aligned"),
    ("settings.tcl", "HP0_DDR_LOW 0x0 0x80000000", "HP0_DDR_LOW 0x80000000 0x80000000", "is not in it"),
    ("settings.tcl", "[list HP0_DDR_LOW 0x0 0x80000000]", "[list HP0_DDR_LOW 0x0 0x80000000] [list HP0_DDR_LOW 0x0 0x1000]", "is assigned already"),
    ("project.tcl", "{$segment ni $used}", "{0}", "is neither assigned nor excluded, or both"),
)


class ProjectTest(project.ProjectCase):
    def run_all(self, folder):
        return self.run_scripts(folder, SCRIPTS)

    def registers(self, config):
        """Offset and bytes of each register and launch argument by the C header."""
        header = self.done("isa", "--c", "-c", config)
        values = {name.lower(): int(value.rstrip("u"), 0) for name, value in re.findall(r"(?m)^#define VTA_(\w+) (\w+)$", header)
                  if not value.endswith("ull")}
        rows = {}
        for name, offset in ((name[4:], value) for name, value in values.items() if name.startswith("reg_")):
            if name.endswith("_low"):
                rows[name[:-4]] = (offset, 8)
            elif not name.endswith("_high"):
                rows[name] = (offset, 4)
        base, module, counter = (rows.pop(name)[0] for name in ("base", "module", "counter"))
        rows.update({f"base_{name}": (base + 8 * values["mem_" + name], 8) for name in ("uop", "wgt", "inp", "acc", "out")})
        rows.update({f"module_{i}": (module + 4 * i, 4) for i in range(16)})
        rows.update({f"counter_{i}": (counter + 8 * i, 8) for i in range(32)})
        return rows

    def test_every_board(self):
        boards = glob.glob(tool.SOURCE + "/bitstreams/boards/*/board.json")
        self.assertEqual(sorted(BOARDS), sorted(os.path.basename(os.path.dirname(path)) for path in boards))
        for board, (part, config, port, width, address, spi, ranges) in BOARDS.items():
            with self.subTest(board):
                self.package(board, folder=board)
                facts, errors = self.run_all(board)
                self.assertEqual(errors, "")
                rows = {}
                for name, *words in facts:
                    rows.setdefault(name, []).append(words)
                self.assertTrue(rows["part"][0][0].startswith(part), rows["part"])
                self.assertEqual(rows["memory"], [["/ps/" + port, str(width), "0011"]])
                clock = json.loads(self.done("isa", "--json", "-c", config))["uarch"]["clock_mhz"]
                self.assertEqual(rows["clock"], [[str(clock)]])
                self.assertEqual(rows["address"][0], ["/vta/s_axi_control/reg0", hex(address), "0x1000"])
                self.assertEqual([(int(row[1], 0), int(row[2], 0)) for row in rows["address"][1:]], ranges)
                registers = self.registers(config)
                self.assertEqual({name: (int(offset, 0), int(size)) for name, offset, size, *_ in rows["register"]}, registers)
                self.check_kernel(board, registers, width)
                self.check_project(board, config, address, spi, ranges)

    def check_kernel(self, folder, registers, width):
        kernel = xml.etree.ElementTree.parse(self.path(folder + "/kernel.xml")).getroot().find("kernel")
        self.assertEqual((kernel.get("name"), kernel.get("hwControlProtocol"), kernel.get("interrupt")), ("vta", "user_managed", "true"))
        ports = {port.get("name"): (port.get("mode"), port.get("range"), port.get("dataWidth")) for port in kernel.iter("port")}
        self.assertEqual(ports, {"m_axi_gmem": ("master", "0xFFFFFFFFFFFFFFFF", str(width)), "s_axi_control": ("slave", "0x1000", "32")})
        names = ["instruction_address", "instruction_count", "watchdog_cycles", "base_uop", "base_wgt", "base_inp", "base_acc", "base_out"]
        found = list(kernel.iter("arg"))
        self.assertEqual([argument.get("name") for argument in found], names)
        for number, argument in enumerate(found):
            offset, size = registers[names[number]]
            self.assertEqual((int(argument.get("id")), int(argument.get("offset"), 0), int(argument.get("size"), 0)), (number, offset, size))
            is_address = argument.get("addressQualifier") == "1"
            self.assertEqual((argument.get("port"), is_address), ("m_axi_gmem", True) if size == 8 else ("s_axi_control", False))

    def check_project(self, folder, config, address, spi, ranges):
        facts = self.document("vta-project", self.read(folder + "/project.json"))
        hashes = dict(line.split() for line in self.done("isa", "--hash", "-c", config).splitlines())
        self.assertEqual((facts["arch_hash"], facts["timing_hash"]), (hashes["arch"], hashes["timing"]))
        self.assertEqual((int(facts["registers"]["address"], 0), facts["interrupt"]["spi"]), (address, spi))
        self.assertEqual([(int(row["address"], 0), int(row["bytes"], 0)) for row in facts["memory"]["ranges"]], ranges)
        self.assertEqual((facts["memory"]["cache"], facts["memory"]["is_coherent"]), ("0011", False))
        self.assertEqual(self.read(folder + "/config.json").decode(), self.done("isa", "--json", "-c", config))
        self.assertEqual(self.read(folder + "/rtl/vta_pkg.sv").decode(), self.done("isa", "--sv", "-c", config).split("\n", 1)[1])
        takes, offered = facts["resources"]["takes"], facts["resources"]["offered"]
        for name in ("lut", "ff", "dsp", "bram36"):
            self.assertLess(takes[name], offered[name], name)
        measured = json.loads(self.read(folder + "/build/measured.json"))
        self.assertEqual(measured, {"arch_hash": hashes["arch"], "timing_hash": hashes["timing"], "by": "Vivado 2022.2",
                                    "lut": 39012, "ff": 27345, "dsp": 80, "bram36": 61.5, "slack_ns": 0.1})
        for name in ("vta.bit", "vta.xsa", "vta.xo"):
            self.assertTrue(os.path.exists(self.path(f"{folder}/build/{name}")), name)

    def test_with_the_boards_file_and_a_clock_that_is_missed(self):
        self.package("pynq_z1")
        self.assertEqual(self.run_script("project", "package_ip.tcl")[0], 0)
        self.assertEqual(self.run_script("project", "project.tcl", STUB_BOARDS="1")[0::2], (0, ""))
        status, _, errors = self.run_script("project", "project.tcl", STUB_WNS="-0.25")
        self.assertEqual((status, errors), (1, "project.tcl: the clock is not met by -0.25 ns: see build/timing.txt\n"))
        status, _, errors = self.run_script("project", "project.tcl", STUB_WHS="-0.003")
        self.assertEqual((status, errors), (1, "project.tcl: hold times are not met by -0.003 ns: see build/timing.txt\n"))

    def test_build_sh(self):
        """With a stand-in of that name for Vivado, from another folder; the container for XRT is made by the tool itself."""
        self.package("kv260", folder="a project")
        os.makedirs(self.path("bin"))
        run = "PATH=$PWD/bin:/usr/bin:/bin 'a project/build.sh'"
        status, out, errors = self.run_shell(run)
        self.assertEqual((status, errors), (1, "build.sh: vivado is not in PATH: source its settings64.sh\n"))
        self.write("bin/vivado", f"""#!/bin/sh
            [ "$1 $2 $3 $4" = "-mode batch -nojournal -log" ] && [ "$6" = -source ] || exit 9
            echo "$7 $9" >> "$CALLS"
            exec tclsh {FOLDER}/stub.tcl "$7" $9""")
        os.chmod(self.path("bin/vivado"), 0o755)
        status, out, errors = self.run_shell(run)
        self.assertEqual((status, out), (1, ""))
        self.assertTrue(errors.startswith("build.sh: vta is not in PATH: "), errors)
        os.symlink(tool.TOOL, self.path("bin/vta"))
        status, out, errors = self.run_shell(f"CALLS=$PWD/calls {run} 7")
        self.assertEqual(self.read("calls"), b"package_ip.tcl \nproject.tcl 7\n")
        if "without XRT" not in errors:
            self.assertEqual((status, errors), (0, ""))
            self.assertIn("config kv260: build/vta.xclbin, arch hash ", out)
        status, out, errors = self.run_shell(f"CALLS=$PWD/calls {run} xo")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.read("calls").split(b"\n")[2:], [b"package_ip.tcl ", b"package_xo.tcl ", b""])
        self.assertTrue(os.path.exists(self.path("a project/build/vta.xo")))
        os.remove(self.path("a project/project.json"))
        self.assertEqual(self.run_shell(run), (1, "", "build.sh: project.json is not beside it: it is of a project that vta hw package writes\n"))

    def test_build_sh_without_xrt(self):
        self.package("pynq_z1")
        os.makedirs(self.path("bin"))
        self.write("bin/vivado", "#!/bin/sh\n")
        os.chmod(self.path("bin/vivado"), 0o755)
        status, out, errors = self.run_shell("PATH=$PWD/bin:/usr/bin:/bin project/build.sh")
        self.assertEqual((status, errors), (1, "build.sh: bootgen is not in PATH: it comes with Vivado and with Vitis\n"))
        for name, script in ("vivado", f'exec tclsh {FOLDER}/stub.tcl "$7" $9'), ("bootgen", 'cat "$2"; shift 2; echo "$@"'):
            self.write("bin/" + name, "#!/bin/sh\n" + script + "\n")
            os.chmod(self.path("bin/" + name), 0o755)
        status, out, errors = self.run_shell("PATH=$PWD/bin:/usr/bin:/bin project/build.sh")
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(out.endswith("all: { build/vta.bit }\n-arch zynq -process_bitstream bin -w on\n"), out)

    def test_planted_defects_are_refused(self):
        self.package("zcu104")
        self.assertEqual(self.run_all("project")[1], "")
        for path, old, new, message in DEFECTS:
            with self.subTest(f"{path}: {old!r} -> {new!r}"):
                text = self.read("project/" + path).decode()
                self.assertTrue(old in text)
                shutil.rmtree(self.path("project/build"))
                self.write("project/" + path, text.replace(old, new, 1))
                errors = self.run_all("project")[1]
                self.write("project/" + path, text)
                self.assertIn(message, errors)

    def test_of_another_config(self):
        with open(os.path.join(tool.SOURCE, "isa/configs/pynq.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["name"] = "mine"
        config["uarch"].update(clock_mhz=90, max_burst_beats=64)
        self.write("mine.json", json.dumps(config))
        _, errors = self.package("pynq_z1", "-c", "./mine.json")
        self.assertEqual(errors.splitlines()[0],
                         "vta: warning: bursts of 64 beats on port S_AXI_HP0: AXI3 has 16 at most, so each is split")
        self.assertIn("validate: bursts of 64 beats on AXI3", self.run_all("project")[1])
        self.package("ultra96", "-c", "pynq", folder="narrow")  # a bus of 64 bits on a port of 128
        facts, errors = self.run_all("narrow")
        self.assertEqual((errors, [words for words in facts if words[0] == "memory"]), ("", [["memory", "/ps/S_AXI_HP0_FPD", "64", "0011"]]))
        config["uarch"].update(max_burst_beats=8, clock_mhz=140)
        self.write("mine.json", json.dumps(config))
        _, errors = self.package("pynq_z1", "-c", "./mine.json", folder="fast")
        self.assertEqual(errors, "vta: warning: whether it fits is not known: vta hw area -c ./mine.json --part xc7z020 says so\n")
        facts, errors = self.run_all("fast")
        self.assertEqual((errors, [words for words in facts if words[0] == "clock"]), ("", [["clock", "140"]]))


tool.main()
