"""What quantising a network costs, by the names of `vta eval --json`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from vta._error import wrapped
from vta.model import Model, QuantizeOptions, quantize_options

if TYPE_CHECKING:
    from vta.model import Sample


@dataclass(frozen=True)
class Accuracy:
    """One way of running the network.

    Attributes:
        name: "float", "int8", or "int8 on CONFIG (ENGINE)".
        same_class_percent: of the samples, where float has the same class.
        outputs_db: signal to noise of the outputs against float, in dB; None of float itself.
        accuracy_percent: where there are labels.
    """

    name: str
    same_class_percent: float
    outputs_db: float | None
    accuracy_percent: float | None = None


@dataclass(frozen=True)
class LayerError:
    """What the codes of a layer cost, and what to do about it.

    Attributes:
        alone_db: signal to noise of the layer with exact inputs, `whole_db` in the quantised network; dB.
        low, high: the range of its values.
        clipped_percent: of the values, that lie outside what codes cover.
        clipping_share, codes_share: of its own noise, 0 to 1.
        channel_spread: the largest channel's range by the middle one's.
    """

    layer: str
    alone_db: float
    whole_db: float
    low: float
    high: float
    clipped_percent: float
    clipping_share: float
    codes_share: float
    channel_spread: float
    advice: str


@dataclass(frozen=True)
class Trial:
    """Another way to quantise, tried: options of the command line, and the outputs' dB with them."""

    change: str
    outputs_db: float


@dataclass(frozen=True)
class Evaluation:
    """Accuracies, the error of each layer, worst first, and what other options would do.

    Attributes:
        inexact: of a config whose requantisation is not exact, as in the JSON of a run: "programs", "of", "codes".
        cycles: of the quantised network on the config, `accelerator_ms` at its clock; None where no model counts them.
        hosts: what boards' CPUs take for the rest, by a model, as `Report.hosts`.
    """

    model: str
    config: str
    samples: int
    in_float: tuple[str, ...]
    runs: tuple[Accuracy, ...]
    layers: tuple[LayerError, ...]
    trial_samples: int
    trial_base_db: float
    trials: tuple[Trial, ...]
    inexact: dict[str, int] | None = None
    cycles: int | None = None
    accelerator_ms: float | None = None
    hosts: list[dict[str, Any]] = field(default_factory=list, repr=False)
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(document: dict[str, Any]) -> Evaluation:
        """That of the JSON."""
        return Evaluation(
            model=document["model"],
            config=document["config"],
            samples=document["samples"],
            in_float=tuple(document["in_float"]),
            runs=tuple(Accuracy(**run) for run in document["runs"]),
            layers=tuple(LayerError(**layer) for layer in document["layers"]),
            trial_samples=document["trial_samples"],
            trial_base_db=document["trial_base_db"],
            trials=tuple(Trial(**trial) for trial in document["trials"]),
            inexact=document.get("inexact"),
            cycles=document.get("cycles"),
            accelerator_ms=document.get("accelerator_ms"),
            hosts=document.get("hosts", []),
            document=document,
        )


def evaluate(
    model: Model,
    samples: Iterable[Sample],
    labels: Iterable[int] | None = None,
    *,
    calibration_samples: Iterable[Sample] | None = None,
    trials: bool = True,
    engine: str | None = None,
    **options: Unpack[QuantizeOptions],
) -> Evaluation:
    """Compares a network with itself in float, as ``vta eval`` does; one in float is quantised first.

    Args:
        samples: as those of `Model.quantize`.
        labels: the class of each inference, from 0.
        calibration_samples: quantise with these; None: with `samples`.
        trials: whether to try other options of the quantiser.
        engine: that runs the quantised network for the config; None: as the command chooses.
        options: those of `QuantizeOptions`.

    Raises:
        Error: as `Model.quantize`; and where labels are not as many as inferences, or name no class.
    """
    core = wrapped(model, Model, "model", "vta.load_model")._core
    own = {"no_trials": not trials, "engine": engine, **quantize_options(options)}
    return Evaluation.of(json.loads(core.evaluate(samples, labels, calibration_samples, own)))
