#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Decode a page of rbmap report --html, and compare it with the other outputs.

usage: tests/html/page.py PAGE EVENTS LATENCY BLOCKED

EVENTS is the output of rbmap report --json, LATENCY that of rbmap latency --json with
--worst 10, and BLOCKED the same with -n 'uninterruptible*'. The decoder knows the format
alone, and not the page's own script. Prints what was compared, or the first differences,
and exits with 1.
"""
import base64
import collections
import json
import re
import sys
import zlib

EVENTS, SLICES, LEVEL, ARROWS = range(4)
FIRST_LEVEL = 8     # log2 of the shortest step
Piece = collections.namedtuple("Piece", "element offset kind owner level count begin time mask")


class Numbers:
    """Numbers of seven bits in a byte."""

    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.next()
        return value >> 1 ^ -(value & 1)

    def column(self):
        size = self.next()
        self.at += size
        assert self.at <= self.end
        return Numbers(self.data, self.at - size, self.at)

    def finish(self):
        assert self.at == self.end, "a column has more than its numbers"



class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        found = dict(re.findall(
            r'<script type="application/(?:json|octet-stream)" id="(\w+)">([^<]*)<', self.text))
        self.meta = json.loads(found.pop("meta"))
        self.why = json.loads(found.pop("why"))
        self.index = [Piece(*row) for row in json.loads(found.pop("index"))]
        self.packed = {int(name[1:]): text for name, text in found.items()}
        self.inflated = {}

    def numbers(self, piece):
        if piece.element not in self.inflated:
            self.inflated[piece.element] = zlib.decompress(
                base64.b64decode(self.packed[piece.element], validate=True))
        return Numbers(self.inflated[piece.element], piece.offset)

    def pieces(self, kind):
        return (piece for piece in self.index if piece.kind == kind)

    def type_name(self, number):
        system, name, _id, _count = self.meta["types"][number - 1][:4]
        return system, name

    def fields(self, number):
        return [["lost", True]] if not number else self.meta["types"][number - 1][4]

    def events(self, piece):
        """Yield (type, time, task, text, fields) of each event of a piece."""
        numbers = self.numbers(piece)
        times, types, tasks, texts = (numbers.column() for _ in range(4))
        has_values = numbers.next()
        of_type = collections.defaultdict(list)
        events, time, task = [], piece.begin, 0
        for index in range(piece.count):
            time += times.next()
            kind = types.next()
            changed = tasks.next()
            task = changed - 1 if changed else task
            of_type[kind].append(index)
            events.append([kind, time, task, None, {}])
        for column in times, types, tasks:
            column.finish()
        number = 0
        while texts.at < texts.end:
            number += texts.next()
            size = texts.next()
            events[number - 1][3] = texts.data[texts.at:texts.at + size].decode()
            texts.at += size
        for kind in sorted(of_type):
            for name, is_signed in self.fields(kind) if has_values or not kind else ():
                column = numbers.column()
                for index in of_type[kind]:
                    value = column.signed()
                    events[index][4][name] = value if is_signed or value >= 0 else value + 2**64
                column.finish()
        assert time == piece.begin + piece.time
        return events

    def slices(self, piece):
        numbers = self.numbers(piece)
        gaps, lengths, values = (numbers.column() for _ in range(3))
        end = piece.begin
        for _ in range(piece.count):
            begin = end + gaps.next()
            end = begin + lengths.next()
            yield begin, end, values.next()
        for column in gaps, lengths, values:
            column.finish()
        assert end == piece.begin + piece.time

    def steps(self, piece, mode):
        """Yield (begin, value, share) of each step of a level of detail. The value of names is
        a list of pairs of a name and its share."""
        numbers = self.numbers(piece)
        index = numbers.next()
        indexes, values, shares = (numbers.column() for _ in range(3))
        for number in range(piece.count):
            index += indexes.next()
            value = ([(values.next(), values.next()) for _ in range(values.next())]
                     if mode == "names" else values.next())
            yield (index << FIRST_LEVEL + 2 * piece.level, value,
                   shares.data[shares.at + number])
        for column in indexes, values:
            column.finish()

    def arrows(self, piece):
        numbers = self.numbers(piece)
        parts = [numbers.column() for _ in range(6)]
        end = 0
        for _ in range(piece.count):
            more, length, cpu, waker, task, flags = (part.next() for part in parts)
            end += more
            yield end - length, end, cpu, waker, task, flags
        for part in parts:
            part.finish()


class Compare:
    def __init__(self):
        self.differences = []
        self.compared = collections.Counter()

    def equal(self, what, got, wanted, where=""):
        self.compared[what] += 1
        if got != wanted:
            self.differences.append(f"{what} {where}: {got!r} and not {wanted!r}")


def compare_events(page, path, compare):
    """Each event of the report must be in the page, in its order on its CPU."""
    meta = page.meta
    cpu_of = {lane["ticks"]: lane["cpu"] for lane in meta["lanes"] if lane["kind"] == "cpu"}
    base = int(meta["base"])
    queue = {cpu: collections.deque() for cpu in cpu_of.values()}
    for piece in page.pieces(EVENTS):
        queue[cpu_of[piece.owner]].extend(page.events(piece))
    events = lost = losses = 0
    unknown = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            wanted = json.loads(line)
            if "cpu" not in wanted:
                continue
            cpu = wanted["cpu"]
            if not queue.get(cpu):
                compare.equal("events", "nothing", wanted, f"CPU {cpu}")
                return
            kind, time, task, text, fields = queue[cpu].popleft()
            if "lost" in wanted:
                losses += 1
                unknown |= wanted["lost"] is None
                lost += wanted["lost"] or 0
                compare.equal("losses", (kind, fields["lost"]),
                              (0, -1 if wanted["lost"] is None else wanted["lost"]), f"CPU {cpu}")
                continue
            events += 1
            compare_event(page, compare, wanted, (kind, base + time, task, text, fields))
    compare.equal("rest", [len(rest) for rest in queue.values() if rest], [])
    compare.equal("sum of events", meta["events"], events)
    compare.equal("sum of types", sum(kind[3] for kind in meta["types"]), events)
    compare.equal("sum of CPUs", sum(lane["events"] for lane in meta["lanes"]
                                     if lane["kind"] == "cpu"), events)
    compare.equal("sum of losses", (meta["lost"], meta["lost_unknown"], meta["losses"]),
                  (lost, unknown, losses))


def compare_event(page, compare, wanted, event):
    kind, time, task, text, fields = event
    where = f"CPU {wanted['cpu']}, {wanted.get('ts')}"
    compare.equal("type", page.type_name(kind)[1] if kind else "lost", wanted.get("event"), where)
    compare.equal("time", time, wanted["ts"], where)
    if "pid" in wanted:
        compare.equal("pid", page.meta["tasks"][task][0], wanted["pid"], where)
    if text:
        compare.equal("text", text, wanted.get("text"), where)
    for name, value in fields.items():
        if name in wanted.get("fields", {}):
            compare.equal("field", value, wanted["fields"][name], where + " " + name)


def compare_latency(page, path, compare):
    with open(path, encoding="utf-8") as file:
        wanted = json.load(file)
    for key in "events", "lost", "lost_unknown", "clock", "unit":
        compare.equal("latency", page.meta[key], wanted[key], key)
    compare.equal("kinds", [kind["kind"] for kind in page.meta["kinds"]],
                  [kind["kind"] for kind in wanted["kinds"]])
    for ours, theirs in zip(page.meta["kinds"], wanted["kinds"]):
        compare_kind(ours, theirs, compare,
                     ("count", "unfinished", "discarded", "worst", "histogram"))


def compare_kind(ours, theirs, compare, keys):
    for key in keys:
        compare.equal("latency", ours[key], theirs[key], f"{ours['kind']} {key}")


def compare_blocked(page, path, compare):
    with open(path, encoding="utf-8") as file:
        wanted = [kind for kind in json.load(file)["kinds"] if kind["worst"]]
    found = page.meta["uninterruptible"]
    for ours, theirs in zip(found, wanted):
        compare_kind(ours, theirs, compare, ("count", "unfinished", "worst", "histogram"))
    compare.equal("uninterruptible", sum(len(kind["worst"]) for kind in found),
                  sum(len(kind["worst"]) for kind in wanted))


def modes_of(page):
    """Return what the tracks have, by their numbers."""
    mode = {}
    for lane in page.meta["lanes"]:
        for key in "task", "call", "softirq", "irq", "ticks", "state", "queued", "issued":
            if key in lane and lane[key] is not None:
                mode[lane[key]] = {"ticks": "events", "state": "states", "queued": "depth",
                                   "issued": "depth"}.get(key, "names")
    return mode


def check_step(step, mode, compare, where):
    """No thing has more than its step, and nothing is there without a share."""
    _begin, value, share = step
    if mode == "names":
        compare.equal("names of a step", all(0 < part <= 255 for _name, part in value) and
                      len({name for name, _part in value}) == len(value) <= 4 and
                      max(part for _name, part in value) <= share, True, where)
    elif mode == "states":
        parts = [share, value & 255, value >> 8 & 255, value >> 16]
        compare.equal("states of a step", 0 < sum(parts) <= 255 + 4, True, where)
    elif mode == "depth":
        compare.equal("depth of a step", value > 0 and share > 0, True, where)


def check_shares(page, mode, compare):
    """The steps of a level have as much time of each value as the slices below them."""
    exact, of_level = collections.Counter(), collections.Counter()
    finest = collections.defaultdict(int)
    for piece in page.pieces(SLICES):
        if mode[piece.owner] != "states":
            continue
        finest[piece.owner] = max(finest[piece.owner], piece.level)
        for begin, end, value in page.slices(piece):
            exact[piece.owner, value & 3] += end - begin
    for piece in page.pieces(LEVEL):
        if mode[piece.owner] != "states" or piece.level < finest[piece.owner]:
            continue
        for _begin, value, share in page.steps(piece, "states"):
            for state, part in enumerate((share, value & 255, value >> 8 & 255, value >> 16)):
                of_level[piece.owner, piece.level, state] += \
                    part / 255 * (1 << FIRST_LEVEL + 2 * piece.level)
    for (owner, level, state), time in of_level.items():
        step = 1 << FIRST_LEVEL + 2 * level
        compare.equal("share of a state", abs(time - exact[owner, state]) <=
                      0.02 * page.meta["last"] + step, True, f"track {owner}, level {level}")


def check_levels(page, compare):
    """A level of detail has all events, and no step outside of its piece."""
    mode = modes_of(page)
    check_shares(page, mode, compare)
    whole, of_level = collections.Counter(), collections.Counter()
    finest = collections.defaultdict(int)
    for piece in page.pieces(EVENTS):
        whole[piece.owner] += sum(1 for event in page.events(piece) if event[0])
        finest[piece.owner] = max(finest[piece.owner], piece.level)
    for piece in page.pieces(LEVEL):
        marks = 0
        for begin, value, share in page.steps(piece, mode[piece.owner]):
            where = f"track {piece.owner}"
            compare.equal("step", piece.begin <= begin < piece.begin + piece.time, True, where)
            check_step((begin, value, share), mode[piece.owner], compare, where)
            if mode[piece.owner] == "events":
                marks += share
                of_level[piece.owner, piece.level] += 1 if value & 1 else value >> 1
        if mode[piece.owner] == "events":
            compare.equal("mark of a piece", piece.mask, int(marks > 0), f"track {piece.owner}")
    for (owner, level), events in of_level.items():
        if level >= finest[owner]:
            compare.equal("events of a level", events, whole[owner],
                          f"track {owner}, level {level}")


def check_slices(page, compare):
    end = collections.defaultdict(int)
    for piece in page.pieces(SLICES):
        for begin, to, _value in page.slices(piece):
            compare.equal("slice", end[piece.owner] <= begin <= to <= page.meta["last"], True,
                          f"track {piece.owner}")
            end[piece.owner] = to
    for piece in page.pieces(ARROWS):
        for begin, to, _cpu, waker, task, _flags in page.arrows(piece):
            compare.equal("arrow", 0 <= begin <= to and max(waker, task) < len(page.meta["tasks"]),
                          True, f"track {piece.owner}")


def check_page(page, compare):
    """The page asks for nothing, and its text makes no elements."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.text).group(1)
    compare.equal("policy", "default-src 'none'" in policy and "unsafe" not in policy, True)
    addresses = re.findall(r"""(?:https?|wss?|ftp)://[^ "'<>]*|(?:src|href)=""", page.text)
    compare.equal("addresses", addresses, [])
    known = {"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "span",
             "input", "output", "button", "main", "section", "canvas", "aside", "p", "div",
             "footer", "dialog", "dl", "dt", "dd", "script", "table", "tbody", "label",
             "!DOCTYPE"}
    script = page.text.index("<script>")
    tags = set(re.findall(r"<(!?[A-Za-z]\w*)", page.text[:script]))
    compare.equal("tags", tags - known, set())


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    page, compare = Page(sys.argv[1]), Compare()
    compare_events(page, sys.argv[2], compare)
    compare_latency(page, sys.argv[3], compare)
    compare_blocked(page, sys.argv[4], compare)
    check_levels(page, compare)
    check_slices(page, compare)
    check_page(page, compare)
    for line in compare.differences[:10]:
        print(line)
    print(", ".join(f"{what}={n}" for what, n in sorted(compare.compared.items())))
    return bool(compare.differences)


if __name__ == "__main__":
    sys.exit(main())
