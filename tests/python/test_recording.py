# SPDX-License-Identifier: GPL-2.0-only
"""Recordings read by the package rbmap, beside rbmap report."""
import gc
import os
import signal
import subprocess
import sys
import threading

import rbmap
from recordings import TestCase, objects, reported

SCRIPT = """
0 1000 10 switch one 10 1 two 20
1 1001 20 waking one 10
0 lost 7
0 1002 20 switch two 20 0 one 10
2 1003 30 irq 5 my-device
1 lost 18446744073709551615
1 1004 20 other 18446744073709551615
3 1005 40 issue 8388608 1234 8 WS
"""


class Iteration(TestCase):
    def test_same_as_json(self):
        """all events have the values that rbmap report --json prints"""
        path = self.recording(40)
        with rbmap.open(path) as recording:
            wanted = [one for one in objects(path) if "lost" not in one]
            for event, one in zip(recording, wanted, strict=True):
                self.assertEqual(
                    (event.time, event.cpu, event.pid, event.comm, event.system, event.name,
                     event.flags, event.preempt_count, event.fields()),
                    (one["ts"], one["cpu"], one["pid"], one["comm"], one["system"],
                     one["event"], one["flags"], one["preempt_count"], one["fields"]))

    def test_losses_beside_events(self):
        """each loss is reported with the event that rbmap report prints it before"""
        path = self.recording(40)
        wanted, lost = [], {}
        for one in objects(path):
            if "lost" in one:
                lost[one["cpu"]] = one["lost"]
            else:
                wanted.append(lost.pop(one["cpu"], 0))
        with rbmap.open(path) as recording:
            self.assertEqual([event.lost for event in recording], wanted)
            self.assertTrue(any(wanted))

    def test_counts(self):
        """the numbers of events and losses are those of rbmap report"""
        for mode in "", "compress", "odd", "kill":
            with self.subTest(mode):
                path = self.recording(20, mode)
                recording = rbmap.open(path)
                number = sum(1 for _ in recording)
                events, lost, unknown = reported(path)
                self.assertEqual((number, recording.events), (events, events))
                self.assertEqual((recording.lost, recording.lost_unknown), (lost, unknown))
                self.assertEqual(recording.count(), (events, lost))
                self.assertEqual(recording.done, 1)

    def test_kinds(self):
        """fields have the types of Python that fit"""
        events = list(rbmap.open(self.events(SCRIPT)))
        self.assertEqual([event.name for event in events],
                         ["sched_switch", "sched_waking", "sched_switch", "irq_handler_entry",
                          "other", "block_rq_issue"])
        self.assertEqual([event.lost for event in events], [0, 0, 7, 0, None, 0])
        self.assertEqual(events[3].fields(), {"irq": 5, "name": "my-device"})
        self.assertEqual(events[4]["number"], 2**64 - 1)
        self.assertEqual(events[0]["prev_comm"], "one")
        self.assertEqual(events[0]["common_pid"], 10)
        self.assertEqual(dict(events[1]), {"comm": "one", "pid": 10})
        self.assertEqual((len(events[1]), bool(events[1])), (2, True))
        self.assertEqual(events[1].get("none", 3), 3)
        self.assertIn("pid", events[1])
        self.assertNotIn("none", events[1])
        with self.assertRaises(KeyError):
            events[1]["none"]
        with self.assertRaises(TypeError):
            events[1][[]]
        self.assertEqual(repr(events[0]),
                         "<rbmap.Event sched:sched_switch time=1000000 cpu=0 pid=10>")

    def test_odd(self):
        """events without a format, and without the fields of all events, have their bytes"""
        recording = rbmap.open(self.recording(4, "odd"))
        odd = [event for event in recording if event.name is None]
        self.assertEqual([event.id for event in odd], [999, None])
        self.assertEqual(odd[1].data, b"\1\2\3\xff")
        self.assertEqual((odd[1].pid, odd[1].comm, odd[1].fields(), len(odd[1])),
                         (None, "<...>", {}, 0))
        self.assertEqual(recording.formats["number"].id, 2)
        self.assertEqual(recording.formats["odd:number"].id, 4)

    def test_again(self):
        """an iteration begins again, and ends the one before"""
        recording = rbmap.open(self.recording())
        first = iter(recording)
        self.assertEqual(next(first).time, next(iter(recording)).time)
        with self.assertRaisesRegex(RuntimeError, "another iteration"):
            next(first)

    def test_events_outlive(self):
        """events stay valid after the recording is closed"""
        recording = rbmap.open(self.events(SCRIPT))
        event = next(iter(recording))
        recording.close()
        recording.close()
        self.assertTrue(recording.closed)
        self.assertEqual((event["next_comm"], event.comm), ("two", "<...>"))
        for use in (lambda: iter(recording), recording.count, lambda: recording.damage,
                    lambda: recording.done, lambda: recording.comm(1)):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        del recording
        gc.collect()
        self.assertEqual(event["prev_comm"], "one")

    def test_descriptors(self):
        """close() and the end of a with block close the file"""
        path = self.recording()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(10):
            with rbmap.open(path) as recording:
                next(iter(recording))
        kept = rbmap.open(path)
        # The file, and its directory, in which files beside it are looked up
        self.assertEqual(len(os.listdir("/proc/self/fd")), before + 2)
        del kept
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_cycle(self):
        """the garbage collector closes a recording that refers to its iterator"""
        path = self.recording()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            recording = rbmap.open(path)
            recording.iterator = iter(recording)
            next(recording.iterator)
        del recording
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_references(self):
        """a million events leave no memory behind"""
        recording = rbmap.open(self.recording(60))

        def read():
            for event in recording:
                event.comm, event.name, event.system, event.fields(), event.keys()
                event.get("nr"), event.data, event.lost
            for columns in recording.batches(["sched_switch", "number"], rows=1000):
                columns["number"].rows
            recording.formats, recording.damage, recording.count()

        def memory():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(3):
            read()
        before = memory()
        for _ in range(100):
            read()
        self.assertLess(memory() - before, 4 << 20)


class Foreign(TestCase):
    """Recordings of trace-cmd"""

    def test_buffers(self):
        """each event has the buffer that rbmap report --json prints, and one can be chosen"""
        for version in "6", "7":
            path = self.foreign("buffers", version)
            wanted = [one for one in objects(path) if "lost" not in one]
            recording = rbmap.open(path)
            self.assertEqual(recording.buffers, ("top", "one", "longer-name"))
            self.assertEqual([(event.time, event.buffer) for event in recording],
                             [(one["ts"], one.get("buffer")) for one in wanted])
            self.assertEqual((recording.events, recording.lost), (670, 7))
            for name, number, lost in ("top", 400, 0), ("one", 150, 7), ("longer-name", 120, 0):
                chosen = rbmap.open(path, buffer=name)
                self.assertEqual(chosen.count(), (number, lost))
                self.assertEqual({event.buffer or "top" for event in chosen}, {name})
            with self.assertRaisesRegex(ValueError, "no buffer 'two': it has top, one, longer-name"):
                rbmap.open(path, "two")

    def test_columns_of_one_buffer(self):
        """columns do not mix the events of buffers"""
        path = self.foreign("buffers")
        with self.assertRaisesRegex(ValueError, "several buffers: choose one .*: top, one, longer"):
            rbmap.open(path).to_columns("sched_switch")
        self.assertEqual(rbmap.open(path, "one").to_columns("sched_switch").rows, 150)
        # Named buffers alone: the top buffer has no data.
        path = self.foreign("notop")
        self.assertEqual(rbmap.open(path).buffers, ("one", "two"))
        self.assertEqual(rbmap.open(path).count(), (56, 0))

    def test_times(self):
        """times are those of rbmap report, with the corrections of the file"""
        for kind in "date", "offset", "tsc", "guest":
            path = self.foreign(kind)
            self.assertEqual([event.time for event in rbmap.open(path)],
                             [one["ts"] for one in objects(path) if "lost" not in one])
        recording = rbmap.open(self.foreign("date"))
        first = next(iter(recording)).time
        self.assertEqual((first, recording.real_time(first)), (1677721607250000000,) * 2)
        with self.assertRaises(ValueError):
            rbmap.open(self.foreign("plain")).real_time(first)


class Heads(TestCase):
    def test_known(self):
        """clock, kernel, times and names of threads"""
        path = self.recording(4, "odd")
        with rbmap.open(path) as recording:
            self.assertEqual((recording.clock, recording.cpus, recording.path), ("local", 3, path))
            self.assertEqual(recording.uname, ("Linux", "host", "6.1", "x86_64"))
            self.assertEqual(recording.begin.real, 1700000000123456789)
            self.assertIsNone(recording.end)
            self.assertEqual(recording.real_time(recording.begin.ring + 5),
                             recording.begin.real + 5)
            self.assertEqual((recording.comm(100), recording.comm(0), recording.comm(5)),
                             ("task", "<idle>", None))
        with self.assertRaisesRegex(ValueError, "does not say when"):
            rbmap.open(self.events(SCRIPT, "[x86-tsc]")).real_time(1)

    def test_real_time_of_numpy(self):
        """numpy's integers, as a DataFrame has them, give the same time"""
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        with rbmap.open(self.recording(4, "odd")) as recording:
            ring = recording.begin.ring + 5
            for kind in (numpy.uint64, numpy.int64):
                self.assertEqual(recording.real_time(kind(ring)), recording.begin.real + 5)
                self.assertIs(type(recording.real_time(kind(ring))), int)
            with self.assertRaises(TypeError):
                recording.real_time(float(ring))

    def test_formats(self):
        """formats have the fields of the recording"""
        formats = rbmap.open(self.events(SCRIPT)).formats
        switch = formats["sched:sched_switch"]
        self.assertIs(formats["sched_switch"], switch)
        self.assertEqual(len(formats), 34)
        self.assertIn("irq:softirq_entry", list(formats))
        self.assertEqual(switch.field("prev_comm").type, "char[16]")
        self.assertTrue(switch.field("prev_comm").is_string)
        self.assertTrue(switch.field("prev_state").is_signed)
        self.assertTrue(switch.fields[0].is_common)
        self.assertTrue(formats["irq_handler_entry"].field("name").is_dynamic)
        with self.assertRaises(KeyError):
            formats["none"]

    def test_errors(self):
        """errors are those of Python, or rbmap.Error"""
        with self.assertRaises(FileNotFoundError) as caught:
            rbmap.open(self.path("none"))
        self.assertEqual(caught.exception.filename, self.path("none"))
        with self.assertRaises(IsADirectoryError):
            rbmap.open(self.folder)
        with self.assertRaisesRegex(rbmap.Error, "is not a recording") as caught:
            rbmap.open(__file__)
        self.assertEqual(caught.exception.code, -5000)
        for wrong in None, 3, "a\0b":
            with self.assertRaises((TypeError, ValueError)):
                rbmap.open(wrong)
        recording = rbmap.open(os.fsencode(self.recording()))
        with self.assertRaises(RuntimeError):
            recording.__init__(self.path())
        with self.assertRaises(TypeError):
            rbmap.Event()

    def test_truncated(self):
        """a truncated recording has its whole events, and says what is missing"""
        path = self.recording(20)
        os.truncate(path, os.path.getsize(path) - 10000)
        recording = rbmap.open(path)
        self.assertEqual(recording.count(), reported(path)[:2])
        self.assertEqual(recording.damage.missing, 10000)

    def test_live_without_module(self):
        """without the module, Live says so"""
        if os.path.isdir("/sys/kernel/rbmap"):
            self.skipTest("the module is loaded")
        with self.assertRaisesRegex(rbmap.Error, "not loaded"):
            rbmap.Live(events=["sched_switch"])

    def test_arguments_of_live(self):
        """Live refuses arguments that contradict each other"""
        with self.assertRaisesRegex(ValueError, "settings"):
            rbmap.Live(buffer="x", settings="clock=mono")


class Columns(TestCase):
    def test_same_values(self):
        """columns have the values of the events"""
        recording = rbmap.open(self.recording(40))
        for name in "sched_switch", "number", "call":
            columns = recording.to_columns(name)
            rows = [event for event in recording if event.name == name]
            self.assertEqual(columns.rows, len(rows))
            self.assertEqual(columns["time"].tolist(), [event.time for event in rows])
            self.assertEqual(columns["cpu"].tolist(), [event.cpu for event in rows])
            self.assertEqual(columns["pid"].tolist(), [event.pid for event in rows])
            self.assertEqual(columns["lost"].tolist(), [event.lost for event in rows])
            for field in rows[0].keys():
                column = columns[field]
                values = column.to_numpy() if hasattr(column, "codes") else column
                self.assertEqual(values.tolist(), [event[field] for event in rows], field)

    def test_counts(self):
        """a pass for columns counts all events and losses"""
        path = self.recording(40)
        recording = rbmap.open(path)
        recording.to_columns("call")
        self.assertEqual((recording.events, recording.lost), reported(path)[:2])

    def test_batches(self):
        """batches are as long as they should be, and together all events"""
        recording = rbmap.open(self.recording(40))
        whole = recording.to_columns(["sched_switch", "number"])
        for rows in 1, 7, 1000, 1 << 40:
            found = {"sched_switch": [], "number": []}
            batches = list(recording.batches(["sched_switch", "number"], rows=rows))
            for batch in batches[:-1]:
                self.assertEqual(sum(columns.rows for columns in batch.values()), rows)
            for batch in batches:
                for name, columns in batch.items():
                    found[name] += columns["time"].tolist()
            for name, times in found.items():
                self.assertEqual(times, whole[name]["time"].tolist())
        with self.assertRaises(ValueError):
            next(recording.batches("number", rows=0))

    def test_batches_end(self):
        """batches end with an exception when another pass has begun"""
        recording = rbmap.open(self.recording(40))
        others = (lambda: next(iter(recording)), recording.count,
                  lambda: recording.to_columns("number"),
                  lambda: next(recording.batches("number")))
        for other in others:
            batches = recording.batches("number", rows=10)
            next(batches)
            other()
            with self.assertRaisesRegex(RuntimeError, "another iteration"):
                next(batches)

    def test_fields(self):
        """columns of some fields, of strings, and of names that clash"""
        recording = rbmap.open(self.events(SCRIPT))
        columns = recording.to_columns("sched_switch", ["next_comm", "prev_pid"])
        self.assertEqual(list(columns), ["time", "cpu", "pid", "lost", "next_comm", "prev_pid"])
        self.assertEqual(list(columns["next_comm"]), ["two", "one"])
        self.assertEqual(columns["next_comm"].values, ["two", "one"])
        waking = recording.to_columns("sched_waking")
        self.assertEqual((waking["pid"][0], waking["field_pid"][0]), (20, 10))
        self.assertEqual(recording.to_columns("irq_handler_entry")["name"][0], "my-device")
        self.assertEqual(recording.to_columns("other")["lost"].tolist(), [2**64 - 1])
        self.assertEqual(recording.to_columns("softirq_entry").rows, 0)
        for wrong in "none", "sched_switch:none":
            with self.assertRaises(KeyError):
                recording.to_columns(wrong)
        with self.assertRaisesRegex(KeyError, "no field 'none'"):
            recording.to_columns("sched_switch", ["none"])
        with self.assertRaises(ValueError):
            recording.to_columns(["sched_switch", "sched:sched_switch"])

    def test_pandas(self):
        """DataFrames have names of threads and categories"""
        frame = rbmap.open(self.recording(40)).to_pandas("sched_switch")
        self.assertEqual(frame["comm"].unique().tolist(), ["task"])
        self.assertEqual(str(frame["next_comm"].dtype), "category")
        self.assertEqual(frame["next_comm"].unique().tolist(), ["other"])
        self.assertEqual(frame["time"].dtype, "uint64")
        recording = rbmap.open(self.events(SCRIPT))
        frame = recording.to_pandas("sched_waking")
        self.assertEqual((frame["comm"][0], frame["field_comm"][0]), ("<...>", "one"))
        self.assertEqual(len(recording.to_pandas("softirq_entry")), 0)

    def test_cgroups(self):
        """the cgroup of a thread is a column, and the numbers of threads and devices are known"""
        path = self.events("/a: 10:2\n/b: 11\ndevice 254:1 vda1\n"
                           "0 1000 10 switch t 10 0 u 11\n0 1010 11 switch u 11 0 v 12\n"
                           "0 1020 12 switch v 12 0 t 10\n")
        with rbmap.open(path) as recording:
            self.assertEqual([recording.cgroup(pid) for pid in (10, 11, 12, 0, -1)],
                             ["/a", "/b", None, None, None])
            self.assertEqual([recording.ns_pid(pid) for pid in (10, 11, 12)], [2, None, None])
            self.assertEqual([recording.device(254 << 20 | minor) for minor in (0, 1)],
                             [None, "vda1"])
            frame = recording.to_pandas("sched_switch")
            self.assertEqual(list(frame["cgroup"].astype(object).where(
                frame["cgroup"].notna(), None)), ["/a", "/b", None])
            self.assertEqual(list(frame.groupby("cgroup", observed=True).size()), [1, 1])
            found = recording.latency("offcpu", cgroup="/a")
            self.assertEqual(set(found.summary["pid"]) if "pid" in found.summary else {10}, {10})
            self.assertEqual(list(recording.latency("oncpu", by="cgroup").summary["cgroup"]
                                  .sort_values()), ["(unknown)", "/b"])
        with rbmap.open(self.recording(12)) as recording:
            self.assertNotIn("cgroup", recording.to_pandas("sched_switch"))
            self.assertIsNone(recording.cgroup(10))

    def test_threads(self):
        """two threads read two recordings, and cannot read one at once"""
        path = self.recording(400)
        recording = rbmap.open(path)
        results = []

        def read(source):
            try:
                for _ in range(10):
                    results.append(source.count())
            except RuntimeError as error:
                results.append(str(error))

        threads = [threading.Thread(target=read, args=[rbmap.open(path)]) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, 20 * [recording.count()])
        threads = [threading.Thread(target=read, args=[recording]) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results[20:]:
            if isinstance(result, str):
                self.assertIn("another thread", result)


class Script(TestCase):
    def test_output_ends(self):
        """a script that is interrupted ends"""
        code = f"import rbmap; [0 for _ in iter(int, 1) if print(rbmap.open({self.recording(400)!r})" \
               ".count(), flush=True)]"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as script:
            # It has begun with the first line, and goes on without end.
            self.assertTrue(script.stdout.readline())
            script.send_signal(signal.SIGINT)
            self.assertIn(b"KeyboardInterrupt", script.communicate()[1])
