# SPDX-License-Identifier: LGPL-2.1-only
"""The formats of events."""
import collections.abc
import fnmatch
import typing

SIGNED, ARRAY, STRING, DYNAMIC, RELATIVE, COMMON, POINTER = (1 << bit for bit in range(7))


class Field(typing.NamedTuple):
    """A field: its name, its type as in C, and where it is in the event, in bytes."""
    name: str
    type: str
    offset: int
    size: int
    element_size: int
    flags: int

    @property
    def is_signed(self) -> bool:
        return bool(self.flags & SIGNED)

    @property
    def is_array(self) -> bool:
        return bool(self.flags & ARRAY)

    @property
    def is_string(self) -> bool:
        return bool(self.flags & STRING)

    @property
    def is_dynamic(self) -> bool:
        return bool(self.flags & DYNAMIC)

    @property
    def is_common(self) -> bool:
        return bool(self.flags & COMMON)

    @property
    def is_pointer(self) -> bool:
        return bool(self.flags & POINTER)


class Format(typing.NamedTuple):
    """The format of an event: its number, its names, and its fields."""
    id: int
    system: str
    name: str
    print_format: str
    fields: "tuple[Field, ...]"

    def field(self, name: str) -> Field:
        """Return the field of that name; KeyError: the event has no such field."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)


def matches(pattern: str, system: str, name: str) -> bool:
    """Return whether a pattern names an event.

    pattern: event or system:event, with the wildcards of the shell.
    """
    wanted, colon, event = pattern.partition(":")
    if not colon:
        return fnmatch.fnmatchcase(name, pattern)
    return fnmatch.fnmatchcase(system, wanted) and fnmatch.fnmatchcase(name, event)


class Formats(collections.abc.Mapping):
    """The formats of a source: formats["sched_switch"] or formats["sched:sched_switch"].

    If two systems have an event of the same name, its name alone means the one with the
    lower number. An iteration has the names with their systems.
    """

    def __init__(self, described):
        self._by_name = {}
        self._by_full_name = {}
        for number, system, name, print_format, fields in described:
            one = Format(number, system, name, print_format,
                         tuple(Field(*field) for field in fields))
            self._by_full_name.setdefault(f"{system}:{name}", one)
            self._by_name.setdefault(name, one)

    def __getitem__(self, name):
        found = self._by_full_name.get(name) or self._by_name.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def match(self, *patterns: str) -> "tuple[Format, ...]":
        """Return the formats of all events that a pattern names, each one once.

        pattern: event, system:event or system, with the wildcards of the shell. KeyError: a
        pattern names no event.
        """
        found = {}
        for pattern in patterns:
            some = [one for one in self._by_full_name.values()
                    if matches(pattern, one.system, one.name)]
            some = some or [one for one in self._by_full_name.values() if one.system == pattern]
            if not some:
                raise KeyError(pattern)
            found.update((one.id, one) for one in some)
        return tuple(found.values())

    def shortest(self, one: Format) -> str:
        """Return the name of an event, with its system if another event has that name."""
        return one.name if self._by_name[one.name] is one else f"{one.system}:{one.name}"

    def __iter__(self):
        return iter(self._by_full_name)

    def __len__(self):
        return len(self._by_full_name)
