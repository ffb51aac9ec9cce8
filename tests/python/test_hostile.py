# SPDX-License-Identifier: GPL-2.0-only
"""Recordings with any bytes: each ends in events or in an error of Python."""
import os
import random

import rbmap
from recordings import TestCase

ROUNDS = int(os.environ.get("RBMAP_TEST_ROUNDS", "150"))


def read_all(path):
    """Read all that a recording has. Return the number of events."""
    with rbmap.open(path) as recording:
        formats = recording.formats
        number = 0
        for event in recording:
            number += 1
            event.comm, event.name, event.data, event.lost, repr(event)
            try:
                event.fields()
            except rbmap.Error:
                pass
        for name in list(formats)[:5]:
            columns = recording.to_columns(name)
            for column in columns.values():
                if hasattr(column, "codes"):
                    column.to_numpy()
                assert len(column) == columns.rows
        assert recording.count()[0] == number
        recording.damage, recording.begin, recording.uname
        return number


class Hostile(TestCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(int(os.environ.get("RBMAP_TEST_SEED", "1")))

    def try_it(self, data):
        with open(self.path("damaged.dat"), "wb") as file:
            file.write(data)
        try:
            return read_all(self.path("damaged.dat"))
        except (OSError, rbmap.Error):
            return None

    def change(self, mode, begin, end):
        """Change bytes in a part of the file. Return how many recordings could be read."""
        with open(self.recording(6, mode), "rb") as file:
            whole = file.read()
        read = 0
        for _ in range(ROUNDS):
            data = bytearray(whole)
            for _ in range(self.random.randrange(1, 8)):
                at = self.random.randrange(int(len(data) * begin), int(len(data) * end))
                data[at] = self.random.randrange(256)
            read += self.try_it(data) is not None
        return read

    def test_headers(self):
        """bytes of the headers are changed"""
        self.assertGreater(self.change("", 0, 0.15), 0)

    def test_data(self):
        """bytes of the events are changed"""
        self.assertEqual(self.change("", 0.5, 1), ROUNDS)

    def test_compressed(self):
        """bytes of a compressed recording are changed"""
        self.change("compress", 0, 1)

    def test_cut(self):
        """the recording ends anywhere"""
        with open(self.recording(6), "rb") as file:
            whole = file.read()
        for _ in range(ROUNDS):
            self.try_it(whole[:self.random.randrange(len(whole))])

    def test_values_outside(self):
        """places of dynamic arrays lead outside of the event"""
        with open(self.events("0 1000 10 irq 5 name\n"), "rb") as file:
            whole = file.read()
        place = whole.rindex(b"name\0") - 4
        self.assertEqual(whole[place + 2:place + 4], b"\5\0")
        for size in b"\xff\xff", b"\0\x80", b"\x09\0":
            data = bytearray(whole)
            data[place + 2:place + 4] = size
            self.assertEqual(self.try_it(data), 1)
            recording = rbmap.open(self.path("damaged.dat"))
            with self.assertRaisesRegex(rbmap.Error, "invalid bytes"):
                next(iter(recording))["name"]
            columns = recording.to_columns("irq_handler_entry")
            self.assertEqual((columns.missing, columns["name"][0]), (1, None))
            self.assertEqual(columns["name"].to_numpy().tolist(), [None])

    def test_texts(self):
        """names and strings have control characters and bytes that are not UTF-8"""
        with open(self.events("0 1000 10 switch AAAA 1 0 BBBB 2\n"), "rb") as file:
            whole = file.read()
        data = whole.replace(b"AAAA\0", b"\n\x1b\xff<\0")
        data = data.replace(b"name: sched_switch\n", b"name: sched\xff<scrip\n")
        with open(self.path("damaged.dat"), "wb") as file:
            file.write(data)
        event = next(iter(rbmap.open(self.path("damaged.dat"))))
        self.assertEqual(event["prev_comm"], "\n\x1b\ufffd<")
        self.assertEqual(event.name, "sched\ufffd<scrip")
        str(event), event.name.encode()
