# SPDX-License-Identifier: GPL-2.0-only
"""Remembers what was made, for as long as neither its sources nor its files change. To ask
make and the scripts around it takes seconds, and these sums take a moment."""
import hashlib
import json
import os


def files_of(paths):
    """Yield each file of files and folders; those that make writes beside them are none."""
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders.sort()
            yield from (os.path.join(folder, name) for name in sorted(names)
                        if not name.endswith((".o", ".cmd", ".ko", ".mod", ".mod.c")) and
                        name != "rbmap_features.h")


def sum_of(paths, *words):
    """Return the sum of words, and of the contents and the names of files and folders."""
    total = hashlib.sha256(repr(words).encode())
    for path in files_of(paths):
        with open(path, "rb") as file:
            total.update(f"{path} {hashlib.sha256(file.read()).hexdigest()}\n".encode())
    return total.hexdigest()


def state_of(path):
    """Return what changes with a file."""
    state = os.stat(path)
    return [state.st_mtime_ns, state.st_size, state.st_ino]


def remembered(place, source, make):
    """Return the lists of paths that make() returned, by their names. The file @place
    remembers them. make() is called again if @source, a sum, is another than then, or if one
    of the files is."""
    try:
        with open(place) as file:
            known = json.load(file)
        if known["source"] == source and all(
                state_of(path) == state for path, state in known["states"].items()):
            return known["made"]
    except (OSError, ValueError, KeyError):
        pass
    made = make()
    known = {"source": source, "made": made,
             "states": {path: state_of(path) for paths in made.values() for path in paths}}
    with open(f"{place}.{os.getpid()}", "w") as file:
        json.dump(known, file, indent=1)
    os.replace(file.name, place)
    return made
