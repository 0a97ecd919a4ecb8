"""The VTA toolkit: networks compiled for a tensor accelerator, its simulators, boards, CPUs and GPUs.

    model = vta.load_model("network.onnx")
    package = vta.compile(model.quantize(samples), "ultra96")
    with vta.Session(package, "cycle") as session:
        outputs = session.run({"image": image})
        session.report

Errors are `vta.Error`; messages go to the logger "vta". docs/python.md has more.
"""

from vta import te
from vta._error import Error
from vta.evaluation import Accuracy, Evaluation, LayerError, Trial, evaluate
from vta.exploration import CostedPoint, Exploration, Sensitivity, Step, explore, sensitivity
from vta.model import Model, QuantizeOptions, Tensor, load_model
from vta.package import Check, Package, compile, configs, load_config
from vta.program import Execution, Launch, Program, asm
from vta.report import Layer, Memory, Report
from vta.schedule import Function, Schedule, build, intrinsics, primitives
from vta.server import ServedDevice, Server, devices
from vta.session import Session, SessionPool, engines
from vta.tuning import Attempt, Task, Tuning, tune

__all__ = [
    "Accuracy",
    "Attempt",
    "Check",
    "CostedPoint",
    "Error",
    "Evaluation",
    "Execution",
    "Exploration",
    "Function",
    "Launch",
    "Layer",
    "LayerError",
    "Memory",
    "Model",
    "Package",
    "Program",
    "QuantizeOptions",
    "Report",
    "Schedule",
    "Sensitivity",
    "ServedDevice",
    "Server",
    "Session",
    "SessionPool",
    "Step",
    "Task",
    "Tensor",
    "Trial",
    "Tuning",
    "asm",
    "build",
    "compile",
    "configs",
    "devices",
    "engines",
    "evaluate",
    "explore",
    "intrinsics",
    "load_config",
    "load_model",
    "primitives",
    "sensitivity",
    "te",
    "tune",
]
