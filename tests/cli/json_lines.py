#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check lines of JSON by the schema that rbmap installs, and print how often each kind came.

usage: tests/cli/json_lines.py SCHEMA FILE

The first line must be the head, and no other. The schema allows keys that later releases
add. This check allows none: each key of this release must be in the schema.
"""
import collections
import json
import sys

import jsonschema


def close(schema):
    """Let the objects of a schema have no other keys than those that it names."""
    if isinstance(schema, list):
        for part in schema:
            close(part)
    if not isinstance(schema, dict):
        return
    for part in schema.values():
        close(part)
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    open_check = jsonschema.Draft202012Validator(schema)
    kinds = {
        name: {"$defs": schema["$defs"], **part}
        for name, part in schema["$defs"].items()
        if {"$ref": "#/$defs/" + name} in schema["oneOf"]
    }
    close(kinds)
    checks = {name: jsonschema.Draft202012Validator(part) for name, part in kinds.items()}
    found = collections.Counter()
    with open(sys.argv[2], encoding="utf-8") as file:
        for nr, line in enumerate(file, 1):
            value = json.loads(line)
            open_check.validate(value)
            of = [name for name, check in checks.items() if check.is_valid(value)]
            if len(of) != 1 or (of == ["head"]) != (nr == 1):
                sys.exit(f"line {nr} is {of or 'no kind of the schema'}: {line}")
            found.update(of)
    print(" ".join(f"{name}={found[name]}" for name in sorted(found)))


if __name__ == "__main__":
    main()
