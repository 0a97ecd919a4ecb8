"""tools/bench/onnxruntime_peer.py on a stand-in for ONNX Runtime, which optimises nothing: its requests, answers and counts of nodes."""

import json
import os
import subprocess
import sys

import tool

PEER = os.path.join(tool.SOURCE, "tools/bench/onnxruntime_peer.py")
RUNTIME = """
import shutil
__version__ = "9.8"
class SessionOptions:
    def add_session_config_entry(self, key, value):
        self.config = (key, value)
class Value:
    def __init__(self, name):
        self.name = name
class Binding:
    def bind_cpu_input(self, name, value):
        self.bound = [(name, value)]
    def bind_output(self, name, device):
        self.bound.append((name, device))
    def copy_outputs_to_cpu(self):
        return [repr(self.bound)]
class InferenceSession:
    def __init__(self, model, options, providers):
        assert options.intra_op_num_threads == 2 and options.inter_op_num_threads == 1
        assert options.config == ("session.force_spinning_stop", "1")
        shutil.copy(model, options.optimized_model_filepath)
        self.providers = providers
    def io_binding(self):
        return Binding()
    def get_outputs(self):
        return [Value("logits")]
    def get_providers(self):
        return self.providers
    def run_with_iobinding(self, binding):
        print("not an answer")
"""
NUMPY = """
def load(path):
    return open(path).read()
def save(path, value):
    open(path, "w").write(value)
def ascontiguousarray(value):
    return value
"""


class PeerTest(tool.ToolTest):
    def ask(self, *requests, cores="0"):
        """Answers, and what went to stderr."""
        for name, text in (("onnxruntime.py", RUNTIME), ("numpy.py", NUMPY), ("x.npy", "pixels")):
            self.write(name, text)
        run = subprocess.run([sys.executable, "-B", PEER, cores, "2"], input="".join(json.dumps(request) + "\n" for request in requests),
                             env={"PYTHONPATH": self.folder}, cwd=self.folder, capture_output=True, text=True, timeout=60)
        return [json.loads(line) for line in run.stdout.splitlines()], run.stderr

    def load(self, model):
        return {"do": "load", "model": model, "inputs": {"image": self.path("x.npy")}, "folder": self.folder}

    def test_loads_runs_and_writes_outputs(self):
        self.done("model", "resnet_tiny", "--type", "uint8", "-o", "m.onnx")
        self.done("model", "resnet_tiny", "--type", "float", "-o", "f.onnx")
        core = str(min(os.sched_getaffinity(0)))
        answers, errors = self.ask(self.load("m.onnx"), {"do": "run", "count": 3}, {"do": "output"}, self.load("f.onnx"), cores=core)
        nodes = {"Add": 2, "Conv": 6, "DequantizeLinear": 27, "Flatten": 1, "Gemm": 1, "GlobalAveragePool": 1, "MaxPool": 1, "QuantizeLinear": 13, "Relu": 5}
        self.assertEqual(answers[0], {"runtime": "ONNX Runtime", "version": "9.8", "providers": ["CPUExecutionProvider"], "cores": [int(core)],
                                      "threads": 2, "nodes": nodes})
        self.assertEqual(len(answers[1]["ns"]), 3)
        self.assertTrue(all(time > 0 for time in answers[1]["ns"]))
        self.assertEqual(errors, 3 * "not an answer\n")
        self.assertEqual(answers[2], {"files": {"logits": self.path("output0.npy")}})
        self.assertEqual(self.read("output0.npy").decode(), "[('image', 'pixels'), ('logits', 'cpu')]")
        self.assertEqual(answers[3]["nodes"], {"Add": 2, "Conv": 6, "Flatten": 1, "Gemm": 1, "GlobalAveragePool": 1, "MaxPool": 1, "Relu": 5})

    def test_says_what_failed_and_goes_on(self):
        self.write("m.onnx", b"\x38")
        answers, _ = self.ask({"do": "run", "count": 1}, self.load("nothing.onnx"), self.load("m.onnx"), {"do": "fly"}, {"do": "run", "count": 0})
        self.assertRegex(answers[0]["error"], "^AttributeError: ")
        self.assertRegex(answers[1]["error"], "^FileNotFoundError: .*nothing.onnx")
        self.assertRegex(answers[2]["error"], "^IndexError: ")
        self.assertEqual(answers[3]["error"], "KeyError: 'fly'")
        self.assertEqual(answers[4], {"ns": []})

    def test_a_core_that_is_not_there(self):
        answers, errors = self.ask(cores="1023")
        self.assertEqual(answers, [])
        self.assertIn("os.sched_setaffinity", errors)


tool.main()
