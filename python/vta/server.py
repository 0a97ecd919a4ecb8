"""Devices that a server has, by the names of `vta devices --json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from vta import _core
from vta._html import table
from vta.model import Path


@dataclass(frozen=True)
class ServedDevice:
    """One of them.

    Attributes:
        device: its name; `key`: of the queue that it is had by, as ``remote://HOST:PORT/KEY``.
        state: "free", "leased", "testing" or "withdrawn", and of a tracker "silent"; `reason`: why it is withdrawn, or silent.
        holder: who has it, for `held_s` seconds; `waiting`: how many wait.
        fence: the number of its lease; `leases`: how many there were.
        server: ``HOST:PORT`` of the one whose it is, where a tracker says it.
        temperature_c: of a board that has a sensor, in degrees Celsius.
        self_test_s: seconds that its last self-test took; None before it had one.
    """

    device: str
    key: str
    state: str
    reason: str
    holder: str
    held_s: float
    waiting: int
    fence: int
    leases: int
    self_test_s: float | None = None
    revoked_after_s: float | None = None
    temperature_c: float | None = None
    server: str | None = None


@dataclass(frozen=True)
class Server:
    """What a server, or those of a tracker, have, who has it and who waits; a notebook shows a table, `print` the tool's."""

    build: str
    protocol: int
    beat_s: float
    devices: tuple[ServedDevice, ...]
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    table: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        """What ``vta devices`` prints."""
        return self.table

    def _repr_html_(self) -> str:
        whose = ("server",) if "servers" in self.document else ()
        columns = (*whose, "device", "key", "state", "reason", "holder", "held_s", "waiting", "fence", "self_test_s")
        return table(self.build, columns, ([getattr(device, name) for name in columns] for device in self.devices))


def devices(server: str, *, credentials: Path | None = None) -> Server:
    """What the server, or the tracker, at ``HOST:PORT`` has, as ``vta devices`` says it.

    Args:
        credentials: a folder with what it wants to see.

    Raises:
        Error: where there is no such server, or it refuses the credentials.
    """
    text, shown = _core.devices(server, {"credentials": credentials})
    document = json.loads(text)
    return Server(
        build=document["build"],
        protocol=document["protocol"],
        beat_s=document["beat_s"],
        devices=tuple(ServedDevice(**device) for device in document["devices"]),
        document=document,
        table=shown,
    )
