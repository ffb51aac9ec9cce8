# SPDX-License-Identifier: LGPL-2.1-only
"""Intervals and waits of a recording, as DataFrames. The command rbmap computes them."""
import json
import os
import subprocess

from ._rbmap import Error

COMMAND = "rbmap"       #: the command that is run, if the environment has no RBMAP
STATUS_CUT = 3          # the recording is truncated: the readable events were used


def run(*arguments):
    """Run the command, and return the object that it prints."""
    command = os.environ.get("RBMAP") or COMMAND
    try:
        done = subprocess.run([command, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise Error(f"the command {command} is not installed: it measures intervals") from None
    if done.returncode not in (0, STATUS_CUT):
        text = done.stderr.decode(errors="replace").strip()
        raise Error(text or f"{command} {arguments[0]} ended with status {done.returncode}")
    return json.loads(done.stdout)


def options(**values):
    """The options of the command: NAME=VALUE; a list gives the option more than once."""
    for name, value in values.items():
        if value is None or value is False:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            option = "--" + name.replace("_", "-")
            yield option if one is True else f"{option}={one}"


def frame_of(rows, columns, dates):
    """Return a DataFrame with these columns at least; a time gets a column real."""
    import pandas
    names = list(columns)
    names += [name for row in rows for name in row if name not in columns]
    names = list(dict.fromkeys(names))
    frame = pandas.DataFrame(rows, columns=names)
    for time, real in ("when", "real"), ("begin", "real"):
        if dates and time in frame:
            # An empty column has no type yet.
            frame.insert(frame.columns.get_loc(time) + 1, real, dates(frame[time].astype("int64")))
    return frame


class Latency:
    """The output of `rbmap latency --json` for a recording.

    - kinds: a row for each kind of interval: how many ended, did not end, and were left
      out because events were lost
    - summary: a row for each task, CPU or name of a kind: count, total, average, p50, p99,
      p99.9 and max in ns; when is the beginning of the longest one
    - histogram: how many intervals of a kind have at least the length from, and less than
      twice that
    - worst: the longest intervals. waker_pid, waker_comm and waker_cpu are those of the task
      that woke it; ran is a list of what ran meanwhile
    - events, lost, lost_unknown: numbers of the recording
    - unit: "ns", or "cycles"

    A row with a time has the wall clock in the column real, if the recording knows it.
    """

    def __init__(self, found, dates):
        self.events, self.lost = found["events"], found["lost"]
        self.lost_unknown, self.unit = found["lost_unknown"], found["unit"]
        kinds = found["kinds"]
        self.kinds = frame_of([{name: kind[name] for name in
                                ("kind", "by", "count", "unfinished", "discarded")}
                               for kind in kinds],
                              ("kind", "by", "count", "unfinished", "discarded"), None)
        self.summary = frame_of([{"kind": kind["kind"], **row}
                                 for kind in kinds for row in kind["rows"]],
                                ("kind", "count", "total", "average", "p50", "p99", "p99.9",
                                 "max", "when"), dates)
        self.histogram = frame_of([{"kind": kind["kind"], **row}
                                   for kind in kinds for row in kind["histogram"]],
                                  ("kind", "from", "count"), None)
        self.worst = frame_of([{"kind": kind["kind"], **self._flat(one)}
                               for kind in kinds for one in kind["worst"]],
                              ("kind", "when", "length", "pid", "comm", "cpu", "name",
                               "unfinished", "waker_pid", "waker_comm", "waker_cpu",
                               "interrupts", "ran"), dates)

    @staticmethod
    def _flat(interval):
        waker = interval.pop("waker", {})
        return {**interval, **{f"waker_{name}": value for name, value in waker.items()}}

    def __repr__(self):
        return f"<rbmap.Latency: {', '.join(self.kinds['kind']) or 'no intervals'}>"


class Why:
    """The output of `rbmap why --json` for a recording.

    - stalls: a row for each wait, the worst first: sentence, pid, comm, begin, end, time;
      waits and all are the number and the time of waits that count together
    - causes: a row for each cause of a wait: stall is the index of that, time its share
    - lacking: events whose lack may hide a cause
    - left_out, cut, events, lost, lost_unknown: numbers of the recording
    """

    def __init__(self, found, dates):
        self.events, self.lost = found["events"], found["lost"]
        self.lost_unknown, self.lacking = found["lost_unknown"], found["lacking"]
        self.left_out, self.cut = found["left_out"], found["cut"]
        stalls = found["stalls"]
        self.causes = frame_of([{"stall": number, **cause}
                                for number, stall in enumerate(stalls)
                                for cause in stall["causes"]],
                               ("stall", "cause", "time", "parts", "text", "victim", "actor",
                                "cpu", "name", "chain"), None)
        self.stalls = frame_of([{name: value for name, value in stall.items() if name != "causes"}
                                for stall in stalls],
                               ("sentence", "pid", "comm", "begin", "end", "time", "waits",
                                "all", "others"), dates)

    def __repr__(self):
        return f"<rbmap.Why: {len(self.stalls)} waits>"
