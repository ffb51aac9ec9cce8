# SPDX-License-Identifier: GPL-2.0-only
"""Code that run and run-module share: what mutants are, and which ones apply."""
import functools
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import harness
from steps import Code, Problem, words

SUFFIX = ".mutant"
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
        for self.kind, form in self.GRAMMAR:
            found = form.fullmatch(line)
            if found:
                self.what = found["what"]
                self.text = found.groupdict().get("text", "")
                return
        raise Problem(f"no edit: {line}")

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
    """A mutant: a file with a licence, a sentence, lines "NAME: VALUE", and blocks.

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

    def __init__(self, path):
        self.name = os.path.basename(path)[:-len(SUFFIX)]
        with open(path) as file:
            head, *blocks = file.read().rstrip("\n").split("\n\n")
        _, self.sentence, *settings = head.splitlines()
        self.settings = dict(line.split(": ", 1) for line in settings
                             if ": " in line)
        self.problem = None
        self.blocks = []        # file or None, function, label or None, edits
        for block in blocks:
            place, *lines = re.split(r"\n(?!\t)", block)
            found = re.fullmatch(r"at: (?:(\S+[./]\S+) )?(\w+)(?: (\w+))?", place)
            if not found or not lines:
                raise SystemExit(f"{path}: not \"at: FUNCTION LABEL\" and edits: {block}")
            try:
                self.blocks.append((*found.groups(), [Edit(line) for line in lines]))
            except Problem as problem:
                raise SystemExit(f"{path}: {problem}")

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


def read_mutants(folder, names=None):
    names = names or sorted(name[:-len(SUFFIX)] for name in os.listdir(folder)
                            if name.endswith(SUFFIX))
    return [Mutant(os.path.join(folder, name + SUFFIX)) for name in names]


def used_labels():
    """Return {(function, label)} of all mutants and litmus tests."""
    used = set()
    for pattern, form in (("mutants/**/*.mutant", r"^at: (?:\S+[./]\S+ )?(\w+) (\w+)$"),
                          ("litmus/*.litmus", r"// step: (?:\S+/\S+ )?(\w+) (\w+)")):
        for path in glob.glob(os.path.join(os.path.dirname(HERE), pattern),
                              recursive=True):
            with open(path) as file:
                text = file.read()
            used.update(re.findall(form, text, re.M))
            # "move PART before LABEL" names one of the same function.
            for function, block in re.findall(r"^at: (?:\S+[./]\S+ )?(\w+)(.*?)(?:\n\n|\Z)",
                                              text, re.M | re.S):
                used.update((function, label) for label in
                            re.findall(r"^move .* (?:before|after) (\w+)$", block, re.M))
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


def say_stale(mutants, folder, what):
    """Print the mutants that do not apply to a folder, and its labels that are wrong;
    return whether there are any."""
    stale = [mutant for mutant in mutants if not mutant.broken(folder)]
    if stale:
        print(f"mutants that do not apply to {what}:", *(mutant.name for mutant in stale))
    for mutant in stale:
        print(f"# {mutant.name}: {mutant.problem}")
    return say_labels(folder) or bool(stale)


def run_program(command, log_path, limit):
    """Run a program and append its output to a log. Return its status and its seconds;
    see harness.run()."""
    with open(log_path, "ab") as log:
        return harness.run(command, log, limit)[:2]
