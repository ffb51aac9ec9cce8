# SPDX-License-Identifier: GPL-2.0-only
"""The panels beside the lanes, and the arrows of what is selected."""
from shown import LIGHT, Page, equal, ok


def arrow_pixels(page, name):
    """Count the pixels of arrows between the lanes of CPUs and of the task that is woken."""
    x0, _, x1, top = page.row("task20", "call")
    bottom = page.row("cpu0", "task")[1]
    return page.picture(name).counts(x0, top + 1, x1, bottom)[LIGHT["select"]]


def look_at_arrows(browser, path):
    page = Page(browser, path).open("#t=0.042&w=0.02&hide=task10")
    equal("without a selection there is no arrow", arrow_pixels(page, "arrows-none"), 0)
    page.click("task20", "state", 43500)
    ok("the selection has the arrow of its wake-up", arrow_pixels(page, "arrows-one") > 20)
    browser.key("Escape")
    equal("the arrow goes with the selection", arrow_pixels(page, "arrows-gone"), 0)
    page.go("#t=0.042&w=0.02")
    page.click("cpu0", "task", 41000)
    equal("a task that runs shows whom it woke", page.details()[1].get("woke"), "waiter-20")
    equal("with an arrow", page.value("rbmapPage.view.selected.arrows.length"), 1)


def look_at_why(browser, path):
    page = Page(browser, path).open()
    stalls = page.value("""[...document.querySelectorAll('.stall')].map((stall) =>
        [stall.childNodes[1].textContent.trim(), [...stall.querySelectorAll('.share')]
            .map((share) => parseInt(share.textContent))])""")
    equal("the panel has the answer", stalls[0][0],
          "waiter-20 waited 43.0 ms in futex for holder-10, which ran 40.0 ms.")
    ok("the shares of the causes sum to the wait",
       all(98 <= sum(shares) <= 102 for _, shares in stalls), stalls)
    page.value("document.querySelector('.stall button').click()")
    browser.settle()
    page.keep("why")
    equal("a click shows the wait", page.details()[0] + ".", stalls[0][0])
    equal("and the chain", page.details()[1]["chain"], "waiter-20 ← holder-10")
    begin, time = page.view()
    ok("the wait is in the middle of the view", begin + page.base < 2e6 and
       begin + time + page.base > 45e6, begin, time)
    equal("the wake-up in the chain has an arrow",
          page.value("rbmapPage.view.selected.arrows.length"), 1)
    ok("what the recording lacks is said", "The recording lacks -e timer" in
       page.text("why-panel"), page.text("why-panel"))
    page.go("#hide=task20~task10")
    page.value("document.querySelector('.stall button').click()")
    browser.settle()
    ok("hidden lanes of the chain come back", {"task20", "task10"} <= set(page.lanes()))


def rows(page):
    return page.value("""[...document.querySelectorAll('#events tr')].map((row) =>
        [row.querySelector('button').textContent, row.querySelector('b').textContent,
         row.querySelectorAll('td')[1].textContent, row.className])""")


def look_at_events(browser, path):
    page = Page(browser, path).open()
    equal("without a cursor there is no table", rows(page), [])
    page.click("cpu1", "task", 100000)
    wait_for_table(page)
    found = rows(page)
    equal("the table has the events before and behind the cursor",
          ([row[0][0] for row in found], found[7][1:3]),
          (["−"] * 8 + ["+"] * 8, ["block_rq_issue", found[7][2]]))
    ok("each with its CPU, its task and its text",
       found[7][2].startswith("block_rq_issue CPU 0, writer-40 "), found[7])
    x, y, _ = page.place("cpu1", "task", 100000)
    picture = page.picture("events")
    ok("the cursor is a line", len(picture.colours(x - 1, y, x + 2, y + 12)) > 1)
    browser.key(".")
    wait_for_table(page)
    equal("the point selects the next event", page.details()[0], "block:block_rq_complete")
    equal("which is marked in the table", [row[1] for row in rows(page) if row[3] == "chosen"],
          ["block_rq_complete"])
    browser.key(",")
    equal("the comma selects the one before", page.details()[0], "block:block_rq_issue")
    page.click("cpu1", "task", 100000)
    browser.key("e")
    wait_for_table(page)
    ok("e keeps the events of the lane alone",
       rows(page) and all("CPU 1," in row[2] for row in rows(page)), rows(page))
    page.click("cpu0", "ticks", 132000)
    browser.key("e")
    wait_for_table(page)
    ok("names of tasks make no elements", any("<img/src=x>-50" in row[2] for row in rows(page))
       and page.value("document.querySelectorAll('img').length") == 0, rows(page))
    browser.key("Escape")
    equal("Escape drops the cursor", rows(page), [])


def wait_for_table(page):
    page.browser.evaluate("new Promise((done) => setTimeout(done, 120))")
    page.browser.settle()
