#!/usr/bin/env python3
"""Whole networks on the RTL: each must give the functional engine's outputs; prints cycles and utilisation.

usage: networks.py TOOL [NAME...]
Networks whose files are not there (see VTA_CASES) are left out. Seeded weights and inputs where a network has none.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = os.path.join(os.environ.get("VTA_CASES", os.path.join(SOURCE, "..", "shared", "cases")), "public")
# Name, and its file; without one the tool writes it.
NETWORKS = [
    ("demo", os.path.join(SOURCE, "tools/demo/digits_int8.onnx")),
    ("kws_dscnn", os.path.join(CASES, "kws_dscnn_int8/model_qdq.onnx")),
    ("person_detect", os.path.join(CASES, "person_detect_int8/model_qdq.onnx")),
    ("resnet8", os.path.join(CASES, "resnet8_cifar_qdq/model.onnx")),
    ("mobilenet_v1", None),
    ("mobilenet_v2", None),
    ("resnet18", None),
    ("resnet50", None),
]


def run(tool, *words):
    """Seconds of CPU of a run that must succeed."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}:\n{done.stdout}{done.stderr}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start


def measure(tool, name, model, folder):
    """What the report notes on the clock, the same for every network."""
    if model is None:
        model = os.path.join(folder, name + ".onnx")
        run(tool, "model", name, "-o", model)
    package, want, report = (os.path.join(folder, name + end) for end in (".vta", ".bin", ".json"))
    run(tool, "compile", model, "-o", package)
    run(tool, "run", package, "--engine", "functional", "--output", want)
    seconds = run(tool, "run", package, "--engine", "rtl", "--reference", want, "--report", report)
    with open(report, encoding="utf-8") as file:
        said = json.load(file)
    vta = said["vta"]
    cycles = vta["cycles"]
    modules = ["/".join(f"{100 * spent[why] / cycles:.0f}" for why in ("busy", "wait_token", "wait_memory"))
               for spent in map(vta["modules"].get, ("load", "compute", "store"))]
    print(f"{name:14} {cycles:12,} {vta['ms']:9.3f} {vta['fps']:9.1f} {100 * vta['peak']:6.1f} {modules[0]:>9} {modules[1]:>9}"
          f" {modules[2]:>9} {vta['dram_bytes']:13,} {seconds:7.1f} {cycles / seconds / 1e6:8.2f}", flush=True)
    return said.get("clock_estimate", {}).get("note")


def main(tool, *names):
    unknown = set(names) - {name for name, _ in NETWORKS}
    if unknown:
        sys.exit(f"no network {', '.join(sorted(unknown))}; there are {', '.join(name for name, _ in NETWORKS)}")
    print(f"{'network':14} {'cycles':>12} {'ms@clock':>9} {'fps':>9} {'peak %':>6} {'load':>9} {'compute':>9} {'store':>9}"
          f" {'bytes':>13} {'CPU s':>7} {'Mcycle/s':>8}")
    note = None
    with tempfile.TemporaryDirectory() as folder:
        for name, model in NETWORKS:
            if (not names or name in names) and (model is None or os.path.exists(model)):
                note = measure(tool, name, model, folder) or note
    if note:
        print(note)


main(*sys.argv[1:])
