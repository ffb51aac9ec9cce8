# SPDX-License-Identifier: GPL-2.0-only
"""Parts of all looks at pages: a page in the browser, its picture, and results."""
import collections
import io
import os
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import Tap

try:
    from PIL import Image
except ImportError:
    Image = None

RBMAP = os.environ.get("RBMAP", "build/rbmap")
MAKE_EVENTS = os.environ.get("MAKE_EVENTS", "build/tests/unit/cli/plain/cli_make_events")
PICTURES = os.environ.get("PICTURES", "build/artefacts/html")

LIGHT = {"back": "#ffffff", "band": "#f6f7f9", "grid": "#eceef1", "runs": "#4cae5a",
         "runnable": "#f0a020", "blocked": "#d8362f", "sleeps": "#dde2e8", "queued": "#8f6bd1",
         "lost": "#d11f1f", "select": "#0b62c4", "several": "#8a94a3", "gutter": "#f4f5f7"}
DARK_BACK = "#14171c"
SMALL = 1000, 500   # a window
SHORT = bool(os.environ.get("RBMAP_TEST_SHORT"))
BACKGROUND = {LIGHT["back"], LIGHT["band"], LIGHT["grid"]}
tap = Tap()


def ok(what, is_ok, *notes):
    tap.ok(is_ok, what, *notes)


def equal(what, got, wanted):
    tap.equal(got, wanted, what)


class Picture:
    def __init__(self, data):
        self.image = Image.open(io.BytesIO(data)).convert("RGB")

    def at(self, x, y):
        """Return a pixel as #rrggbb."""
        return "#%02x%02x%02x" % self.image.getpixel((int(x), int(y)))

    def counts(self, x0, y0, x1, y1):
        """Return how many pixels of a rectangle have each colour."""
        part = self.image.crop([int(x0), int(y0), int(x1), int(y1)])
        return collections.Counter({"#%02x%02x%02x" % colour: count for count, colour in
                                    part.getcolors(part.width * part.height)})

    def lines(self, x0, y0, x1, y1):
        """Return the lines of a rectangle, each with its colours."""
        part = self.image.crop([int(x0), int(y0), int(x1), int(y1)])
        names, width = {}, part.width
        colours = [names.setdefault(colour, "#%02x%02x%02x" % colour)
                   for colour in part.getdata()]
        return [colours[at:at + width] for at in range(0, len(colours), width)]

    def colours(self, x0, y0, x1, y1):
        return {self.at(x, y) for y in range(int(y0), int(y1)) for x in range(int(x0), int(x1))}


class Page:
    """A page in the browser, and where its parts are."""

    def __init__(self, browser, path):
        self.browser, self.path = browser, path
        self.base = 0

    def open(self, fragment=""):
        self.browser.open(self.path, fragment)
        self.base = int(self.value("rbmapPage.meta.base"))
        return self

    def go(self, fragment):
        """Show a moment and lanes as another address does, which costs less than to open it."""
        self.value(f"location.hash = {fragment!r}")
        self.browser.settle()

    def value(self, expression):
        return self.browser.evaluate(expression)

    def place(self, lane, row, us):
        """Return the place of a moment of the ring, in us, in the row of a lane."""
        x, y, height = self.value(f"""(() => {{
            const box = document.getElementById('canvas').getBoundingClientRect();
            const lane = rbmapPage.lanes.find((lane) => lane.id === {lane!r});
            const row = lane.rows.find((row) => row.paint === {row!r});
            return [box.x + rbmapPage.xOf({us * 1000 - self.base}),
                    box.y + rbmapPage.rowTop(row), row.height];
        }})()""")
        return x, y + height / 2, height

    def click(self, lane, row, us):
        x, y, _ = self.place(lane, row, us)
        self.browser.click(x, y)

    def picture(self, name):
        return Picture(self.browser.screenshot(os.path.join(PICTURES, name + ".png")))

    def keep(self, name):
        """Store a picture for people. A short test has those alone that it measures."""
        if not SHORT:
            self.picture(name)

    def text(self, name):
        return self.value(f"document.getElementById({name!r}).textContent")

    def details(self):
        """Return the title and the pairs of the panel."""
        return self.value("""[document.querySelector('#details h3').textContent,
            Object.fromEntries([...document.querySelectorAll('#details dt')]
                .map((name) => [name.textContent, name.nextSibling.textContent]))]""")

    def worst(self, kind, number=0):
        """Click on an entry of the list of the longest intervals."""
        self.value(f"""(() => {{
            const titles = [...document.querySelectorAll('#worst h3')];
            let at = titles.find((title) => title.textContent === {kind!r});
            while (at.tagName !== 'TABLE') at = at.nextSibling;
            at.querySelectorAll('button')[{number}].click();
        }})()""")
        self.browser.settle()

    def view(self):
        return self.value("[rbmapPage.view.begin, rbmapPage.view.time]")

    def row(self, lane, row):
        """Return the rectangle of a row: left, top, right, bottom."""
        return self.value(f"""(() => {{
            const box = document.getElementById('canvas').getBoundingClientRect();
            const lane = rbmapPage.lanes.find((lane) => lane.id === {lane!r});
            const row = lane.rows.find((row) => row.paint === {row!r});
            const top = Math.round(rbmapPage.rowTop(row) - rbmapPage.TOP) + rbmapPage.TOP;
            return [box.x + rbmapPage.view.left, box.y + top, box.right,
                    box.y + top + row.height];
        }})()""")

    def lanes(self):
        return self.value("rbmapPage.lanes.map((lane) => lane.id)")

    def show(self, begin_us, us):
        """Let a span of the ring's time fill the width."""
        self.value(f"rbmapPage.setView({begin_us * 1000 - self.base}, {us * 1000})")
        self.browser.settle()


def make_page(directory, name, script, *options):
    """Make a page of the events of a script: a text, or a file that has it."""
    path = os.path.join(directory, name)
    given = {"input": script, "text": True} if isinstance(script, str) else {"stdin": script}
    subprocess.run([MAKE_EVENTS, path + ".dat"], check=True, **given)
    subprocess.run([RBMAP, "report", "--html", *options, path + ".dat"], check=True,
                   stderr=subprocess.DEVNULL)
    return path + ".html"
