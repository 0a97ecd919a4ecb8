#!/usr/bin/env python3
"""Writes the single-operator cases of an installed onnx package as folders of models and tensors, as
its releases once held them; cases with types other than tensors are left out.

usage: onnx_cases.py FOLDER [N]

N: so many of them, by the commit (tests/support/seeded.py).
"""

import os
import pathlib
import sys
import warnings

import numpy
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import seeded


def write(path, message):
    with open(path, "wb") as file:
        file.write(message.SerializeToString())


def main(folder, number=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that a case makes on purpose
        cases = {case.name: case for case in collect_testcases(None)}
    names = list(cases)
    chosen = names if number is None else seeded.sample(names, int(number))
    count = 0
    for case in (cases[name] for name in chosen):
        graph = case.model.graph
        if not all(info.type.HasField("tensor_type") for info in [*graph.input, *graph.output]):
            continue
        data = os.path.join(folder, case.name, "test_data_set_0")
        os.makedirs(data, exist_ok=True)
        write(os.path.join(folder, case.name, "model.onnx"), case.model)
        for kind, infos, values in zip(("input", "output"), (graph.input, graph.output), case.data_sets[0]):
            for number, (info, value) in enumerate(zip(infos, values)):
                if not isinstance(value, TensorProto):
                    value = numpy_helper.from_array(numpy.asarray(value), info.name)
                write(os.path.join(data, f"{kind}_{number}.pb"), value)
        count += 1
    print(f"{count} cases")


main(*sys.argv[1:])
