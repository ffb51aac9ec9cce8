# SPDX-License-Identifier: GPL-2.0-only
"""Dates, patterns of names, and intervals as DataFrames."""
import contextlib
import json
import os
import random
import subprocess
import tempfile
from unittest import mock

import rbmap
from rbmap import buffer, times
from rbmap.recording import Moment
from recordings import RBMAP, TestCase

# thread-1 waits 10 us for a CPU, and thread-2 2 ms, because hog runs.
SCRIPT = """
1 1000 50 waking thread-1 101
0 1010 0 switch swapper 0 0 thread-1 101
0 1500 101 switch thread-1 101 1 hog 7
1 1600 50 waking thread-2 102
0 3600 7 switch hog 7 0 thread-2 102
0 3700 102 switch thread-2 102 1 swapper 0
"""
# victim waits for a lock of holder, which codec keeps from its CPU.
INVERSION = """
0 1000 20 switch victim 20 1 swapper/0 0 49 120
1 2000 10 switch holder 10 0 codec 30 120 79
1 50000 30 switch codec 30 1 holder 10 79 120
1 53000 10 waking victim 20
0 53100 0 switch swapper/0 0 0 victim 20 120 49
1 53300 10 switch holder 10 0 codec 30 120 79
"""
BEGIN, END = 1700000000000000000, 1700000000003300000
# The ring's clock is 10 % slower than the wall clock.
MOMENTS = [f"1000,{BEGIN},37", f"4000,{END},37"]
SEED = int(os.environ.get("RBMAP_TEST_SEED", "1"))


def printed(*arguments):
    """Return the object that a command prints."""
    done = subprocess.run([RBMAP, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


class Views(TestCase):
    def dated(self, moments=tuple(MOMENTS), script=SCRIPT):
        return rbmap.open(self.events(script, ["[local]", *moments]))

    def plain(self):
        return rbmap.open(self.events(SCRIPT))


class Dates(Views):
    def test_arrays(self):
        """real_time() of an array or a Series is that of each integer, to the ns"""
        import numpy
        import pandas
        chance = random.Random(SEED)
        compared = 0
        for _ in range(200):
            ring = chance.randrange(1 << chance.randrange(1, 62))
            span = chance.randrange(1, 1 << chance.randrange(1, 62))
            real = chance.randrange(1 << 60)
            moments = (Moment(ring, real, 0, 0, 0),
                       Moment(ring + span, real + chance.choice([
                           0, span, chance.randrange(1, 1 << chance.randrange(1, 61)),
                           span * chance.randrange(1, 1000) // 1000]), 0, 0, 0))
            # So far that the wall clock still fits into 63 bits
            values = [ring + chance.randrange(-ring, 2 * span) for _ in range(20)]
            wanted = [times.scale(value, moments) for value in values]
            if not all(-2**63 <= one < 2**63 for one in wanted + values):
                continue
            for kind in "uint64", "int64":
                found = times.scale_each(numpy.array(values, dtype=kind), moments)
                self.assertEqual(found.tolist(), wanted, (SEED, moments))
                compared += 1
        self.assertGreater(compared, 100)
        recording = self.dated()
        wanted = [recording.real_time(event.time) for event in recording]
        self.assertEqual(wanted[:2], [BEGIN, BEGIN + 11000])
        stamps = recording.to_columns("sched_switch")["time"]
        series = pandas.Series(stamps, index=list("abcd"), name="t")
        real = recording.real_time(series)
        self.assertEqual((list(real.index), real.name), (list("abcd"), "t"))
        self.assertEqual(real.tolist(), [recording.real_time(int(time)) for time in stamps])
        self.assertEqual(recording.real_time(stamps).tolist(), real.tolist())
        self.assertEqual(len(recording.real_time(stamps[:0])), 0)
        for wrong in series.astype("float64"), series.astype("object") * 1.5, [1], "1":
            with self.assertRaises(TypeError):
                recording.real_time(wrong)

    def test_columns(self):
        """a DataFrame has the date of each event, if the recording knows it"""
        recording = self.dated()
        frame = recording.to_pandas("sched_switch")
        self.assertEqual(str(frame["real"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(list(frame)[:2], ["time", "real"])
        self.assertEqual(frame["real"].astype("int64").tolist(),
                         recording.real_time(frame["time"]).tolist())
        self.assertEqual(str(frame["real"][0]), "2023-11-14 22:13:20.000011+00:00")
        self.assertEqual(len(recording.to_pandas("softirq_entry")["real"]), 0)
        self.assertTrue(recording.is_dated)
        plain = self.plain()
        self.assertFalse(plain.is_dated)
        self.assertNotIn("real", plain.to_pandas("sched_switch"))
        with self.assertRaisesRegex(ValueError, "does not say when"):
            plain.real_time(frame["time"])

    def test_foreign(self):
        """a recording of trace-cmd with dates has them in the column, too"""
        recording = rbmap.open(self.foreign("date"), "top")
        frame = recording.to_pandas("sched_switch")
        self.assertGreater(len(frame), 0)
        self.assertEqual(frame["real"].astype("int64").tolist(), frame["time"].tolist())


class Patterns(Views):
    def test_match(self):
        """patterns name events, systems and both, and each event once"""
        formats = self.plain().formats
        names = {one.name for one in formats.match("sched_wak*")}
        self.assertEqual(names, {"sched_waking", "sched_wakeup", "sched_wakeup_new"})
        self.assertEqual(formats.match("sched"), formats.match("sched:*"))
        self.assertEqual(len(formats.match("sched:sched_switch", "sched_switch", "*switch")), 1)
        self.assertEqual({one.system for one in formats.match("irq:softirq_*")}, {"irq"})
        for wrong in "none*", "none:*", "sched:none":
            with self.assertRaises(KeyError):
                formats.match(wrong)

    def test_columns(self):
        """a pattern gives the columns of each event that it names"""
        recording = self.plain()
        columns = recording.to_columns("sched_wak*")
        self.assertEqual(set(columns), {"sched_waking", "sched_wakeup", "sched_wakeup_new"})
        self.assertEqual(columns["sched_waking"]["field_pid"].tolist(), [101, 102])
        frames = recording.to_pandas(["sched_switch", "sched:*"])
        self.assertEqual(list(frames)[0], "sched_switch")
        self.assertEqual((len(frames["sched_switch"]), len(frames["sched_waking"])), (4, 2))
        self.assertEqual(len(recording.to_pandas("sched_switch")), 4)
        with self.assertRaises(KeyError):
            recording.to_columns("none*")
        # Two systems have an event "number".
        odd = rbmap.open(self.recording(4, "odd"))
        self.assertEqual({"number", "odd:number"} - set(odd.to_columns("*number")), set())

    def test_select(self):
        """an iteration has the events of a pattern alone"""
        recording = self.plain()
        self.assertEqual([event.name for event in recording.select("sched_wak*")],
                         ["sched_waking"] * 2)
        self.assertEqual(len(list(recording.select("sched"))), 6)


class Intervals(Views):
    def test_latency(self):
        """the DataFrames have what rbmap latency --json prints"""
        recording = self.dated()
        found = recording.latency()
        wanted = printed("latency", "--json", "--rows", "0", "--worst", "100", "--histogram",
                         recording.path)
        self.assertEqual((found.events, found.lost, found.lost_unknown),
                         (wanted["events"], wanted["lost"], wanted["lost_unknown"]))
        for name, frame in ("rows", found.summary), ("histogram", found.histogram), \
                ("worst", found.worst):
            rows = [{"kind": kind["kind"], **row} for kind in wanted["kinds"]
                    for row in kind[name]]
            self.assertGreater(len(rows), 0)
            self.assertEqual(len(frame), len(rows))
            for key in "kind", "when", "length", "max", "comm", "from", "count":
                if key in rows[0]:
                    self.assertEqual(frame[key].tolist(), [row[key] for row in rows], key)
        worst = recording.latency("runqueue").worst
        self.assertEqual(set(worst["kind"]), {"runqueue"})
        longest = worst.sort_values("length").iloc[-1]
        self.assertEqual((longest["length"], longest["comm"], longest["waker_pid"]),
                         (2000000, "thread-2", 50))
        self.assertEqual(longest["ran"], [{"pid": 7, "comm": "hog", "time": 2000000}])
        self.assertEqual(str(longest["real"]), "2023-11-14 22:13:20.000660+00:00")

    def test_options(self):
        """the arguments are those of the command"""
        recording = self.dated()
        self.assertEqual(len(recording.latency("runqueue", worst=1).worst), 1)
        self.assertEqual(recording.latency(["runqueue"], pid=102).kinds["count"].tolist(), [1])
        self.assertEqual(recording.latency("runqueue", by="cpu").summary["cpu"].tolist(), [0])
        self.assertEqual(len(recording.latency("runqueue", until="0.0012").worst), 1)
        self.assertEqual(len(recording.latency("irq").worst), 0)
        for wrong in {"kinds": "none"}, {"by": "none"}, {"worst": -1}:
            with self.assertRaisesRegex(rbmap.Error, "none|-1"):
                recording.latency(**wrong)
        self.assertNotIn("real", self.plain().latency("runqueue").worst)

    def test_why(self):
        """a DataFrame has the sentence of each wait, and one the causes"""
        recording = self.dated(script=INVERSION)
        found = recording.why("victim")
        wanted = printed("why", "--json", "--worst", "10", "-p", "victim", recording.path)
        self.assertEqual(found.stalls["sentence"].tolist(),
                         [stall["sentence"] for stall in wanted["stalls"]])
        self.assertIn("where codec-30", found.stalls["sentence"][0])
        self.assertEqual(found.stalls["real"][0].value, BEGIN)
        causes = found.causes[found.causes["stall"] == 0]
        self.assertEqual(causes["cause"].tolist(),
                         [cause["cause"] for cause in wanted["stalls"][0]["causes"]])
        self.assertEqual(causes["time"].sum() + found.stalls["others"][0],
                         found.stalls["time"][0])
        self.assertEqual(found.lacking, wanted["lacking"])
        self.assertEqual(len(recording.why("nobody").stalls), 0)

    def test_buffers(self):
        """intervals are those of one buffer"""
        path = self.foreign("buffers")
        with self.assertRaisesRegex(ValueError, "several buffers"):
            rbmap.open(path).latency()
        found = rbmap.open(path, "one").latency()
        wanted = printed("latency", "--json", "--buffer", "one", path)
        self.assertEqual((found.events, found.lost), (wanted["events"], wanted["lost"]))

    def test_errors(self):
        """the message of the command is the error, and a truncated recording is measured"""
        recording = self.dated()
        with mock.patch.dict(os.environ, RBMAP="/nonexistent/rbmap"):
            with self.assertRaisesRegex(rbmap.Error, "not installed"):
                recording.latency()
        os.rename(recording.path, self.path("away"))
        with self.assertRaisesRegex(rbmap.Error, "trace.dat"):
            recording.latency()
        path = self.recording(20)
        os.truncate(path, os.path.getsize(path) - 10000)
        cut = rbmap.open(path)
        self.assertEqual(cut.latency().events, cut.count()[0])


class Group(TestCase):
    """Messages for those who are not root"""

    def test_new_buffer(self):
        """Live of events says that only root makes a buffer, and what others do"""
        def refuse(path, *_):
            raise PermissionError(13, "Permission denied", path)

        with mock.patch.object(buffer.os, "open", refuse):
            with self.assertRaisesRegex(PermissionError, r'only root makes.*Live\(buffer=""\)'):
                buffer.OwnBuffer("")

    def test_events(self):
        """events that are enabled are read, and others name the command for root"""
        with tempfile.TemporaryDirectory() as control:
            for name, value in ("on", "1"), ("off", "0"):
                os.makedirs(f"{control}/events/system/{name}")
                for file in "format", "enable":
                    with open(f"{control}/events/system/{name}/{file}", "w",
                              encoding="utf-8") as text:
                        text.write(value)

            def refuse(path, _):
                raise PermissionError(13, "Permission denied", path)

            with mock.patch.object(buffer, "write", refuse):
                with contextlib.closing(buffer.EnabledEvents(control, ["on"])) as enabled:
                    self.assertEqual(enabled.paths, [])
                for pattern in "off", "system:*", "system":
                    with self.assertRaisesRegex(PermissionError, "rbmap enable system:off"):
                        buffer.EnabledEvents(control, [pattern])
