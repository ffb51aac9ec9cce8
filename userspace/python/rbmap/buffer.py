# SPDX-License-Identifier: LGPL-2.1-only
"""The control files of buffers: make one, and enable its events."""
import errno
import fcntl
import glob
import os
import struct

from ._rbmap import Error
from .formats import matches

CONTROL = "/sys/kernel/rbmap"
DEVICES = "/dev/rbmap"
# RBMAP_IOCTL_CREATE of linux/rbmap.h: _IOW('R', 0x48, struct rbmap_create)
TEXT_SIZE = 256
IOCTL_CREATE = 1 << 30 | TEXT_SIZE << 16 | ord("R") << 8 | 0x48
MOST_NAMES = 100


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def missed(control):
    """Return the number of events of which the kernel had no record, of all CPUs."""
    total = 0
    for path in glob.glob(f"{glob.escape(control)}/per_cpu/cpu*/stats"):
        try:
            with open(path, encoding="ascii") as file:
                total += sum(int(line[len("missed:"):]) for line in file
                             if line.startswith("missed:"))
        except OSError:
            pass        # the buffer is gone
    return total


def hidden_cpus(control, devices):
    """Return the CPUs that a buffer has, and whose devices are not there."""
    cpus = (int(path.rsplit("cpu", 1)[1]) for path in glob.glob(
        f"{glob.escape(control)}/per_cpu/cpu[0-9]*"))
    return sorted(cpu for cpu in cpus if not os.path.exists(f"{devices}/cpu{cpu}"))


class OwnBuffer:
    """A buffer that ends with this object, and with this process."""

    def __init__(self, settings):
        path = f"{DEVICES}/control"
        try:
            self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except PermissionError as error:
            raise PermissionError(error.errno, "only root makes a buffer: a member of the group "
                                  "tracing reads one that exists, as Live(buffer=\"\") does",
                                  path) from None
        try:
            self.name = self._create(settings)
            # A new buffer records markers.
            write(f"{CONTROL}/instances/{self.name}/events/rbmap/enable", "0")
            write(f"{CONTROL}/instances/{self.name}/reset", "1")
        except BaseException:
            self.close()
            raise

    def _create(self, settings):
        for i in range(1, MOST_NAMES + 1):
            name = f"python-{os.getpid()}" + (f"-{i}" if i > 1 else "")
            text = f"{name} {settings}".encode()
            if len(text) >= TEXT_SIZE:
                raise ValueError("the settings of the buffer are too long")
            try:
                fcntl.ioctl(self.fd, IOCTL_CREATE, struct.pack(f"{TEXT_SIZE}s", text))
                return name
            except FileExistsError:
                pass
        raise FileExistsError(errno.EEXIST, "this process has too many buffers")

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class EnabledEvents:
    """Events that are enabled until close(); those that were enabled before stay so."""

    def __init__(self, control, patterns):
        self.paths = []
        try:
            for pattern in patterns:
                self._enable(control, pattern)
        except BaseException:
            self.close()
            raise

    def _enable(self, control, pattern):
        """pattern: event, system:event or system, with the wildcards of the shell."""
        found = [path for path in events_of(control) if matches(pattern, path[-2], path[-1])]
        if not found:
            found = [path for path in events_of(control) if path[-2] == pattern]
        if not found:
            raise Error(f"no event {pattern!r}: `rbmap list` prints the events")
        for path in found:
            enable = os.path.join(*path, "enable")
            with open(enable, encoding="utf-8") as file:
                if file.read().strip() == "1":
                    continue
            try:
                write(enable, "1")
            except PermissionError as error:
                raise PermissionError(error.errno, "only root enables events: let root do so by "
                                      f"`rbmap enable {path[-2]}:{path[-1]}`", enable) from None
            self.paths.append(enable)

    def close(self):
        for path in self.paths:
            try:
                write(path, "0")
            except OSError:
                pass        # the buffer or the event is gone
        self.paths = []


def events_of(control):
    """Yield (directory of events, system, event) of each event."""
    events = f"{control}/events"
    for system in sorted(os.listdir(events)):
        if os.path.isdir(f"{events}/{system}"):
            for event in sorted(os.listdir(f"{events}/{system}")):
                if os.path.exists(f"{events}/{system}/{event}/format"):
                    yield events, system, event
