# SPDX-License-Identifier: GPL-2.0-only
"""Code that the programs which run tests share. It runs other programs, several at a
time, stops them when it is stopped itself, and prints and counts results."""
import concurrent.futures
import contextlib
import dataclasses
import os
import re
import signal
import subprocess
import time

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

SUM = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


@dataclasses.dataclass(frozen=True)
class Results:
    """Numbers of results. The text is the line that ends a suite's output."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Results(self.passed + other.passed, self.failed + other.failed,
                       self.skipped + other.skipped)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    @property
    def any(self):
        return self.passed + self.failed > 0

    @classmethod
    def of_tap(cls, text):
        """Count lines of TAP."""
        skipped = len(re.findall(r"^ok .*# *SKIP", text, re.M))
        return cls(len(re.findall(r"^ok ", text, re.M)) - skipped,
                   len(re.findall(r"^not ok ", text, re.M)), skipped)

    @classmethod
    def of_sum(cls, text):
        """Return the last sum in the text, or None."""
        sums = SUM.findall(text)
        return cls(*map(int, sums[-1])) if sums else None


class Tap:
    """Prints results in TAP, and counts them."""

    def __init__(self):
        self.number = self.failed = self.skipped = 0

    def ok(self, good, text, *notes):
        """Print a result, with notes if it is a failure. Return whether it is good."""
        self.number += 1
        self.failed += not good
        print(f"{'' if good else 'not '}ok {self.number} - {text}", flush=True)
        if not good:
            for note in notes:
                self.diag(note)
        return good

    def equal(self, got, wanted, text):
        """Compare two values."""
        return self.ok(got == wanted, text, f"got:    {got}", f"wanted: {wanted}")

    def skip(self, reason, text):
        self.number += 1
        self.skipped += 1
        print(f"ok {self.number} - {text} # SKIP {reason}", flush=True)

    @staticmethod
    def diag(note):
        """Print a comment."""
        for line in str(note).splitlines():
            print("#", line, flush=True)

    def plan(self):
        """Print the plan; return the exit status. A test without a result has failed."""
        print(f"1..{self.number}")
        return self.failed > 0 or not self.number

    def end(self):
        """Print the sum instead; return the exit status."""
        print(Results(self.number - self.failed - self.skipped, self.failed, self.skipped))
        return self.failed > 0


running = set()     # process groups to end if this program is stopped
cleanups = contextlib.ExitStack()   # undone if this program is stopped


def stop(signum, _):
    for pid in list(running):
        end_group(pid)
    cleanups.close()
    os._exit(128 + signum)


def stop_on_signals():
    for signum in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(signum, stop)


def end_group(pid):
    """End a process group by SIGTERM, so that tests/vm/run can stop its machine."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)


def leave_cpus(pid):
    """Let a session use only the CPU time that others leave. The scheduler weighs whole
    sessions, if the kernel groups tasks by session: a priority counts within one only."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
        with open(f"/proc/{pid}/autogroup", "w") as group:
            group.write("19")


@contextlib.contextmanager
def started(command, cwd=TOP, idle=False, **options):
    """Start a program, with a process group of its own. With @idle it uses only the CPU
    time that others leave, and so do the programs that it starts."""
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL,
                          start_new_session=True, **options) as process:
        running.add(process.pid)
        if idle or os.sched_getscheduler(0) == os.SCHED_IDLE:
            leave_cpus(process.pid)
        try:
            yield process
        finally:
            running.discard(process.pid)


def show(line):
    print(line, end="", flush=True)


def cpu_seconds(pid):
    """Wait until a program has ended. Return the CPU time that it used, and the programs
    that it started and waited for."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{pid}/stat") as stat:
        # The name may contain spaces: it ends at the last bracket.
        fields = stat.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def run(command, log, limit=None, show=None, cwd=TOP, idle=False):
    """Run a program, and write its output to an open file. The function @show gets each
    line, too.

    Returns its status, its seconds and its seconds of CPU time. A program that did not
    end has the status None. The CPU time is not measured, and None, if a limit is given.
    With @idle the program uses only the CPU time that others leave.
    The limit is one of CPU time, because the machine may be busy. A program that only
    waits is ended after ten times that many seconds.
    """
    begin = time.monotonic()
    if limit:
        command = ["prlimit", f"--cpu={limit}:{limit + 10}", *command]
    with started(command, cwd, idle, stdout=subprocess.PIPE if show else log,
                 stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        if show:
            for line in process.stdout:
                log.write(line)
                log.flush()
                show(line)
        used = None
        try:
            if not limit:
                used = cpu_seconds(process.pid)
            status = process.wait(10 * limit if limit else None)
        except subprocess.TimeoutExpired:
            status = None
            end_group(process.pid)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
    return status, time.monotonic() - begin, used


def output(command, errors=None):
    """Run a program and return what it prints; its errors go to an open file. Raises
    subprocess.CalledProcessError if the program fails."""
    with started(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
        printed = process.communicate()[0]
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, printed)
    return printed


def parallel(jobs, tasks):
    """Call functions, @jobs at a time; yield what they return, in the order in which
    they end."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(task) for task in tasks]):
            yield done.result()
