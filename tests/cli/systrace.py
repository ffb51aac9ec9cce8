#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the text of rbmap convert --systrace with the JSON of the same recording.

usage: tests/cli/systrace.py JSON TEXT

Each event must be a line that Perfetto can read, in the same order, and each loss a comment.
"""
import json
import re
import sys

# COMM-PID [CPU] FLAGS SECONDS.DIGITS: EVENT: as Perfetto's reader of text takes it apart
LINE = re.compile(r"-(-?\d+)\s+\[(\d+)\]\s([a-zA-Z.]{3}[0-9a-f.]{2})\s+(\d+\.\d{6}): (\S+): (.*)$")
LAST_BOOT = 97000000000     # the end in cli_make_random


def time_of(head, ring):
    time = head["time"]
    if head["unit"] != "cycles" or not time:
        return ring
    scaled = (ring - time["ring"]) * time["real_step"]
    quotient = abs(scaled) // time["ring_step"]
    return (quotient if scaled >= 0 else -quotient) + LAST_BOOT


def wanted(head, event):
    """Return the line of a loss, or the parts of an event's line that are in the JSON."""
    if "lost" in event:
        lost = "" if event["lost"] is None else f"{event['lost']} "
        return f"# CPU:{event['cpu']} [LOST {lost}EVENTS]"
    us = (time_of(head, event["ts"]) + 500) // 1000
    time = f"{us // 1000000}.{us % 1000000:06}"
    name = event.get("event", f"event_{event.get('type', 0)}")
    if (event.get("system"), name) == ("rbmap", "marker"):
        name = "tracing_mark_write"
    return event["cpu"], event.get("pid", 0), time, name, event.get("text")


def check(head, event, line):
    found = line
    if not line.startswith("#"):
        match = LINE.search(line)
        if not match:
            sys.exit(f"Perfetto cannot read {line}")
        # A name that two systems have comes with its system.
        name = match[5].split(":")[-1]
        found = int(match[2]), int(match[1]), match[4], name, match[6]
    parts = wanted(head, event)
    if "data" in event:
        parts, found = parts[:4], found[:4]
    if parts != found:
        sys.exit(f"{event}\nis {line}\nnot {parts}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    with open(sys.argv[2], encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    if lines[0] != "# tracer: nop" or lines[-1]:
        sys.exit("the head or the end is wrong")
    sums = lines[-2]
    lines = lines[4:-2]
    if len(lines) != len(events) - 1:
        sys.exit(f"{len(events) - 1} events and losses, {len(lines)} lines")
    for event, line in zip(events[1:], lines):
        check(events[0], event, line)
    print(sums[2:])


main()
