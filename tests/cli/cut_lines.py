#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print lines of `rbmap report --json` in a form that rbmap cut must keep.

usage: tests/cli/cut_lines.py <LINES

Losses before an event of the same CPU and buffer are one loss, before that event: a part
does not have the events between them. Names of tasks are left out, because other events
say them.
"""
import json
import sys

pending = {}


def add(one, other):
    return None if one is None or other is None else one + other


def flush(key):
    if key in pending:
        print(json.dumps({"key": key, "lost": pending.pop(key)}))


for line in sys.stdin:
    value = json.loads(line)
    key = (value.get("buffer"), value.get("cpu"))
    if "not_selected" in value:
        continue
    if "lost" in value:
        pending[key] = add(pending.get(key, 0), value["lost"])
        continue
    value.pop("comm", None)
    flush(key)
    print(json.dumps(value))
for key in sorted(pending, key=str):
    flush(key)
