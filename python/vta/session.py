"""Packages that run."""

from __future__ import annotations

import json
import operator
import queue
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any

from vta import _core
from vta._error import mapped, refused, wrapped
from vta.model import Path
from vta.package import Package
from vta.report import Report

if TYPE_CHECKING:  # which takes long to import
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]


class Session:
    """A package on an engine, with memory of its own.

    Threads may share one: their runs come one after the other, without the interpreter's lock. A
    `SessionPool` runs several at once. A process that was forked makes sessions of its own.
    """

    def __init__(
        self,
        package: Package,
        engine: str | None = None,
        *,
        device: str | None = None,
        threads: int | None = None,
        credentials: Path | None = None,
        wait: float | None = None,
        priority: int | None = None,
    ) -> None:
        """
        Args:
            package: what runs. Its programs are proved first, once for all sessions.
            engine: as ``vta run --engine`` takes it (`engines` lists them); None is "functional",
                and for a package without programs for an accelerator the only choice.
            device: the GPU that runs kernels for one: "cuda:N" or "opencl:N".
            threads: that share the tasks of a kernel of the CPU; None: as many as it has processors.
            credentials: of an engine ``remote://HOST:PORT[/KEY]``, a folder with what the server wants
                to see; `wait`: seconds for a free device; `priority`: in that queue, higher ones come
                first.

        Raises:
            Error: where the engine is none, cannot be reached, or is not for the package's config.
        """
        self._package: Package = wrapped(package, Package, "package", "vta.compile or vta.Package.load")
        options = {
            "engine": engine,
            "device": device,
            "threads": threads,
            "credentials": credentials,
            "wait": wait,
            "priority": priority,
        }
        self._core = _core.Session(package._core, options)

    @property
    def package(self) -> Package:
        """What runs."""
        return self._package

    @property
    def engine(self) -> str:
        """As it was chosen."""
        return self._core.engine

    def run(
        self,
        inputs: Arrays,
        *,
        out: Arrays | None = None,
        profile: bool | None = None,
        limit_s: float | None = None,
    ) -> dict[str, NDArray[Any]]:
        """One run: as many inferences as the model's batch has.

        An exception that a signal raises, such as KeyboardInterrupt, ends it; the session runs again.

        Args:
            inputs: an array for each input of the package, of its type and shape. Read-only arrays
                will do. What does not lie in memory row by row is copied; else steps of the CPU read
                the array itself where it begins at a multiple of 64 bytes, and devices get one copy.
            out: arrays for some outputs, to be written; they must lie row by row, and share memory
                with no other array of the run. Others are made.
            profile: whether `report` is to be of this run. None: where the engine counts cycles.
            limit_s: seconds after which the run is stopped, which is then an Error.

        Returns:
            Arrays by the outputs' names.

        Raises:
            Error: where an input is missing or unknown, or of another type or shape; where a program
                or a kernel does not end as it should; where the session is closed, or another process's.
        """
        return self._core.run(
            mapped(inputs, "inputs") or {},
            mapped(out, "out"),
            profile,
            limit_s,
        )

    @property
    def report(self) -> Report:
        """What the last run that was profiled took, layer by layer.

        Raises:
            Error: where there was none.
        """
        return Report.of(json.loads(self._core.report_json()), self._core.report_table(False))

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._core.closed

    def close(self) -> None:
        """Gives memory and device back, after what runs has ended. Runs are then Errors."""
        self._core.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else self.engine
        return f"<vta.Session of {self._package.name!r}: {state}>"


class SessionPool:
    """Several sessions of a package, each with its own engine: as many runs at once."""

    def __init__(self, package: Package, sessions: int, engine: str | None = None, *, threads: int = 1) -> None:
        """
        Args:
            package, engine: as those of `Session`.
            sessions: how many; 1 to 1024.
            threads: of each.
        """
        if not 1 <= operator.index(sessions) <= 1024:
            raise refused("sessions", str(sessions), "must be 1 to 1024")
        self._sessions = [Session(package, engine, threads=threads) for _ in range(sessions)]
        self._free: queue.SimpleQueue[Session] = queue.SimpleQueue()
        for session in self._sessions:
            self._free.put(session)

    def run(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """As `Session.run`, on the first session that is free. Any number of threads may call it."""
        session = self._free.get()
        try:
            return session.run(inputs)
        finally:
            self._free.put(session)

    def map(self, samples: Iterable[Arrays]) -> list[dict[str, NDArray[Any]]]:
        """Runs samples on all sessions at once; what they give, in their order.

        An exception that a signal raises ends all of them. Raises: the first Error.
        """
        threads = ThreadPoolExecutor(len(self._sessions))
        try:
            results: list[dict[str, NDArray[Any]]] = []
            pending: deque[Future[dict[str, NDArray[Any]]]] = deque()
            for sample in samples:  # a few ahead of those that run
                pending.append(threads.submit(self.run, sample))
                if len(pending) > 2 * len(self._sessions):
                    results.append(pending.popleft().result())
            results.extend(future.result() for future in pending)
            return results
        except BaseException:
            self._stop(True)
            raise
        finally:
            threads.shutdown(cancel_futures=True)
            self._stop(False)

    def close(self) -> None:
        """As `Session.close`, of each."""
        for session in self._sessions:
            session.close()

    def _stop(self, stops: bool) -> None:
        for session in self._sessions:
            session._core.stop(stops)

    def __enter__(self) -> SessionPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def engines() -> list[str]:
    """What `Session` takes for an engine: the simulators, and how boards are named."""
    return _core.engines()
