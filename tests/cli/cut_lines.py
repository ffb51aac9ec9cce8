#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print lines of `rbmap report --json` in a form that rbmap cut must keep, or compare
those of two files.

usage: tests/cli/cut_lines.py <LINES
       tests/cli/cut_lines.py LINES OTHER

Losses before an event of the same CPU and buffer are one loss, before that event: a part
does not have the events between them. Names of tasks are left out, because other events
say them.
"""
import itertools
import json
import sys


def add(one, other):
    return None if one is None or other is None else one + other


def kept(file):
    """Yield the values that a part must have."""
    pending = {}
    for line in file:
        value = json.loads(line)
        key = (value.get("buffer"), value.get("cpu"))
        if "not_selected" in value:
            continue
        if "lost" in value:
            pending[key] = add(pending.get(key, 0), value["lost"])
            continue
        value.pop("comm", None)
        if key in pending:
            yield {"key": key, "lost": pending.pop(key)}
        yield value
    for key in sorted(pending, key=str):
        yield {"key": key, "lost": pending[key]}


if len(sys.argv) == 1:
    for each in kept(sys.stdin):
        print(json.dumps(each))
    sys.exit()
with open(sys.argv[1]) as lines, open(sys.argv[2]) as others:
    for one, other in itertools.zip_longest(kept(lines), kept(others)):
        if one != other:
            sys.exit(f"{sys.argv[1]}: {one}\n{sys.argv[2]}: {other}")
