#!/usr/bin/env python3
"""Trains the demo's digits network and writes its files: see README.md beside this script.

Needs python3-sklearn (which holds the UCI handwritten digits), python3-numpy, python3-onnx and flatc.
"""
import argparse
import hashlib
import json
import pathlib

import numpy as np
from sklearn.datasets import load_digits

import cnn
import export_onnx
import export_tflite
import onnx_numpy

SPLIT_SIZES = {"test": 400, "calibration": 300}  # the rest is the training split
PIXEL_SCALE = 1 / 16  # pixels are integers in [0, 16]


def split(rng, count):
    """{split name: indices}, disjoint."""
    order = rng.permutation(count)
    ends = np.cumsum(list(SPLIT_SIZES.values()))
    test, calibration, train = np.split(order, ends)
    return {"test": test, "calibration": calibration, "train": train}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    digits = load_digits()
    rng = np.random.default_rng(arguments.seed)
    splits = split(rng, len(digits.images))
    images = (digits.images * PIXEL_SCALE).astype(np.float32)[..., None]
    labels = digits.target
    parameters = cnn.train(images[splits["train"]], labels[splits["train"]], rng)

    test = splits["test"]
    pixels = digits.images[test].astype(np.uint8)[:, None]
    models = {
        "digits_f32": export_onnx.float_model(parameters),
        "digits_int8": export_onnx.int8_model(parameters, images[splits["calibration"]]),
    }
    files = {f"{name}.onnx": model.SerializeToString(deterministic=True)
             for name, model in models.items()}
    files |= {f"{name}.tflite": export_tflite.tflite_bytes(model)
              for name, model in models.items()}
    files |= {
        "images.bin": pixels.tobytes(),
        "labels.txt": "".join(f"{label}\n" for label in labels[test]).encode(),
    }
    test_input = (pixels * PIXEL_SCALE).astype(np.float32)
    accuracies = {name: onnx_numpy.accuracy(model, test_input, labels[test])
                  for name, model in models.items()}
    description = {
        "dataset": "UCI handwritten digits, as in scikit-learn's load_digits",
        "seed": arguments.seed,
        "split_sizes": {name: len(indices) for name, indices in splits.items()},
        "parameters": int(sum(p.size for pair in parameters.values() for p in pair)),
        "input": {"name": cnn.INPUT, "shape": [1, 1, 8, 8], "type": "float32"},
        "output": {"name": "logits", "shape": [1, 10], "type": "float32"},
        "images": {"file": "images.bin", "labels_file": "labels.txt", "type": "uint8",
                   "shape": list(pixels.shape), "scale": PIXEL_SCALE},
        "test_accuracy": accuracies,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    files["digits.json"] = (json.dumps(description, indent=2) + "\n").encode()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (arguments.output / name).write_bytes(data)
    print(json.dumps(description["test_accuracy"]))


if __name__ == "__main__":
    main()
