"""The device-tree fragment of a board: it compiles, and says of the accelerator what the board's file says, from which the
bitstream is made, and what the driver looks for.

usage: device_tree_test.py SOURCE_FOLDER
"""

import json
import os
import re
import subprocess
import sys
import unittest

SOURCE = sys.argv[1]
BOARD = os.path.join(SOURCE, "bitstreams/boards/pynq_z1")
# What the fragment finds in the kernel's tree of a Zynq-7000.
KERNEL = """/dts-v1/;
/ {
	#address-cells = <1>;
	#size-cells = <1>;
	memory@0 { device_type = "memory"; reg = <0x0 0x20000000>; };
	intc: interrupt-controller@f8f01000 {
		compatible = "arm,cortex-a9-gic";
		#address-cells = <0>;
		#interrupt-cells = <3>;
		interrupt-controller;
		reg = <0xF8F01000 0x1000>, <0xF8F00100 0x100>;
	};
	clkc: clkc { #clock-cells = <1>; compatible = "xlnx,ps7-clkc"; fclk-enable = <0>; };
};
/include/ "vta.dtsi"
"""
FCLK0 = 15  # in xlnx,ps7-clkc
PAGE = 4096


def compiled():
    """The tree as dtc understands it, by node and property, both as text."""
    run = subprocess.run(["dtc", "-I", "dts", "-O", "dts", "-i", BOARD], input=KERNEL, capture_output=True, text=True, check=False)
    if run.returncode or run.stderr:
        raise AssertionError(f"dtc: status {run.returncode}\n{run.stderr}")
    nodes, path = {}, []
    for line in map(str.strip, run.stdout.splitlines()):
        if opened := re.fullmatch(r"(?:\w+: )*(\S+) \{", line):
            path.append(opened[1])
            nodes["/".join(path)] = {}
        elif line == "};":
            path.pop()
        elif given := re.fullmatch(r"([\w#,-]+)(?: = (.*))?;", line):
            nodes["/".join(path)][given[1]] = given[2]
    return nodes


def cells(text):
    return [int(cell, 0) for cell in text.strip("<>").split()]


class DeviceTreeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.nodes = compiled()
        with open(os.path.join(BOARD, "board.json"), encoding="utf-8") as file:
            cls.board = json.load(file)

    def test_the_registers_are_the_boards(self):
        address = int(self.board["control"]["address"], 0)
        node = self.nodes[f"//vta@{address:x}"]
        self.assertEqual(node["compatible"], '"generic-uio"')
        self.assertEqual(cells(node["reg"]), [address, PAGE])

    def test_the_interrupt_is_the_boards_and_high_while_it_lasts(self):
        node = next(node for name, node in self.nodes.items() if name.startswith("//vta@"))
        self.assertEqual(cells(node["interrupts"]), [0, self.board["interrupt"]["spi"], 4])
        self.assertEqual(node["interrupt-parent"], self.nodes["//interrupt-controller@f8f01000"]["phandle"])

    def test_the_clock_runs_as_the_config_says(self):
        with open(os.path.join(SOURCE, "isa/configs", self.board["config"] + ".json"), encoding="utf-8") as file:
            clock_mhz = json.load(file)["uarch"]["clock_mhz"]
        node = next(node for name, node in self.nodes.items() if name.startswith("//vta@"))
        self.assertEqual(cells(node["assigned-clocks"])[1:], [FCLK0])
        self.assertEqual(cells(node["assigned-clock-rates"]), [clock_mhz * 1_000_000])
        self.assertEqual(cells(self.nodes["//clkc"]["fclk-enable"])[0] & 1, 1)

    def test_the_buffer_is_the_drivers_and_lies_where_the_port_reaches(self):
        with open(os.path.join(SOURCE, "driver/uio/uio_device.h"), encoding="utf-8") as file:
            name = re.search(r'kDefaultBuffer\[\] = "(\w+)"', file.read())[1]
        node = self.nodes["//udmabuf0"]
        self.assertEqual((node["compatible"], node["device-name"]), ('"ikwzm,u-dma-buf"', f'"{name}"'))
        self.assertNotIn("dma-coherent", node)
        memory = next(node for path, node in self.nodes.items() if "vta-memory" in path)
        self.assertEqual(node["memory-region"], memory["phandle"])
        base, size = cells(memory["reg"])
        self.assertEqual(cells(node["size"]), [size])
        self.assertEqual((base % (4 << 20), size % (4 << 20)), (0, 0))
        ranges = [(int(r["address"], 0), int(r["bytes"], 0)) for r in self.board["memory"]["ranges"]]
        self.assertTrue(any(begin <= base and base + size <= begin + length for begin, length in ranges))


unittest.main(argv=sys.argv[:1], verbosity=2)
