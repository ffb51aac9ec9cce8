# SPDX-License-Identifier: GPL-2.0-only
"""Events that the package rbmap selects, beside those that rbmap report selects."""
import json
import subprocess
import sys

import rbmap
from recordings import RBMAP, TestCase

SELECTION = "tests/cli/selection.py"
# The arguments of select() (patterns: those without a name), and the options of rbmap report
CHOICES = [
    ({"tasks": 2}, ["-p", "2"]),
    ({"tasks": [2, 3, 0]}, ["-p", "2,3,0"]),
    ({"comm": "<idle>"}, ["--comm", "<idle>"]),
    ({"cpus": 1}, ["-c", "1"]),
    ({"cpus": range(0, 3, 2)}, ["-c", "0,2"]),
    ({"patterns": ["sched_switch"]}, ["-e", "sched_switch"]),
    ({"patterns": ["sched:sched_wak*", "irq", "block:*"]},
     ["-e", "sched:sched_wak*", "-e", "irq", "-e", "block:*"]),
    ({"where": lambda event: event.get("prev_prio", 999) < 100}, ["--filter", "prev_prio < 100"]),
    ({"patterns": ["sched"], "tasks": 3, "cpus": [0, 1]}, ["-e", "sched", "-p", "3", "-c", "0-1"]),
    ({"tasks": 4711}, ["-p", "4711"]),
]
# The names of tasks do not change in the recording of these.
NAMES = [
    ({"comm": "task"}, ["--comm", "task"]),
    ({"comm": ["ot*", "none"]}, ["--comm", "ot*", "--comm", "none"]),
    ({"tasks": ["oth?r", 100]}, ["-p", "oth?r,100"]),
    ({"tasks": ["*"], "comm": "task", "cpus": 1}, ["-p", "*", "--comm", "task", "-c", "1"]),
]


class Selection(TestCase):
    def setUp(self):
        super().setUp()
        script = subprocess.run([sys.executable, SELECTION, "make", "1"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        self.events(script)

    def reported(self, options):
        """Return the events that rbmap report prints, and how many it leaves out."""
        done = subprocess.run([RBMAP, "report", "--json", *options, self.path()], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = [json.loads(line) for line in done.stdout.splitlines()[1:]]
        left_out = [line["not_selected"] for line in lines if "not_selected" in line]
        return [(line["ts"], line["cpu"], line["event"]) for line in lines
                if "event" in line], left_out[0] if left_out else 0

    def test_as_report(self):
        """select() returns the events that rbmap report prints, and counts the others"""
        with rbmap.open(self.path()) as recording:
            for arguments, options in CHOICES:
                with self.subTest(options):
                    named = {name: value for name, value in arguments.items()
                             if name != "patterns"}
                    events = [(event.time, event.cpu, event.name) for event in
                              recording.select(*arguments.get("patterns", ()), **named)]
                    self.assertEqual((events, recording.not_selected), self.reported(options))
                    self.assertTrue(events or arguments == {"tasks": 4711})

    def test_names(self):
        """so do names of tasks"""
        with rbmap.open(self.recording(12)) as recording:
            for arguments, options in NAMES:
                with self.subTest(options):
                    events = [(event.time, event.cpu, event.name)
                              for event in recording.select(**arguments)]
                    self.assertTrue(events)
                    self.assertEqual((events, recording.not_selected), self.reported(options))

    def test_cgroups(self):
        """so do cgroups, of the tasks and of those that events are about"""
        self.events("/: 1\n/a.slice/x.service: 10:2\n/a.slice/y.scope/deep: 11\n/b: 12\n" +
                    "".join(f"0 {1000 + 10 * i} {10 + i % 4} switch t{i % 4} {10 + i % 4} 0 "
                            f"t{(i + 1) % 4} {10 + (i + 1) % 4}\n" for i in range(40)) +
                    "1 2000 12 waking t0 10\n1 2010 12 other 1\n")
        with rbmap.open(self.path()) as recording:
            for cgroup in ("/", "/a.slice", "/a.slice/", "/a.slice/x.service", "/b", "x.service",
                           "*.s*", "y.scope", "/a*deep", "/a*x.service", "/?", ["/b", "deep"]):
                with self.subTest(cgroup):
                    events = [(event.time, event.cpu, event.name)
                              for event in recording.select(cgroup=cgroup)]
                    self.assertTrue(events)
                    self.assertEqual((events, recording.not_selected), self.reported(
                        [word for one in rbmap.selection.as_list(cgroup)
                         for word in ("--cgroup", one)]))
            for cgroup in ("/a", "x", "service", "/a.slice/x", "/c"):
                self.assertEqual(list(recording.select(cgroup=cgroup)), [])
            both = list(recording.select(cgroup="/a.slice", tasks="t1"))
            self.assertTrue(both and len(both) < len(list(recording.select(cgroup="/a.slice"))))

    def test_times(self):
        """since and until bound the events, which alone are counted"""
        with rbmap.open(self.path()) as recording:
            times = [event.time for event in recording]
            since, until = times[700], times[2200]
            events = [event.time for event in recording.select(since=since, until=until)]
            self.assertEqual(events, [time for time in times if since <= time <= until])
            self.assertEqual(recording.not_selected, 0)
            some = list(recording.select(tasks=2, since=since, until=until))
            self.assertEqual(len(some) + recording.not_selected, len(events))

    def test_losses(self):
        """all losses are counted, also before events that are left out"""
        with rbmap.open(self.path()) as recording:
            lost = recording.count()[1]
            self.assertGreater(lost, 0)
            self.assertEqual(list(recording.select(tasks=4711)), [])
            self.assertEqual(recording.lost, lost)

    def test_errors(self):
        """an event or a CPU that is not there is an error, at once"""
        with rbmap.open(self.path()) as recording:
            with self.assertRaises(KeyError):
                recording.select("sched_swich")
            with self.assertRaisesRegex(ValueError, "no CPU 9"):
                recording.select(cpus=[0, 9])

    def test_odd(self):
        """an event without common fields belongs to no task"""
        with rbmap.open(self.recording(4, "odd")) as recording:
            self.assertTrue(any(event.pid is None for event in recording))
            self.assertFalse(any(event.pid is None for event in recording.select(comm="*")))
