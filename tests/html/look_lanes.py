# SPDX-License-Identifier: GPL-2.0-only
"""Which lanes there are, and what a user does with them."""
from shown import BACKGROUND, LIGHT, Page, SMALL, equal, make_page, ok

# "late" waits for the lock of "owner". The recorder sleeps longest, and its disk is slow.
INTEREST = """
0 1000 0 switch swapper 0 0 rbmap 70
0 1010 70 enter 7
0 1020 70 switch rbmap 70 2 owner 10
1 1500 0 switch swapper 0 0 late 20
1 2000 20 enter 202
1 2050 20 switch late 20 2 quiet 30
1 3000 30 switch quiet 30 1 swapper 0
0 32050 10 waking late 20
1 32090 0 switch swapper 0 0 late 20
1 32100 20 exit 202
1 32200 20 switch late 20 1 swapper 0
0 40000 10 switch owner 10 1 swapper 0
1 90000 0 waking rbmap 70
0 90010 0 switch swapper 0 0 rbmap 70
0 90020 70 exit 7
0 90100 70 switch rbmap 70 1 swapper 0
"""
GROUPS = INTEREST + """
/system.slice/web.service: 20:2 30:3
/user.slice/<img src=x>: 10
"""


def ids(page, wanted):
    return [lane for lane in page.lanes() if lane.startswith(wanted)]


def look_at_interest(browser, directory):
    page = Page(browser, make_page(directory, "interest", INTEREST)).open()
    page.keep("interest")
    lanes = page.lanes()
    equal("the chain of why comes first, then CPUs", lanes[:4],
          ["task20", "task10", "cpu0", "cpu1"])
    equal("the recorder has no lane at first", "task70" in lanes, False)
    page.value("document.getElementById('all').click()")
    browser.settle()
    equal("the recorder comes last", page.lanes()[-1], "task70")
    ok("the list of long latencies is without the recorder",
       "rbmap" not in page.text("worst"), page.text("worst"))
    page = Page(browser, make_page(directory, "named", INTEREST, "-p", "30", "--comm", "rbmap"))
    page.open()
    equal("tasks that the user names come before all others",
          [lane for lane in page.lanes() if lane.startswith("task")][:2], ["task70", "task30"])


def look_at_arrangement(browser, path):
    page = Page(browser, path).open()
    lane_keys(page)
    lane_signs(page)
    lane_list(page)
    pinned_lanes(page)


def lane_keys(page):
    browser = page.browser
    first = page.lanes()[0]
    browser.key("j")
    equal("j chooses the first lane", page.value("rbmapPage.view.lane.id"), first)
    x, y, _ = page.place(first, "state", 20000)
    before = page.picture("lanes-before").at(x, y - 6)
    titles = []
    for key in "]]][":
        browser.key(key)
        titles.append(page.details()[0])
    equal("brackets go from slice to slice", titles,
          ["CPU 1", "uninterruptible in futex", "runnable: woken", "uninterruptible in futex"])
    browser.key("h")
    ok("h hides it", first not in page.lanes() and
       page.picture("lanes-hidden").at(x, y - 6) != before)
    browser.key("j")
    browser.key("j")
    browser.key("p")
    second = page.lanes()[0]
    equal("p pins a lane at the top", page.value("rbmapPage.arrangement.pinned"), [second])
    browser.evaluate("new Promise((done) => setTimeout(done, 300))")
    address, lanes = page.value("location.hash"), page.lanes()
    page.open(address)
    equal("a copied address has the same lanes", page.lanes(), lanes)
    page.go("#hide=none~cpu0&pin=__proto__~<img>&add=task99999")
    ok("names of lanes that are not there are left out", "cpu0" not in page.lanes() and
       page.value("rbmapPage.arrangement.pinned") == [], page.lanes())


def lane_signs(page):
    page.go("#t=0.01&w=0.02")
    box = page.value("""(() => { const box = document.getElementById('canvas')
        .getBoundingClientRect(); return [box.x + rbmapPage.view.left, box.y]; })()""")
    first = page.lanes()[0]
    top = page.value("rbmapPage.topOf(rbmapPage.lanes[0])")
    page.browser.click(box[0] - 26, box[1] + top + 9)
    equal("a click on the triangle pins", page.value("rbmapPage.arrangement.pinned"), [first])
    page.browser.click(box[0] - 8, box[1] + top + 9)
    ok("a click on the cross hides", first not in page.lanes(), page.lanes())


def lane_list(page):
    browser = page.browser
    page.go("#t=0.02&w=0.04")
    hidden = page.value("rbmapPage.meta.lanes.length") - len(page.lanes())
    browser.key("l")
    ok("l opens the list of lanes", page.value("document.getElementById('chooser').open"))
    equal("the list has the search in focus", page.value("document.activeElement.id"), "filter")
    page.value("""(() => { const filter = document.getElementById('filter');
        filter.value = 'lossy'; filter.dispatchEvent(new Event('input')); })()""")
    page.value("document.querySelector('#choices input').click()")
    browser.settle()
    page.keep("lane-list")
    ok("a lane is added", "task60" in page.lanes() and hidden > 0, page.lanes())
    page.value("document.querySelector('#choices button').click()")
    equal("the list pins, too", page.value("rbmapPage.arrangement.pinned"), ["task60"])
    page.value("document.querySelector('#choices input').click()")
    ok("and hides", "task60" not in page.lanes(), page.lanes())
    browser.key("h")
    ok("keys are for the list while it is open", len(page.lanes()) > 2)
    page.value("document.getElementById('done').click()")


def pinned_lanes(page):
    browser = page.browser
    browser.resize(SMALL[0], 260)
    page.go("#t=0.02&w=0.06&pin=task20")
    box = page.row("task20", "state")
    before = page.picture("pinned").counts(*box)
    page.browser.wheel(20, 200, 200)
    ok("other lanes move", page.value("rbmapPage.view.y") > 20)
    picture = page.picture("pinned-scrolled")
    equal("a pinned lane stays where it is", picture.counts(*box), before)
    page.click("task20", "state", 20000)
    equal("and can be clicked", page.details()[0], "uninterruptible in futex")
    browser.resize(*SMALL)


def look_at_groups(browser, directory):
    page = Page(browser, make_page(directory, "groups", GROUPS, "--comm", "quiet")).open()
    names = page.value("rbmapPage.lanes.map((lane) => lane.name)")
    equal("names have the number in the namespace", [name for name in names if ":" in name],
          ["quiet-30:3"])
    page.value("document.getElementById('all').click()")
    browser.key("g")
    groups = page.value("rbmapPage.groups.map((group) => [group.name, group.y, group.text])")
    equal("g groups lanes by cgroup", [group[0] for group in groups],
          ["/system.slice/web.service", "/user.slice/<img src=x>", "CPUs and devices",
           "cgroup not known"])
    picture = page.picture("groups")
    top = page.value("document.getElementById('canvas').getBoundingClientRect().y + rbmapPage.TOP")
    right = page.row("cpu0", "task")[2]
    equal("each group has a title", [picture.at(right - 5, top + y + 9)
                                     for _, y, _ in groups], [LIGHT["gutter"]] * len(groups))
    ok("no lane lies below a title",
       all(picture.at(right - 5, top + y + 25) in BACKGROUND for _, y, _ in groups))
    equal("the lanes of a cgroup are together", page.lanes()[:2], ["task30", "task20"])
    page.browser.key("j")
    page.browser.key("h")
    groups = page.value("rbmapPage.groups.map((group) => [group.shown, group.all])")
    equal("a title counts the lanes that are hidden", groups[0], [1, 2])
    equal("a cgroup makes no element", page.value("document.querySelectorAll('img').length"), 0)
