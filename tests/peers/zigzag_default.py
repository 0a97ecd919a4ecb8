"""`default` as ZigZag describes accelerators, and a layer on it."""

import os

import yaml
from zigzag.api import get_hardware_performance_zigzag

BLOCK = 16


def hardware(rows):
    """Scratchpads that the whole array shares, a row wide; `rows`: those of a report's energy, by group and name."""
    def memory(name, operand, bits, width):
        read, write = rows[f"scratchpads {name} read"], rows[f"scratchpads {name} written"]
        lines = [("r_port_1", "read", ["tl", "th"] if operand == "O" else ["tl"]), ("w_port_1", "write", ["fh", "fl"] if operand == "O" else ["fh"])]
        return {"size": bits, "r_cost": read["pj_each"], "w_cost": write["pj_each"], "area": 0, "latency": 1, "operands": [operand],
                "ports": [{"name": port, "type": kind, "bandwidth_min": width, "bandwidth_max": width,
                           "allocation": [f"{operand}, {way}" for way in ways]} for port, kind, ways in lines],
                "served_dimensions": ["D1", "D2"]}

    dram = 8 * rows["DRAM wgt read"]["pj_each"]
    return {"name": "vta_default",
            "memories": {"acc": memory("acc", "O", 2048 * 512, 512), "inp": memory("inp", "I1", 2048 * 128, 128),
                         "wgt": memory("wgt", "I2", 1024 * 2048, 2048),
                         "dram": {"size": 10**10, "r_cost": dram, "w_cost": dram, "area": 0, "latency": 1, "operands": ["I1", "I2", "O"],
                                  "ports": [{"name": "rw_port_1", "type": "read_write", "bandwidth_min": 64, "bandwidth_max": 64,
                                             "allocation": ["I1, fh", "I1, tl", "I2, fh", "I2, tl", "O, fh", "O, tl", "O, fl", "O, th"]}],
                                  "served_dimensions": ["D1", "D2"]}},
            "operational_array": {"unit_energy": rows["MACs MAC"]["pj_each"], "unit_area": 1, "dimensions": ["D1", "D2"], "sizes": [BLOCK, BLOCK]}}


def costed(rows, folder, opt, channels, filters, kernel, stride, outputs):
    """What ZigZag finds of a convolution, kernel and outputs as (height, width)."""
    def file(name, value):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as out:
            yaml.safe_dump(value, out, sort_keys=False)  # memories go from the array outwards
        return path

    layer = [{"id": 0, "name": "conv", "operator_type": "Conv", "equation": "O[b][g][k][oy][ox]+=W[g][k][c][fy][fx]*I[b][g][c][iy][ix]",
              "dimension_relations": [f"ix={stride}*ox+1*fx", f"iy={stride}*oy+1*fy"], "loop_dims": ["B", "K", "G", "OY", "OX", "C", "FY", "FX"],
              "loop_sizes": [1, filters, 1, *outputs, channels, *kernel],
              "operand_precision": {"W": 8, "I": 8, "O": 32, "O_final": 8}, "operand_source": {"W": 0, "I": 0}}]
    mapping = [{"name": "default", "spatial_mapping": {"D1": [f"C, {BLOCK}"], "D2": [f"K, {BLOCK}"]},
                "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]
    _, _, found = get_hardware_performance_zigzag(
        file("layer.yaml", layer), file("hardware.yaml", hardware(rows)), file("mapping.yaml", mapping), opt=opt,
        dump_folder=os.path.join(folder, "out"), loma_show_progress_bar=False)
    return found[0][0]
