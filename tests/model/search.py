# SPDX-License-Identifier: GPL-2.0-only
"""Searches of a model with SPIN: how they are built and run, and what they found."""
import glob
import os
import re
import shlex
import shutil
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import TOP, run

BUILD = os.path.join(os.environ.get("BUILD") or os.path.join(TOP, "build"), "tests/model")
MEMORY = 3500       # MiB of a search
MINUTES = 3         # time limit of a search that cannot visit every state
TRUNCATED = re.compile(
    r"max search depth too small|not completed|out of memory|MEMLIM|aborted|"
    r"hash table is full|VECTORSZ|resources exhausted")


def rows(name):
    """Return the rows of a table without comments, as lists of words."""
    with open(os.path.join(HERE, name)) as file:
        lines = [line.partition("#")[0].split() for line in file]
    return [line for line in lines if line]


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Search:
    """A search of a model within bounds. @extent is "all", "cycles" or a number of bits,
    as in the table `configs`. @long: it takes longer than gcc."""

    def __init__(self, name, model, extent, bounds, long=False):
        self.name, self.model, self.extent, self.bounds = name, model, extent, bounds
        self.long = long
        self.folder = os.path.join(BUILD, name)
        self.log = ""
        self.seconds = 0

    def defines(self):
        return ["-D" + bound for bound in self.bounds]

    def options(self):
        """Return options for the compiler of pan, and for pan."""
        if self.extent == "all":
            return ["-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={MEMORY}"], ["-w22"]
        if self.extent == "cycles":
            return ["-DNP", "-DCOLLAPSE", f"-DMEMLIM={MEMORY}"], ["-w22", "-l"]
        # Search in random order: a depth-first search that cannot finish stays at the
        # end of its first path.
        return (["-DSAFETY", "-DBITSTATE", "-DT_RAND", "-DP_RAND"],
                ["-w" + self.extent, "-k3", "-RS1", f"-Q{MINUTES}"])

    def run(self):
        """Run SPIN in the folder, and keep its output there. Return whether it ran."""
        begin = time.monotonic()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        for path in glob.glob(os.path.join(HERE, "*.pml")):
            shutil.copy(path, self.folder)
        compile_options, pan_options = self.options()
        # SPIN makes one function of all processes of the lifetime model. gcc would need
        # minutes to optimise it.
        optimise = "-O2" if self.model == "ring" and self.long else "-O0"
        compiler = shlex.split(os.environ.get("CC", "gcc"))
        with open(os.path.join(self.folder, "build.log"), "w") as log:
            for command in (
                    ["spin", "-a", *self.defines(), self.model + ".pml"],
                    # ccache keeps results of the compiler, and none of the linker.
                    [*compiler, optimise, "-w", "-DNOREDUCE", *compile_options, "-c", "pan.c"],
                    [*compiler, "-o", "pan", "pan.o"]):
                if run(command, log, cwd=self.folder)[0] != 0:
                    return False
        # pan reports errors in its output; its exit status does not depend on them.
        path = os.path.join(self.folder, "log")
        with open(path, "w") as log:
            run(["nice", "./pan", "-m100000", *pan_options], log, cwd=self.folder)
        self.log = read(path)
        self.seconds = time.monotonic() - begin
        return self.found(r"^(State-vector)") != ""

    def found(self, pattern):
        """Return the first group of the first match in the log."""
        match = re.search(pattern, self.log, re.M)
        return match[1] if match else ""

    def errors(self):
        return self.found(r"errors: (.*)") != "0"

    def last_lines(self):
        """Return the last lines of the logs, which say why SPIN did not run."""
        return "\n".join(line for name in ("build.log", "log")
                         for line in read(os.path.join(self.folder, name)).splitlines()[-5:])

    def check(self):
        """Run the search; return whether it is complete without errors, and texts."""
        if not self.run():
            return False, f"{self.name}: SPIN did not run", self.last_lines()
        why = [line for line in self.log.splitlines() if TRUNCATED.search(line)]
        what = {"all": "every state", "cycles": "every state, and no cycle of states"}.get(
            self.extent, f"bit-state, 2^{self.extent} bits, " +
            self.found(r"(hash factor: [^ ]*)"))
        if self.extent not in ("all", "cycles") and self.found(r"^(Time limit)"):
            what += f", stopped after {MINUTES} min"
            why = [line for line in why if "not completed" not in line]
        notes = (f"  {self.model}.pml {' '.join(self.bounds)}\n"
                 f"  {self.found(r'^ *([^ ]*) states, stored')} states, "
                 f"depth {self.found(r'depth reached ([0-9]*)')}, "
                 f"{self.found(r'^ *([0-9]*)[0-9.]*	total actual memory')} MB, "
                 f"{self.seconds:.0f} s")
        if self.errors():
            return (False, f"{self.name}: {self.found(r'^(pan:1:.*)')}",
                    f"in {self.folder}: spin -t -p {' '.join(self.defines())} "
                    f"{self.model}.pml\n{notes}")
        if why:
            return False, f"{self.name}: the search is not complete: {' '.join(why)}", notes
        return True, f"{self.name}: {what}", notes


def configs(small=False):
    """Return the searches of the table `configs`, or the small ones."""
    return [Search(name, model, extent, bounds, size != "small")
            for size, model, name, extent, *bounds in rows("configs")
            if not small or size == "small"]


def mutants():
    """Return the searches of the table `mutants`, by name."""
    return {name: Search("mutant-" + name, model, extent, [name, *bounds])
            for model, name, extent, *bounds in rows("mutants")}
