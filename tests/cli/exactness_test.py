"""What run, compile and eval say where a config's arithmetic is not the network's."""

import json
import os

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
INT8 = os.path.join(DEMO, "digits_int8.onnx")
SAYS = "requantisation is not exact: results of "


class ExactnessTest(tool.ToolTest):
    def test_narrow_arithmetic_is_said_by_each_command(self):
        for config, codes in (("pynq", "1 code"), ("vta_0.0.2", "codes")):
            text = f"{codes} at most for the same inputs"
            out = self.done("compile", INT8, "-c", config, "-o", "p.vta")
            self.assertRegex(out, f"{config}: {SAYS}.*{text}")
            out = self.run_tool("run", "p.vta", "--report", "r.json")[1]
            self.assertRegex(out, f"\n{SAYS}.*{text}\n")
            report = json.loads(self.read("r.json"))
            off = [layer["off_by"] for layer in report["layers"] if "off_by" in layer]
            of = sum(layer["where"] == "vta" for layer in report["layers"])
            self.assertEqual(report["inexact"], {"programs": len(off), "of": of, "codes": max(off)})
            out = self.done("eval", INT8, "-c", config, "--data", os.path.join(DEMO, "images.bin"), "--samples", "8", "--no-trials",
                          "--json")
            self.assertEqual(json.loads(out)["inexact"], report["inexact"])

    def test_exact_arithmetic_is_not_worth_a_word(self):
        self.done("compile", INT8, "-o", "p.vta")
        out = self.run_tool("run", "p.vta", "--report", "r.json")[1]
        self.assertNotIn("exact", out)
        self.assertNotIn("off_by", self.read("r.json").decode())


if __name__ == "__main__":
    tool.main()
