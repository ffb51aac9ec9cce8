# SPDX-License-Identifier: LGPL-2.1-only
"""Recordings."""
import functools
import operator
import typing

from . import _rbmap
from .columns import Columns, wanted_fields
from .formats import Formats

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

    Each iteration begins with the first event, and ends the one before. events and lost
    count in the present pass: after the last event they are what `rbmap report` prints.
    One thread at a time uses a recording.

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
        self._chosen = buffer is not None
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
        self._rewind()
        self._columns([], ALL_ROWS)
        return self.events, self.lost

    def real_time(self, time: int) -> int:
        """Return the wall clock at a ring's time, in ns since 1970.

        time: an integer, also numpy's. ValueError: the recording does not say when it was
        made.
        """
        # numpy's own integers overflow, or become floats.
        time = operator.index(time)
        if self._dated:
            return time
        known = [moment for moment in (self.begin, self.trigger, self.end) if moment]
        if not known or (self.clock == "x86-tsc" and len(known) < 2):
            raise ValueError(f"{self.path} does not say when it was made")
        first, last = known[0], known[-1]
        if len(known) < 2 or last.ring <= first.ring:
            return first.real + time - first.ring
        return first.real + (time - first.ring) * (last.real - first.real) // \
            (last.ring - first.ring)

    def batches(self, events: "str | typing.Iterable[str]",
                fields: "typing.Iterable[str] | None" = None, rows: int = 1 << 16
                ) -> "typing.Iterator[Columns | dict[str, Columns]]":
        """Yield the columns of an event, of so many events at a time.

        The memory does not grow with the recording. events: a name, or a list of names;
        with a list, each batch is a dict of columns by name. fields: names of the fields
        that are wanted; default: all.
        """
        if rows < 1:
            raise ValueError("rows must be 1 or more")
        if len(self.buffers) > 1 and not self._chosen:
            raise ValueError(f"{self.path} has the events of several buffers: "
                             f"choose one with buffer=: {', '.join(self.buffers)}")
        names = [events] if isinstance(events, str) else list(events)
        fields = None if fields is None else list(fields)
        wanted = [wanted_fields(self.formats[name], fields) for name in names]
        request = [(self.formats[name].id, [number for _, number in one])
                   for name, one in zip(names, wanted)]
        self._rewind()
        more = True
        while more:
            more, tables = self._columns(request, rows)
            columns = [Columns(one, table) for one, table in zip(wanted, tables)]
            yield columns[0] if isinstance(events, str) else dict(zip(names, columns))

    def to_columns(self, events: "str | typing.Iterable[str]",
                   fields: "typing.Iterable[str] | None" = None
                   ) -> "Columns | dict[str, Columns]":
        """Return the columns of an event: a dict of arrays by name.

        events: a name, or a list of names, whose columns are then in a dict by name.
        """
        return next(iter(self.batches(events, fields, ALL_ROWS)))

    def to_pandas(self, event: str, fields: "typing.Iterable[str] | None" = None):
        """Return a DataFrame of an event, with the name of each thread as comm."""
        import numpy
        import pandas
        columns = self.to_columns(event, fields)
        frame = columns.to_pandas()
        pids, codes = numpy.unique(columns["pid"], return_inverse=True)
        comms = [self.comm(int(pid)) or "<...>" for pid in pids]
        categories = sorted(set(comms))
        number = {comm: i for i, comm in enumerate(categories)}
        codes = numpy.array([number[comm] for comm in comms], dtype="=i4")[codes] \
            if len(pids) else codes
        name = "field_comm" if "comm" in frame else None
        if name:
            frame = frame.rename(columns={"comm": name})
        frame.insert(3, "comm", pandas.Categorical.from_codes(codes, categories))
        return frame

    def __repr__(self):
        return f"<rbmap.Recording {self.path!r}>"
