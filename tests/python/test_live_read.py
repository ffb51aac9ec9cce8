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


# The folder is in place of the control files.
LOSS = """
import os
import sys
import rbmap
from rbmap import live

def write(cpu, missed):
    os.makedirs(f"{sys.argv[1]}/per_cpu/cpu{cpu}", exist_ok=True)
    with open(f"{sys.argv[1]}/per_cpu/cpu{cpu}/stats", "w") as file:
        file.write(f"entries: 7\\nmissed: {missed}\\nlost events: 9\\n")

live.CONTROL = live.DEVICES = sys.argv[1]
open(f"{sys.argv[1]}/cpu0", "w").close()
os.mkdir(f"{sys.argv[1]}/events")
write(0, 3)
write(1, 40)
reader, observer = rbmap.Live(buffer=""), rbmap.Live(buffer="", observe=True)
write(1, 42)
print([(one.loss["missed"], one.loss["total"]) for one in (reader, observer)])
write(0, 0)
write(1, 1)
print(observer.loss["missed"])
print(observer.unopened)
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

    def test_loss(self):
        """events that the kernel missed are lost, too, and a CPU without a device is named"""
        self.assertEqual(self.read(0, 0, LOSS), "[(45, 145), (2, 102)]\n1\n"
                         "[(3, 'Cannot allocate memory'), (1, '/dev has no device of this CPU')]\n")

    def test_timeout(self):
        """read() returns None when its time is over, however often waits end early"""
        self.assertEqual(self.read(0.01, 1 << 30), "None\n")
        self.assertEqual(self.read(0, 1), "None\n")
        self.assertEqual(self.read(0, 0), "7\n")
