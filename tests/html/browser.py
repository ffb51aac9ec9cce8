# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, which is driven through a pair of pipes: no port, no library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")
OPTIONS = [
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
    "--hide-scrollbars", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--mute-audio", "--force-device-scale-factor=1",
    # One process for all pages, and no services that the tests do not need
    "--disable-site-isolation-trials", "--renderer-process-limit=1",
    "--disable-features=Translate,OptimizationHints,MediaRouter,IsolateOrigins,site-per-process",
]


class Browser:
    """One page in a browser. Use it in a with statement."""

    def __init__(self, width=1280, height=800, dark=False, seconds=60):
        self.size = width, height
        self.dark = dark
        self.seconds = seconds
        self.number = 0
        self.events = []
        self.text = b""
        self.session = None

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="rbmap-html.")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        options = OPTIONS + [f"--user-data-dir={self.home}", "--window-size=%d,%d" % self.size]
        if os.geteuid() == 0:
            # The sandbox needs an ordinary user.
            options.append("--no-sandbox")

        def descriptors():
            # The browser reads descriptor 3 and writes 4. One of the pipes may have them.
            first, second = os.dup(to_browser), os.dup(from_browser)
            first, second = (os.dup(fd) if fd < 5 else fd for fd in (first, second))
            os.dup2(first, 3)
            os.dup2(second, 4)

        # The wrapper of Debian prints what it does not find.
        self.process = subprocess.Popen(
            [CHROMIUM, *options, "about:blank"], preexec_fn=descriptors, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home}, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1],
                  deviceScaleFactor=1, mobile=False)
        self.set_dark(self.dark)
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, EOFError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, end):
        """Return the next message of the browser."""
        while b"\0" not in self.text:
            ready = select.select([self.input], [], [], max(end - time.monotonic(), 0))[0]
            if not ready:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.input, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.text += more
        message, self.text = self.text.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Call a method of the protocol, and return its result."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + self.seconds
        while True:
            message = self.message(end)
            if message.get("id") != self.number:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def evaluate(self, expression):
        """Return the value of an expression, or of its promise, in the page."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path, fragment=""):
        """Open a page, and return the seconds until it has been drawn with its data."""
        self.call("Page.navigate", url="about:blank")
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        self.wait("document.readyState === 'complete' && Boolean(window.rbmapPage)")
        self.settle()
        return time.monotonic() - begin

    def wait(self, expression):
        end = time.monotonic() + self.seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression}: {self.problems()}")
            time.sleep(0.01)

    def settle(self):
        """Wait until nothing is loaded or drawn any more."""
        self.evaluate("""(async () => {
            for (let quiet = 0; quiet < 3;) {
                await new Promise((done) => setTimeout(done, 20));
                quiet = rbmapPage.isLoading ? 0 : quiet + 1;
            }
        })()""")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def set_dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, clicks=1):
        for kind in "mousePressed", "mouseReleased":
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=clicks)
        self.settle()

    def drag(self, x0, y0, x1, y1, modifiers=0):
        self.mouse("mousePressed", x0, y0, button="left", buttons=1, modifiers=modifiers)
        for part in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * part / 5, y0 + (y1 - y0) * part / 5,
                       button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", x1, y1, button="left", buttons=1, modifiers=modifiers)
        self.settle()

    def wheel(self, x, y, by, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by, modifiers=modifiers)
        self.settle()

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def screenshot(self, path=None):
        """Return the picture as bytes of a PNG file, and store it."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png",
                                          optimizeForSpeed=True)["data"])
        if path:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        return data

    def problems(self):
        """Return what the page has complained of, and what it has asked the network for."""
        self.call("Runtime.evaluate", expression="0")
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("text", "exception") + " " +
                             str(parameters["exceptionDetails"].get("exception", {})
                                 .get("description")))
            elif event.get("method") == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
            elif event.get("method") == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("file:", "about:")):
                    found.append("a request of " + url[:80])
        return found
