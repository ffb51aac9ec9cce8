# SPDX-License-Identifier: GPL-2.0-only
"""All tests by their names, from suites.toml."""
import dataclasses
import difflib
import fnmatch
import glob
import os
import re
import subprocess
import sys
import tomllib

from harness import TOP, output

HERE = os.path.dirname(os.path.realpath(__file__))
KEYS = {"files", "list", "tests", "sources", "goals", "packages", "run", "env", "kernels",
        "arm64"}
# Flavours of kernels that are built here, and the packages that this needs
BUILT = {"kasan": ["debug"], "kcsan": ["debug"], "clang": ["debug", "clang"]}
PROGRAM = re.compile(r"""(?:\$\{\w+:=|environ\.get\("\w+", ")(build/(?!artefacts/)[\w./-]+)""")


class Problem(Exception):
    """A test cannot be found or started."""


@dataclasses.dataclass
class Test:
    """A test. @paths are the words that stand for it in the command, @text is a sentence,
    @source is the path of its file, and @cpus how many processors it wants."""
    suite: str
    name: str
    text: str = ""
    paths: list = dataclasses.field(default_factory=list)
    source: str = ""
    cpus: str = ""

    @property
    def id(self):
        return f"{self.suite}/{self.name}"

    def matches(self, pattern):
        """A pattern selects a name, a path, or a whole suite; its letters *, ? and [] are
        those of the shell."""
        stem = os.path.splitext(pattern)[0]
        return any(fnmatch.fnmatchcase(text, wanted)
                   for text in (self.id, self.name, self.suite, self.source, *self.paths)
                   for wanted in {pattern, stem, pattern.removeprefix("./")})


def read(path):
    with open(os.path.join(TOP, path), errors="replace") as file:
        return file.read()


def first_sentence(text):
    """Return the first sentence of the comment at the head of a source or script."""
    words = []
    for line in text.splitlines()[:40]:
        comment = re.fullmatch(r'\s*(?:#!?|/\*+|\*+|//|"""|\(\*)?\s?(.*?)\s*(?:\*/|"""|\*\))?', line)[1]
        if re.search(r"SPDX-License|^shellcheck |^/|^usage: ", comment) and not words:
            continue
        if not comment or comment.startswith("shellcheck "):
            if words:
                break
            continue
        if not words and re.match(r"C [\w+-]+$", line):     # the first line of a litmus test
            continue
        if not words and re.match(r"\s*(import|#include|\. |set )", line):
            break
        words.append(comment)
        if re.search(r"\.$", comment):
            break
    return re.split(r"\.(?:\s|$)", " ".join(words), maxsplit=1)[0]


def with_neighbours(path):
    """Return the text of a script, and of the files beside it that it reads."""
    text, folder = read(path), os.path.dirname(path)
    for name in sorted(os.listdir(os.path.join(TOP, folder))):
        stem, suffix = os.path.splitext(name)
        form = {".sh": rf'/{re.escape(name)}"', ".py": rf"^(?:import|from) {stem}\b"}.get(suffix)
        if form and os.path.join(folder, name) != path and re.search(form, text, re.M):
            text += read(os.path.join(folder, name))
    return text


class Suite:
    """A table of suites.toml."""

    def __init__(self, name, table):
        if set(table) - KEYS:
            raise Problem(f"tests/suites.toml: unknown keys of {name}: "
                          + " ".join(set(table) - KEYS))
        self.name = name
        self.table = table
        self.kernels = table.get("kernels", False)
        self.env = {name: os.path.join(TOP, value) if value.startswith("build/") else value
                    for name, value in table.get("env", {}).items()}

    def tests(self):
        """Return the tests, sorted."""
        if "files" in self.table:
            found = self.of_files()
        elif "list" in self.table:
            found = self.of_list()
        else:
            found = [Test(self.name, name, text) for name, text in self.table["tests"].items()]
        return sorted(found, key=lambda test: test.name)

    def of_files(self):
        for pattern in self.table["files"]:
            for path in glob.glob(pattern, root_dir=TOP):
                if "run" in self.table or os.access(os.path.join(TOP, path), os.X_OK):
                    yield Test(self.name, os.path.splitext(os.path.basename(path))[0],
                               first_sentence(read(path)), [path])

    def of_list(self):
        tests = {}
        for line in output(self.table["list"]).splitlines():
            path, text, cpus = (line.split("\t") + ["", ""])[:3]
            name = os.path.splitext(os.path.basename(path))[0]
            test = tests.setdefault(name, Test(self.name, name, text, cpus=cpus))
            test.paths.append(path)
        for pattern in self.table.get("sources", []):
            for path in glob.glob(pattern, root_dir=TOP):
                name = os.path.splitext(os.path.basename(path))[0]
                if name in tests:
                    tests[name].source = path
                    tests[name].text = tests[name].text or first_sentence(read(path))
        return tests.values()

    def filled(self, words, test, **values):
        filled = []
        for word in words:
            if word == "{paths}":
                filled += test.paths
            else:
                filled.append(word.format(name=test.name, path=(test.paths or [""])[0], **values))
        return filled

    def wants_arm64(self, kernels):
        return "arm64" in self.table and any("-arm64" in kernel for kernel in kernels)

    def packages(self, kernels):
        """Return the sets of packages that tests on these kernels need."""
        found = self.table["packages"] + (["arm64"] if self.wants_arm64(kernels) else [])
        for kernel in kernels if self.kernels else []:
            found += BUILT.get(kernel.partition("-")[2], [])
        return found

    def goals(self, test, kernels):
        """Return what make builds before the test can run on these kernels."""
        goals = self.filled(self.table.get("goals", []), test)
        if self.wants_arm64(kernels):
            goals += self.table["arm64"]
        if "files" in self.table:
            goals += PROGRAM.findall(with_neighbours(test.paths[0]))
        return list(dict.fromkeys(goals))

    def commands(self, test, kernels, cpus):
        """Return the commands of the test: one for each kernel, if it runs on kernels."""
        if "run" not in self.table or test.paths and test.paths[0].endswith(".sh") and not self.kernels:
            return [[os.path.join(TOP, test.paths[0])]]
        return [self.filled(self.table["run"], test, kernel=kernel, cpus=cpus or test.cpus or "2")
                for kernel in (kernels if self.kernels else kernels[:1])]


def suites():
    with open(os.path.join(HERE, "suites.toml"), "rb") as file:
        return [Suite(name, table) for name, table in tomllib.load(file).items()]


def listed(suite):
    """Return the tests of a suite; none, and a warning, if its command fails."""
    try:
        return suite.tests()
    except (subprocess.CalledProcessError, OSError) as problem:
        print(f"tests/test: cannot list the suite {suite.name}: {problem}", file=sys.stderr)
        return []


def find(patterns):
    """Return pairs of a suite and a test for each pattern, in the order of the patterns."""
    everything = [(suite, test) for suite in suites() for test in listed(suite)]
    found = []
    for pattern in patterns:
        matching = [pair for pair in everything if pair[1].matches(pattern)]
        if not matching:
            raise Problem(f"no test '{pattern}'" + close_names(pattern, everything))
        found += [pair for pair in matching if pair not in found]
    return found


def close_names(pattern, everything):
    names = {test.name for _, test in everything} | {suite.name for suite, _ in everything}
    close = difflib.get_close_matches(pattern, names, 4)
    close += sorted(name for name in names if pattern in name and name not in close)[:4]
    return (": did you mean " + " or ".join(close[:5]) + "? " if close else ": ") + \
        "`make test` lists all"


def build(goals):
    """Let make build goals, with all CPUs; raise Problem if it fails."""
    command = ["make", "-s", "--no-print-directory", f"-j{os.cpu_count()}", *goals]
    if goals and subprocess.run(command, cwd=TOP).returncode:
        raise Problem("make failed: " + " ".join(goals))
