#!/usr/bin/env python3
"""What a run takes from Python, beside the same three calls of the C API: the demo, functional, one thread.

usage: PYTHONPATH=build/python tests/bench/python_calls.py build/runtime/libvta_runtime.so

CPU time, so that other work of the machine does not count. Kernels have the same limit of 60 s on both sides: watching it
takes most of such a small run.
"""

import ctypes
import os
import pathlib
import sys
import tempfile
import time

import numpy as np

import vta

DEMO = pathlib.Path(__file__).parents[2] / "tools/demo"
ROUNDS, CALLS = 15, 300


def microseconds(call):
    """Of CPU, the best round's mean."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(CALLS):
            call()
        best = min(best, (time.process_time() - start) / CALLS * 1e6)
    return best


def of_c(library, file, array, outputs):
    """A call that sets, runs and gets by the C API."""
    c = ctypes.CDLL(library)
    model, session, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.create_string_buffer(1024)
    if c.vta_model_load(os.fsencode(file), ctypes.byref(model), error):
        sys.exit(error.value.decode())
    device = b"functional" if c.vta_model_needs_device(model) else None
    if c.vta_session_create_guarded(model, device, ctypes.c_int64(1), ctypes.c_int64(60000), ctypes.byref(session), error):
        sys.exit(error.value.decode())
    input_at, output_at = ctypes.c_void_p(array.ctypes.data), ctypes.c_void_p(outputs.ctypes.data)
    input_bytes, output_bytes, first = ctypes.c_size_t(array.nbytes), ctypes.c_size_t(outputs.nbytes), ctypes.c_size_t(0)

    def call():
        c.vta_set_input(session, first, input_at, input_bytes, error)
        c.vta_run(session, error)
        c.vta_get_output(session, first, output_at, output_bytes, error)
    return call


def main(library):
    image = (np.fromfile(DEMO / "images.bin", np.uint8)[:64].reshape(1, 1, 8, 8) / 16).astype(np.float32)
    logits = np.empty((1, 10), np.float32)
    for name, options in ("digits_int8.onnx", {}), ("digits_f32.onnx", {"target": "cpu"}):
        package = vta.compile(DEMO / name, **options)
        with tempfile.NamedTemporaryFile(suffix=".vta") as file, vta.Session(package, threads=1) as session:
            package.save(file.name)
            inputs = {"image": image}
            python = microseconds(lambda session=session, inputs=inputs: session.run(inputs))
            c = microseconds(of_c(library, file.name, image, logits))
            equal = (session.run(inputs)["logits"] == logits).all()
        print(f"{name}: {python:.1f} us from Python, {c:.1f} us by the C API, {python - c:+.1f} us; outputs {'equal' if equal else 'DIFFER'}")


main(sys.argv[1])
