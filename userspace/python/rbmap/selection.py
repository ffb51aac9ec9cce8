# SPDX-License-Identifier: LGPL-2.1-only
"""The part of a recording that is wanted, by the options of `rbmap report`."""
import fnmatch
import functools

# Events of the scheduler, and their fields with the task that they are about
ABOUT = {
    "sched_switch": ("next_pid", "next_comm"),
    "sched_waking": ("pid", "comm"),
    "sched_wakeup": ("pid", "comm"),
    "sched_wakeup_new": ("pid", "comm"),
}
IDLE = "<idle>"


def as_list(values):
    """A single value stands for a list of it."""
    if values is None:
        return None
    return [values] if isinstance(values, (int, str)) else list(values)


def is_in_cgroup(path, pattern):
    """A pattern with / is a path, or one above it; another one is the name of a directory."""
    names = path.split("/")[1:]
    if not pattern.startswith("/"):
        return any(name and fnmatch.fnmatchcase(name, pattern) for name in names)
    above = ["/" + "/".join(names[:nr]) for nr in range(len(names) + 1)]
    return any(fnmatch.fnmatchcase(one, pattern) or one == (pattern.rstrip("/") or "/")
               for one in above)


class Selection:
    """Tests events. ids: numbers of formats; the others are those of Recording.select()."""

    def __init__(self, recording, ids, tasks, comm, cgroup, cpus, where):
        self.ids = ids
        self.tasks = as_list(tasks)
        self.comms = as_list(comm)
        self.cgroups = as_list(cgroup)
        self.host_of = functools.lru_cache(maxsize=None)(recording.host)
        self.cgroup_of = functools.lru_cache(maxsize=None)(recording.cgroup)
        self.cpus = None if cpus is None else self.known_cpus(recording, as_list(cpus))
        self.where = where

    @staticmethod
    def known_cpus(recording, cpus):
        for cpu in cpus:
            if not 0 <= cpu < recording.cpus:
                raise ValueError(f"{recording.path} has no CPU {cpu}: it has {recording.cpus} "
                                 "CPUs, from 0 on")
        return frozenset(cpus)

    def fits_task(self, pid, comm, host):
        names = [IDLE if pid == 0 else comm]
        if host is not None:
            # A pattern may be for a name with its host, or for the name alone.
            names[0] = names[0].removeprefix(f"{host}:")
            names.append(f"{host}:{names[0]}")

        def fits(pattern):
            return any(fnmatch.fnmatchcase(name, pattern) for name in names)

        if self.tasks is not None and not any(
                fits(task) if isinstance(task, str) else task == pid for task in self.tasks):
            return False
        if self.comms is not None and not any(fits(one) for one in self.comms):
            return False
        return self.cgroups is None or self.fits_cgroup(self.cgroup_of(pid))

    def fits_cgroup(self, path):
        return path is not None and any(is_in_cgroup(path, one) for one in self.cgroups)

    def has_task(self, event):
        """Does the event belong to a wanted task, or is it about one?"""
        if event.pid is None:
            return False
        host = self.host_of(event.cpu)
        if self.fits_task(event.pid, event.comm, host):
            return True
        pid, comm = ABOUT.get(event.name, (None, None)) if event.system == "sched" else \
            (None, None)
        return pid in event and self.fits_task(event[pid], event.get(comm, "<...>"),
                                              host)

    def __call__(self, event):
        return ((self.cpus is None or event.cpu in self.cpus) and
                (self.ids is None or event.id in self.ids) and
                (self.tasks is self.comms is self.cgroups is None or self.has_task(event)) and
                (self.where is None or bool(self.where(event))))
