#===- browser.py - report pages in Chromium ------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What the scripts of this folder share: a headless Chromium, pages of report documents, and counts of
results. `start()` skips the script where Chromium, chromedriver or selenium is missing."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

BUILD = oracle.BUILD
WRITER = os.path.join(BUILD, "bin", "html_report_writer")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars", "--force-color-profile=srgb",
    "--font-render-hinting=none", "--lang=en",
)  # fmt: skip


def missing():
    """What is not installed, or ''."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return "no chromium or no chromedriver: `make test-browser` installs them"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "no selenium: `make test-browser` installs it"
    return "" if os.path.exists(WRITER) else f"no {WRITER}: `make build` makes it"


def write_page(document, path):
    """Writes the page of a document (an object, or the bytes of its JSON), as the command does."""
    text = document if isinstance(document, bytes) else json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    with open(path, "wb") as file:
        subprocess.run([WRITER], input=text, stdout=file, check=True)
    return path


class Browser:
    """A Chromium with an empty profile. Everything that it writes lies in a folder that goes with it."""

    def __init__(self, width=1280, height=900):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service

        self.folder = tempfile.TemporaryDirectory(prefix="report-browser-")
        options = Options()
        options.binary_location = shutil.which("chromium")
        for flag in (*FLAGS, f"--user-data-dir={self.folder.name}/profile", f"--window-size={width},{height}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.pages = {}
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        self.folder.cleanup()

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def resize(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, scheme):
        """Sets what the system prefers: 'light' or 'dark'. It holds for pages that are open and that open later."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def page(self, name, document):
        """The file of a document's page; `document` is called once."""
        if name not in self.pages:
            self.pages[name] = write_page(document() if callable(document) else document, f"{self.folder.name}/{name}.html")
        return self.pages[name]

    def open(self, path, route=""):
        """Loads the page anew, and waits until it has drawn."""
        self.driver.get("about:blank")
        self.driver.get(f"file://{path}#{route}")
        self.settle()

    def go(self, route):
        """Changes the route of the open page."""
        self.js("location.hash = arguments[0]", f"#{route}")
        self.settle()

    def settle(self):
        """Waits until events, timers of the search and drawing are done."""
        self.driver.execute_async_script(
            "const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done())), 90);"
        )

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def text(self, selector="main"):
        return self.js("const e = document.querySelector(arguments[0]); return e ? e.innerText : null", selector)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)", selector)

    def click(self, selector, text=None):
        """Clicks the first element of the selector, with this text if one is given."""
        found = self.js(
            "return [...document.querySelectorAll(arguments[0])].find((e) => arguments[1] === null || e.innerText.trim() === arguments[1])",
            selector, text,
        )  # fmt: skip
        if found is None:
            raise AssertionError(f"nothing to click: {selector} {text or ''}")
        self.js("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()
        self.settle()

    def keys(self, *keys):
        """Presses keys where the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()
        self.settle()

    def route(self):
        return self.js("return location.hash")

    def complaints(self):
        """Messages of the console since the last call: errors, warnings, violations of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that were requested since the last call, other than the pages themselves."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return [url for url in urls if not url.startswith(("file:", "data:", "about:", "chrome:"))]


def start(name, doc):
    """Parses --long and --keep, and returns (tally, options). Ends the script if something is not installed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="more random documents")
    parser.add_argument("--shots", default=os.path.join(BUILD, "test-logs", "browser"), help="folder of the screenshots")
    options = parser.parse_args()
    tally = oracle.Tally(name, show=10)
    why = missing()
    if why:
        tally.skip("all", why)
        tally.finish()
    return tally, options
