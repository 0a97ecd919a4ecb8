"""Our cycles of the layers of a topology, beside which peers' stand."""

import json
import os
import subprocess


def ours(tool, topology, folder):
    """Of the cycle model on `default`, each layer in a launch of its own: rows of a report, by name."""
    report = os.path.join(folder, "report.json")
    subprocess.run([tool, "-q", "run", topology, "--assume", "int8", "-c", "default", "--apart", "--report", report],
                   stdout=subprocess.DEVNULL, check=True)
    with open(report, encoding="utf-8") as file:
        return {layer["name"]: layer for layer in json.load(file)["layers"] if layer["where"] == "vta"}
