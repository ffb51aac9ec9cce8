# SPDX-License-Identifier: GPL-2.0-only
"""The suites of run-module: how each is built and started for a fault. suites.toml lists
them."""
import os
import shlex
import shutil
import subprocess
import threading
import tomllib

from mutants import HERE
from harness import TOP, output

SERIES = "6.12"
BUILD = os.path.join(TOP, "build", "mutants-module")
# The command, and its place in a guest. Any script may call it.
COMMAND = "build/rbmap:/usr/bin/rbmap"
LIB = os.path.join(TOP, "tests", "vm", "lib")


def copy_sources(to, *parts):
    os.makedirs(to, exist_ok=True)
    for what in parts:
        source, copy = os.path.join(TOP, what), os.path.join(to, what)
        if os.path.isdir(source):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy)
        else:
            shutil.copy(source, copy)


class Kernel:
    """Modules that the suites of one kernel share; built when first needed."""

    def __init__(self, name, series=SERIES, flavour="cloud"):
        self.name, self.series, self.flavour = name, series, flavour
        self.options = [series, "--flavour", flavour]
        self.lock = threading.Lock()
        self.built = {}

    def once(self, what, make):
        with self.lock:
            if what not in self.built:
                self.built[what] = make()
            return self.built[what]

    def tree(self):
        return self.once("tree", self.build)

    def build(self):
        copy = os.path.join(BUILD, "base-" + self.name)
        subprocess.run([os.path.join(LIB, "module-copy"), copy, *self.options], check=True)
        return copy

    def others(self, names):
        """Build the test modules against the unchanged module."""
        tree = self.tree()
        paths = []
        for tool in "emit", "probes":
            if any((name == "emit") == (tool == "emit") for name in names):
                paths += self.once(tool, lambda: output(
                    [os.path.join(LIB, tool), tree, *self.options]).split())
        return [path for path in paths
                if os.path.basename(path)[:-len(".ko")] in names]

    def broken(self, mutant, folder):
        """Return the command that builds the broken module, and the module's path."""
        tree = os.path.join(folder, "kernel")
        subprocess.run([os.path.join(LIB, "module-copy"), tree, "--from",
                        self.tree()], check=True)
        mutant.change(os.path.join(tree, "module"))
        # The few faults that make check tries are the same each time.
        cached = ["--cached"] if "check" in mutant.settings else []
        return ([os.path.join(LIB, "kernel"), "build", *cached, self.series, tree,
                 "--flavour", self.flavour],
                os.path.join(tree, "rbmap.ko"))


# The kernel with KASAN also has lockdep and kmemleak.
KERNELS = {kernel.name: kernel for kernel in (
    Kernel("cloud"), Kernel("kasan", flavour="kasan"), Kernel("7.2", series="7.2"))}


class Guest:
    """A test in a virtual machine. suites.toml explains the keys."""

    def __init__(self, name, script, programs=(), kernel="cloud", modules=(),
                 threads="single", alone=False, settings=None, limit=60):
        self.name = name
        self.script = os.path.join(TOP, "tests", script)
        self.programs = [COMMAND, *programs]
        self.kernel = KERNELS[kernel]
        self.modules = modules
        self.threads = threads
        self.settings = settings or {}
        self.debug = kernel == "kasan"
        self.limit = 4 * limit if self.debug else limit
        # A kernel with debugging options reports only the first fault.
        self.alone = alone or self.debug

    def machine(self):
        """Return a key: suites with the same key can share a machine."""
        return (self.kernel.name, self.threads,
                self.name if self.alone else "")

    def starter(self, folder, name):
        """Write a script that starts the test with the module of that name."""
        path = os.path.join(folder, name)
        settings = [f"{name}={value}" for name, value in self.settings.items()]
        with open(path, "w") as script:
            script.write("#!/bin/sh\nexec env " + " ".join(map(shlex.quote, [
                *settings, "/tests/guest.sh", name,
                "/tests/" + os.path.basename(self.script)])) + "\n")
        os.chmod(path, 0o755)
        return path


class Unit:
    """A program of tests/unit."""
    limit = 60          # CPU seconds
    debug = False

    def __init__(self, name):
        self.name = name

    def steps(self, mutant, folder):
        module, build = os.path.join(TOP, "module"), os.path.join(TOP, "build")
        if mutant:
            build = os.path.join(folder, "build")
            copy_sources(folder, "module", "uapi")
            module = os.path.join(folder, "module")
            mutant.change(module)
        area = self.name.split("_")[0]
        path = f"{build}/tests/unit/{area}/plain/{self.name}"
        return (["make", "--no-print-directory", "BUILD=" + build,
                 f"{area.upper()}_DIR={module}/{area}", path], [path])


def themes(name):
    """Return a suite of themes of tests/abi, with sub-buffers of one page."""
    return Guest(name, "mutants/themes.sh", ["abi/abi"], settings={"THEMES": name})


def read_suites():
    """Return the suites by name, in the order of suites.toml."""
    with open(os.path.join(HERE, "suites.toml"), "rb") as file:
        data = tomllib.load(file)
    suites = [*map(Unit, data["unit"]), *map(themes, data["themes"])]
    suites += [Guest(name, **keys) for name, keys in data["guest"].items()]
    return {suite.name: suite for suite in suites}


SUITES = read_suites()
