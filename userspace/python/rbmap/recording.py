# SPDX-License-Identifier: LGPL-2.1-only
"""Recordings."""
import functools
import operator
import os
import typing

from . import _rbmap
from .columns import Columns, wanted_fields
from .formats import Formats
from .intervals import Latency, Why, options, run
from .selection import Selection
from .times import scale, scale_each

ALL_ROWS = 2**64 - 1
TOP = "top"     #: the buffer that has no name


class Moment(typing.NamedTuple):
    """Clocks that were read together: ns, and ring in cycles with the clock x86-tsc."""
    ring: int
    real: int
    boot: int
    tai_offset: int
    error: int


class Damage(typing.NamedTuple):
    """Damage that was found up to now, see rbmap_recording_damage in the manual."""
    missing: int
    broken: int
    formats: int
    lacking: int
    unfinished: bool
    busy: bool


class Uname(typing.NamedTuple):
    """The recorded kernel."""
    system: str
    host: str
    release: str
    machine: str


class Recording(_rbmap.Recording):
    """A trace.dat of rbmap or trace-cmd: an iterable of events, in the order of time.

    Each iteration begins with the first event, and ends the one before, as count(), batches()
    and columns do. events and lost count in the present pass: after the last event they are
    what `rbmap report` prints. One thread at a time uses a recording.

    An event refers to its recording. The garbage collector does not see that, because events
    would take longer: close() a recording that refers to one of its events, or use with.

    A recording of trace-cmd can have several buffers, and has the events of all. buffer: the
    name of the one that is wanted, "top" for that without a name. Times have the corrections
    that trace-cmd report applies.
    """

    def __init__(self, path, buffer: "str | None" = None):
        super().__init__(path)
        (self.cpus, self.clock, uname, self.reason, self._dated,
         *moments) = self._info()
        numbers, names = zip(*self._buffers()) if self._buffers() else ((), ())
        #: the names of the buffers that have events
        self.buffers = tuple(name or TOP for name in names)
        #: events that the last select() has left out
        self.not_selected = 0
        self._chosen = buffer is not None
        self._buffer = buffer
        if self._chosen:
            if buffer not in self.buffers:
                self.close()
                raise ValueError(f"{path} has no buffer {buffer!r}: it has " +
                                 (", ".join(self.buffers) or "no events"))
            self._choose(numbers[self.buffers.index(buffer)])
        #: moments at which the recording began, was triggered and ended; None: unknown
        self.begin, self.trigger, self.end = (moment and Moment(*moment) for moment in moments)
        words = uname.split(" ") if uname else []
        #: the recorded kernel; None: unknown
        self.uname = Uname(*words) if len(words) == 4 else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @functools.cached_property
    def formats(self) -> Formats:
        """The formats of all events, by name."""
        return Formats(self._formats())

    @property
    def damage(self) -> Damage:
        """The damage that was found up to now."""
        return Damage(*self._damage())

    def count(self) -> "tuple[int, int]":
        """Read all events; return how many there are, and how many were lost."""
        self._columns([], ALL_ROWS, self._rewind())
        return self.events, self.lost

    def select(self, *patterns: str,
               tasks: "int | str | typing.Iterable[int | str] | None" = None,
               comm: "str | typing.Iterable[str] | None" = None,
               cgroup: "str | typing.Iterable[str] | None" = None,
               cpus: "int | typing.Iterable[int] | None" = None,
               since: "int | None" = None, until: "int | None" = None,
               where: "typing.Callable[[_rbmap.Event], object] | None" = None
               ) -> "typing.Iterator[_rbmap.Event]":
        """Return an iterator of the events that fit all arguments.

        patterns: event, system:event or system; default: all events. The others are options
        of `rbmap report`, with the same meaning. tasks: pids, and names of tasks with the
        wildcards of the shell; comm: names alone. cgroup: a path, or the name of a directory
        in it: tasks in that cgroup or below it. Events of the scheduler belong to the tasks
        that they are about, too. since, until: the ring's times. where: a function of an
        event, in place of a filter's expression. A name is that of event.comm.

        not_selected is the number of events that were left out between since and until. lost
        has all losses, because the lost events may have been selected ones.
        """
        ids = {one.id for one in self.formats.match(*patterns)} if patterns else None
        selection = Selection(self, ids, tasks, comm, cgroup, cpus, where)
        self.not_selected = 0
        return self._selected(selection, since, until)

    def _selected(self, selection, since, until):
        for event in self:
            if until is not None and event.time > until:
                return
            if since is not None and event.time < since:
                continue
            if selection(event):
                yield event
            else:
                self.not_selected += 1

    def _moments(self):
        """The first and the last moment that is known. ValueError: none is known."""
        known = [moment for moment in (self.begin, self.trigger, self.end) if moment]
        if not known or (self.clock == "x86-tsc" and len(known) < 2):
            raise ValueError(f"{self.path} does not say when it was made")
        return known[0], known[-1]

    def real_time(self, time):
        """Return the wall clock at a ring's time, in ns since 1970.

        time: an integer, also numpy's; or an array of numpy or a Series of pandas, of
        integers. The result is an int, an array or a Series. ValueError: the recording does
        not say when it was made. TypeError: the time is not an integer.
        """
        if not getattr(time, "ndim", 0):
            # numpy's own integers overflow, or become floats.
            time = operator.index(time)
            return time if self._dated else scale(time, self._moments())
        import numpy
        times = numpy.asarray(time)
        if times.dtype.kind == "f":
            raise TypeError("a time is an integer: a float loses its last digits")
        moment = Moment(0, 0, 0, 0, 0)
        real = scale_each(times, (moment, moment) if self._dated else self._moments())
        if not hasattr(time, "index"):
            return real
        import pandas
        return pandas.Series(real, index=time.index, name=time.name)

    def dates(self, times):
        """Return a Series of the wall clock, datetime64[ns, UTC], for a Series of times."""
        import pandas
        return pandas.to_datetime(self.real_time(times), unit="ns", utc=True)

    @property
    def is_dated(self) -> bool:
        """Whether the recording knows the wall clock."""
        try:
            return bool(self._dated or self._moments())
        except ValueError:
            return False

    def _names(self, events):
        """The names of a list of names and patterns."""
        if isinstance(events, str):
            events = [events]
        names, chosen = [], set()
        for name in events:
            if name in self.formats:
                names.append(name)
                chosen.add(self.formats[name].id)
                continue
            for one in self.formats.match(name):
                if one.id not in chosen:
                    chosen.add(one.id)
                    names.append(self.formats.shortest(one))
        return names

    def batches(self, events: "str | typing.Iterable[str]",
                fields: "typing.Iterable[str] | None" = None, rows: int = 1 << 16
                ) -> "typing.Iterator[Columns | dict[str, Columns]]":
        """Yield the columns of an event, of so many events at a time.

        The memory does not grow with the recording. events: a name, a pattern such as
        "sched:*" or "sched_wak*", or a list of these. Each batch is then a dict of columns by
        name, unless events is one name. fields: names of the fields that are wanted;
        default: all.
        """
        if rows < 1:
            raise ValueError("rows must be 1 or more")
        if len(self.buffers) > 1 and not self._chosen:
            raise ValueError(f"{self.path} has the events of several buffers: "
                             f"choose one with buffer=: {', '.join(self.buffers)}")
        alone = isinstance(events, str) and events in self.formats
        names = self._names(events)
        fields = None if fields is None else list(fields)
        wanted = [wanted_fields(self.formats[name], fields) for name in names]
        request = [(self.formats[name].id, [number for _, number in one])
                   for name, one in zip(names, wanted)]
        this_pass = self._rewind()
        more = True
        while more:
            more, tables = self._columns(request, rows, this_pass)
            columns = [Columns(one, table) for one, table in zip(wanted, tables)]
            yield columns[0] if alone else dict(zip(names, columns))

    def to_columns(self, events: "str | typing.Iterable[str]",
                   fields: "typing.Iterable[str] | None" = None
                   ) -> "Columns | dict[str, Columns]":
        """Return the columns of an event: a dict of arrays by name.

        events: a name; or a pattern or a list, whose columns are then in a dict by name.
        """
        return next(iter(self.batches(events, fields, ALL_ROWS)))

    def to_pandas(self, events: "str | typing.Iterable[str]",
                  fields: "typing.Iterable[str] | None" = None):
        """Return a DataFrame of an event, with the name of each thread as comm.

        If the recording knows them, the column cgroup has the path of each thread's cgroup, and
        the column host, in a recording of `rbmap fleet merge`, the host of each CPU.

        If the recording knows the wall clock, the column real has the date and the time of
        each event, in UTC. events: a name; or a pattern or a list, whose DataFrames are then
        in a dict by name.
        """
        columns = self.to_columns(events, fields)
        if isinstance(events, str) and events in self.formats:
            return self._frame(columns)
        return {name: self._frame(one) for name, one in columns.items()}

    def _frame(self, columns):
        import numpy
        import pandas
        frame = columns.to_pandas()
        pids, codes = numpy.unique(columns["pid"], return_inverse=True)
        cpus, cpu_codes = numpy.unique(columns["cpu"], return_inverse=True)

        def column(names, codes=codes):
            categories = sorted(set(names) - {None})
            number = {name: i for i, name in enumerate(categories)}
            of_name = numpy.array([number.get(name, -1) for name in names], dtype="=i4")
            return pandas.Categorical.from_codes(of_name[codes] if len(names) else codes,
                                                 categories)

        # An event can have fields of these names.
        frame = frame.rename(columns={name: f"field_{name}"
                                      for name in ("comm", "cgroup", "host", "real")})
        hosts = [self.host(int(cpu)) for cpu in cpus]
        if any(hosts):
            # Idle threads all have pid 0: their names are those of their CPUs.
            keys, key_codes = numpy.unique(
                numpy.where(columns["pid"] != 0, columns["pid"].astype("i8"),
                            -1 - columns["cpu"].astype("i8")), return_inverse=True)
            frame.insert(3, "comm", column(
                [self.comm(int(key)) or "<...>" if key >= 0 else
                 f"{self.host(-1 - int(key))}:<idle>" for key in keys], key_codes))
        else:
            frame.insert(3, "comm", column([self.comm(int(pid)) or "<...>" for pid in pids]))
        cgroups = [self.cgroup(int(pid)) for pid in pids]
        if any(cgroups):
            frame.insert(4, "cgroup", column(cgroups))
        if any(hosts):
            frame.insert(4, "host", column(hosts, cpu_codes))
        if self.is_dated:
            frame.insert(1, "real", self.dates(frame["time"]))
        return frame

    def _measure(self, command, arguments):
        if len(self.buffers) > 1 and not self._chosen:
            raise ValueError(f"{self.path} has the events of several buffers: "
                             f"choose one with buffer=: {', '.join(self.buffers)}")
        chosen = options(buffer=self._buffer)
        return run(command, "--json", *chosen, *arguments, "--", os.path.abspath(self.path))

    def _dates_of_command(self):
        # The command counts cycles as ns if it can: they are no times of the ring then.
        return self.dates if self.is_dated and self.clock != "x86-tsc" else None

    def latency(self, kinds: "str | typing.Iterable[str] | None" = None, *,
                by: "str | None" = None, name: "str | typing.Iterable[str] | None" = None,
                pid: "int | None" = None, cgroup: "str | typing.Iterable[str] | None" = None,
                cpu: "int | None" = None, worst: int = 100,
                since: "str | None" = None, until: "str | None" = None) -> Latency:
        """Measure intervals: how long tasks waited, and interrupts, calls and disks took.

        kinds: "runqueue", "syscall" and so on; default: all. The arguments are the options of
        `rbmap latency`, which does the work; rows of all tasks, CPUs and names are returned.
        """
        kinds = [kinds] if isinstance(kinds, str) else kinds and list(kinds)
        name = [name] if isinstance(name, str) else name and list(name)
        cgroup = [cgroup] if isinstance(cgroup, str) else cgroup and list(cgroup)
        found = self._measure("latency", options(
            kind=kinds, by=by, name=name, pid=pid, cgroup=cgroup, cpu=cpu, rows="0", worst=str(worst),
            histogram=True, since=since, until=until))
        return Latency(found, self._dates_of_command())

    def why(self, task: "int | str | typing.Iterable[int | str] | None" = None, *,
            cgroup: "str | typing.Iterable[str] | None" = None,
            at: "str | None" = None, worst: int = 10, all: bool = False,
            since: "str | None" = None, until: "str | None" = None) -> Why:
        """Say why tasks waited: the worst waits, a sentence for each, and their causes.

        task: a pid, or a name with the wildcards of the shell; or several. at: a time as for
        `rbmap why`, which does the work: only the waits in which it lies.
        """
        tasks = [task] if isinstance(task, (int, str)) else task and list(task)
        cgroup = [cgroup] if isinstance(cgroup, str) else cgroup and list(cgroup)
        found = self._measure("why", options(
            pid=tasks, cgroup=cgroup, at=at, worst=None if at else str(worst), all=all, since=since,
            until=until))
        return Why(found, self._dates_of_command())

    def __repr__(self):
        return f"<rbmap.Recording {self.path!r}>"
