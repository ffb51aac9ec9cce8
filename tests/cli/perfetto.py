#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare a trace of rbmap convert --perfetto with the JSON of the same recording.

usage: protoc --decode=perfetto.Trace ... <TRACE | tests/cli/perfetto.py JSON

Both must have the same events of each CPU in the same order, with the same time, pid, name
and fields, and the same losses at the same places. Prints how many events have a message of
their own, how many are generic, and what was lost.
"""
import collections
import json
import re
import sys

TOKEN = re.compile(r'\s*(?:(\w+)\s*(?::\s*("(?:[^"\\]|\\.)*"|\S+)|(\{))|(\}))')
ESCAPE = re.compile(rb'\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)')
SIMPLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
MASK = 2 ** 64 - 1


def unescape(match):
    text = match[1]
    if text[:1].isdigit():
        return bytes([int(text, 8)])
    if len(text) > 1:
        return bytes([int(text[1:], 16)])
    return SIMPLE.get(text, text)


def value_of(text):
    """Return a number, a name of an enumeration, or a string."""
    if text.startswith('"'):
        return ESCAPE.sub(unescape, text[1:-1].encode("latin-1")).decode("utf-8")
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def messages(lines):
    """Yield each packet as a dictionary of lists."""
    stack = []
    for line in lines:
        match = TOKEN.match(line)
        name, value, opens, closes = match.groups()
        if opens:
            stack.append((name, collections.defaultdict(list)))
        elif closes:
            name, message = stack.pop()
            if not stack:
                yield message
            else:
                stack[-1][1][name].append(message)
        else:
            stack[-1][1][name].append(value_of(value))


def one(message, name):
    values = message[name]
    if len(values) != 1:
        sys.exit(f"{name} has {len(values)} values: {dict(message)}")
    return values[0]


def event_of(event):
    """Return time, pid, name, fields and whether the event is generic."""
    names = [name for name in event if name not in ("timestamp", "pid")]
    if len(names) != 1:
        sys.exit(f"an event has the messages {names}")
    message = one(event, names[0])
    if names[0] != "generic":
        fields = {name: values if name == "args" else values[0]
                  for name, values in message.items()}
        return one(event, "timestamp"), one(event, "pid"), names[0], fields, False
    fields = {}
    for field in message["field"]:
        (kind,) = [key for key in field if key != "name"]
        fields[one(field, "name")] = one(field, kind)
    return one(event, "timestamp"), one(event, "pid"), one(message, "event_name"), fields, True


class Trace:
    """The events of each CPU, and None where some were lost."""

    def __init__(self, lines):
        self.cpus = collections.defaultdict(list)
        self.stats = {}
        self.threads = {}
        self.clocks = []
        for packet in messages(lines):
            if one(packet, "trusted_packet_sequence_id") != 1:
                sys.exit("a packet has another sequence")
            self.add(packet)

    def add(self, packet):
        for bundle in packet["ftrace_events"]:
            cpu = one(bundle, "cpu")
            if bundle["lost_events"]:
                self.cpus[cpu].append(None)
            self.cpus[cpu] += [event_of(event) for event in bundle["event"]]
            self.clocks.append([bundle[name] for name in
                                ("ftrace_clock", "ftrace_timestamp", "boot_timestamp")])
        for stats in packet["ftrace_stats"]:
            self.stats[one(stats, "phase")] = {
                one(cpu, "cpu"): (one(cpu, "read_events"), one(cpu, "overrun"))
                for cpu in stats["cpu_stats"]}
        for tree in packet["process_tree"]:
            for thread in tree["threads"]:
                self.threads[one(thread, "tid")] = one(thread, "name")


def same_number(a, b):
    """Messages have 32 or 64 bits where the kernel has fewer, and other signs."""
    return a == b or (a ^ b) & MASK == 0 or (
        (a ^ b) & 0xffffffff == 0 and -2 ** 31 <= a < 2 ** 32 and -2 ** 31 <= b < 2 ** 32)


def same_value(wanted, found, generic):
    if isinstance(wanted, list):
        return found == (json.dumps(wanted) if generic else wanted)
    if isinstance(wanted, int) and isinstance(found, int):
        return wanted == found if generic else same_number(wanted, found)
    return wanted == found


class Recording:
    """The same of a recording's JSON."""

    def __init__(self, lines):
        objects = [json.loads(line) for line in lines]
        self.head = objects[0]
        self.cpus = collections.defaultdict(list)
        self.lost = collections.Counter()
        self.names = collections.defaultdict(set)
        for event in objects[1:]:
            if "event" in event:
                self.names[event["event"]].add(event["system"])
            self.cpus[event["cpu"]].append(None if "lost" in event else event)
            self.lost[event["cpu"]] += event.get("lost") or 0

    def time(self, ring):
        """Return the time since boot in ns, if the ring counts cycles."""
        time = self.head["time"]
        if self.head["unit"] != "cycles" or not time:
            return ring
        scaled = (ring - time["ring"]) * time["real_step"]
        quotient = abs(scaled) // time["ring_step"]
        return (quotient if scaled >= 0 else -quotient) + LAST_BOOT

    def wanted(self, event):
        """Return what the trace must have for an event."""
        ts = self.time(event["ts"])
        if "data" in event:
            return ts, 0, "event", {"data": event["data"]}
        pid = event["pid"] & 0xffffffff
        if "event" not in event:
            return ts, pid, f"event {event['type']}", {"text": event["text"]}
        name = event["event"]
        if len(self.names[name]) > 1:
            name = f"{event['system']}:{name}"
        if "fields" not in event:
            return ts, pid, name, {"text": event["text"]}
        if (event["system"], name) == ("rbmap", "marker") and is_drawn(event["fields"].get("buf", "")):
            name = "print"
        return ts, pid, name, event["fields"]


# The markers that Perfetto draws
SLICE = re.compile(r"B\|(?P<begin>\d+)\||E(\|(?P<end>\d+)(\|.*)?)?$|"
                   r"C\|(?P<counter>\d+)\|[^|]+\|\s*(?P<number>[+-]?\d+)(\||\n*$)", re.DOTALL)


def is_drawn(text):
    found = SLICE.match(text)
    return bool(found) and all(int(found[pid] or 0) < 1 << 32 for pid in ("begin", "end", "counter")) \
        and -1 << 63 <= int(found["number"] or 0) < 1 << 63


LAST_BOOT = 97000000000     # the end in cli_make_random


def differs(wanted, found):
    ts, pid, name, fields, generic = found
    return wanted[:3] != (ts, pid, name) or set(wanted[3]) != set(fields) or not all(
        same_value(value, fields[key], generic) for key, value in wanted[3].items())


def compare(recording, trace):
    kinds = collections.Counter()
    for cpu in set(recording.cpus) | set(trace.cpus):
        wanted, found = recording.cpus[cpu], trace.cpus[cpu]
        if len(wanted) != len(found):
            sys.exit(f"CPU {cpu}: {len(wanted)} events and losses, {len(found)} in the trace")
        for a, b in zip(wanted, found):
            if (a is None) != (b is None):
                sys.exit(f"CPU {cpu}: {a} became {b}")
            if a is None:
                continue
            if differs(recording.wanted(a), b):
                sys.exit(f"CPU {cpu}: {a}\nbecame {b}\nnot {recording.wanted(a)}")
            kinds["generic" if b[4] else "own"] += 1
    return kinds


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        recording = Recording(file)
    trace = Trace(sys.stdin)
    kinds = compare(recording, trace)
    for cpu, (events, lost) in trace.stats["END_OF_TRACE"].items():
        real = sum(event is not None for event in recording.cpus[cpu])
        if (events, lost) != (real, recording.lost[cpu]):
            sys.exit(f"CPU {cpu}: {events} events, {lost} lost in the statistics")
    if any(any(sums) for sums in trace.stats["START_OF_TRACE"].values()):
        sys.exit("the statistics of the beginning are not 0")
    clocks = {json.dumps(clock) for clock in trace.clocks}
    print(f"own {kinds['own']}, generic {kinds['generic']}, lost {sum(recording.lost.values())},",
          f"threads {len(trace.threads)}, clock {' '.join(sorted(clocks))}")


main()
