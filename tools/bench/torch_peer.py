"""PyTorch on a GPU as the other side of a benchmark: loads a model, runs it and says how long each run took.

usage: torch_peer.py DEVICE MODE PRECISION CORES THREADS    DEVICE: cuda:0    MODE: graph or compile
    PRECISION: fp32, tf32 or fp16    CORES: where it waits

The protocol is that of onnxruntime_peer.py. A run is a replay of a CUDA graph, which is waited for: of the model as it is,
pixels or channels innermost, whichever is quicker; with "compile" of what torch.compile makes of it. Inputs and outputs stay on the
GPU; in fp16 they are such numbers.
"""

import copy
import operator
import os
import sys
import time

import numpy
import onnx
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which an isolated interpreter leaves out
from peer_process import serve  # pylint: disable=wrong-import-position

DEVICE, COMPILES = sys.argv[1], sys.argv[2] == "compile"
PRECISION = sys.argv[3]
CORES, THREADS = [int(core) for core in sys.argv[4].split(",")], int(sys.argv[5])


def pads_of(node, a):
    """Pads of a window where they are the same at both ends."""
    pads = a.get("pads", [0] * 4)
    half = len(pads) // 2
    if pads[:half] != pads[half:]:
        raise ValueError(f"{node.op_type}: pads {pads} differ at the two ends")
    return pads[:half]


def constant(value):
    return [int(v) for v in value.flatten()]


def clip(x, low=None, high=None):
    return torch.clamp(x, low, high)


class Builder:
    """A torch.fx graph of an ONNX graph: one call for each node."""

    def __init__(self, model):
        self.root, self.graph = torch.nn.Module(), torch.fx.Graph()
        self.constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
        self.values = {}
        for given in model.graph.input:
            if given.name not in self.constants:
                self.values[given.name] = self.graph.placeholder("input%d" % len(self.values))
        self.counts = {}
        for node in model.graph.node:
            self.add(node)
        self.graph.output([self.value(out.name) for out in model.graph.output])

    def module(self):
        """A new one, with constants of its own."""
        return torch.fx.GraphModule(copy.deepcopy(self.root), self.graph).eval()

    def value(self, name):
        if name not in self.values:
            own = "p%d" % len(self.values)
            self.root.register_buffer(own, torch.from_numpy(self.constants[name].copy()))
            self.values[name] = self.graph.get_attr(own)
        return self.values[name]

    def call(self, function, *args, **named):
        return self.graph.call_function(function, args, named)

    def add(self, node):
        self.counts[node.op_type] = self.counts.get(node.op_type, 0) + 1
        a = {field.name: onnx.helper.get_attribute_value(field) for field in node.attribute}
        names = [name for name in node.input]
        if node.op_type == "Constant":
            self.constants[node.output[0]] = onnx.numpy_helper.to_array(a["value"])
            return
        build = getattr(self, "on_" + node.op_type.lower(), None)
        if build is None:
            raise ValueError(f"{node.op_type}: this peer has no such operator")
        made = build(node, a, names)
        for name, value in zip(node.output, made if isinstance(made, list) else [made]):
            self.values[name] = value

    def on_conv(self, node, a, names):
        bias = self.value(names[2]) if len(names) > 2 else None
        return self.call(F.conv2d, self.value(names[0]), self.value(names[1]), bias, stride=a.get("strides", [1, 1]),
                         padding=pads_of(node, a), dilation=a.get("dilations", [1, 1]), groups=a.get("group", 1))

    def on_convtranspose(self, node, a, names):
        bias = self.value(names[2]) if len(names) > 2 else None
        return self.call(F.conv_transpose2d, self.value(names[0]), self.value(names[1]), bias, stride=a.get("strides", [1, 1]),
                         padding=pads_of(node, a), output_padding=a.get("output_padding", 0), groups=a.get("group", 1))

    def on_maxpool(self, node, a, names):
        return self.call(F.max_pool2d, self.value(names[0]), a["kernel_shape"], a.get("strides", [1, 1]), pads_of(node, a))

    def on_averagepool(self, node, a, names):
        return self.call(F.avg_pool2d, self.value(names[0]), a["kernel_shape"], a.get("strides", [1, 1]), pads_of(node, a),
                         False, bool(a.get("count_include_pad", 0)))

    def on_globalaveragepool(self, _, __, names):
        return self.call(torch.mean, self.value(names[0]), [2, 3], True)

    def on_reducemean(self, _, a, names):
        return self.call(torch.mean, self.value(names[0]), a["axes"], bool(a.get("keepdims", 1)))

    def on_relu(self, _, __, names):
        return self.call(F.relu, self.value(names[0]))

    def on_sigmoid(self, _, __, names):
        return self.call(torch.sigmoid, self.value(names[0]))

    def on_hardswish(self, _, __, names):
        return self.call(F.hardswish, self.value(names[0]))

    def on_hardsigmoid(self, _, __, names):
        return self.call(F.hardsigmoid, self.value(names[0]))

    def on_clip(self, _, a, names):
        ends = [float(self.constants[name]) for name in names[1:]] or [a["min"], a["max"]]
        return self.call(clip, self.value(names[0]), *ends)

    def on_add(self, _, __, names):
        return self.call(operator.add, self.value(names[0]), self.value(names[1]))

    def on_mul(self, _, __, names):
        return self.call(operator.mul, self.value(names[0]), self.value(names[1]))

    def on_div(self, _, __, names):
        return self.call(operator.truediv, self.value(names[0]), self.value(names[1]))

    def on_erf(self, _, __, names):
        return self.call(torch.erf, self.value(names[0]))

    def on_layernormalization(self, _, a, names):
        weights = self.value(names[1])
        shape = list(self.constants[names[1]].shape)
        bias = self.value(names[2]) if len(names) > 2 else None
        return self.call(F.layer_norm, self.value(names[0]), shape, weights, bias, a.get("epsilon", 1e-5))

    def on_softmax(self, _, a, names):
        return self.call(torch.softmax, self.value(names[0]), a.get("axis", -1))

    def on_concat(self, _, a, names):
        return self.call(torch.cat, [self.value(name) for name in names], a["axis"])

    def on_flatten(self, _, a, names):
        return self.call(torch.flatten, self.value(names[0]), a.get("axis", 1))

    def on_reshape(self, _, __, names):
        return self.call(torch.reshape, self.value(names[0]), constant(self.constants[names[1]]))

    def on_transpose(self, _, a, names):
        return self.call(torch.permute, self.value(names[0]), a["perm"])

    def on_split(self, node, a, names):
        sizes = constant(self.constants[names[1]]) if len(names) > 1 else a["split"]
        parts = self.call(torch.split, self.value(names[0]), sizes, a.get("axis", 0))
        return [self.call(operator.getitem, parts, i) for i in range(len(node.output))]

    def on_slice(self, _, __, names):
        starts, ends, axes = [constant(self.constants[name]) for name in names[1:4]]
        steps = constant(self.constants[names[4]]) if len(names) > 4 else [1] * len(axes)
        value = self.value(names[0])
        for axis, start, end, step in zip(axes, starts, ends, steps):
            value = self.call(operator.getitem, value, (slice(None),) * axis + (slice(start, end, step),))
        return value

    def on_gemm(self, _, a, names):
        weights = self.value(names[1])
        if not a.get("transB", 0):
            weights = self.call(torch.t, weights)
        return self.call(F.linear, self.value(names[0]), weights, self.value(names[2]) if len(names) > 2 else None)

    def on_matmul(self, _, __, names):
        return self.call(torch.matmul, self.value(names[0]), self.value(names[1]))

    def on_identity(self, _, __, names):
        return self.value(names[0])


def captured(module, inputs):
    """The module's run as a CUDA graph, and its outputs."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            module(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = module(*inputs)
    return graph, outputs


def timed(graph, count):
    times = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        graph.replay()
        torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - begin)
    return times


class Peer:
    folder = names = graph = outputs = kept = None

    @torch.no_grad()
    def load(self, request):
        self.folder = request["folder"]
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = PRECISION == "tf32"
        torch.backends.cudnn.benchmark = True
        model = onnx.load(request["model"])
        builder = Builder(model)
        self.names = [out.name for out in model.graph.output]
        inputs = [torch.from_numpy(numpy.ascontiguousarray(numpy.load(request["inputs"][given.name]))).to(DEVICE)
                  for given in model.graph.input if given.name not in builder.constants]
        least = None
        for layout in torch.contiguous_format, torch.channels_last:
            module = builder.module().to(DEVICE).to(memory_format=layout)
            given = [x.contiguous(memory_format=layout) if x.dim() == 4 else x for x in inputs]
            if PRECISION == "fp16":
                module, given = module.half(), [x.half() if x.is_floating_point() else x for x in given]
            graph, outputs = captured(torch.compile(module) if COMPILES else module, given)
            took = sorted(timed(graph, 30))[15]
            if least is None or took < least:
                least, self.graph, self.outputs = took, graph, outputs
                self.kept = module, given  # where the graph finds them
        os.sched_setaffinity(0, CORES)  # what compiles uses all of them
        return {"runtime": "PyTorch", "version": torch.__version__, "providers": [torch.cuda.get_device_name(DEVICE), PRECISION],
                "cores": sorted(os.sched_getaffinity(0)), "threads": THREADS, "nodes": builder.counts}

    def run(self, request):
        return {"ns": timed(self.graph, request["count"])}

    def output(self, _):
        files = {}
        for index, (name, value) in enumerate(zip(self.names, self.outputs)):
            files[name] = os.path.join(self.folder, f"output{index}.npy")
            numpy.save(files[name], numpy.ascontiguousarray(value.float().cpu().numpy()))
        return {"files": files}


def main():
    peer = Peer()
    serve({"load": peer.load, "run": peer.run, "output": peer.output})


if __name__ == "__main__":
    main()
