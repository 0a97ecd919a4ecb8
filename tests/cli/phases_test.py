"""What transposed convolutions cost on the accelerator: U-Net's four, each a layer of one program."""

import json

import tool

# A quarter of what each took as a convolution with zeros between its inputs, on `default`. The products and the
# requantisations of up1 are 4.2 % above that, and nothing on this variant hides one behind the other.
QUARTERS = {"up3.double": (527_905, 1.04), "up2.double": (530_060, 1.04), "up1.double": (534_477, 1.06), "up0.double": (576_862, 1.04)}


class PhasesTest(tool.ToolTest):
    def test_unet_doubles_without_fourfold_products(self):
        self.done("model", "unet", "-o", "unet.onnx")
        status, out, _ = self.run_tool("run", "unet.onnx", "--engine", "cycle", "--report", "report.json")
        self.assertEqual(status, 0, out)
        with open(self.path("report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertLessEqual(report["vta"]["cycles"], 49_000_000)
        layers = {layer["name"]: layer for layer in report["layers"]}
        for name, (quarter, most) in QUARTERS.items():
            layer = layers[name]
            self.assertEqual(layer["op"], "conv2d_i8+depth_to_space")
            self.assertEqual(layer["counters"]["gemm_uops"], 128 * 128 * 64 * 128 // 256, name)
            self.assertLessEqual(layer["cycles"], quarter * most, name)
            self.assertLessEqual(layer["cycles"], layer["uops"] * 1.03, name)


tool.main()
