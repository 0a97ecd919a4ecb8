"""Who may include whom: the component table of the architecture, over every #include.

usage: includes.py ROOT
"""

import os
import re
import sys

import tree

# A component's files may include its own headers and those of these components.
ALLOWED = {
    "isa": (),
    "sim": ("isa", "hw"),
    "compiler": ("isa",),
    "driver": ("isa",),
    "runtime": ("isa", "driver"),
}
# The folders of driver/ that are simulated devices, which may include sim as well.
SIMULATED_DEVICES = ("simulated", "functional", "cycle", "rtl", "hls", "lockstep", "xrt_shim")
# The tools of a board, which are built without the compiler and the tool that has it.
BOARD_TOOLS = {
    "tools/images": ("isa", "tools/images"),
    "tools/shared": ("isa", "driver", "runtime", "tools/images", "tools/shared"),
    "tools/help": ("isa", "tools/shared", "tools/help"),
    "tools/serve/program": ("isa", "driver", "runtime", "tools/shared", "tools/help", "tools/serve"),
    "tools/serve/board": ("isa", "driver", "runtime", "tools/shared", "tools/serve"),
    "tools/runner": ("isa", "driver", "runtime", "tools/shared", "tools/help", "tools/runner"),
}
# Headers that are slow to compile stay inside .cc files.
HEAVY = ("nlohmann/", "boost/", "onnx/", "google/", "llvm/", "llvm-c/", "lld/", "spdlog/", "grpcpp/", "CLI/",
         "flatbuffers/", "yaml-cpp/", "xrt/", "experimental/")
GENERATED = "_generated.h"  # by flatc, and as slow
# What a board is without: only the compiler, and the tool that has it, may include it.
NOT_ON_BOARDS = ("boost/", "onnx/", "google/", "yaml-cpp/", "llvm/", "llvm-c/", "lld/", "clang/", "fmt/", "spdlog/")
# Native code: LLVM is used in one folder.
LLVM, LLVM_FOLDER = ("llvm/", "llvm-c/", "lld/"), "compiler/llvm/"
# What learns costs and what breeds variants, each behind an interface of ours.
OF_ONE_FILE = {"xgboost/": "tools/search/module/boosted_trees.cc", "pagmo/": "tools/search/module/evolve.cc"}
# Where SystemC is: the tool does without.
SYSTEMC, SYSTEMC_FOLDERS = ("systemc", "tlm"), ("sim/cycle/systemc/", "sim/cycle/example/")
# Xilinx's runtime: a build without it leaves both folders out.
XRT, XRT_FOLDERS = ("xrt/", "experimental/", "xrt.h", "xclbin.h"), ("driver/xrt/", "driver/xrt_shim/", "tests/unit/xrt/")

# What speaks gRPC: a library that is loaded by what is remote.
GRPC, GRPC_FOLDERS = ("grpc/", "grpcpp/", "openssl/"), ("driver/remote/wire/", "tools/serve/", "tests/remote/")

# What speaks NATS: as that.
NATS, NATS_FOLDER = ("nats.h", "nats/"), "tools/farm/module/"

# C++ for high-level synthesis: on its own, but for the header of a config.
KERNELS = "hw/hls"

# Folders whose folders are siblings: neither knows the other, but all know the one that is named.
SIBLINGS = {"compiler/targets": None, "compiler/frontend": None, "tools/vta": "common"}
# Floors of a room: each may include those behind it, as data flows.
FLOORS = {"compiler/targets/vta": ("", "kernels", "lower", "tasks")}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def quoted_problem(path, included):
    folder = os.path.dirname(path)
    if folder in BOARD_TOOLS and not included.startswith(tuple(allowed + "/" for allowed in BOARD_TOOLS[folder])):
        return f'"{included}": {folder} may include only {", ".join(BOARD_TOOLS[folder])}'
    component, target = path.split("/")[0], included.split("/")[0]
    if folder == KERNELS:
        return None if "/" not in included else f'"{included}": {folder} is compiled by other tools, in one folder'
    if "/" not in included:
        return f'"{included}": write the path from the repository root'
    if path.endswith(".h") and component in ALLOWED and included.endswith(GENERATED):
        return f'"{included}": slow to compile, include it in a .cc file only'
    if component not in ALLOWED or target in (component, *ALLOWED[component]):
        return sibling_problem(path, included)
    if component == "driver" and target == "sim" and path.split("/")[1] in SIMULATED_DEVICES:
        return None
    allowed = ", ".join((component,) + ALLOWED[component])
    return f'"{included}": {component} may include only {allowed}'


def inside(path, room):
    """The folder of a file below a room, "" of one that stands in the room itself; None of one that is elsewhere."""
    return os.path.dirname(path)[len(room) + 1:].split("/")[0] if path.startswith(room + "/") else None


def sibling_problem(path, included):
    for room, common in SIBLINGS.items():
        here, there = inside(path, room), inside(included, room)
        if here and there and here != there and there != common:
            return f'"{included}": {room}/* are siblings and do not include each other'
    for room, floors in FLOORS.items():
        here, there = inside(path, room), inside(included, room)
        if here is None or there is None:
            continue
        for floor in (here, there):
            if floor not in floors:
                return f'"{included}": {room}/{floor} has no place among the floors of {room}'
        if floors.index(there) < floors.index(here):
            return f'"{included}": {room}/{here} may include only {", ".join(floors[floors.index(here):])} of {room}'
    return None


def system_problem(path, included):
    component = path.split("/")[0]
    if path.endswith(".h") and component in ALLOWED and included.startswith(HEAVY):
        return f"<{included}>: slow to compile, include it in a .cc file only"
    if component == "isa" and "/" in included and not included.startswith(("nlohmann/", "sys/")):
        return f"<{included}>: isa depends on the standard library and nlohmann-json alone"
    board = component in ALLOWED and component != "compiler" or os.path.dirname(path) in BOARD_TOOLS
    if board and included.startswith(NOT_ON_BOARDS):
        return f"<{included}>: a board is without that library"
    if component in ALLOWED and included.startswith(LLVM) and not path.startswith(LLVM_FOLDER):
        return f"<{included}>: only {LLVM_FOLDER} depends on that library"
    for library, file in OF_ONE_FILE.items():
        if included.startswith(library) and path != file:
            return f"<{included}>: only {file} depends on that library"
    if component in ALLOWED and included.startswith(SYSTEMC) and not path.startswith(SYSTEMC_FOLDERS):
        return f"<{included}>: only the SystemC module of the cycle model depends on that library"
    if included.startswith(XRT) and not path.startswith(XRT_FOLDERS):
        return f"<{included}>: only {' and '.join(XRT_FOLDERS)} depend on that library"
    if included.startswith(GRPC) and not path.startswith(GRPC_FOLDERS):
        return f"<{included}>: only {', '.join(GRPC_FOLDERS)} depend on that library"
    if included.startswith(NATS) and not path.startswith(NATS_FOLDER):
        return f"<{included}>: only {NATS_FOLDER} depends on that library"
    return None


def main(root):
    problems = []
    for path in tree.files(root, ".h", ".cc"):
        for number, line in enumerate(tree.lines(root, path), 1):
            match = INCLUDE.match(line)
            if match:
                problem = (quoted_problem if match[1] == '"' else system_problem)(path, match[2])
                if problem:
                    problems.append(f"{path}:{number}: {problem}")
    tree.report(problems, "The table is in tests/lint/includes.py.")


main(sys.argv[1])
