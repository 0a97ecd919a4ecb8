"""Programs of ISA 0.0.2 keep the subset on which published executors agree: those of every network that vta model
makes, and of real models where they are there; all but the large ones, which take a minute.

A third argument, whole, takes all networks through every shipped variant of ISA 0.0.2 (minutes).
"""

import json
import os
import re
import sys

import tool

WHOLE = sys.argv[3:] == ["whole"]
LARGE = ("densenet121", "inception_v3", "vgg16", "vgg19", "unet")
CASES = os.path.join(os.environ.get("VTA_CASES", os.path.join(tool.SOURCE, "..", "shared", "cases")), "public")
REAL = ("kws_dscnn_int8/model_qdq.onnx", "person_detect_int8/model_qdq.onnx", "resnet8_cifar_qdq/model.onnx")


class PublishedTest(tool.ToolTest):
    def variants(self):
        """The shipped variants of ISA 0.0.2, by name."""
        found = {}
        for file in sorted(os.listdir(os.path.join(tool.SOURCE, "isa/configs"))):
            config = json.loads(self.done("isa", "--json", "-c", file.removesuffix(".json")))
            if config["isa"] == "0.0.2":
                found[config["name"]] = config
        self.assertIn("vta_0.0.2", found)
        return found

    def names(self):
        """The networks that vta model makes."""
        return re.search(r"one of ([a-z0-9_, ]+)", " ".join(self.done("model", "--help").split()))[1].strip().split(", ")

    def hold(self, model, config):
        """Compiles and checks; returns how many programs were held."""
        self.done("compile", model, "-c", config["name"], "-o", "p.vta")
        out = self.run_tool("check", "p.vta", "--published", "--json")[1]
        programs = json.loads(out)["programs"]
        extensions = [name for name in ("mul", "acc8") if config["arch"][name]]
        for entry in programs:
            where = (model, config["name"], entry["program"])
            self.assertTrue(entry["report"]["ok"] and entry["published"]["complete"], where)
            # What no published hardware has is all that may be beyond it.
            broken = [rule for rule in entry["published"]["broken"] if not extensions or rule["name"] != "extension"]
            self.assertEqual(broken, [], where)
            self.assertEqual(entry["published"]["notes"],
                             [f"config {config['name']} has {name}: no published hardware has it" for name in extensions])
        self.assertGreater(len(programs), 0)
        return len(programs)

    def test_networks(self):
        held = 0
        for name in self.names():
            if name in LARGE and not WHOLE:
                continue
            self.done("model", name, "-o", "m.onnx")
            for config in self.variants().values():
                if WHOLE or config["name"] == "vta_0.0.2" or name.endswith("_tiny"):
                    held += self.hold("m.onnx", config)
        print(f"{held} programs held to the published subset", file=sys.stderr)
        self.assertGreater(held, 250)

    def test_real_models(self):
        config = self.variants()["vta_0.0.2"]
        digits = os.path.join(tool.SOURCE, "tools/demo/digits_int8.onnx")
        for model in (digits, *(os.path.join(CASES, name) for name in REAL)):
            if os.path.exists(model):
                self.hold(model, config)


tool.main()
