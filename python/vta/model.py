"""Networks, before they are compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from vta import _core
from vta._error import mapped, wrapped

if TYPE_CHECKING:  # which takes long to import
    from numpy.typing import NDArray

    Sample = Mapping[str, NDArray[Any]] | NDArray[Any]

Path = str | PathLike[str]


@dataclass(frozen=True)
class Tensor:
    """An input or an output.

    Attributes:
        name: as the model has it.
        dtype: of its elements, as NumPy calls it.
        shape: of one run, in elements.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]


def tensors(rows: Iterable[tuple[str, str, tuple[int, ...]]]) -> tuple[Tensor, ...]:
    """The tensors that the C++ of the module lists."""
    return tuple(Tensor(*row) for row in rows)


class QuantizeOptions(TypedDict, total=False):
    """How `Model.quantize` and `evaluate` quantise: the options of ``vta quantize`` as keywords; None is their default.

    Attributes:
        config: the accelerator variant whose arithmetic the scales fit: a shipped name or a path.
        calibration: how ranges are found; `percentile` of the values that one covers.
        equalise: how far channels are made alike.
        keep_biases: without the correction of biases.
        keep_float: the nodes that stay in float.
        type: of activations; `rounding`: of requantisation.
        threads: that compute what runs on the CPU; None: as many as it has processors.
    """

    config: Path | None
    calibration: str | None
    percentile: float | None
    equalise: str | None
    keep_biases: bool
    keep_float: str | Iterable[str] | None
    type: str | None
    rounding: str | None
    threads: int | None


def quantize_options(options: QuantizeOptions) -> dict[str, Any]:
    """As the C++ of the module takes them. Raises: TypeError for another keyword, as Python does."""
    for name in options:
        if name not in QuantizeOptions.__annotations__:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
    return {**options, "keep_float": listed(options.get("keep_float"))}


class Model:
    """A network in memory: `load_model` makes one of a file, `quantize` one of another."""

    def __init__(self, core: _core.Model) -> None:
        self._core = wrapped(core, _core.Model, "model", "vta.load_model")

    @property
    def name(self) -> str:
        """Where it is from, as errors say it."""
        return self._core.name

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What a run takes, in the model's order."""
        return tensors(self._core.inputs())

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """What a run gives, in the model's order."""
        return tensors(self._core.outputs())

    @property
    def is_quantised(self) -> bool:
        """Whether it has integer codes."""
        return self._core.is_quantised()

    def quantize(self, samples: Iterable[Sample], **options: Unpack[QuantizeOptions]) -> Model:
        """A float network with int8 weights and codes, as ``vta quantize`` makes it.

        Args:
            samples: of the inputs: of each sample a dict of arrays by the inputs' names, or the array
                itself where there is one input. Types and shapes are those of `inputs`.
            options: those of `QuantizeOptions`.

        Raises:
            Error: where the network is quantised already, a sample is not what the network takes or
                not finite, or an option is not legal.
        """
        return Model(self._core.quantize(samples, quantize_options(options)))

    def to_onnx(self) -> bytes:
        """The network as a serialised ``onnx.ModelProto``.

        Raises:
            Error: where ONNX has no operator for a part of it.
        """
        return self._core.to_onnx()

    def save(self, path: Path) -> None:
        """Writes `to_onnx` to a file, whole or not at all. Raises: Error, as that; and of the file."""
        self._core.save(path)

    def __repr__(self) -> str:
        kind = "int8" if self.is_quantised else "float"
        return f"<vta.Model {self.name!r}: {kind}, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def listed(words: Any) -> Any:
    """A str as it is, and else the words of an iterable."""
    return words if words is None or isinstance(words, (str, dict)) else list(words)


def load_model(source: Any, *, name: str = "model", dim: Mapping[str, int] | None = None) -> Model:
    """Imports an ONNX or TensorFlow Lite network.

    Args:
        source: the path of a file, its bytes, or an ``onnx.ModelProto``.
        name: stands for bytes in errors.
        dim: sizes of symbolic dimensions, by their name or by ``INPUT:AXIS``.

    Raises:
        Error: where the file cannot be read, or has what is not supported, which it names.
    """
    return Model(_core.load_model(source, name, {"dim": mapped(dim, "dim")}))
