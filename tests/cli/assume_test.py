"""Networks that are run for their cycles alone: --assume, weights that are missing, workloads of other tools."""

import os

import onnx

import tool

DEMO = os.path.join(tool.SOURCE, "tools/demo")
FLOAT = os.path.join(DEMO, "digits_f32.onnx")
INT8 = os.path.join(DEMO, "digits_int8.onnx")
WORKLOADS = os.path.join(tool.SOURCE, "tests/workloads")
NETWORKS = ("resnet18", "mobilenet_v2", "squeezenet")
MEANS_NOTHING = ": outputs mean nothing"


def assumed(seed=1, weights=""):
    return f"int8 codes and scales are assumed, from random inputs by seed {seed}{weights}{MEANS_NOTHING}"


class AssumeTest(tool.ToolTest):
    def warned(self, warnings, *arguments):
        """stdout of a run that must succeed with these warnings alone."""
        status, out, errors = self.run_tool(*arguments)
        errors = errors.replace("vta: no --input: one random sample from seed 1\n", "")
        self.assertEqual((status, errors), (0, "".join(f"vta: {line}\n" for line in warnings)), out)
        return out

    def report(self, warnings, *arguments):
        self.warned(warnings, "run", *arguments, "--report", "r.json")
        return self.document("vta-report", self.read("r.json").decode())

    def strip(self, source, name):
        """The network without what its weights hold, as if that lay in a file that nobody has; how many these are."""
        model = onnx.load(self.path(source))
        large = [tensor for tensor in model.graph.initializer if len(tensor.raw_data) > 1024 or len(tensor.dims) > 1]
        for tensor in large:
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            entry = tensor.external_data.add()
            entry.key, entry.value = "location", "weights.bin"
        onnx.save(model, self.path(name))
        return len(large)

    def test_cycles_are_those_of_the_quantised_network(self):
        for name in NETWORKS:
            self.done("model", name, "-o", "q.onnx")
            self.done("model", name, "--type", "float", "-o", "f.onnx")
            weights = self.strip("f.onnx", "s.onnx")
            real = self.report([], "q.onnx")["vta"]
            for file, says in (("f.onnx", assumed()), ("s.onnx", assumed(weights=f", and {weights} tensors of weights"))):
                report = self.report([f"{file}: {says}"], file, "--assume", "int8")
                self.assertEqual(report["vta"]["macs"], real["macs"], name)
                self.assertLess(abs(report["vta"]["cycles"] / real["cycles"] - 1), 0.01, (name, file))
                self.assertEqual(report["assumed"], {"seed": 1, "weights": weights if file == "s.onnx" else 0})

    def test_the_package_and_reports_say_so(self):
        out = self.warned([f"{FLOAT}: {assumed(7)}"], "run", FLOAT, "--assume", "int8:7", "--html", "p.html")
        self.assertIn(f"\n{assumed(7)}\n", out)
        self.assertIn(assumed(7).encode(), self.read("p.html"))
        self.warned([f"{FLOAT}: {assumed(7)}"], "compile", FLOAT, "--assume", "int8:7", "-o", "p.vta")
        self.assertIn(f"\n{assumed(7)}\n", self.warned([], "run", "p.vta"))
        why = assumed(7)[:-len(MEANS_NOTHING)]
        self.fails(f"p.vta: has no accuracy: {why}", "eval", "p.vta", "--data", "none.bin")
        self.refuses(f"--labels: labels.txt: there is no accuracy: {why}", "run", "p.vta", "--labels", "labels.txt")
        # The same bytes again, and others by another seed.
        for file, seed in (("again.vta", 7), ("other.vta", 8)):
            self.warned([f"{FLOAT}: {assumed(seed)}"], "compile", FLOAT, "--assume", f"int8:{seed}", "-o", file)
        self.assertEqual(self.read("p.vta"), self.read("again.vta"))
        self.assertNotEqual(self.read("p.vta"), self.read("other.vta"))

    def test_scales_fit_the_config(self):
        for config in ("vta_0.0.2", "small_8x8"):
            report = self.report([f"{FLOAT}: {assumed()}"], FLOAT, "--assume", "int8", "-c", config)
            self.assertGreater(report["vta"]["macs"] / report["total"]["macs"], 0.95)

    def test_workloads_report_each_layer(self):
        def layers(file, warnings=()):
            weights = {"conv.csv": 6, "gemm.csv": 2, "zigzag.yaml": 3}.get(file, 1)
            path = os.path.join(WORKLOADS, file)
            says = assumed(weights=f", and {weights} tensor{'s' if weights > 1 else ''} of weights")
            report = self.report([*warnings, f"{path}: {says}"], path, "--assume", "int8")
            return {layer["name"]: layer for layer in report["layers"] if layer["where"] == "vta"}
        conv, gemm = layers("conv.csv"), layers("gemm.csv")
        zigzag = layers("zigzag.yaml", [f"{WORKLOADS}/zigzag.yaml: left out: layer 1 (Pooling) has no products"])
        # Products of output sizes and of weights of an output, by hand.
        self.assertEqual({name: layer["macs"] for name, layer in conv.items()}, {
            "stem": 16 * 16 * 16 * 27, "narrow": 32 * 8 * 8 * 144, "beyond_the_edge": 32 * 8 * 8 * 144, "wide": 16 * 16 * 80,
            "each_DP": 32 * 8 * 8 * 9, "classifier": 1280})
        self.assertEqual({name: layer["macs"] for name, layer in gemm.items()}, {"query": 64 * 96 * 48, "feed": 64 * 192 * 96})
        # The same layer takes the same, whichever tool wrote it down, and whatever stands beside it.
        narrow, query = layers("timeloop.yaml")["narrow"], layers("layers/query.yaml")["query"]
        for one, other in ((narrow, conv["narrow"]), (query, gemm["query"]), (query, zigzag["gemm_4"]), (zigzag["each"], conv["each_DP"])):
            self.assertEqual((one["macs"], one["shape"]), (other["macs"], other["shape"]))
            self.assertLess(abs(one["cycles"] / other["cycles"] - 1), 0.15, (one["name"], other["name"]))
        self.assertIn("add_3", zigzag)

    def test_what_is_wrong(self):
        conv = os.path.join(WORKLOADS, "conv.csv")
        self.fails(f"{conv}: has the shapes of layers alone: --assume int8 gives them weights", "run", conv)
        self.fails(f"{INT8}: digits_int8: is quantised already: it has codes and scales", "run", INT8, "--assume", "int8")
        self.refuses("--assume: int4 must be int8, or int8:SEED with a seed up to 2^32 - 1", "run", FLOAT, "--assume", "int4")
        self.refuses("--assume: int8:-1 must be int8, or int8:SEED with a seed up to 2^32 - 1", "run", FLOAT, "--assume", "int8:-1")
        self.done("compile", INT8, "-o", "p.vta")
        self.refuses("p.vta: --assume = int8: is for a model; a package is compiled already", "run", "p.vta", "--assume", "int8")
        self.write("w.csv", "Layer,M,N,K,\na,1,2,x,\n")
        self.fails("w.csv:2: K = x: must be 1 to 2147483648", "run", "w.csv", "--assume", "int8")
        with open(FLOAT, "rb") as file:
            self.write("f.onnx", file.read())
        self.strip("f.onnx", "s.onnx")
        status, out, errors = self.run_tool("run", "s.onnx")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r'^vta: s.onnx: initializer: tensor ".*", location = weights.bin: No such file or directory\n$')


if __name__ == "__main__":
    tool.main()
