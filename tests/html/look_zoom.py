# SPDX-License-Identifier: GPL-2.0-only
"""A pixel must not change its meaning with the zoom, nor with the window's size."""
import os
import subprocess

from shown import BACKGROUND, LIGHT, Page, SHORT, SMALL, equal, make_page, ok

PERIOD = 10     # us
RUNS, RUNNABLE = 0.87, 3    # us of each period
WHOLE = 40000 if SHORT else 160000
TOLERANCE = 0.03
# Spans of time in us: a pixel has many periods, and at last a period has hundreds of pixels
ZOOMS = (WHOLE, 9000, 400, 18) if SHORT else (WHOLE, 40000, 9000, 2000, 400, 80, 18)


def make_shares(directory):
    """A task is woken, waits 3 us for a CPU, runs 0.87 us, and sleeps."""
    lines = []
    for us in range(1000, 1000 + WHOLE, PERIOD):
        lines += [f"1 {us} 0 waking part 20",
                  f"0 {us + RUNNABLE} 30 switch other 30 0 part 20",
                  f"0 {us + RUNNABLE + RUNS} 20 switch part 20 1 other 30"]
    return make_page(directory, "shares", "\n".join(lines), "-p", "20")


STATES = {LIGHT[state]: state for state in ("runs", "runnable", "blocked", "sleeps")}


def shares_of(picture, box):
    """Return the share of each state. Texts and edges belong to the slice left of them."""
    counts = dict.fromkeys(STATES.values(), 0)
    lines = picture.lines(*box)
    for line in lines:
        state = None
        for colour in line:
            if colour in BACKGROUND:
                state = None
            state = STATES.get(colour, state)
            if state:
                counts[state] += 1
    total = sum(len(line) for line in lines)
    return {state: count / total for state, count in counts.items()}


def whole_periods(us):
    """Return a span of that length in the middle, of whole periods if it has some."""
    us = us if us < PERIOD else us // PERIOD * PERIOD
    return 1000 + WHOLE // 2 - us // 2 // PERIOD * PERIOD, us


def look_at_shares(browser, directory):
    page = Page(browser, make_shares(directory)).open()
    wanted = {"runs": RUNS / PERIOD, "runnable": RUNNABLE / PERIOD, "blocked": 0,
              "sleeps": 1 - (RUNS + RUNNABLE) / PERIOD}
    found = {}
    for us in ZOOMS:
        begin, length = whole_periods(us)
        page.show(begin, length)
        picture = page.picture(f"shares-{us}")
        found[us] = shares_of(picture, page.row("task20", "state"))
        if us == ZOOMS[0]:
            look_at_columns(picture, page.row("task20", "state"))
    for state, share in wanted.items():
        wrong = {us: round(shares[state], 3) for us, shares in found.items()
                 if abs(shares[state] - share) > (TOLERANCE if us > PERIOD * 2 else 0.5)}
        equal(f"{state}: {share:.1%} of the row at each zoom", wrong, {})
    x, y, height = page.place("task20", "state", 1000 + WHOLE / 2 + RUNNABLE + RUNS / 2)
    equal("a slice that fills its pixels fills the row",
          [picture.at(x, y + at) for at in (-height / 2 + 1, height / 2 - 2)],
          [LIGHT["runs"]] * 2)


def look_at_columns(picture, box):
    """A thin line stays a thin line, below what waits: no column is green or orange."""
    x0, y0, x1, y1 = (int(value) for value in box)
    tall = [x for x in range(x0 + 20, x1 - 20)
            if sum(picture.at(x, y) == LIGHT["runs"] for y in range(y0, y1)) > 3]
    equal("what runs 8.7 % of the time is a thin line", tall, [])
    middle = (x0 + x1) // 2
    order = [picture.at(middle, y) for y in range(y1 - 1, y0 - 1, -1)]
    equal("the states are in their order, from below",
          [colour for i, colour in enumerate(order) if not i or order[i - 1] != colour],
          [LIGHT["runs"], LIGHT["runnable"], LIGHT["sleeps"]])


def make_names(directory):
    """Six tasks share a CPU evenly, and the CPU is idle for a quarter of the time."""
    lines = []
    for number, us in enumerate(range(1000, 1000 + WHOLE // 2, 8)):
        tasks = [20, 21, 22, 23, 24, 25, 0, 0]
        for at, (pid, following) in enumerate(zip(tasks, tasks[1:] + tasks[:1])):
            if pid != following:
                lines.append(f"0 {us + at + 1} {pid} switch name{pid} {pid} 0 "
                             f"name{following} {following}")
        if not number:
            lines.insert(0, "0 999 0 switch swapper 0 0 name20 20")
    return make_page(directory, "names", "\n".join(lines))


def look_at_names(browser, directory):
    page = Page(browser, make_names(directory)).open()
    filled, several, kinds = {}, {}, {}
    for us in (WHOLE // 2, 160) if SHORT else (WHOLE // 2, 16000, 1600, 160):
        page.show(1000 + WHOLE // 4 - us // 2 // 8 * 8, us)
        counts = page.picture(f"names-{us}").counts(*page.row("cpu0", "task"))
        painted = {colour: count for colour, count in counts.items() if colour not in BACKGROUND}
        filled[us] = sum(painted.values()) / sum(counts.values())
        several[us] = counts[LIGHT["several"]] / sum(counts.values())
        kinds[us] = len([colour for colour, count in painted.items()
                         if count > 0.05 * sum(painted.values())])
    equal("three quarters of the CPU's time are painted at each zoom",
          {us: round(share, 3) for us, share in filled.items() if abs(share - 0.75) > 0.05}, {})
    ok("what has no place in a pixel is grey, and nothing is grey when there is place",
       several[WHOLE // 2] > 0.15 and several[160] == 0, several)
    ok("a pixel shows several names", kinds[WHOLE // 2] >= 4 and kinds[160] >= 6, kinds)


def make_losses(directory):
    """1300 losses on CPU 2, and one event each; CPU 0 has many events in all that time."""
    lines = [f"0 {us} 20 other {us}" for us in range(1000, 41000, 4)]
    for us in range(1000, 40000, 30):
        lines += ["2 lost 3", f"2 {us} 30 other 1"]
    return make_page(directory, "losses", "\n".join(lines))


def look_at_losses(browser, directory):
    page = Page(browser, make_losses(directory)).open()
    equal("the sum of losses", page.text("sums"), "11,300 events, 3,900 lost")
    ok("losses without a number are counted",
       "300losses that are marked without their number" in page.text("left"), page.text("left"))
    for us in (40000, 100) if SHORT else (40000, 3000, 100):
        page.show(39000 - us, us)
        x0, y0, x1, y1 = page.row("cpu2", "ticks")
        counts = page.picture(f"losses-{us}").counts(x0, y0, x1, y1)
        ok(f"losses are red at the end of {us} us", counts[LIGHT["lost"]] >= 20, counts)
    page.show(31006, 8)
    picture, (x, y, _) = page.picture("losses-near"), page.place("cpu2", "ticks", 31010)
    ok("and only where they were", picture.at(x - 20, y) in BACKGROUND, picture.at(x - 20, y))
    page.go("#t=0.02&w=0.04&hide=cpu2")
    x0, y0, x1, _ = page.row("cpu0", "task")
    counts = page.picture("losses-hidden").counts(x0, y0 - 12, x1, y0 - 3)
    ok("the axis has the losses of a CPU that is hidden", counts[LIGHT["lost"]] > 100, counts)
    equal("the hidden lane is counted", page.text("lanes"), "Lanes 1 of 4")


LABELS = """(() => {
    const box = document.getElementById('canvas').getBoundingClientRect();
    return rbmapPage.view.axis.map(({ x, width, text }) => [box.x + x, box.y + 40, width, text]);
})()"""
SIZES = """(() => {
    const out = [...document.querySelectorAll('header > *, aside, canvas, footer')]
        .filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
        .map((part) => part.id || part.tagName);
    return [out, document.documentElement.scrollWidth];
})()"""


def look_at_sizes(browser, directory):
    script = "0 123456789001.234 2000 switch swapper 0 0 fifteen-letters 2000\n" \
        "1 123456789034.5 20 other 2\n0 123456789100 2000 other 3\n" \
        "0 123456790000 2000 switch fifteen-letters 2000 2 swapper 0\n/a.slice: 2000:17"
    path = make_page(directory, "sizes", script, "-p", "2000")
    for width in 400, 800, 1600:
        browser.resize(width, 700)
        if width == 400:
            page = Page(browser, path).open()
        for zoom in ("#t=123456.789500000&w=0.0011", "#t=123456.789034500&w=0.00001"):
            page.go(zoom)
            look_at_axis(page, width, zoom.endswith("w=0.00001"))
        out, total = page.value(SIZES)
        equal(f"{width} pixels: all parts are in the window", (out, total <= width), ([], True))
        names = page.value("rbmapPage.lanes.map((lane) => [lane.name, lane.shownName])")
        equal(f"{width} pixels: names are whole", [name for name, shown in names
                                                   if name != shown], [])
    browser.resize(*SMALL)


def look_at_axis(page, width, near):
    labels = page.value(LABELS)
    name = f"{width}-{'near' if near else 'far'}"
    picture = page.picture("size-" + name)
    ok(f"{name}: at least two labels, and the first one is a whole time",
       len(labels) > 1 and labels[0][3].startswith("123456"), labels)
    ends = [x + length for x, _, length, _ in labels]
    ok(f"{name}: no label is cut, and none lies on another",
       ends[-1] <= page.value("document.getElementById('canvas').getBoundingClientRect().right")
       and all(end < label[0] for end, label in zip(ends, labels[1:])), labels)
    pale = [text for x, y, length, text in labels
            if sum(count for colour, count in
                   picture.counts(x, y - 5, x + length, y + 5).items()
                   if int(colour[1:3], 16) < 0xb0) < 3 * len(text)]
    equal(f"{name}: each label is painted", pale, [])


def look_at_large(browser, directory):
    """20 million events: the shares of a task are those of the first look at each zoom."""
    here = os.path.dirname(os.path.abspath(__file__))
    with subprocess.Popen(["awk", "-v", "EVENTS=20000000", "-f",
                           os.path.join(here, "workload.awk")], stdout=subprocess.PIPE) as script:
        path = make_page(directory, "large", script.stdout, "-p", "110")
    os.unlink(os.path.join(directory, "large.dat"))
    at_most = 256 << 20
    ok("the page of 20 million events: bytes", os.path.getsize(path) <= at_most,
       f"{os.path.getsize(path)}, at most {at_most}")
    page = Page(browser, path).open()
    last = page.value("rbmapPage.meta.last") / 1000
    first = None
    for part in 1, 1 / 4, 1 / 16, 1 / 64:
        # The average of as many views as the whole has, or of eight of these
        views = min(round(1 / part), 8)
        found = []
        for number in range(views):
            page.show(1000 + last * number / views, last * part)
            found.append(shares_of(page.picture("large"), page.row("task110", "state")))
        mean = {state: sum(one[state] for one in found) / views for state in found[0]}
        first = first or mean
        wrong = {state: (round(share, 3), round(first[state], 3))
                 for state, share in mean.items() if abs(share - first[state]) > 0.08}
        equal(f"20 million events, {part:.1%} in view: the shares stay", wrong, {})
    page.show(1000, last)
    page.click("cpu0", "task", 1000 + last / 2)
    ok("a click in 20 million events selects", page.details()[0] != "nothing", page.details())
