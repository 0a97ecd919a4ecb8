"""A runtime of TensorFlow Lite as the other side of a benchmark: loads a model, runs it and says how long each run took.

usage: litert_peer.py RUNTIME CORES THREADS     RUNTIME: litert, or micro for TensorFlow Lite Micro; CORES: 0 or 0,1

Requests and answers are those of onnxruntime_peer.py. Operators are not counted. Tensors of TensorFlow Lite Micro have no names: they are taken in the
order of the file's.
"""

import os
import sys
import time

# Before anything starts threads, which stay where it is.
RUNTIME, CORES, THREADS = sys.argv[1], [int(core) for core in sys.argv[2].split(",")], int(sys.argv[3])
os.sched_setaffinity(0, CORES)

import numpy  # pylint: disable=wrong-import-position
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # pylint: disable=wrong-import-position

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which an isolated interpreter leaves out
from peer_process import serve  # pylint: disable=wrong-import-position


class LiteRt:
    name = "LiteRT"

    def __init__(self, path):
        self.interpreter = Interpreter(path, num_threads=THREADS)
        self.interpreter.allocate_tensors()
        self.invoke = self.interpreter.invoke

    def names(self):
        """Of the inputs and outputs, in their order."""
        return [[tensor["name"] for tensor in tensors] for tensors in (self.interpreter.get_input_details(), self.interpreter.get_output_details())]

    def set(self, index, value):
        self.interpreter.set_tensor(self.interpreter.get_input_details()[index]["index"], value)

    def get(self, index):
        return self.interpreter.get_tensor(self.interpreter.get_output_details()[index]["index"])


class Micro:
    name = "TensorFlow Lite Micro"

    def __init__(self, path):
        from tflite_micro import runtime  # pylint: disable=import-outside-toplevel
        # The names are in the file, which the other runtime reads.
        reader = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        self.named = [[tensor["name"] for tensor in tensors] for tensors in (reader.get_input_details(), reader.get_output_details())]
        self.interpreter = runtime.Interpreter.from_file(path)
        self.invoke = self.interpreter.invoke

    def names(self):
        return self.named

    def set(self, index, value):
        self.interpreter.set_input(value, index)

    def get(self, index):
        return self.interpreter.get_output(index)


class Peer:
    model = folder = inputs = None

    def load(self, request):
        self.folder = request["folder"]
        self.model = {"litert": LiteRt, "micro": Micro}[RUNTIME](request["model"])
        self.inputs = [numpy.ascontiguousarray(numpy.load(request["inputs"][name])) for name in self.model.names()[0]]
        return {"runtime": self.model.name, "version": "", "providers": [], "cores": sorted(os.sched_getaffinity(0)), "threads": THREADS, "nodes": {}}

    def run(self, request):
        times = []
        for _ in range(request["count"]):
            for index, value in enumerate(self.inputs):
                self.model.set(index, value)  # where they lay, later layers' values may
            begin = time.perf_counter_ns()
            self.model.invoke()
            times.append(time.perf_counter_ns() - begin)
        return {"ns": times}

    def output(self, _):
        files = {}
        for index, name in enumerate(self.model.names()[1]):
            files[name] = os.path.join(self.folder, f"output{index}.npy")
            numpy.save(files[name], self.model.get(index))
        return {"files": files}


def main():
    peer = Peer()
    serve({"load": peer.load, "run": peer.run, "output": peer.output})


main()
