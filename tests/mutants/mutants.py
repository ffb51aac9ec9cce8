# SPDX-License-Identifier: GPL-2.0-only
"""Code that run and run-module share: mutants, programs with a time limit, TAP."""
import os
import re
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SUFFIX = ".mutant"
BETWEEN = r"(?:\s|/\*[^*]*(?:\*(?!/)[^*]*)*\*/)*"    # white space, comments
BUILD_LIMIT = 600

PASSES, CAUGHT, HANGS, BROKEN, NOT_FOR_IT = ".", "x", "t", "?", "-"

running = set()     # process groups to end if this program is stopped


def end_session(pid):
    """End a session by SIGTERM, so that tests/vm/run can stop its machine."""
    os.killpg(pid, signal.SIGTERM)


def stop(*_):
    for pid in list(running):
        end_session(pid)
    os._exit(1)


def stop_on_signals():
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


class Mutant:
    """A mutant: a file with a licence, a sentence, lines "NAME: VALUE", and
    blocks. A block has the name of a source file, lines of its code after -,
    and lines of other code after +."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-len(SUFFIX)]
        with open(path) as file:
            head, *blocks = file.read().split("\n\n")
        _, self.sentence, *settings = head.splitlines()
        self.settings = dict(line.split(": ", 1) for line in settings
                             if ": " in line)
        self.changes = []
        for block in blocks:
            file, *lines = block.splitlines()
            self.changes.append([file, *("\n".join(
                line[1:] for line in lines if line[0] == sign)
                for sign in "-+")])

    def broken(self, folder):
        """Return {file: its text with the faults}; None if a block's code is
        not in its file exactly once."""
        texts = {}
        for file, old, new in self.changes:
            if file not in texts:
                try:
                    with open(os.path.join(folder, file)) as source:
                        texts[file] = source.read()
                except FileNotFoundError:
                    return None
            # Ignore white space and comments.
            tokens = re.findall(r"\w+|[^\w\s]", old)
            found = re.findall(BETWEEN.join(map(re.escape, tokens)),
                               texts[file])
            if len(found) != 1:
                return None
            texts[file] = texts[file].replace(found[0], new.strip())
        return texts

    def change(self, folder):
        """Write the faults into a folder; return False if they do not apply."""
        texts = self.broken(folder)
        for file, text in (texts or {}).items():
            with open(os.path.join(folder, file), "w") as source:
                source.write(text)
        return texts is not None


def read_mutants(folder, names=None):
    names = names or sorted(name[:-len(SUFFIX)] for name in os.listdir(folder)
                            if name.endswith(SUFFIX))
    return [Mutant(os.path.join(folder, name + SUFFIX)) for name in names]


def say_stale(mutants, folder, what):
    """Print the mutants that do not apply to a folder; return whether any do not."""
    stale = [mutant.name for mutant in mutants if not mutant.broken(folder)]
    if stale:
        print(f"mutants that do not apply to {what}:", *stale)
    return bool(stale)


def run_program(command, log_path, limit):
    """Run a program; return its status (None if it did not end) and its seconds.

    The limit is one of CPU time, because the machine may be busy. A program that
    only waits is ended after ten times that many seconds.
    """
    begin = time.monotonic()
    with open(log_path, "ab") as log:
        process = subprocess.Popen(
            ["prlimit", f"--cpu={limit}:{limit + 10}", *command],
            cwd=TOP, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True)
        running.add(process.pid)
        try:
            status = process.wait(10 * limit)
        except subprocess.TimeoutExpired:
            end_session(process.pid)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            status = None
        running.discard(process.pid)
    return status, time.monotonic() - begin


class Tap:
    def __init__(self):
        self.number = self.failed = 0

    def say(self, good, text):
        self.number += 1
        self.failed += not good
        print(f"{'' if good else 'not '}ok {self.number} - {text}", flush=True)

    def end(self):
        print(f"{self.number - self.failed} passed, {self.failed} failed, "
              "0 skipped")
        return self.failed > 0
