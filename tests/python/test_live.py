# SPDX-License-Identifier: GPL-2.0-only
"""Live events, in a guest where the module is loaded."""
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import unittest.mock

import rbmap

MARKERS = "/dev/rbmap/marker"
INSTANCES = "/sys/kernel/rbmap/instances"
# The numbers of ppoll(), poll() and epoll_wait()
POLLS = {"x86_64": ("271", "7", "232", "281"), "aarch64": ("73", "22")}


def mark(first, last):
    """Write numbered markers, which reach all buffers that have the event enabled."""
    fd = os.open(MARKERS, os.O_WRONLY)
    for number in range(first, last):
        os.write(fd, f"mark {number}".encode())
    os.close(fd)


def empty_default():
    """Discard what other tests have left in the default buffer, which gets all markers."""
    with open("/sys/kernel/rbmap/reset", "w", encoding="ascii") as file:
        file.write("1")


def buffers():
    return [name for name in os.listdir(INSTANCES) if name.startswith("python-")]


def drain(live):
    """Return the texts of all events that the rings hold."""
    live.finish()
    return [text_of(event) for event in live]


def text_of(event):
    return event["buf"] if "buf" in event else str(event.fields())


def await_wait(thread):
    """Wait until a thread waits for events, and not for Python's lock."""
    words = ["running"]
    while words[0] not in POLLS[os.uname().machine]:
        time.sleep(0.01)
        with open(f"/proc/self/task/{thread.native_id}/syscall", encoding="ascii") as file:
            words = file.read().split()


class Alarm(Exception):
    """A signal came."""


class Devices(unittest.TestCase):
    def test_none(self):
        """without devices, as in a container, the message does not say that the module is absent"""
        with tempfile.TemporaryDirectory() as control, \
                unittest.mock.patch("rbmap.live.CONTROL", control), \
                unittest.mock.patch("rbmap.live.DEVICES", "/nowhere"), \
                self.assertRaisesRegex(rbmap.Error, "^/nowhere does not exist, although"):
            rbmap.Live(buffer="")


@unittest.skipUnless(os.path.isdir(INSTANCES), "the module is not loaded")
class Live(unittest.TestCase):
    def test_own_buffer(self):
        """a buffer of its own has the events that were asked for, and ends"""
        with rbmap.Live(events=["sched_switch"]) as live:
            self.assertEqual(len(buffers()), 1)
            names = {next(live).name for _ in range(50)}
            event = next(live)
            self.assertEqual(names, {"sched_switch"})
            self.assertEqual(len(event), 7)
            self.assertIsInstance(event["prev_comm"], str)
            self.assertGreaterEqual(live.events, 51)
            self.assertIn("sched:sched_switch", live.formats)
        self.assertEqual(buffers(), [])
        self.assertEqual(event["next_pid"], event["next_pid"])
        with self.assertRaisesRegex(ValueError, "closed"):
            next(live)

    def test_all_arrive(self):
        """all markers arrive, in their order"""
        with rbmap.Live(events="rbmap:marker") as live:
            mark(0, 300)
            texts = drain(live)
            self.assertEqual([int(text.split("mark ")[1].split("\n")[0].rstrip("'}"))
                              for text in texts], list(range(300)))
            self.assertEqual((live.lost, live.lost_unknown), (0, False))

    def test_losses(self):
        """received events and reported losses are the emitted events"""
        for overwrite in 0, 1:
            settings = f"buffer_size_kb=16 overwrite={overwrite}"
            with rbmap.Live(events="rbmap:marker", settings=settings) as live:
                mark(0, 20000)
                received = len(drain(live))
                loss = live.loss
                self.assertGreater(loss["total"], 0)
                self.assertEqual(live.events, received)
                self.assertEqual(received + loss["total"], 20000)
                # No event comes after the last loss, which lost therefore leaves out.
                self.assertEqual(live.lost, loss["total"] if overwrite else 0)

    def test_stop(self):
        """other threads run while one waits, and end its wait"""
        with rbmap.Live(events="rbmap:marker") as live:
            result = []
            waiter = threading.Thread(target=lambda: result.extend(live))
            waiter.start()
            # This thread could not run if the other one waited with Python's lock.
            await_wait(waiter)
            mark(0, 3)
            live.finish()
            waiter.join()
            self.assertEqual(len(result), 3)

    def test_timeout(self):
        """read() returns None if no event comes in time"""
        with rbmap.Live(events="rbmap:marker") as live:
            begin = time.monotonic()
            self.assertIsNone(live.read(0.3))
            self.assertGreater(time.monotonic() - begin, 0.25)
            self.assertIsNone(live.read(0))
            mark(7, 8)
            self.assertIn("mark 7", text_of(live.read(timeout=10)))
            for wrong in -1, float("nan"), "x":
                with self.assertRaises((ValueError, TypeError)):
                    live.read(wrong)

    def test_signal(self):
        """an exception of a signal handler ends the wait"""
        def handler(*_):
            raise Alarm

        before = signal.signal(signal.SIGALRM, handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        def interrupt():
            await_wait(threading.main_thread())
            signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

        with rbmap.Live(events="rbmap:marker") as live:
            waker = threading.Thread(target=interrupt)
            waker.start()
            with self.assertRaises(Alarm):
                next(live)
            waker.join()
            mark(0, 1)
            self.assertIn("mark 0", text_of(live.read(10)))

    def test_observe(self):
        """an observer leaves the events to the reader"""
        empty_default()
        with rbmap.Live(buffer="", events="rbmap:marker") as reader, \
                rbmap.Live(buffer="", observe=True) as observer:
            mark(0, 50)
            self.assertEqual(len(drain(observer)), 50)
            self.assertEqual(len(drain(reader)), 50)

    def test_events_restored(self):
        """events of a shared buffer are disabled again, and those of others stay"""
        path = "/sys/kernel/rbmap/events/sched/{}/enable"

        def state(event):
            with open(path.format(event), encoding="ascii") as file:
                return file.read().strip()

        with open(path.format("sched_waking"), "w", encoding="ascii") as file:
            file.write("1")
        with rbmap.Live(buffer="", events=["sched_switch", "sched_waking"]):
            self.assertEqual((state("sched_switch"), state("sched_waking")), ("1", "1"))
        self.assertEqual((state("sched_switch"), state("sched_waking")), ("0", "1"))
        with open(path.format("sched_waking"), "w", encoding="ascii") as file:
            file.write("0")

    def test_new_event(self):
        """an event that is made later has its fields"""
        empty_default()
        with rbmap.Live(buffer="", events="rbmap:marker") as live:
            subprocess.run(["rbmap", "probe", "add", "sched_process_fork"], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run(["rbmap", "enable", "tracepoints"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["true"], check=True)
            subprocess.run(["rbmap", "disable", "tracepoints"], check=True,
                           stdout=subprocess.DEVNULL)
            live.finish()
            self.assertIn("tracepoints", {event.system for event in live})
        subprocess.run(["rbmap", "probe", "remove", "--all"], check=True,
                       stdout=subprocess.DEVNULL)

    def test_refused(self):
        """wrong events, settings and buffers raise, and leave no buffer"""
        for arguments, error in (({"events": "no_such"}, rbmap.Error),
                                 ({"events": "sched", "settings": "nonsense=1"}, OSError),
                                 ({"buffer": "no_such"}, (OSError, rbmap.Error)),
                                 ({"buffer": "../x"}, ValueError)):
            with self.assertRaises(error):
                rbmap.Live(**arguments)
        self.assertEqual(buffers(), [])
