#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check an object of JSON by a schema that rbmap installs.

usage: tests/cli/json_object.py SCHEMA FILE...

Each key must be in the schema, as for json_lines.py.
"""
import json
import sys

import jsonschema

sys.dont_write_bytecode = True
from json_lines import close


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    close(schema)
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            jsonschema.validate(json.load(file), schema)


if __name__ == "__main__":
    main()
