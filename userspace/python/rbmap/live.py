# SPDX-License-Identifier: LGPL-2.1-only
"""Events that happen now."""
import os
import typing

from . import _rbmap
from .buffer import CONTROL, DEVICES, EnabledEvents, OwnBuffer, hidden_cpus, missed
from .formats import Formats


class Live(_rbmap.Live):
    """The events of a buffer, of all CPUs in the order of time, as they happen.

    - events: events to enable: "sched_switch", "sched:*" or "sched". Without a buffer, they
      come from a new buffer of this object alone. Without events and without a buffer,
      the object reads the default buffer, with the events that others have enabled.
    - buffer: the name of an existing buffer; "": the default one.
    - observe: consume no event, beside another reader.
    - settings: settings of a new buffer, such as "clock=mono buffer_size_kb=4096".
    - hold_us: how long an event waits for older ones of other CPUs. Default: 10000.

    An iteration waits for events. It ends after stop(), when it has returned what the
    rings hold. A signal whose handler raises an exception ends it too, such as Ctrl-C.
    """

    def __init__(self, events: "str | typing.Iterable[str] | None" = None,
                 buffer: "str | None" = None, *, observe: bool = False,
                 settings: str = "", hold_us: "int | None" = None) -> None:
        self._own = self._enabled = None
        if isinstance(events, str):
            events = [events]
        if settings and (buffer is not None or not events):
            raise ValueError("settings are for a new buffer: with events and no buffer")
        if not os.path.isdir(CONTROL):
            raise _rbmap.Error("the module rbmap is not loaded (rbmap load, or modprobe rbmap)")
        try:
            self._open(events, buffer, observe, settings)
            if hold_us is not None:
                self._set_hold(hold_us)
        except BaseException:
            self.close()
            raise

    def _open(self, events, buffer, observe, settings):
        if events and buffer is None:
            self._own = OwnBuffer(settings)
            buffer = self._own.name
        if buffer and ("/" in buffer or buffer.startswith(".")):
            raise ValueError(f"invalid name of a buffer {buffer!r}")
        control = f"{CONTROL}/instances/{buffer}" if buffer else CONTROL
        devices = f"{DEVICES}/{buffer}" if buffer else DEVICES
        if os.path.isdir(control) and not os.path.isdir(devices):
            raise _rbmap.Error(f"{devices} does not exist, although the module is loaded: /dev "
                               "is not that of the machine, as in a container")
        super().__init__(devices, f"{control}/events", observe=observe)
        self._control, self._devices = control, devices
        # An observer's losses begin with it.
        self._missed_before = missed(control) if observe else 0
        if self._own and not observe:
            self._pace(f"{control}/buffer_percent")
        self._enabled = EnabledEvents(control, events or ())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def finish(self) -> None:
        """Disable the events that this object has enabled, and end the iteration."""
        if self._enabled:
            self._enabled.close()
        self.stop()

    def close(self) -> None:
        """Disable the events, close the rings, and destroy a buffer of this object."""
        if self._enabled:
            self._enabled.close()
        self._close()
        if self._own:
            self._own.close()

    @property
    def formats(self) -> Formats:
        """The formats that are known now, by name."""
        return Formats(self._formats())

    @property
    def loss(self) -> "dict[str, int]":
        """Losses of all rings by cause, since they were made: a dict.

        Those of an observer begin with it. The kernel had no record of the events in "missed",
        which no ring has heard of: "total" has them, and "reported" and "unreported" do not.
        """
        loss = self._loss()
        now = missed(self._control)
        # A reset sets the counter to 0.
        loss["missed"] = now - (self._missed_before if now >= self._missed_before else 0)
        loss["total"] += loss["missed"]
        return loss

    @property
    def unopened(self) -> "list[tuple[int, str]]":
        """CPUs whose rings could not be opened: (CPU, reason).

        Their events and losses are missing. Those that came online are tried again each second,
        and the list is that of the last attempt. CPU -1: nobody knows which CPUs have come. In
        a container /dev/rbmap can lack devices.
        """
        return self._unopened() + [(cpu, "/dev has no device of this CPU")
                                   for cpu in hidden_cpus(self._control, self._devices)]

    def __repr__(self):
        return f"<rbmap.Live of {self._own.name if self._own else 'a shared buffer'}>"
