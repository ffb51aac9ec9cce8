# SPDX-License-Identifier: GPL-2.0-only
"""Recordings for the tests, and what `rbmap report` says of them."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

# The package runs this command, too.
RBMAP = os.environ.setdefault("RBMAP", "build/rbmap")
MAKE_RECORDING = os.environ.get("MAKE_RECORDING", "build/tests/unit/cli/plain/cli_make_recording")
MAKE_EVENTS = os.environ.get("MAKE_EVENTS", "build/tests/unit/cli/plain/cli_make_events")


class TestCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rbmap-python.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name="trace.dat"):
        return os.path.join(self.folder, name)

    def recording(self, pages=12, mode=""):
        """Make a recording of three CPUs, with losses. Return its path."""
        subprocess.run([MAKE_RECORDING, self.path(), str(pages), *([mode] if mode else [])],
                       check=mode != "kill")
        return self.path()

    def foreign(self, kind, version="7"):
        """Make a recording as trace-cmd does, see tests/cli/trace_dat.py."""
        subprocess.run([sys.executable, "tests/cli/trace_dat.py", kind, version, self.path()],
                       check=True)
        return self.path()

    def events(self, script, clock=None):
        """
        Make a recording of these lines, see tests/unit/cli/cli_make_events.c.

        clock: the clock, or a list of it and moments.
        """
        more = [clock] if isinstance(clock, str) else clock or []
        subprocess.run([MAKE_EVENTS, self.path(), *more], check=True,
                       input=script, text=True)
        return self.path()


def reported(path):
    """Return the events and the losses that rbmap report counts."""
    done = subprocess.run([RBMAP, "report", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"^(\d+) events, (more than )?(\d+) lost$", done.stderr, re.M)
    return int(found[1]), int(found[3]), bool(found[2])


def objects(path):
    """Return the objects of rbmap report --json, without the head."""
    done = subprocess.run([RBMAP, "report", "--json", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]
