# SPDX-License-Identifier: GPL-2.0-only
"""What run and run-module share: a mutant, programs with a limit, TAP."""
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

running = set()     # sessions of their own, which would go on without us


def end_session(pid):
    """Those of virtual machines clean up, or the machine goes on."""
    os.killpg(pid, signal.SIGTERM)


def stop(*_):
    for pid in list(running):
        end_session(pid)
    os._exit(1)


def stop_on_signals():
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


class Mutant:
    """A licence, a sentence, lines NAME: VALUE, and blocks: a file, its code
    after -, other code after +."""

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
        """{file: its text with the faults}, or None: each code that it names
        must be there, and once."""
        texts = {}
        for file, old, new in self.changes:
            if file not in texts:
                try:
                    with open(os.path.join(folder, file)) as source:
                        texts[file] = source.read()
                except FileNotFoundError:
                    return None
            # White space and comments do not count.
            tokens = re.findall(r"\w+|[^\w\s]", old)
            found = re.findall(BETWEEN.join(map(re.escape, tokens)),
                               texts[file])
            if len(found) != 1:
                return None
            texts[file] = texts[file].replace(found[0], new.strip())
        return texts

    def change(self, folder):
        """Put the faults there; False: they do not apply."""
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
    """Name the mutants that do not apply to a folder; True: there are some."""
    stale = [mutant.name for mutant in mutants if not mutant.broken(folder)]
    if stale:
        print(f"not in {what} as it is:", *stale)
    return bool(stale)


def run_program(command, log_path, limit):
    """Its status, None if it did not end, and the seconds it took.

    The limit is of each process's own time, as others may work here too; but
    one that waits does not end either.
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
