# SPDX-License-Identifier: GPL-2.0-only
"""The time that read() of live events waits, with preload_merge.c in place of rings."""
import os
import subprocess
import sys

from recordings import TestCase

READ = """
import sys
from rbmap import _rbmap
event = _rbmap.Live(sys.argv[1], sys.argv[1]).read(float(sys.argv[2]))
print(event and event.time)
"""


UNOPENED = """
import sys
from rbmap import _rbmap
print(_rbmap.Live(sys.argv[1], sys.argv[1])._unopened())
"""


class Read(TestCase):
    def read(self, timeout, waits, program=READ):
        """Return what read() has printed, if an event comes after so many waits."""
        library = self.path("merge.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-Iuserspace/lib", "-o", library,
                        "tests/python/preload_merge.c"], check=True)
        return subprocess.run(
            [sys.executable, "-c", program, self.folder, str(timeout)], check=True, text=True,
            stdout=subprocess.PIPE,
            env=os.environ | {"LD_PRELOAD": library, "RBMAP_TEST_WAITS": str(waits)}).stdout

    def test_early_waits(self):
        """waits that end early do not take from the time of read()"""
        self.assertEqual(self.read(60, 1000), "7\n")

    def test_unopened(self):
        """a CPU whose ring could not be opened is named"""
        self.assertEqual(self.read(0, 0, UNOPENED), "[(3, 'Cannot allocate memory')]\n")

    def test_timeout(self):
        """read() returns None when its time is over, however often waits end early"""
        self.assertEqual(self.read(0.01, 1 << 30), "None\n")
        self.assertEqual(self.read(0, 1), "None\n")
        self.assertEqual(self.read(0, 0), "7\n")
