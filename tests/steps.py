# SPDX-License-Identifier: GPL-2.0-only
"""Functions, statements and labels of C code, for tests that name steps of the code.

A comment that has `model: NAME, ...` or `step: NAME, ...` labels a statement: the next
one, or the one before the comment if that is on the same line. A label belongs to its
function: two functions can have the same label, a function cannot have one twice.
"""
import bisect
import functools
import glob
import os
import re

TOKEN = re.compile(r'''
      (?P<comment> /\*.*?\*/ | //[^\n]* )
    | (?P<directive> ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]* )
    | (?P<space> \s+ | \\\n )
    | (?P<token> "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])+' | \w+ | [^\w\s] )''',
    re.X | re.S | re.M)
LABEL = re.compile(r'\b(model|step):((?:[\s*]*\w+,)*[\s*]*\w+)')
LOOP = re.compile(r'\w*each\w*|scoped_guard')     # macros that a statement follows


class Problem(Exception):
    pass


def words(text):
    """Return the tokens of a text without comments."""
    return [m[0] for m in TOKEN.finditer(text) if m.lastgroup == 'token']


class Statement:
    """Tokens [begin, end), those of its condition, and the statements inside it."""

    def __init__(self, begin, parent):
        self.begin = self.end = begin
        self.parent = parent
        self.head = None
        self.inner = []

    def around(self, begin, end):
        """Return the smallest statement with these tokens."""
        for inner in self.inner:
            if inner.begin <= begin and end <= inner.end:
                return inner.around(begin, end)
        return self


class Function:
    """A function or a macro: its tokens from the first word to the last, the range of
    its body (without braces), the comment above it and its labels."""

    def __init__(self, file, name, begin, body, end, comment=''):
        self.file = file
        self.name = name
        self.begin, self.end = begin, end
        self.body = body
        self.comment = comment

    @functools.cached_property
    def statements(self):
        """Return a statement that has all statements of the body inside."""
        root = Statement(self.body[0], None)
        at, root.end = self.body
        while at < self.body[1]:
            at = self.parse(at, root)
        return root

    def close(self, at):
        """Return the place behind the bracket that closes the one at this place."""
        depth = 0
        while at < self.body[1]:
            text = self.file.texts[at]
            depth += (text in '([{') - (text in ')]}')
            at += 1
            if not depth:
                break
        return at

    def parse(self, at, parent):
        """Add the statement that begins here to its parent; return its end."""
        texts, limit = self.file.texts, self.body[1]
        statement = Statement(at, parent)
        parent.inner.append(statement)
        text = texts[at]
        follows = texts[at + 1] if at + 1 < limit else ''
        if text == '{':
            end = self.close(at) - 1
            at += 1
            while at < end:
                at = self.parse(at, statement)
            at = end + 1
        elif text == 'do':
            at = self.parse(at + 1, statement)
            statement.head = at + 2, self.close(at + 1) - 1
            at = statement.head[1] + 2
        elif text in ('if', 'while', 'for', 'switch') or \
                (LOOP.fullmatch(text) and follows == '('):
            at = self.close(at + 1)
            statement.head = statement.begin + 2, at - 1
            if at < limit:
                at = self.parse(at, statement)
            if text == 'if' and at < limit and texts[at] == 'else':
                at = self.parse(at + 1, statement)
        elif text == 'case' or (follows == ':' and re.fullmatch(r'\w+', text)):
            while at < limit and texts[at] != ':':
                at += 1
            at += 1
        else:
            while at < limit and texts[at] != ';':
                at = self.close(at)
            at += 1
        statement.end = min(at, limit)
        return statement.end

    @functools.cached_property
    def labels(self):
        """Return {label: [(its tag, its statement), ...]}."""
        labels = {}
        file = self.file
        if self.begin == self.end:
            return labels
        first, last = file.spans[self.begin][0], file.spans[self.end - 1][1]
        for start, text in file.comments:
            if not first < start < last:
                continue
            for tag, names in LABEL.findall(text):
                statement = self.labelled(start)
                for name in re.findall(r'\w+', names):
                    labels.setdefault(name, []).append((tag, statement))
        return labels

    def labelled(self, start):
        """Return the statement that a comment at this position labels."""
        file = self.file
        line = file.text.rfind('\n', 0, start) + 1
        follows = bisect.bisect(file.starts, start)
        if follows and file.starts[follows - 1] >= line and follows > self.body[0]:
            found = self.statements.around(follows - 1, follows)
            if file.texts[found.begin] == '{' and found.parent.parent:
                found = found.parent
            return found
        follows = max(follows, self.body[0])
        found = self.statements.around(follows, follows + 1)
        while found.parent and found.parent.parent and found.parent.begin == follows:
            found = found.parent
        return found

    def statement(self, label):
        found = self.labels.get(label, [])
        if len(found) != 1:
            raise Problem('%s() in %s has the label %s %s' %
                          (self.name, self.file.path, label, 'twice' if found else 'nowhere'))
        return found[0][1]

    def find(self, wanted, begin, end):
        """Return the places in [begin, end) where these tokens begin."""
        texts = self.file.texts
        return [at for at in range(begin, end - len(wanted) + 1)
                if texts[at:at + len(wanted)] == wanted]


class File:
    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.comments, self.spans, self.texts = [], [], []
        self.functions = []
        macros = []
        for m in TOKEN.finditer(text):
            if m.lastgroup == 'comment':
                self.comments.append((m.start(), m[0]))
            elif m.lastgroup == 'token':
                self.texts.append(m[0])
                self.spans.append(m.span())
            elif m.lastgroup == 'directive':
                macro = re.match(r'\s*#\s*define\s+(\w+)(\([^)]*\))?', m[0])
                begin = len(self.texts)
                # The words of a macro stand among those of the file, for their places.
                if macro:
                    for t in TOKEN.finditer(text, m.start() + macro.end(), m.end()):
                        if t.lastgroup == 'token':
                            self.texts.append(t[0])
                            self.spans.append(t.span())
                    macros.append((macro[1], begin, len(self.texts), m.start(), bool(macro[2])))
        self.starts = [span[0] for span in self.spans]
        for name, begin, end, start, call in macros:
            found = Function(self, name, begin, (begin, end), end, self.comment_above(start))
            found.macro = True
            found.call = call
            self.functions.append(found)
        self.find_functions({at for _, begin, end, _, _ in macros for at in range(begin, end)})

    def comment_above(self, start):
        for at, text in reversed(self.comments):
            if at < start:
                between = self.text[at + len(text):start]
                return text if between in ('\n', '') else ''
        return ''

    def find_functions(self, in_macros):
        depth, begin, opened = 0, None, None
        for at, text in enumerate(self.texts):
            if at in in_macros:
                continue
            if begin is None:
                begin = at
            if text in '([{':
                if text == '{' and not depth and self.texts[at - 1] == ')':
                    opened = at
                depth += 1
            elif text in ')]}':
                depth -= 1
                if text == '}' and not depth and opened is not None:
                    name = next((self.texts[i] for i in range(begin, opened)
                                 if self.texts[i + 1] == '(' and
                                 re.fullmatch(r'(?!__)\w+', self.texts[i])), None)
                    if name:
                        found = Function(self, name, begin, (opened + 1, at), at + 1,
                                         self.comment_above(self.starts[begin]))
                        found.macro = found.call = False
                        self.functions.append(found)
                    begin = opened = None
                    continue
            if text == ';' and not depth:
                begin = opened = None


class Code:
    """The C files of folders, given as {name: folder}."""

    def __init__(self, folders):
        self.files = {}
        for name, folder in folders.items():
            for path in sorted(glob.glob(os.path.join(folder, '**/*.[ch]'), recursive=True)):
                with open(path, encoding='utf-8') as file:
                    key = os.path.join(name, os.path.relpath(path, folder))
                    self.files[key] = File(key, file.read())
        self.named = {}
        for file in self.files.values():
            for function in file.functions:
                self.named.setdefault(function.name, []).append(function)

    def function(self, name, file=None):
        found = [f for f in self.named.get(name, [])
                 if not file or f.file.path == file]
        if not found:
            raise Problem('no function %s()%s' % (name, ' in ' + file if file else ''))
        if len(found) > 1:
            raise Problem('%d functions are called %s(): %s' %
                          (len(found), name, ', '.join(f.file.path for f in found)))
        return found[0]

    def steps(self):
        """Yield (file, function or None, label) for each `step: LABEL` of the code."""
        for file in self.files.values():
            for start, text in file.comments:
                for tag, names in LABEL.findall(text):
                    if tag != 'step':
                        continue
                    inside = [f for f in file.functions if f.begin < f.end and
                              file.spans[f.begin][0] < start < file.spans[f.end - 1][1]]
                    for name in re.findall(r'\w+', names):
                        yield file, inside[0] if inside else None, name
