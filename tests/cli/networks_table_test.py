"""tests/bench/networks.py, which holds the cycles of networks to a table, on a table made up here; and that the table has all pairs."""

import os
import re
import subprocess
import sys

import tool

SCRIPT = os.path.join(tool.SOURCE, "tests/bench/networks.py")
NETWORKS, CONFIGS = ("resnet_tiny", "mobilenet_tiny"), ("small_8x8", "two_banks")


class NetworksTableTest(tool.ToolTest):
    def script(self, *words):
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--table", self.path("t.csv"), *words, tool.TOOL, "-n", *NETWORKS, "-c", *CONFIGS],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, tool.PROGRESS.sub("", done.stderr)

    def with_cycles(self, factor):
        """The table kept first, with other cycles of a network on two_banks."""
        lines = self.kept.splitlines()
        row = next(i for i, line in enumerate(lines) if line.startswith("resnet_tiny,two_banks,"))
        name, config, cycles, *rest = lines[row].split(",")
        lines[row] = ",".join([name, config, str(round(int(cycles) * factor)), *rest])
        self.write("t.csv", "\n".join(lines) + "\n")

    def test_names_what_is_slower(self):
        self.assertEqual(self.script("--keep"), (0, "", "small_8x8\ntwo_banks\n"))
        self.kept = self.read("t.csv").decode()
        rows = [line.split(",") for line in self.kept.splitlines()]
        self.assertEqual(rows[0], ["network", "config", "cycles", "host_bytes", "bound_machine"])
        self.assertEqual([tuple(row[:2]) for row in rows[1:]], [(name, config) for config in CONFIGS for name in NETWORKS])
        for row in rows[1:]:
            self.assertTrue(0 < int(row[4]) <= int(row[2]) and int(row[3]) > 0, row)
        good = "4 pairs: 0 that must not be so, {} quicker by 0.5 %; --keep writes the table anew\n"
        for factor, quicker in ((1, 0), (0.996, 0), (1.01, 1)):
            self.with_cycles(factor)
            self.assertEqual(self.script()[:2], (0, good.format(quicker)))
        self.with_cycles(0.99)
        status, out, _ = self.script()
        self.assertEqual(status, 1)
        self.assertRegex(out, r"^resnet_tiny on two_banks: [\d,]+ cycles, 1\.0\d % more than the table's [\d,]+\n4 pairs: 1 that ")
        self.write("t.csv", "".join(line + "\n" for line in self.kept.splitlines() if not line.startswith("mobilenet_tiny,small_8x8")))
        status, out, _ = self.script()
        self.assertEqual((status, out.splitlines()[0]), (1, "mobilenet_tiny on small_8x8: is not in the table"))
        self.assertEqual(self.script("--keep")[0], 0)  # beside rows of others
        self.assertEqual(sorted(self.read("t.csv").decode().splitlines()), sorted(self.kept.splitlines()))

    def test_refuses(self):
        self.write("t.csv", "network,cycles\n")
        self.assertEqual(self.script()[0::2], (1, f"small_8x8\ntwo_banks\nnetworks.py: {self.path('t.csv')}: line 1: must be "
                                                  "network,config,cycles,host_bytes,bound_machine\n"))
        self.write("t.csv", "network,config,cycles,host_bytes,bound_machine\nresnet_tiny,small_8x8,7,8,9\nresnet_tiny,two_banks,1e3,8,9\n")
        self.assertEqual(self.script()[2].splitlines()[-1], f"networks.py: {self.path('t.csv')}: line 3: must be 3 integers after the pair")
        done = subprocess.run([sys.executable, "-B", SCRIPT, tool.TOOL, "-n", "resnet19"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.endswith("networks.py: batch2_16x16: vta bench networks ended with status 2\n"), done.stderr)

    def test_the_table_has_all_pairs(self):
        with open(os.path.join(tool.SOURCE, "tests/bench/networks.csv"), encoding="utf-8") as file:
            pairs = [tuple(line.split(",")[:2]) for line in file][1:]
        with open(os.path.join(tool.SOURCE, "docs/models.md"), encoding="utf-8") as page:
            networks = re.findall(r"(?m)^\| `(\w+)` \|", page.read())
        configs = sorted(name.removesuffix(".json") for name in os.listdir(os.path.join(tool.SOURCE, "isa/configs")))
        self.assertEqual(pairs, [(network, config) for config in configs for network in networks])


tool.main()
