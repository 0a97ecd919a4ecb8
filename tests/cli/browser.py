"""Chromium without a window, driven by the DevTools protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 60


def program():
    """The browser's path, or None where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page. What it says on its console, and what fails in it, is kept in `complaints`."""

    def __init__(self, width=1400, height=1000, dark=False):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_write = os.pipe()
        self.to_read, to_write = os.pipe()

        def place_pipes():  # DevTools reads descriptor 3 and writes 4
            ends = os.dup(to_read), os.dup(to_write)
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-extensions", f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe",
             f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=place_pipes)
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer, self.complaints, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(domain + ".enable")
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def resize(self, width, height=1000):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        os.close(self.to_write)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to_read)
        self.folder.cleanup()

    def message(self):
        """The next one, which may be an answer or an event."""
        end = time.monotonic() + PATIENCE_S
        while b"\0" not in self.buffer:
            if not select.select([self.to_read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"the browser says nothing for {PATIENCE_S} s")
            data = os.read(self.to_read, 1 << 20)
            if not data:
                raise EOFError("the browser went away")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, about = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(about["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(" ".join(str(arg.get("value")) for arg in about["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(about["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("file:", "data:", "about:")):
            self.complaints.append("asks the network for " + about["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("opens a dialog: " + about["message"])

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to_write, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.note(message)

    def evaluate(self, expression):
        """The value of an expression in the page, awaited."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def open(self, path):
        """Loads a report and waits until its pictures are there. Milliseconds to the first paint with content."""
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.monotonic() + PATIENCE_S
        while not self.evaluate("document.documentElement?.dataset.ready === 'yes'"):
            if time.monotonic() > end or self.complaints:
                raise TimeoutError(f"the page is not ready: {self.complaints}")
            time.sleep(0.02)
        self.frame()
        return self.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")

    def frame(self):
        """Two frames later."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, clicks=1):
        for count in range(1, clicks + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=count)
            self.mouse("mouseReleased", x, y, button="left", clickCount=count)
        self.frame()

    def key(self, name):
        text = {"text": name} if len(name) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)
        self.frame()

    def place(self, selector):
        """{x, y, width, height} of an element on the screen, which is scrolled to it."""
        return self.evaluate(f"""(() => {{ const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{block: "center"}}); const {{x, y, width, height}} = node.getBoundingClientRect();
            return {{x, y, width, height}}; }})()""")

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
