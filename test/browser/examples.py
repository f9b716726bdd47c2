#===- examples.py - reports of the examples in Chromium ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Reports that `shardwright report` writes of the examples: they open without messages and requests, show the numbers of
`--stats=json`, every value has its reasons, and every view looks right (looks.js). The screenshots stay in --shots."""

import base64
import json
import os
import re
import subprocess

import browser

tally, options = browser.start("examples", __doc__)
COMMAND = os.path.join(browser.BUILD, "bin", "shardwright")
EXAMPLES = ("double", "transformer_block", "gpt", "mlp_train")
MACHINE = os.path.join("examples", "machines", "accelerator.json")
ROUTES = ("overview", "program", "why", "why?list=stops", "why?list=what-if", "tensor", "memory", "timeline")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "looks.js")) as file:
    LOOKS = "return " + re.sub(r"^//.*\n", "", file.read(), flags=re.M).strip()


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], cwd=browser.ROOT, capture_output=True, text=True)


def look(b, case):
    os.makedirs(options.shots, exist_ok=True)
    with open(os.path.join(options.shots, f"{case}.png"), "wb") as file:
        file.write(base64.b64decode(b.cdp("Page.captureScreenshot", format="png")["data"]))
    found = b.js(LOOKS)
    for kind in ("overlapping", "clipped", "faint"):
        tally.check(f"{case}: {kind} texts", not found[kind], "\n".join(found[kind][:8]))
    tally.check(f"{case}: wider than the window", not found["wide"])


def numbers(b, name, stats):
    """What the overview shows is what the statistics say, as the page writes it."""
    shown = dict(zip(b.texts(".total dt"), b.texts(".total dd strong")))
    bytes_text, seconds = (lambda n: b.js("return SW.format.bytes(arguments[0])", n)), (lambda x: b.js("return SW.format.seconds(arguments[0])", x))
    tally.equal(f"{name}: bytes sent", bytes_text(stats["bytes_sent_per_device"]), shown["Sent"])
    tally.equal(f"{name}: peak", bytes_text(stats["predicted_peak"]["bytes"]), shown["Peak memory"])
    tally.equal(f"{name}: step", seconds(stats["predicted_step"]["step_seconds"]), shown["Step time"])
    rows = dict(row.split("\t", 1) for row in b.texts(".traffic tbody tr"))
    for kind, what in stats["collectives"].items():
        row = rows.get(kind.replace("_", "-"))
        if not what["bytes"]:
            continue
        tally.check(f"{name}: bytes of {kind}", row is not None and bytes_text(what["bytes"]) in row.split("\t"), rows)


def check(b, name):
    module = os.path.join("examples", name, f"{name}.mlir")
    path = os.path.join(b.folder.name, f"{name}.html")
    done = run("report", module, "--machine", MACHINE, "-o", path)
    if not tally.check(f"{name}: the report is written", done.returncode == 0, done.stderr):
        return
    stats = run("partition", module, "--machine", MACHINE, "--stats=json", "-o", os.devnull)
    for width, theme in ((1280, "light"), (1280, "dark"), (800, "light")):
        b.resize(width, 900)
        b.theme(theme)
        b.open(path)
        if (width, theme) == (1280, "light"):
            numbers(b, name, json.loads(stats.stdout or stats.stderr))
        for route in ROUTES:
            b.go(route)
            look(b, f"{name}-{re.sub('[^a-z]+', '-', route)}-{theme}-{width}")
    b.resize(1280, 900)
    b.theme("light")
    count, collectives = b.js("return [SW.report.valueCount, SW.report.doc.collectives.length]")
    step = 1 if options.long else max(1, count // 25)
    for v in range(0, count, step):
        b.js("location.hash = arguments[0]", f"#why/value/{v}")
        b.js("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        sharded = b.js("return (SW.report.sharding(arguments[0]) || {dims: []}).dims.some((d) => d.axes.length)", v)
        origins = b.js("return document.querySelectorAll('.chain .origin').length")
        tally.check(f"{name}: value {v} has reasons for its axes", origins > 0 or not sharded, b.text())
    for i in range(collectives):
        b.go(f"why/collective/{i}")
        tally.check(f"{name}: collective {i} has a reason", b.js("return document.querySelectorAll('.because').length") > 0, b.text())
    complaints, requests = b.complaints(), b.requests()
    tally.check(f"{name}: no messages on the console", not complaints, "\n".join(complaints[:5]))
    tally.check(f"{name}: no requests", not requests, "\n".join(requests[:5]))


def against(b):
    """The differences to the same program on another mesh."""
    module, other, path = "examples/gpt/gpt.mlir", os.path.join(b.folder.name, "other.json"), os.path.join(b.folder.name, "against.html")
    done = run("report", module, "--mesh", "data=4,model=2", "--trials=0", "-o", other)
    tally.check("against: the other document", done.returncode == 0, done.stderr)
    done = run("report", module, "--trials=0", "--against", other, "-o", path)
    if not tally.check("against: the report is written", done.returncode in (0, 1), done.stderr):
        return
    for width in (1280, 800):
        b.resize(width, 900)
        b.open(path, "diff")
        tally.check("against: the mesh differs first", "Another mesh" in b.text(), b.text())
        look(b, f"gpt-diff-light-{width}")
    tally.check("against: no messages on the console", not b.complaints())


if run("report", "--help").returncode:
    tally.skip("all", "this shardwright has no command `report`")
    tally.finish()
with browser.Browser() as b:
    for name in EXAMPLES:
        check(b, name)
    against(b)
tally.finish()
