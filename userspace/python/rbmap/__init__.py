# SPDX-License-Identifier: LGPL-2.1-only
"""Events of the Linux kernel, from recordings and from rbmap's rings.

A recording is a trace.dat of `rbmap record` or of trace-cmd:

    import rbmap
    with rbmap.open("trace.dat") as recording:
        for event in recording:
            print(event.time, event.cpu, event.comm, event.name, event.fields())
        print(recording.events, "events,", recording.lost, "lost")

The columns of an event are numpy arrays, or a DataFrame of pandas, and so are intervals:

    switches = rbmap.open("trace.dat").to_pandas("sched_switch")
    waits = rbmap.open("trace.dat").latency("runqueue").worst

Events that happen now come from a buffer of the module:

    with rbmap.Live(events=["sched_switch"]) as live:
        for event in live:
            print(event["prev_comm"], "->", event["next_comm"])

Errors of the system are OSError, those of the library are rbmap.Error.
"""
import os

from ._rbmap import Error, Event, version as __version__
from .formats import Field, Format
from .intervals import Latency, Why
from .live import Live
from .recording import Damage, Moment, Recording, Uname

__all__ = ["Damage", "Error", "Event", "Field", "Format", "Latency", "Live", "Moment",
           "Recording", "Uname", "Why", "open"]


def open(path: "str | bytes | os.PathLike[str]", buffer: "str | None" = None) -> Recording:
    """Open a recording; the same as rbmap.Recording(path, buffer)."""
    return Recording(path, buffer)
