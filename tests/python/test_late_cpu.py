# SPDX-License-Identifier: GPL-2.0-only
"""A CPU comes online for the first time while a program reads, in a guest with one more CPU."""
import os
import time
import unittest

import rbmap
from test_live import MARKERS, drain

ONLINE = "/sys/devices/system/cpu/cpu1/online"


def mark_on(cpu, number):
    """Write markers on a CPU."""
    os.sched_setaffinity(0, {cpu})
    fd = os.open(MARKERS, os.O_WRONLY)
    for _ in range(number):
        os.write(fd, b"late")
    os.close(fd)
    os.sched_setaffinity(0, {0})


def set_online(online):
    with open(ONLINE, "w", encoding="ascii") as file:
        file.write(str(int(online)))


def appears(path):
    """Return whether a file comes to exist."""
    end = time.monotonic() + 60
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)
    return os.path.exists(path)


def cpus(events):
    return [sum(event.cpu == cpu for event in events) for cpu in (0, 1)]


@unittest.skipUnless(os.path.exists(ONLINE), "there is one CPU")
class LateCpu(unittest.TestCase):
    """A new buffer has no ring for a CPU that is off line."""

    def setUp(self):
        set_online(False)
        self.addCleanup(set_online, False)

    def begin(self, **arguments):
        """Return an object that reads a new buffer, and the path of its device of CPU 1."""
        live = self.enterContext(rbmap.Live(events="rbmap:marker", **arguments))
        path = f"/dev/rbmap/{live._own.name}/cpu1"
        self.assertFalse(os.path.exists(path))
        return live, path

    def enterContext(self, context):
        """As unittest has it since Python 3.11."""
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def test_while_reading(self):
        """all events are there, of readers and of observers"""
        for observe in False, True:
            live, path = self.begin(observe=observe)
            mark_on(0, 10)
            events = [live.read(60) for _ in range(10)]
            set_online(True)
            self.assertTrue(appears(path))
            mark_on(1, 50)
            events += [live.read(60) for _ in range(50)]
            mark_on(0, 5)
            live.finish()
            events += list(live)
            self.assertEqual((cpus(events), live.lost), ([15, 50], 0))
            times = [event.time for event in events]
            self.assertEqual(times, sorted(times))
            set_online(False)

    def test_before_end(self):
        """all events are there of a CPU that comes a moment before the end"""
        live, path = self.begin()
        mark_on(0, 3)
        set_online(True)
        self.assertTrue(appears(path))
        mark_on(1, 20)
        self.assertEqual((len(drain(live)), live.events, live.lost), (23, 23, 0))
