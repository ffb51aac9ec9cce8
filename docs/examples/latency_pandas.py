#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print how long threads waited for a CPU, after they were woken."""
import sys

import pandas
import rbmap


def wakeups(recording):
    """Return the time, in ns, and the thread of each wake-up and each switch."""
    columns = recording.to_columns(["sched_waking", "sched_switch"])
    woken = columns["sched_waking"].to_pandas()[["time", "field_pid"]]
    woken = woken.rename(columns={"time": "woken", "field_pid": "tid"})
    ran = columns["sched_switch"].to_pandas()[["time", "next_pid", "next_comm"]]
    return woken, ran.rename(columns={"next_pid": "tid", "next_comm": "comm"})


def delays(recording):
    """Return a line for each switch to a thread that was woken before."""
    woken, ran = wakeups(recording)
    # Only the first switch after a wake-up ends the wait.
    both = pandas.merge_asof(ran, woken, left_on="time", right_on="woken", by="tid")
    both = both.dropna(subset=["woken"]).drop_duplicates(["tid", "woken"])
    both["us"] = (both["time"] - both["woken"]) / 1000
    return both


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "trace.dat"
    with rbmap.open(path) as recording:
        found = delays(recording).groupby("comm", observed=True)["us"]
        table = found.agg(["count", "mean", "max"]).sort_values("max", ascending=False)
        print(table.head(10).round(1).to_string())
        print(f"{recording.events} events, {recording.lost} lost")


main()
