# SPDX-License-Identifier: GPL-2.0-only
"""Commands of tests/vm/run for runs KERNEL/CPUS/SET and KERNEL/CPUS/SCRIPT, made from
sets.toml, which explains its keys."""
import difflib
import functools
import glob
import os
import re
import shutil
import sys
import tomllib

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import TOP, output
from remembered import remembered, sum_of

with open(os.path.join(HERE, "sets.toml"), "rb") as file:
    DATA = tomllib.load(file)
RUNS, SETS = DATA["runs"], DATA["set"]

KEYS = {"help", "of", "if", "long", "threads", "mem", "slow_mem", "nmis", "append", "qemu",
        "env", "add", "terminals", "commands", "known", "limit", "tests", "all_but", "all_of", "build", "then"}
MUCH_MEMORY = 8 << 20       # KiB
NO_TESTS = {"lib", "client", "emit", "probe", "selftest", "types"}    # other folders here


class Problem(Exception):
    """A command cannot be made."""


@functools.cache
def find_scripts():
    """Return the path of each script in the folders of tests, by name. The guest has all
    of them in one folder."""
    paths = {}
    for path in sorted(glob.glob("*/*.sh", root_dir=HERE)):
        folder, name = os.path.split(path)
        if folder in NO_TESTS:
            continue
        if name in paths:
            raise Problem(f"two scripts have one name: {paths[name]} and {path}")
        paths[name] = path
    return paths


def listed(table):
    """Return the tests of a table of sets.toml, on any kernel."""
    if "all_of" in table:
        return [test for name in table["all_of"] for test in DATA["lists"][name]]
    if "all_but" in table:
        left_out = {test for name in table["all_but"] for test in DATA["lists"][name]}
        return [test for test in sorted(find_scripts()) if test not in left_out]
    return table.get("tests", [])


def owner(test):
    """Return the first set that has a test, in itself or in `then`. Sets of longer tests
    come last."""
    for name, part in sorted(SETS.items(), key=lambda item: item[1].get("long", False)):
        if any(test in listed(table) for table in (part, *part.get("then", []))):
            return name
    raise Problem(f"no set has the test {test}")


def processors(test):
    """Return how many processors a test has in the first run of its set, or else 2."""
    runs = (run.split("/") for run in RUNS["default"] + RUNS["long"])
    name = owner(test)
    return next((cpus for _, cpus, part in runs if part == name), "2")


@functools.cache
def scripts():
    """Return all tests of the sets by the names of their scripts. The scripts of other
    folders, as bench, have the folder's name if one of this folder has the same name."""
    found = {name: name for name in sorted(find_scripts())}
    for part in SETS.values():
        for test in (test for table in (part, *part.get("then", [])) for test in listed(table)):
            if test.startswith("../"):
                name = os.path.basename(test)
                found[name if found.get(name, test) == test else test[len("../"):]] = test
    return found


def choose(name):
    """Return the set of that name and None, or the set of a script and its test. The name
    of a set comes before the name of a script without .sh."""
    if name in SETS:
        return name, None
    test = scripts().get(name, scripts().get(name + ".sh"))
    if test:
        return owner(test), test
    names = {re.sub(r"\.sh$", "", each): each for each in scripts()}
    similar = [each if each in SETS else names[each] for each in
               difflib.get_close_matches(name, dict.fromkeys([*SETS, *names]), 3)]
    raise Problem(f"no set or script '{name}': " +
                  ("similar names: " + ", ".join(similar) if similar else
                   "--help lists the sets, --list the scripts"))


def sentence(test):
    """Return the first sentence of the comment at the head of a test."""
    with open(os.path.join(HERE, find_scripts().get(test, test))) as script:
        head = re.match(r"(?:#.*\n)*", script.read())[0]
    text = re.sub(r"^#!.*|^# (SPDX|shellcheck).*", "", head, flags=re.M)
    text = re.search(r"(?:^# .+\n)+", text, re.M)
    if not text:
        raise Problem(f"{test} has no comment at its head")
    text = re.sub(r"^# ", "", text[0], flags=re.M).replace("\n", " ").strip()
    return re.split(r"(?<=\.) ", text)[0]


def each(option, values):
    """Return the arguments that give an option several times."""
    return [word for value in values for word in (option, value)]


class Kernel:
    """A kernel: SERIES or SERIES-FLAVOUR."""

    def __init__(self, name):
        self.name = name
        self.series, _, self.flavour = name.partition("-")
        # The words that name the kernel to tests/vm/run and the programs of lib
        self.words = [self.series] + (["--flavour", self.flavour] if self.flavour else [])
        # The same as arch_of() of lib/arch.bash
        self.arch = "arm64" if self.flavour.startswith("arm64") else "amd64"
        self.slow = DATA["slow"].get(self.flavour, 1)

    def other(self):
        """Return the name of a kernel whose modules this one cannot load."""
        return "6.12" if self.name == "6.1" else "6.1"

    def facts(self):
        """Return the words of `if` that hold."""
        found = {self.flavour}
        if self.slow > 1:
            found.add("slow")
        with open("/proc/meminfo") as file:
            memory = dict(line.split(":") for line in file)
        if int(memory["MemAvailable"].split()[0]) >= MUCH_MEMORY:
            found.add("memory")
        return found


def tool(name, *arguments, errors=None):
    """Run a program of the tests and return what it prints."""
    return output([os.path.join(HERE, name), *arguments], errors).rstrip("\n")


def terminfo(name):
    """Return the path of the description of a terminal. Debian 12 has those of its package
    ncurses-base in /lib, and Debian 13 in /usr/share."""
    for folder in "/lib", "/usr/share":
        path = f"{folder}/terminfo/{name[0]}/{name}"
        if os.path.exists(path):
            return path
    raise Problem(f"no description of the terminal {name}: is ncurses-base installed?")


def words_of(scripts):
    """Return the words of scripts, of what they include and of the documents that they
    follow, without comments."""
    words = set()
    for path in (*scripts, *glob.glob(f"{HERE}/lib/*.sh"), *glob.glob(f"{TOP}/docs/walkthroughs/*.md")):
        with open(path) as file:
            words.update(re.findall(r"[\w-]+", re.sub(r"(?m)^\s*#.*", "", file.read())))
    return words


class Modules:
    """The modules for a kernel: rbmap and rbmap_selftest, emit.ko, and modules with events of
    their own. Their sources are those of @tree, if it is another copy of the repository."""

    def __init__(self, name, tree=None):
        self.words = Kernel(name).words
        self.tree = tree
        top = tree or TOP
        source = sum_of([
            *(os.path.join(top, part) for part in ("Kbuild", "VERSION", "uapi", "module")),
            *(os.path.join(HERE, part) for part in ("lib", "emit", "probe", "types")),
            *(os.path.join(TOP, part) for part in ("docs/walkthroughs/probe.md", "build/rbmap")),
        ], tool("lib/kernel", "fetch", *self.words), *DATA["guest"]["modules"])
        folder = os.path.join(top, "build/kernels")
        os.makedirs(folder, exist_ok=True)
        made = remembered(os.path.join(folder, name + ".json"), source, self.build)
        self.rbmap, self.selftest, self.emit = made["rbmap"]
        self.probes, self.stock = made["probes"], made["stock"]

    def build(self):
        """Return the paths of the modules."""
        rbmap = tool("lib/module", *self.words, *(["--tree", self.tree] if self.tree else []))
        folder = os.path.dirname(rbmap)
        return {
            "rbmap": [rbmap, os.path.join(folder, "rbmap_selftest.ko"),
                      tool("lib/emit", folder, *self.words)],
            "probes": tool("lib/probes", folder, *self.words).split(),
            "stock": tool("lib/stock-modules", folder + "-stock", *self.words,
                          *DATA["guest"]["modules"]).split(),
        }


def build_folder(arch):
    """Return the folder of the programs for an architecture's guests."""
    build, target = "build", "check-vm-programs"
    if arch != "amd64":
        build += "/" + arch
        target += "-" + arch
    if not os.path.exists(os.path.join(TOP, build, "tests/vm/libtracefs.tar")):
        raise Problem(f"the programs of the tests are not built: make user {target}")
    return build


class Run:
    """A run of a set of tests, or of one test with the options of its set. The programs
    that build parts of it write their messages to the open file @errors. With @short the
    scripts run a choice of their cases."""

    def __init__(self, name, errors, short=False):
        kernel, self.cpus, name = name.split("/", 2)
        self.set, self.alone = choose(name)
        self.kernel = Kernel(kernel)
        self.facts = self.kernel.facts()
        self.errors = errors
        self.short = short

    def command(self, modules):
        """Return the command. @modules has those of each kernel."""
        arguments = self.arguments(SETS[self.set])
        if self.alone and self.path(self.alone) not in arguments:
            raise Problem(f"{os.path.basename(self.alone)} is for other kernels than "
                          f"{self.kernel.name}")
        mine = modules[self.kernel.name]
        words = [os.path.join(HERE, "run"), "--kernel", *self.kernel.words, "--smp", self.cpus,
                 "--module", mine.rbmap, "--module", mine.selftest, "--module", mine.emit]
        for path in mine.probes:
            words += ["--module", path]
            if os.path.basename(path) == "my_fork.ko":
                words += ["--add", path[:-len("ko")] + "c:/tests/built/"]
        words += each("--add", [
            *[os.path.dirname(mine.emit) + f"/{name}.ko:/modules/"
              for name in ("driver_ring", "slow")],
            *[path + ":/modules/" for path in mine.stock],
            modules[self.kernel.other()].rbmap + ":/modules/other.ko", *self.files(arguments)])
        words += each("--env", [f"{name}={os.environ[name]}"
                                for name in DATA["guest"]["variables"] if os.environ.get(name)])
        words += ["--env", "SHORT=1"] if self.short else []
        return words + arguments

    def files(self, arguments):
        """Return the files of [guest], but only those programs that the scripts among the
        arguments name: all together they are larger than the guest's kernel."""
        guest, build = DATA["guest"], build_folder(self.kernel.arch)
        named = words_of(path.split(":")[0] for path in arguments if path.endswith(".sh"))
        found = list(guest["add"])
        for pattern in guest["programs"]:
            for name in sorted(glob.glob(f"{build}/{pattern}", root_dir=TOP)):
                program = os.path.join(TOP, name)
                if os.path.basename(name) in named and os.path.isfile(program) and \
                        os.access(program, os.X_OK):
                    found.append(name)
        found += [f"{build}/{name}" for name in guest["built"]
                  if os.path.exists(os.path.join(TOP, build, name.split(":")[0]))]
        return found + self.find_commands(guest["commands"])

    def find_commands(self, names):
        """Return the paths of commands, as far as they are installed."""
        path = os.environ["PATH"] + ":/sbin:/usr/sbin"
        if self.kernel.arch != "amd64":
            root = tool("lib/cross", self.kernel.arch, "sysroot", errors=self.errors)
            path = f"{root}/usr/bin:{root}/usr/sbin"
        found = [shutil.which(name, path=path) for name in names]
        return [command for command in found if command]

    def arguments(self, part):
        """Return the arguments of a set, or of a table in its `then`."""
        if set(part) - KEYS:
            raise Problem("unknown keys: " + " ".join(set(part) - KEYS))
        if "if" in part and not self.facts.intersection(part["if"]):
            return []
        # A table in `then` may be for other tests.
        if self.alone and "help" not in part and listed(part) and not self.tests(part):
            return []
        words = self.arguments(SETS[part["of"]]) if "of" in part else []
        words += self.options(part) + self.tests(part)
        if "build" in part:
            words += getattr(self, "build_" + part["build"].replace("-", "_"))()
        for then in part.get("then", []):
            words += self.arguments(then)
        return words

    def options(self, part):
        words = ["--env", "LONG=1"] if part.get("long") else []
        words += self.of_amd64("threads", part)
        if "mem" in part:
            slow = "slow_mem" in part and "slow" in self.facts
            words += ["--mem", str(part["slow_mem" if slow else "mem"])]
        words += self.of_amd64("nmis", part)
        for key in "append", "qemu", "env":
            words += each("--" + key, part.get(key, []))
        words += each("--add", [os.path.join(HERE, path) for path in part.get("add", [])])
        words += each("--add", [f"{terminfo(name)}:/usr/share/terminfo/{name[0]}/"
                                for name in part.get("terminals", [])])
        words += each("--add", self.find_commands(part.get("commands", [])))
        if "known" in part:
            words += ["--known", part["known"]]
        return words

    def of_amd64(self, key, part):
        if key not in part or self.kernel.arch != "amd64":
            return []
        return DATA["amd64"][key][part[key]]

    def tests(self, part):
        """Return the arguments that run the tests of a table, each with its limit."""
        tests = listed(part)
        if "all_but" in part:
            left_out = [test for name in self.facts for test in DATA["lists"].get(name, [])]
            tests = [test for test in tests if test not in left_out]
        if self.alone:
            tests = [test for test in tests if test == self.alone]
        return [word for test in tests for word in (*self.limit(part, test), self.path(test))]

    def path(self, test):
        """Return the path of a test."""
        return os.path.join(HERE, find_scripts().get(test, test))

    def limit(self, part, test):
        """Return the option that sets the limit of a test."""
        extra = DATA["seconds"].get(test, {})
        limit = extra.get("limit", part.get("limit"))
        if not limit:
            return []
        seconds = limit * self.kernel.slow
        if extra:
            seconds += int(os.environ.get(extra["variable"]) or extra["default"])
        return ["--test-timeout", str(seconds)]

    def build_babeltrace2(self):
        """Return the arguments that add babeltrace2 and its plugin of rbmap."""
        return tool("lib/babeltrace2", errors=self.errors).splitlines()

    def build_babeltrace2_13(self):
        """Return the arguments that add Debian 13's babeltrace2 and the plugin of rbmap."""
        return tool("lib/babeltrace2-13", errors=self.errors).splitlines()

    def build_broken(self):
        """Return the arguments that add modules whose ring is broken on purpose."""
        paths = tool("lib/broken", *self.kernel.words, errors=self.errors).split()
        return each("--add", [path + ":/modules/broken/" for path in paths])

    def build_bench(self):
        """Return the arguments that add the benchmark's modules and programs."""
        return tool("../bench/build", *self.kernel.words, errors=self.errors).splitlines()

    def build_fleet(self):
        """Return the arguments that add rbmap-fleet."""
        return tool("lib/fleet", errors=self.errors).splitlines()

    def build_ftracetest(self):
        """Return the arguments that add the kernel's own tests of ftrace."""
        return ["--add", tool("lib/ftracetest", errors=self.errors).strip() + ":/tests/ftracetest/"]

    def build_types(self):
        """Return the arguments that add the types of a kernel that does not describe
        its own, and those of the stock kernel of its series."""
        if not self.kernel.flavour:
            return []
        own = tool("lib/types", *self.kernel.words, errors=self.errors)
        stock = tool("lib/types", self.kernel.series, errors=self.errors)
        return each("--add", [own + ":/tests/types.btf", stock + ":/tests/stock.btf"])

    def build_python(self):
        """Return the arguments that add Python, the package rbmap and its tests."""
        return tool("lib/python", errors=self.errors).splitlines()
