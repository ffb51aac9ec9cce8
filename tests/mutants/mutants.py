# SPDX-License-Identifier: GPL-2.0-only
"""Code that run and run-module share: what mutants are, and which ones apply."""
import difflib
import functools
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import harness
from steps import Code, Problem, words

SUFFIX = ".mutants"
BUILD_LIMIT = 600

PASSES, CAUGHT, HANGS, BROKEN, NOT_FOR_IT = ".", "x", "t", "?", "-"


class Edit:
    """One line of a mutant that says what to change in a scope."""
    GRAMMAR = (
        ("delete", re.compile(r"delete (?P<what>.+)")),
        ("before", re.compile(r"insert before (?P<what>[^:]+): (?P<text>.+)", re.S)),
        ("after", re.compile(r"insert after (?P<what>[^:]+): (?P<text>.+)", re.S)),
        ("move before", re.compile(r"move (?P<what>.+) before (?P<text>\w+)")),
        ("move after", re.compile(r"move (?P<what>.+) after (?P<text>\w+)")),
        ("replace", re.compile(r"(?P<what>.+?) -> (?P<text>.+)", re.S)),
    )

    def __init__(self, line):
        self.line = line
        for self.kind, form in self.GRAMMAR:
            found = form.fullmatch(line)
            if found:
                self.what = found["what"]
                self.text = found.groupdict().get("text", "")
                return
        raise Problem(f"not an edit: {line}")

    def changes(self, function, scope):
        """Return [(begin, end, new text)], by characters of the file."""
        source = function.file.text
        if self.what.startswith("condition") and self.kind == "delete":
            # The statement that it controls stays.
            begin, end = self.place(function, scope)
            while scope.head != (begin, end):
                scope = next(inner for inner in scope.inner
                             if inner.begin <= begin and end <= inner.end)
            if len(scope.inner) != 1:
                raise Problem("the condition does not control one statement")
            inner = scope.inner[0]
            found = [(*self.characters(function, scope.begin, inner.begin), "")]
            if function.file.texts[inner.begin] == "{":
                found += [(*self.characters(function, at, at + 1), "")
                          for at in (inner.begin, inner.end - 1)]
            return found
        begin, end = self.characters(function, *self.place(function, scope))
        if self.kind == "delete":
            return [(begin, end, "")]
        if self.kind == "replace":
            return [(begin, end, self.text)]
        if self.kind == "before":
            return [(begin, begin, self.text + "\n")]
        if self.kind == "after":
            return [(end, end, "\n" + self.text)]
        target = function.statement(self.text)
        start, stop = self.characters(function, target.begin, target.end)
        at = start if self.kind == "move before" else stop
        return [(begin, end, ""), (at, at, "\n" + source[begin:end] + "\n")]

    def place(self, function, scope):
        """Return the tokens that the edit is about."""
        if self.what == "function":
            return function.begin, function.end
        if self.what == "body":
            if not scope.parent:
                return function.body
            if len(scope.inner) != 1:
                raise Problem("the statement does not control another one")
            return scope.inner[0].begin, scope.inner[0].end
        if self.what == "statement":
            return scope.begin, scope.end
        if self.what == "condition":
            if not scope.head:
                raise Problem("the statement has no condition")
            return scope.head
        wanted = re.fullmatch(r"(statement with|condition with|call of) (.+)", self.what)
        text = words(wanted[2] if wanted else self.what)
        found = function.find(text, scope.begin, scope.end)
        if len(found) != 1:
            raise Problem(f"{self.what!r} is there {len(found)} times")
        place = found[0], found[0] + len(text)
        if not wanted:
            return place
        if wanted[1] == "call of":
            return place[0], function.close(place[1])
        statement = function.statements.around(*place)
        if wanted[1] == "statement with":
            return statement.begin, statement.end
        if not statement.head or not statement.head[0] <= place[0] < statement.head[1]:
            raise Problem(f"{wanted[2]!r} is in no condition")
        return statement.head

    @staticmethod
    def characters(function, begin, end):
        spans = function.file.spans
        if begin == end:
            return spans[begin][0], spans[begin][0]
        return spans[begin][0], spans[end - 1][1]


class Mutant:
    """A fault of a catalogue: its name, a sentence, settings, and blocks.

    A block is a line "at: FUNCTION" or "at: FUNCTION LABEL", and edits. They change
    that function, or the statement that has the label there. The name of the file
    stands before FUNCTION if several files have a function of that name.

      PART -> TEXT                      replace the part by the text
      delete PART
      insert before PART: TEXT          also "after"
      move PART before LABEL            also "after"; to another place in the function

    PART is a text that the function, or the labelled statement, has once. These words
    stand for other parts:

      statement                         the labelled statement
      condition                         its condition; "delete condition" keeps the body
      body                              the statement that the condition controls, or
                                        the body of the function
      function                          the definition of the function
      statement with TEXT               the smallest statement that has a text once
      condition with TEXT               the same for a condition
      call of NAME                      the call of a function, with its arguments

    A text is a part of one statement. White space and comments do not count. The new
    text may go on in lines that begin with a tab.
    """

    def __init__(self, catalogue, line, name):
        self.catalogue = catalogue
        self.line = line
        self.name = name
        self.sentence = None
        self.settings = {}
        self.problem = None
        self.blocks = []        # file or None, function, label or None, edits

    def place(self):
        return f"{self.catalogue.path}:{self.line}"

    def labels(self):
        """Yield (function, label) for each label that the blocks name."""
        for _, function, label, edits in self.blocks:
            if label:
                yield function, label
            for edit in edits:
                if edit.kind.startswith("move "):
                    yield function, edit.text

    def changed(self):
        """Return what the blocks say, to compare it with those of other mutants."""
        return frozenset((*place, edit.line) for *place, edits in self.blocks
                         for edit in edits)

    def misplaced(self, folder):
        """Return the catalogue that should have this mutant, which applies, or None."""
        file, name, _, _ = self.blocks[0]
        wanted = catalogue_of(code_of(folder).function(name, file).file.path)
        return wanted if wanted != self.catalogue.source else None

    def broken(self, folder):
        """Return {file: its text with the faults}; None if one does not apply."""
        code = code_of(folder)
        changes = {}
        try:
            for file, name, label, edits in self.blocks:
                function = code.function(name, file)
                scope = function.statement(label) if label else function.statements
                for edit in edits:
                    changes.setdefault(function.file, []).extend(
                        edit.changes(function, scope))
        except Problem as problem:
            self.problem = str(problem)
            return None
        return {file.path: apply_changes(file.text, found)
                for file, found in changes.items()}

    def change(self, folder):
        """Write the faults into a folder; return False if they do not apply."""
        code_of.cache_clear()
        texts = self.broken(folder)
        for file, text in (texts or {}).items():
            with open(os.path.join(folder, file), "w") as source:
                source.write(text)
        return texts is not None


def apply_changes(text, changes):
    for begin, end, new in reversed(sorted(changes, key=lambda change: change[:2])):
        text = text[:begin] + new + text[end:]
    return text


@functools.lru_cache(maxsize=None)
def code_of(folder):
    return Code({"": folder})


class Catalogue:
    """The faults of one file of module/: filter/parse.mutants has those of
    filter/parse.c, ring/reserve.mutants those of include/rbmap/ring/reserve.h. Those of
    user space have its path: userspace/lib/decode.mutants.

    The first line is the licence. An entry begins with a line "[NAME]" and a sentence.
    Lines "NAME: VALUE" are settings. Blocks follow, each after an empty line. A fault
    of several files is in the catalogue of the file that its first block changes.
    """
    # The ring's faults have none: each of its suites may catch them.
    SETTINGS = {
        "suite": r"[\w-]+",
        "check": "yes",     # make check tries the fault
    }

    def __init__(self, folder, path):
        self.path = os.path.relpath(path)
        self.source = os.path.relpath(path, folder)[:-len(SUFFIX)]
        self.mutants = []
        with open(path) as file:
            lines = file.read().splitlines()
        if not lines or "SPDX-License-Identifier:" not in lines[0]:
            self.fail(1, "no licence")
        for first, paragraph in paragraphs(lines, 1):
            if paragraph[0].startswith("["):
                self.add_mutant(first, paragraph)
            elif not self.mutants:
                self.fail(first, f"not a line \"[NAME]\": {paragraph[0]}")
            else:
                self.add_block(self.mutants[-1], first, paragraph)
        for mutant in self.mutants:
            if not mutant.blocks:
                self.fail(mutant.line, f"{mutant.name} has no line \"at: FUNCTION\"")

    def fail(self, line, text):
        raise SystemExit(f"{self.path}:{line}: {text}")

    def add_mutant(self, first, lines):
        name = re.fullmatch(r"\[([\w-]+)\]", lines[0])
        if not name:
            self.fail(first, f"not a line \"[NAME]\": {lines[0]}")
        mutant = Mutant(self, first, name[1])
        self.mutants.append(mutant)
        if len(lines) < 2 or not lines[1].endswith("."):
            self.fail(first, f"{mutant.name} has no sentence that ends with a full stop")
        mutant.sentence = lines[1]
        for number, line in enumerate(lines[2:], first + 2):
            key, _, value = line.partition(": ")
            if self.source.startswith("ring/") or key not in self.SETTINGS or \
                    not re.fullmatch(self.SETTINGS[key], value):
                self.fail(number, f"not a setting: {line}")
            if key in mutant.settings:
                self.fail(number, f"{mutant.name} has the setting '{key}' twice")
            mutant.settings[key] = value

    def add_block(self, mutant, first, lines):
        place = re.fullmatch(r"at: (?:(\S+[./]\S+) )?(\w+)(?: (\w+))?", lines[0])
        if not place:
            self.fail(first, f"not a line \"at: FUNCTION LABEL\": {lines[0]}")
        numbered = []
        for number, line in enumerate(lines[1:], first + 1):
            if line.startswith("\t") and numbered:
                begin, text = numbered.pop()
                numbered.append((begin, text + "\n" + line))
            else:
                numbered.append((number, line))
        if not numbered:
            self.fail(first, f"no edits: {lines[0]}")
        edits = []
        mutant.blocks.append((*place.groups(), edits))
        for number, line in numbered:
            if (*place.groups(), line) in mutant.changed():
                self.fail(number, f"{mutant.name} has this edit twice: {line}")
            try:
                edits.append(Edit(line))
            except Problem as problem:
                self.fail(number, problem)


def paragraphs(lines, begin):
    """Yield the lines between empty ones from a place on, with the number of the first."""
    found = []
    for number, line in enumerate([*lines[begin:], ""], begin + 1):
        if line:
            found.append(line)
        elif found:
            yield number - len(found), found
            found = []


def catalogue_of(source):
    """Return the name of the catalogue of a source file."""
    return re.sub(r"^include/rbmap/(?=ring/)", "", os.path.splitext(source)[0])


def read_catalogues(folder):
    """Return all mutants of a folder. Each has another name and changes something else."""
    mutants, names, changes = [], {}, {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*" + SUFFIX), recursive=True)):
        mutants += Catalogue(folder, path).mutants
    for mutant in mutants:
        other = names.setdefault(mutant.name, mutant)
        if other is not mutant:
            raise SystemExit(f"{mutant.place()}: {mutant.name} is also in {other.place()}")
        other = changes.setdefault(mutant.changed(), mutant)
        if other is not mutant:
            raise SystemExit(f"{mutant.place()}: {mutant.name} has the edits of "
                             f"{other.name} in {other.place()}")
    return sorted(mutants, key=lambda mutant: mutant.name)


KINDS = {"ring": "of the ring", "module": "of the rest of the module",
         "userspace": "of user space"}


def kind_of(mutant):
    first = mutant.catalogue.source.split("/")[0]
    return first if first in KINDS else "module"


def read_mutants(folder, kind, names=None):
    """Return the mutants of a kind; only those with the names, if there are any."""
    mutants = {mutant.name: mutant for mutant in read_catalogues(folder)}
    chosen = [name for name, mutant in mutants.items() if kind_of(mutant) == kind]
    if not chosen:
        raise SystemExit(f"{folder}: there is no fault {KINDS[kind]}")
    for name in names or ():
        if name not in mutants:
            similar = ", ".join(difflib.get_close_matches(name, mutants)) or "none"
            raise SystemExit(f"no fault is called '{name}'; similar names: {similar}")
        if name not in chosen:
            raise SystemExit(f"{mutants[name].place()}: {name} is a fault "
                             f"{KINDS[kind_of(mutants[name])]}; "
                             "tests/mutants/try tries all kinds")
    return [mutants[name] for name in names or chosen]


def used_labels():
    """Return {(function, label)} of all mutants and litmus tests."""
    used = {place for mutant in read_catalogues(HERE) for place in mutant.labels()}
    for path in glob.glob(os.path.join(os.path.dirname(HERE), "litmus", "*.litmus")):
        with open(path) as file:
            used.update(re.findall(r"// step: (?:\S+/\S+ )?(\w+) (\w+)", file.read()))
    return used


def say_labels(folder):
    """Print the labels `step: NAME` of a folder that nothing uses, or that their
    function has twice; return whether there are any."""
    wrong, used = [], used_labels()
    for file, function, label in code_of(folder).steps():
        if not function:
            wrong.append(f"{file.path}: the label {label} is in no function")
        elif len(function.labels[label]) != 1:
            wrong.append(f"{file.path}: {function.name}() has the label {label} twice")
        elif (function.name, label) not in used:
            wrong.append(f"{file.path}: no mutant or litmus test uses the label "
                         f"{label} of {function.name}()")
    for line in sorted(set(wrong)):
        print(line)
    return bool(wrong)


def say_stale(mutants, folder, what, labels=True):
    """Print the mutants that do not apply to a folder, and its labels that are wrong, if
    its comments have labels; return whether there are any."""
    stale = [mutant for mutant in mutants if not mutant.broken(folder)]
    if stale:
        print(f"mutants that do not apply to {what}:", *(mutant.name for mutant in stale))
    for mutant in stale:
        print(f"# {mutant.name}: {mutant.problem}")
    misplaced = [(mutant, mutant.misplaced(folder)) for mutant in mutants
                 if mutant not in stale]
    misplaced = [(mutant, wanted) for mutant, wanted in misplaced if wanted]
    for mutant, wanted in misplaced:
        print(f"{mutant.place()}: {mutant.name} belongs to {wanted}{SUFFIX}, because of its "
              "first function")
    return (labels and say_labels(folder)) or bool(stale or misplaced)


def run_program(command, log_path, limit):
    """Run a program and append its output to a log. Return its status and its seconds;
    see harness.run()."""
    with open(log_path, "ab") as log:
        return harness.run(command, log, limit)[:2]
