"""ONNX Runtime as the other side of a benchmark: loads a model, runs it and says how long each run took.

usage: onnxruntime_peer.py CORES THREADS     CORES: 0 or 0,1: where all its threads stay

Each line of stdin is a request, each line of stdout its answer, both JSON objects. An answer holds "error" where the request failed.
  {"do": "load", "model": FILE, "inputs": {NAME: FILE.npy}, "folder": FOLDER}
      -> {"runtime", "version", "providers", "cores", "threads", "nodes": {OPERATOR: COUNT}}
  {"do": "run", "count": N}  -> {"ns": [one for each run]}
  {"do": "output"}           -> {"files": {NAME: FILE.npy in FOLDER}}, of the last run
Nodes are those that the runtime executes, after its optimisations; operators that are not ONNX's have their domain before them.
"""

import os
import sys
import time

# Before anything starts threads, which stay where it is.
CORES, THREADS = [int(core) for core in sys.argv[1].split(",")], int(sys.argv[2])
os.sched_setaffinity(0, CORES)

import numpy  # pylint: disable=wrong-import-position
import onnxruntime  # pylint: disable=wrong-import-position

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which an isolated interpreter leaves out
from peer_process import serve  # pylint: disable=wrong-import-position


def fields(data):
    """Number and value of the fields of a protocol buffers message: bytes, or an integer."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else varint()
        yield key >> 3, data[at:at + size]
        at += size


def operators(path):
    """How many nodes of each operator an ONNX file has."""
    model_graph, graph_node, node_operator, node_domain = 7, 1, 4, 7  # of onnx.proto
    counts = {}
    with open(path, "rb") as file:
        model = memoryview(file.read())
    for graph in (value for number, value in fields(model) if number == model_graph):
        for node in (value for number, value in fields(graph) if number == graph_node):
            words = {number: bytes(value).decode() for number, value in fields(node) if number in (node_operator, node_domain)}
            domain = words.get(node_domain, "")
            name = (domain + "." if domain not in ("", "ai.onnx") else "") + words[node_operator]
            counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))


class Peer:
    session = binding = folder = None

    def load(self, request):
        self.folder = request["folder"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = THREADS, 1
        options.log_severity_level = 3  # errors
        # Threads that look for work after a run, for tens of milliseconds, would take the cores from the other side.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        options.optimized_model_filepath = os.path.join(self.folder, "optimized.onnx")
        self.session = onnxruntime.InferenceSession(request["model"], options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, path in request["inputs"].items():
            self.binding.bind_cpu_input(name, numpy.ascontiguousarray(numpy.load(path)))
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name, "cpu")
        return {"runtime": "ONNX Runtime", "version": onnxruntime.__version__, "providers": self.session.get_providers(),
                "cores": sorted(os.sched_getaffinity(0)), "threads": THREADS,
                "nodes": operators(options.optimized_model_filepath)}

    def run(self, request):
        times = []
        for _ in range(request["count"]):
            begin = time.perf_counter_ns()
            self.session.run_with_iobinding(self.binding)
            times.append(time.perf_counter_ns() - begin)
        return {"ns": times}

    def output(self, _):
        files = {}
        values = self.binding.copy_outputs_to_cpu()
        for index, (output, value) in enumerate(zip(self.session.get_outputs(), values)):
            files[output.name] = os.path.join(self.folder, f"output{index}.npy")
            numpy.save(files[output.name], value)
        return {"files": files}


def main():
    peer = Peer()
    serve({"load": peer.load, "run": peer.run, "output": peer.output})


main()
