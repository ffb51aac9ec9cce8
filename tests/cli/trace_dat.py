#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Writes recordings as trace-cmd writes them, for tests of what reads them:

    trace_dat.py KIND VERSION FILE

KIND is a name of the table at the end, VERSION that of the file: 6 or 7, or 7 with a
word of 32 bits: 7/32. trace-cmd report reads the files, so that tests can compare.
"""

import struct
import sys

NS = 1_000_000_000
UNKNOWN = -1                # a loss without a number
DATE, CPUSTAT, BUFFER, TRACECLOCK, UNAME, OFFSET, CPUCOUNT, VERSION = 1, 2, 3, 4, 5, 7, 8, 9
TIME_SHIFT, TSC2NSEC = 12, 14
HEADERS, FTRACE, FORMATS, KALLSYMS, PRINTK, CMDLINES = 16, 17, 18, 19, 20, 21

COMMON = """format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""


class Format:
    """An event's format, and how its records are packed."""

    def __init__(self, system, name, number, fields, print_fmt, long_size):
        self.system, self.number, self.long = system, number, long_size
        self.pack, offset, lines = "", 8, ""
        for declaration, kind in fields:
            kind = kind.replace("l", "q" if long_size == 8 else "i")
            kind = kind.replace("L", "Q" if long_size == 8 else "I")
            size = struct.calcsize("<" + kind)
            lines += (f"\tfield:{declaration};\toffset:{offset};\tsize:{size};"
                      f"\tsigned:{int(kind[-1:] in 'bhiq' and kind != '')};\n")
            offset += size
            self.pack += kind
        self.text = f"name: {name}\nID: {number}\n{COMMON}{lines}\nprint fmt: {print_fmt}\n"

    def record(self, pid, *values, tail=b"", flags=0):
        """Return the bytes of a record."""
        values = [v.encode() if isinstance(v, str) else v for v in values]
        return (struct.pack("<HBBi", self.number, flags, 0, pid) +
                struct.pack("<" + self.pack, *values) + tail)


def formats(long_size):
    """Return the formats of all kinds."""
    table = [
        ("sched", "sched_switch", 10, [
            ("char prev_comm[16]", "16s"), ("pid_t prev_pid", "i"), ("int prev_prio", "i"),
            ("long prev_state", "l"), ("char next_comm[16]", "16s"), ("pid_t next_pid", "i"),
            ("int next_prio", "i")],
         '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s '
         'next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, '
         'REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio'),
        ("odd", "number", 11, [("unsigned long nr", "L")], '"nr=%lu", REC->nr'),
        ("odd", "constant", 12, [("const char * text", "L")], '"text=%s|", REC->text'),
        ("ftrace", "kernel_stack", 4, [
            ("int size", "i"), ("int pad", "i"), ("unsigned long caller[8]", "8L")],
         '"\\t=> %ps\\n\\t=> %ps\\n", (void *)REC->caller[0], (void *)REC->caller[1]'),
        ("ftrace", "bprint", 6, [
            ("unsigned long ip", "L"), ("const char * fmt", "L"), ("u32 buf[]", "")],
         '"%ps: %s", (void *)REC->ip, REC->fmt'),
        ("ftrace", "funcgraph_entry", 13, [
            ("unsigned long func", "L"), ("int depth", "i")],
         '"--> %ps (%d)", (void *)REC->func, REC->depth'),
        ("ftrace", "funcgraph_exit", 14, [
            ("unsigned long func", "L"), ("int depth", "i"), ("unsigned int overrun", "I"),
            ("unsigned long long calltime", "Q"), ("unsigned long long rettime", "Q")],
         '"<-- %ps (%d)", (void *)REC->func, REC->depth'),
        ("ftrace", "function", 1, [
            ("unsigned long ip", "L"), ("unsigned long parent_ip", "L")],
         '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
        ("task", "task_rename", 15, [
            ("pid_t pid", "i"), ("char oldcomm[16]", "16s"), ("char newcomm[16]", "16s"),
            ("short oom_score_adj", "h"), ("short pad", "h")],
         '"pid=%d oldcomm=%s newcomm=%s", REC->pid, REC->oldcomm, REC->newcomm'),
        ("sched", "sched_process_exec", 16, [
            ("__data_loc char[] filename", "I"), ("pid_t pid", "i"), ("pid_t old_pid", "i")],
         '"filename=%s pid=%d old_pid=%d", __get_str(filename), REC->pid, REC->old_pid'),
        ("raw_syscalls", "sys_enter", 17, [
            ("long id", "l"), ("unsigned long args[6]", "6L")],
         '"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], '
         'REC->args[2], REC->args[3], REC->args[4], REC->args[5]'),
        ("raw_syscalls", "sys_exit", 18, [("long id", "l"), ("long ret", "l")],
         '"NR %ld = %ld", REC->id, REC->ret'),
    ]
    return {name: Format(system, name, number, fields, text, long_size)
            for system, name, number, fields, text in table}


class Recording:
    """A recording; buffers["one"][0] has the events (time, record) of CPU 0."""

    def __init__(self, version):
        word = version.partition("/")[2]
        self.version = int(version[0])
        self.long = int(word or 64) // 8
        self.format = formats(self.long)
        self.buffers, self.options = {"": {}}, []
        # An absolute symbol is no address.
        self.kallsyms = "0000000000000018 A __per_cpu_end\n" + "".join(
            f"{0xc1000000 + 0x100 * i:016x} t func{i}\n" for i in range(40))
        self.printk, self.comms = "", {10: "ten", 20: "twenty"}
        self.clock, self.page_size, self.lost = "local", 4096, {}
        self.user_long = None   # size of a long of trace-cmd, if it is not the kernel's
        self.far = None         # place and size of the data, as the table says
        # How often the options of version 7 have a buffer, and a buffer a CPU
        self.times_a_buffer = self.times_a_cpu = 1
        # [("", 1)] = {5: 20}: CPU 1 has lost 20 events before the one of index 5.
        self.gaps = {}

    def add(self, cpu, ts, event, pid, *values, buffer="", **more):
        """Add an event."""
        record = self.format[event].record(pid, *values, **more)
        self.buffers.setdefault(buffer, {}).setdefault(cpu, []).append((ts, record))

    def page(self, events, lost):
        """Return a sub-buffer with as many events as fit, and the rest."""
        head = 8 + self.long
        data, last = b"", events[0][0] if events else 0
        begin = last
        while events:
            ts, record = events[0]
            # The array has the size of the record.
            record += b"\0" * (-len(record) % 4)
            delta = ts - last
            new = b""
            if delta >> 27:
                new = struct.pack("<II", 30 | (delta & (1 << 27) - 1) << 5, delta >> 27)
                delta = 0
            new += struct.pack("<II", delta << 5, len(record) + 4) + record
            if head + len(data) + len(new) + 8 > self.page_size:
                break
            data += new
            last = ts
            events.pop(0)
        commit = len(data)
        if lost == UNKNOWN:
            commit |= 1 << 31
        elif lost:
            commit |= 3 << 30
            data += struct.pack("<Q" if self.long == 8 else "<I", lost)
        if lost and self.long == 8:
            commit |= 0xffffffff << 32      # the kernel's flags are a negative int
        commit = struct.pack("<Q" if self.long == 8 else "<I", commit)
        page = struct.pack("<Q", begin) + commit + data
        return page + b"\0" * (self.page_size - len(page))

    def pages(self, buffer, cpu):
        """Return the data of a CPU."""
        events = list(self.buffers[buffer].get(cpu, []))
        gaps = {0: self.lost.get((buffer, cpu), 0), **self.gaps.get((buffer, cpu), {})}
        places = sorted(gaps) + [len(events)]
        data = b""
        for begin, end in zip(places, places[1:] + [len(events)]):
            part, lost = events[begin:end], gaps.get(begin, 0)
            while part or lost:
                data += self.page(part, lost)
                lost = 0
            gaps.pop(begin, None)
        return data

    def texts(self):
        """Return the parts of the file before the options, by their numbers of version 7."""
        page = (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                f"\tfield: local_t commit;\toffset:8;\tsize:{self.long};\tsigned:1;\n"
                f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                f"\tfield: char data;\toffset:{8 + self.long};\tsize:4080;\tsigned:1;\n").encode()
        event = (b"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
                 b"\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
                 b"\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
                 b"\tdata max type_len  == 28\n")
        systems = {}
        for form in self.format.values():
            systems.setdefault(form.system, []).append(form.text.encode())
        ftrace = systems.pop("ftrace")
        sized = lambda text: struct.pack("<Q", len(text)) + text
        events = struct.pack("<I", len(systems))
        for name, texts in systems.items():
            events += name.encode() + b"\0" + struct.pack("<I", len(texts))
            events += b"".join(map(sized, texts))
        short = lambda text: struct.pack("<I", len(text)) + text.encode()
        comms = "".join(f"{pid} {name}\n" for pid, name in self.comms.items()).encode()
        return {
            HEADERS: b"header_page\0" + sized(page) + b"header_event\0" + sized(event),
            FTRACE: struct.pack("<I", len(ftrace)) + b"".join(map(sized, ftrace)),
            FORMATS: events, KALLSYMS: short(self.kallsyms), PRINTK: short(self.printk),
            CMDLINES: sized(comms),
        }

    def nr_cpus(self):
        """Return the number of CPUs of the machine."""
        return 1 + max((cpu for cpus in self.buffers.values() for cpu in cpus), default=0)

    def write(self, path):
        """Write the file."""
        with open(path, "wb") as file:
            head = (b"\x17\x08\x44tracing" + str(self.version).encode() + b"\0\0" +
                    bytes([self.user_long or self.long]) + struct.pack("<I", self.page_size))
            file.write(self.six(head) if self.version == 6 else self.seven(head))

    def all_options(self):
        """Return the options of both versions."""
        clock = f"[{self.clock}] global\0".encode()
        return [(UNAME, b"Linux host 6.12.0 x86_64\0" if self.long == 8 else
                 b"Linux host 6.12.0 i686\0"), (VERSION, b"3.1.6\0"),
                (TRACECLOCK, clock)] + self.options

    def six(self, head):
        """Return a file of version 6."""
        out = bytearray(head + b"".join(self.texts().values()))
        nr = self.nr_cpus()
        out += struct.pack("<I", nr) + b"options  \0"
        places = {}
        for number, data in self.all_options():
            out += struct.pack("<HI", number, len(data)) + data
        for name in self.buffers:
            if name:
                data = bytes(8) + name.encode() + b"\0"
                out += struct.pack("<HI", BUFFER, len(data))
                places[name] = len(out)
                out += data
        out += struct.pack("<H", 0)
        for name in [""] + [name for name in self.buffers if name]:
            if name:
                struct.pack_into("<Q", out, places[name], len(out))
            out += b"flyrecord\0"
            table = len(out)
            out += bytes(16 * nr)
            if not name:
                clock = f"[{self.clock}] global".encode()
                out += struct.pack("<Q", len(clock)) + clock
            for cpu in range(nr):
                out += bytes(-len(out) % self.page_size)
                data = self.pages(name, cpu)
                struct.pack_into("<QQ", out, table + 16 * cpu,
                                 *(self.far or (len(out), len(data))))
                out += data
        return bytes(out)

    def seven(self, head):
        """Return a file of version 7 that is not compressed."""
        out = bytearray(head + b"none\0\0")
        first = len(out)
        out += bytes(8)
        options = self.all_options() + [(CPUCOUNT, struct.pack("<I", self.nr_cpus()))]
        section = lambda number, size: struct.pack("<HHIQ", number, 0, 0, size)
        for number, text in self.texts().items():
            options.append((number, struct.pack("<Q", len(out))))
            out += section(number, len(text)) + text
        for name, cpus in self.buffers.items():
            if not cpus:
                continue
            option = struct.pack("<Q", len(out)) + name.encode() + b"\0"
            cpus = list(cpus) * self.times_a_cpu
            option += self.clock.encode() + b"\0" + struct.pack("<II", self.page_size, len(cpus))
            out += section(BUFFER, 0)
            for cpu in cpus:
                out += bytes(-len(out) % self.page_size)
                data = self.pages(name, cpu)
                option += struct.pack("<IQQ", cpu, len(out), len(data))
                out += data
            options += [(BUFFER, option)] * self.times_a_buffer
        options.append((0, bytes(8)))
        struct.pack_into("<Q", out, first, len(out))
        text = b"".join(struct.pack("<HI", number, len(data)) + data for number, data in options)
        return bytes(out + section(0, len(text)) + text)


def switches(rec, cpu, begin, number, buffer="", step=1_000_000):
    """Add switches between two tasks."""
    for i in range(number):
        names = [("ten", 10), ("twenty", 20)]
        (prev, pid), (name, other) = names[i % 2], names[1 - i % 2]
        rec.add(cpu, begin + i * step, "sched_switch", pid, prev, pid, 120, 1, name, other, 120,
                buffer=buffer)


def plain(rec):
    """One buffer."""
    switches(rec, 0, NS, 200)
    switches(rec, 1, NS + 500, 200)


def buffers(rec):
    """Three buffers, of which one has another CPU alone, and losses."""
    plain(rec)
    switches(rec, 1, NS + 700, 150, buffer="one")
    for i in range(120):
        rec.add(2, NS + i * 999_999, "number", 10, i, buffer="longer-name")
    rec.lost = {("one", 1): 7}


def top_last(rec):
    """The same, but the file of version 7 has the top buffer behind the others."""
    buffers(rec)
    rec.buffers[""] = rec.buffers.pop("")


def two_tops(rec):
    """The option of the top buffer is there twice."""
    plain(rec)
    rec.times_a_buffer = 2


def cpu_twice(rec):
    """Each CPU is in the table of its buffer twice."""
    plain(rec)
    rec.times_a_cpu = 2


def losses(rec):
    """Losses between the events of two CPUs, and behind the last one of CPU 0."""
    for cpu, times in enumerate(([1000, 1001, 1002, 2000, 2001],
                                 [1000, 1003, 1500, 1501, 3000, 3001])):
        for i, ms in enumerate(times):
            names = [("ten", 10), ("twenty", 20)]
            (prev, pid), (name, other) = names[i % 2], names[1 - i % 2]
            rec.add(cpu, ms * 1_000_000, "sched_switch", pid, prev, pid, 120, 1, name, other, 120)
    rec.gaps = {("", 0): {3: 5000, 5: 7}, ("", 1): {2: 20}}


def texts(rec):
    """Names and a format that are long, and events that print them again and again."""
    rec.comms = {10: "n" * 1_000_000, 20: "twenty"}
    rec.kallsyms = f"{TEXT:016x} t {'f' * 1_000_000}\n"
    for name, size in ("wordy", 50_000), ("endless", 200_000):
        rec.format[name] = Format("odd", name, 20 + size // 100_000, [("unsigned long nr", "L")],
                                  f'"{"x" * size} %d", REC->nr', rec.long)
    for i in range(2000):
        rec.add(0, NS + i * 1000, "number", 10, i)
        rec.add(1, NS + i * 1000, "endless", 20, i)
    for i in range(100):
        rec.add(0, 2 * NS + i * 1000, "wordy", 20, i)
    for i in range(20):
        record = rec.format["kernel_stack"].record(10, 400, 0, *[0] * 8)
        record = record[:16] + struct.pack("<Q" if rec.long == 8 else "<I", TEXT) * 400
        rec.buffers[""].setdefault(0, []).append((3 * NS + i * 1000, record))


def behind_loss(rec):
    """A page of events behind a loss."""
    for i in range(20):
        rec.add(0, NS + i * 1000, "number", 10, i)
    rec.lost = {("", 0): UNKNOWN}


def user32(rec):
    """A 32-bit trace-cmd of a 64-bit kernel, whose number of lost events has 64 bits."""
    plain(rec)
    rec.lost = {("", 0): 5 << 32}
    rec.user_long = 4


def far(rec):
    """Data that the file lacks, of two CPUs: 2^64 bytes."""
    plain(rec)
    rec.far = (1 << 62, 1 << 63)


def wraps(rec):
    """Losses whose sum is 2^64."""
    plain(rec)
    rec.lost = {("", 0): 1 << 63, ("", 1): 1 << 63}


def missed_of(rec):
    """Let the kernel have missed events of CPU 1."""
    rec.options.append((CPUSTAT, b"CPU: 1\nentries: 200\nmissed: 30\nlost events: 0\n\0"))


def missed(rec):
    """Events of CPU 1 that the kernel missed, nobody knows when."""
    plain(rec)
    missed_of(rec)


def losses_buffers(rec):
    """Losses of several buffers, one without a number, and events that the kernel missed."""
    buffers(rec)
    missed_of(rec)
    rec.lost = {("one", 1): UNKNOWN, ("longer-name", 2): 5}


def counters(rec):
    """Counters of buffers: one of rbmap, one that the file lacks, and ftrace's, which drop events
    that no page counts."""
    buffers(rec)
    rec.options += [(CPUSTAT, text + b"\0") for text in (
        b"CPU: 0\nentries: 9\noverrun: 5\ncommit overrun: 2\ndropped events: 100\n",
        b"\nBuffer: one\n\n",
        b"CPU: 1\nmissed: 30\nlost events: 7\ndropped events: 7\n",
        b"CPU: 2\ncommit overrun: 0\ndropped events: 4\n",
        b"\nBuffer: gone\n\n",
        b"CPU: 2\ndropped events: 1000\n")]


def notop(rec):
    """Named buffers alone."""
    switches(rec, 0, NS, 28, buffer="one")
    switches(rec, 1, NS, 28, buffer="two")


def date(rec):
    """A difference to the time of day, in microseconds."""
    buffers(rec)
    rec.options.append((DATE, b"0x5f5e1005f5e10\0"))


def offset(rec):
    """A difference in nanoseconds."""
    buffers(rec)
    rec.options.append((OFFSET, b"-123456789\0"))


def moments(rec):
    """The moments that rbmap's recorder writes"""
    rec.options.append((CPUSTAT, b"Times of the recording\nbegin: ring 0 "
                        b"real 1700000000000000000 boot 0 tai 37 error 0\n\0"))


def buffers_moments(rec):
    """Several buffers, and the moments of rbmap's recorder."""
    buffers(rec)
    moments(rec)


def offset_moments(rec):
    """A difference, and the moments of rbmap's recorder."""
    plain(rec)
    rec.options.append((OFFSET, b"-123456789\0"))
    moments(rec)


def tsc(rec):
    """Cycles of 2.5 GHz."""
    plain(rec)
    rec.clock = "x86-tsc"
    rec.options.append((TSC2NSEC, struct.pack("<IIQ", 838860800, 31, 5)))


def cycles(rec):
    """Cycles that stay cycles."""
    plain(rec)
    rec.clock = "x86-tsc"


def shift_times(rec, interpolate, samples, fraction):
    """Compare the clock of a guest with that of its host; CPU 1 has one sample."""
    data = struct.pack("<QII", 0x1234, interpolate, 2)
    both = samples, samples[:1]
    for rows in both:
        data += struct.pack("<I", len(rows))
        for column in range(3):
            data += b"".join(struct.pack("<q", row[column]) for row in rows)
    data += struct.pack("<Q", fraction) * sum(map(len, both))
    rec.options.append((TIME_SHIFT, data))


def guest(rec):
    """A guest, whose clock is as fast as the host's."""
    plain(rec)
    shift_times(rec, 1, [(NS, 5_000_000, 1), (NS + 100_000_000, 5_100_000, 1),
                         (NS + 150_000_000, 5_050_000, 1)], 0)


def guest_unsorted(rec):
    """A guest, with the samples of its clock in another order."""
    plain(rec)
    shift_times(rec, 1, [(NS, 5_000_000, 1), (NS + 150_000_000, 5_050_000, 1),
                         (NS + 100_000_000, 5_100_000, 1)], 0)


def guest_scaled(rec):
    """A guest, whose clock is slower than the host's."""
    plain(rec)
    shift_times(rec, 0, [(NS, 5_000_000, 3 << 19), (NS + 100_000_000, 5_100_000, 3 << 19),
                         (NS + 150_000_000, 5_050_000, 5 << 18)], 20)


TEXT = 0xc1000000


def stack(rec):
    """Stacks of 1, 7, 8, 30 functions, and one that ends with -1."""
    for i, number in enumerate((1, 7, 8, 30, 0)):
        places = [TEXT + 0x100 * k + 4 * k for k in range(number)] + [0x42] * (number == 7)
        if not number:
            places = [TEXT, (1 << 8 * rec.long) - 1, TEXT]
        record = rec.format["kernel_stack"].record(10, len(places), 0, *places[:8],
                                                   *[0] * (8 - len(places[:8])))
        # The record has as many functions as there were.
        record = record[:16] + b"".join(
            struct.pack("<Q" if rec.long == 8 else "<I", place) for place in places)
        rec.buffers[""].setdefault(0, []).append((NS + i * 1000, record))


def graph(rec):
    """Calls in calls, with durations of each length, on two CPUs."""
    at = NS
    for i, ns in enumerate((1, 999, 10_001, 123_456, 7_654_321, 2_345_678_901, 12_345_678_000_000)):
        call = lambda depth, k: rec.add(0, at, "funcgraph_entry", 10, TEXT + 0x100 * k, depth)
        back = lambda depth, k, length: rec.add(
            0, at, "funcgraph_exit", 10, TEXT + 0x100 * k, depth, 0, at - length, at)
        call(0, i)
        at += 10
        call(1, i + 1)
        at += ns
        back(1, i + 1, ns)
        at += 10
        call(1, 38)
        at += 1
        # A return on another CPU, and one of another task
        rec.add(1, at, "funcgraph_exit", 20, TEXT + 0x2600, 1, 0, at - 5, at)
        at += 1
        back(1, 38, 2)
        at += 10
        back(0, i, ns + 32)
        rec.add(0, at + 1, "number", 10, i)
        at += 100
    rec.add(0, at, "funcgraph_entry", 10, 0x42, 3)


def graph_values(rec):
    """Calls whose returns have a value, an address or the number of an error."""
    fields = [("unsigned long func", "L"), ("int depth", "i"), ("unsigned int overrun", "I"),
              ("unsigned long long calltime", "Q"), ("unsigned long long rettime", "Q"),
              ("unsigned long retval", "L")]
    rec.format["funcgraph_exit"] = Format(
        "ftrace", "funcgraph_exit", 14, fields, '"<-- %ps (%d)", (void *)REC->func, REC->depth',
        rec.long)
    for i, value in enumerate((0, 0xc0ffee, (1 << 8 * rec.long) - 22)):
        at = NS + i * 100_000
        rec.add(0, at, "funcgraph_entry", 10, TEXT + 0x100 * i, 0)
        rec.add(0, at + 5000, "funcgraph_exit", 10, TEXT + 0x100 * i, 0, 0, at, at + 5000, value)


def graph_buffers(rec):
    """A call of one buffer and a return of another one, which do not belong together."""
    rec.add(0, NS, "funcgraph_entry", 10, TEXT, 0)
    rec.add(0, NS + 5000, "funcgraph_exit", 10, TEXT, 0, 0, NS, NS + 5000, buffer="one")
    rec.add(0, NS + 9000, "number", 10, 1)


CRASH = '"%d", REC->nr == 3000 ? 1/REC->common_preempt_count : 5'


def crash(rec):
    """Calls that return at once, and a format that crashes libtraceevent in the middle."""
    rec.format["divide"] = Format("odd", "divide", 19, [("unsigned long nr", "L")], CRASH,
                                  rec.long)
    rec.lost = {("", 0): 5}
    for i in range(4000):
        at = NS + i * 1000
        rec.add(0, at, "funcgraph_entry", 10, TEXT, 0)
        rec.add(0, at + 100, "funcgraph_exit", 10, TEXT, 0, 0, at, at + 100)
        # The output before is joined lines alone, if numbers are not chosen.
        if i >= 2990:
            rec.add(0, at + 200, "divide", 10, i)
        rec.add(1, at + 300, "number", 10, i)


def functions(rec):
    """The function tracer."""
    for i in range(20):
        rec.add(i % 2, NS + i * 1000, "function", 10, TEXT + 0x100 * (i + 1), TEXT + 0x100 * i)


def printk(rec):
    """Texts of trace_printk(), and constant strings."""
    rec.printk = ('0xc2000000 : "number %d of %s\\n"\n0xc2000010 : "a constant: text\\n"\n'
                  '0xc2000020 : "%lu %c %#x %-8s|"\nno line\n0xc2000030 : "Start"\n'
                  '0xc2000040 : "at %pB, %pfw, old %pf end %d\n"\n'
                  '0xc2000050 : "%d, then %llu\\n"\n')
    word = "<Q" if rec.long == 8 else "<I"
    for i in range(5):
        at = NS + i * 1_000_000
        rec.add(0, at, "bprint", 10, TEXT + 0x200, 0xc2000000,
                tail=struct.pack("<I", i) + b"five\0\0\0\0")
        rec.add(0, at + 1, "bprint", 10, TEXT + 0x200, 0xc2000010)
        rec.add(0, at + 2, "bprint", 10, TEXT + 0x200, 0xc2000020,
                tail=struct.pack(word, 1 << 20) + struct.pack("<II", 65, 255) + b"abc\0")
        rec.add(0, at + 3, "bprint", 10, TEXT + 0x200, 0xdead, tail=bytes(16))
        rec.add(0, at + 4, "bprint", 10, TEXT + 0x200, 0xc2000040,
                tail=b"func2+0x5/0x100\0node@12\0" + struct.pack(word, TEXT + 0x300) +
                struct.pack("<I", 77))
        rec.add(0, at + 5, "bprint", 10, TEXT + 0x200, 0xc2000050,
                tail=struct.pack("<iQ", i, 1 << 40))
        rec.add(1, at, "constant", 20, 0xc2000030)
        rec.add(1, at + 1, "constant", 20, 0xc2000031)


def names(rec):
    """Tasks that are renamed, and that execute programs; the table has the last names."""
    rec.comms = {10: "last", 20: "ls", 30: "sleep", 40: "only-in-table", 50: "new"}
    number = lambda ms, pid: rec.add(0, NS + ms * 1_000_000, "number", pid, ms)
    for pid in (10, 20, 30, 40, 50):
        number(1, pid)
    rec.add(0, NS + 2_000_000, "task_rename", 10, 10, "first", "second", 0, 0)
    rec.add(0, NS + 2_000_000, "sched_switch", 20, "sh", 20, 120, 0, "first", 50, 120)
    for pid in (10, 20, 30, 50):
        number(3, pid)
    rec.add(0, NS + 4_000_000, "task_rename", 10, 10, "second", "last", 0, 0)
    for pid, path in ((20, b"/usr/bin/ls\0"), (30, b"/bin/a-very-long-name-of-a-program\0")):
        rec.add(1, NS + 4_000_000, "sched_process_exec", pid, 20 | len(path) << 16, pid, pid,
                tail=path)
    rec.add(1, NS + 4_500_000, "sched_switch", 20, "ls", 20, 120, 0, "new", 50, 120)
    for pid in (10, 20, 30, 40, 50):
        number(5, pid)


def renames(rec):
    """Calls of tasks that are renamed, and that execute a program, with no switch but one."""
    rec.comms = {10: "last", 20: "ls", 30: "only-in-table"}

    def call(ms, pid):
        rec.add(0, NS + ms * 1_000_000, "sys_enter", pid, 10_000 + ms, *[0] * 6)
        rec.add(0, NS + ms * 1_000_000 + 1000 * ms, "sys_exit", pid, 10_000 + ms, 0)

    def run(ms, pid, path):
        rec.add(0, NS + ms * 1_000_000, "sched_process_exec", pid, 20 | len(path) << 16, pid, pid,
                tail=path)

    call(1, 10)
    call(2, 20)
    call(3, 30)
    rec.add(0, NS + 4_000_000, "task_rename", 10, 10, "first", "second", 0, 0)
    call(5, 10)
    run(6, 20, b"/usr/bin/ls\0")
    call(7, 20)
    rec.add(0, NS + 8_000_000, "sched_switch", 20, "ls", 20, 120, 0, "second", 10, 120)
    call(9, 10)
    run(10, 10, b"/usr/bin/a-very-long-name-of-a-program\0")
    call(11, 10)
    rec.add(0, NS + 12_000_000, "task_rename", 10, 10, "a-very-long-nam", "last", 0, 0)
    call(13, 10)


HIGH = 0x7ffe00001000


def compat(rec):
    """System calls of 64-bit programs, and of 32-bit ones that they execute."""
    at = NS

    def call(pid, nr, *args, leaves=None, result=0):
        """A system call; leaves: the number that its end has, if another one."""
        nonlocal at
        rec.add(0, at, "sys_enter", pid, nr, *args, *[0] * (6 - len(args)))
        rec.add(0, at + 1000, "sys_exit", pid, nr if leaves is None else leaves, result)
        at += 2000

    high = HIGH if rec.long == 8 else 0x7ffe0000
    call(10, 0, 3, high, 100, result=100)
    call(10, 168, 0xff00, 1, 5)                   # not the first call of this program
    call(20, 59, high, high, high, leaves=11)     # a 32-bit program
    call(20, 168, 0xff00, 1, 5, result=1)
    call(20, 3, 4, 0xff00, 10, result=10)
    call(20, 407, 0, 0, 0xff00)
    rec.add(0, at, "sys_exit", 30, 120, 0)        # its child
    call(30, 168, 0xff00, 1, 5)
    call(30, 11, 0xff00, 0xff00, 0xff00, leaves=59)   # a 64-bit program
    call(30, 3, 4)
    call(40, 168, 0xff00, 1, 5)                   # a 32-bit program from the beginning on
    call(40, 407, 0, 0, 0xff00)
    call(50, 168, 0xff00, 1, 5)                   # another one, which closes a file
    call(50, 6, 3)
    call(60, 6, 3, result=-14)                    # a bad address of a 64-bit program
    call(60, 168, 0xff00, 1, 5)
    call(70, 168, 0xff00, 1, 5)                   # a 32-bit program opens a file
    call(70, 5, 0xff3a0000, 0, result=3)
    rec.comms.update({30: "thirty", 40: "forty", 50: "fifty", 60: "sixty", 70: "seventy"})


KINDS = {function.__name__: function for function in (
    plain, buffers, top_last, two_tops, cpu_twice, losses, texts, wraps, missed, losses_buffers, counters, notop,
    behind_loss, user32, far, date, offset, buffers_moments, offset_moments, tsc, cycles, guest, guest_unsorted, guest_scaled, stack, graph,
    graph_values, graph_buffers, crash, functions, printk, names, renames, compat)}


def main():
    """Write the file that the arguments describe."""
    kind, version, path = sys.argv[1:]
    rec = Recording(version)
    KINDS[kind](rec)
    rec.write(path)


if __name__ == "__main__":
    main()
