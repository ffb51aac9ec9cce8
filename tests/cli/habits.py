# SPDX-License-Identifier: GPL-2.0-only
"""Try each line of docs/habits.md, for habits.sh.

The left cell is typed as it is, with rbmap for the other tool's name. Its right cell says what
must happen: "the same" is accepted. All others are refused with an error that names a word of
the right cell, or says what to leave out. Each command of rbmap in the file
must be accepted. A line of output is "ok" or "not ok", a tab and the command, a tab and why.
"""
import re
import shlex
import subprocess
import sys

TOOLS = ("trace-cmd", "perf", "bpftrace")
LEAST = 20		# habits of each tool
LIMIT = 20
USAGE = 2
FILES = {"FILE": "trace.dat", "NAME": "a", "PAGE": "page", "PART": "part", "EVENT": "sched_switch",
         "PID": "1"}


def run(rbmap, words):
    """Return the status and the first line of the errors."""
    words = [FILES.get(word, word) for word in words]
    done = subprocess.run([rbmap, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT, check=False)
    return done.returncode, done.stderr.decode(errors="replace").partition("\n")[0]


def spans(cell):
    return [span.replace("\n", " ") for span in re.findall(r"`([^`]+)`", cell)]


def commands(cell):
    return [span for span in spans(cell) if span.startswith("rbmap ")]


def is_hint(message, cell):
    """Does the message say what the cell does?"""
    message = re.sub(r" \(see 'rbmap .* --help'\)$", "", message)
    hint = re.sub(r"^.*?(no option|no command|invalid|is no) ?('[^']*')?[^:]*: ", "", message)
    if hint == message or "'rbmap --help' lists" in hint or "similar names" in hint:
        return False
    if "leave it out" in hint:
        return True
    words = [word for command in commands(cell) for word in
             (shlex.split(command)[1:2] + re.findall(r"(?<= )--?[\w-]+", command))]
    words += [span for span in spans(cell) if not span.startswith("rbmap ")]
    said = set(re.findall(r"--?[\w-]+|[\w/.-]+", hint))
    return any(set(re.findall(r"--?[\w-]+|[\w/.-]+", word)) & said for word in words)


def try_habit(rbmap, habit, cell):
    """Return what is wrong, or nothing."""
    words = shlex.split(habit)
    typed = words[1:] if words[0] in TOOLS else words
    status, message = run(rbmap, typed)
    if cell.startswith("the same"):
        return f"it is refused: {message}" if status == USAGE else ""
    if status != USAGE:
        return f"it is not refused: {status}, {message}"
    return "" if is_hint(message, cell) else f"the error does not say what to write: {message}"


def rows(text):
    """Yield the tool, the habit and the right cell of each line of the tables."""
    tool = None
    for line in text.splitlines():
        match = re.fullmatch(r"\| (.+?) \| (.+) \|", line)
        if not match:
            continue
        if match[1] in TOOLS:
            tool = match[1]
        else:
            yield tool, match[1].strip("`"), match[2]


def tell(what, wrong):
    print("not ok" if wrong else "ok", what, wrong, sep="\t")


def main():
    rbmap, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    count = dict.fromkeys(TOOLS, 0)
    for tool, habit, cell in rows(text):
        count[tool] += 1
        tell(habit, try_habit(rbmap, habit, cell))
    for tool, nr in count.items():
        tell(f"{LEAST} habits of {tool}", "" if nr >= LEAST else f"{nr} alone")
    for command in dict.fromkeys(commands(re.sub(r"\n +", "\n", text))):
        status, message = run(rbmap, shlex.split(command)[1:])
        tell(command, f"{status}, {message}" if status == USAGE else "")


main()
