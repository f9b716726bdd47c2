#===- looks.py - how report pages look ------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Draws each view in both themes, 1280 and 800 pixels wide, and checks what can be measured: no text covers another one, none
is cut off without a sign, each has enough contrast, nothing is wider than the window; axes differ without colour and for
people who see colours differently; paper; reduced motion. The screenshots stay in --shots."""

import base64
import os
import re

import browser
import sample_documents

tally, options = browser.start("looks", __doc__)
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(browser.ROOT, "shardwright", "report", "page")
with open(os.path.join(HERE, "looks.js")) as file:
    LOOKS = "return " + re.sub(r"^//.*\n", "", file.read(), flags=re.M).strip()

SIZES = ((1280, 900), (800, 1000))
PLACES = {
    "gpt": ("overview", "program", "program?v=40", "program?q=tanh", "why", "why?list=stops", "why?list=what-if", "why/value/40", "why/collective/0",
            "tensor", "tensor/40?device=2", "RESHARD", "memory", "timeline", "timeline?event=3"),
    "measured": ("overview", "timeline", "timeline?event=0", "diff"), "five_axes": ("overview", "why", "tensor/0?device=9", "program"), "ranks": ("tensor/6?device=3", "program"),
    "empty": ("overview", "program", "why", "tensor", "memory", "timeline"), "one_device": ("overview", "program?v=1"),
    "unknown": ("overview", "why/collective/0", "timeline"),
}  # fmt: skip
COLOURS = 8
LEAST_DIFFERENCE = 9  # of two axes' colours, in CIE76 units, for every kind of sight


def shot(b, name):
    os.makedirs(options.shots, exist_ok=True)
    with open(os.path.join(options.shots, name + ".png"), "wb") as file:
        file.write(base64.b64decode(b.cdp("Page.captureScreenshot", format="png")["data"]))


def look(b, case):
    found = b.js(LOOKS)
    tally.check(f"{case}: texts", found["texts"] > 5, found["texts"])
    for kind, said in (("overlapping", "texts cover each other"), ("clipped", "texts are cut off"), ("faint", "texts have little contrast")):
        tally.check(f"{case}: {said}", not found[kind], "\n".join(found[kind][:12]))
    tally.check(f"{case}: wider than the window", not found["wide"])


def views(b):
    for width, height in SIZES:
        b.resize(width, height)
        for theme in ("light", "dark"):
            b.theme(theme)
            for name, routes in PLACES.items():
                for number, route in enumerate(routes):
                    if route == "RESHARD":  # the first of the document
                        route = f"tensor/{sample_documents.DOCUMENTS[name]()['reshards'][0]['value']}?reshard=0&device=1"
                    path = b.page(name, sample_documents.DOCUMENTS[name])
                    b.open(path, route) if number == 0 else b.go(route)
                    case = f"{name}-{re.sub('[^a-z0-9]+', '-', route)}-{theme}-{width}"
                    shot(b, case)
                    look(b, case)
            b.open(b.page("gpt", sample_documents.transformer))
            b.keys("?")
            shot(b, f"gpt-help-{theme}-{width}")
            look(b, f"gpt-help-{theme}-{width}")
    b.resize(*SIZES[0])


def faults(b):
    """The checks find what is wrong: each fault is made in a page on purpose."""
    cases = {
        "overlapping": ".note { margin-top: -14px !important }", "faint": ".total dt { color: color-mix(in srgb, var(--muted) 40%, var(--surface)) }",
        "clipped": ".card h3 { width: 30px; overflow: hidden; white-space: nowrap }", "wide": ".totals { min-width: 2000px }",
    }  # fmt: skip
    for kind, style in cases.items():
        b.open(b.page("gpt", sample_documents.transformer))
        b.js("const s = new CSSStyleSheet(); s.replaceSync(arguments[0]); document.adoptedStyleSheets = [s]", style)
        found = b.js(LOOKS)
        tally.check(f"a fault on purpose, {kind}, is found", found[kind], found)


def themes(b):
    def background():
        return sum(map(int, re.findall(r"\d+", b.js("return getComputedStyle(document.body).backgroundColor"))[:3])) / 3

    b.theme("light")
    b.open(b.page("gpt", sample_documents.transformer))
    tally.check("light as the system", background() > 200, background())
    b.theme("dark")
    b.settle()
    tally.check("dark when the system changes", background() < 60, background())
    b.click(".top button", "☀")
    tally.check("light by the button", background() > 200, background())
    b.theme("light")
    b.theme("dark")
    b.settle()
    tally.check("the button's choice holds", background() > 200, background())
    b.theme("light")


def luminance_of(text):
    return [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def linear(c):
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def lab(rgb):
    r, g, b = rgb
    xyz = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = ((max(0, v) ** (1 / 3)) if v > 0.008856 else 7.787 * max(0, v) + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
SIGHTS = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}  # fmt: skip


def palette():
    """Each two axes' colours differ for every kind of sight, in both themes."""
    with open(os.path.join(PAGE, "css", "theme.css")) as file:
        light, dark = file.read().split(':root[data-theme="dark"]')[:2]
    for theme, text in (("light", light), ("dark", dark)):
        colours = dict(re.findall(r"--a(\d): (#[0-9a-f]{6})", text))
        tally.equal(f"{theme}: colours of axes", COLOURS, len(colours))
        for sight, matrix in SIGHTS.items():
            seen = {}
            for k, colour in colours.items():
                rgb = [linear(c) for c in luminance_of(colour)]
                seen[k] = lab([min(1, max(0, sum(m * c for m, c in zip(row, rgb)))) for row in matrix])
            pairs = [(sum((x - y) ** 2 for x, y in zip(seen[a], seen[c])) ** 0.5, a, c) for a in seen for c in seen if a < c]
            least = min(pairs)
            tally.check(f"{theme}, {sight}: axes {least[1]} and {least[2]} differ", least[0] >= LEAST_DIFFERENCE, f"{least[0]:.1f}")


def without_colour(b):
    """Letters and patterns say what colours say."""
    b.cdp("Emulation.setEmulatedVisionDeficiency", type="achromatopsia")
    for name in ("five_axes", "ten_axes", "gpt"):
        b.open(b.page(name, sample_documents.DOCUMENTS[name]))
        letters = b.js("return [...document.querySelectorAll('.subtitle .axis b')].map((e) => e.textContent)")
        tally.equal(f"{name}: each axis has a letter of its own", len(set(letters)), len(SAMPLE_AXES[name]))
        shot(b, f"{name}-overview-without-colour")
    b.go("memory")
    patterns = b.js("return [...document.querySelectorAll('.chart pattern path')].map((e) => e.getAttribute('d'))")
    tally.equal("classes of memory have patterns of their own", len(patterns), len(set(patterns)))
    shot(b, "gpt-memory-without-colour")
    b.go("timeline")
    shot(b, "gpt-timeline-without-colour")
    b.cdp("Emulation.setEmulatedVisionDeficiency", type="none")
    b.open(b.page("ten_axes", sample_documents.DOCUMENTS["ten_axes"]), "program")
    ninth = b.js("const all = [...document.querySelectorAll('.subtitle .axis b')]; return [0, 8].map((i) => getComputedStyle(all[i]).borderRadius)")
    tally.check("axes of one colour have different forms", ninth[0] != ninth[1], ninth)


SAMPLE_AXES = {name: sample_documents.DOCUMENTS[name]()["mesh"]["axes"] for name in ("five_axes", "ten_axes", "gpt")}


def paper(b):
    """Each view as PDF: not empty, no controls, and the rows of the program, as many as are printed."""
    pages = {}
    for name, route in (("gpt", "overview"), ("gpt", "program"), ("gpt", "why"), ("gpt", "why/collective/0"), ("gpt", "memory"), ("gpt", "timeline"), ("large", "program")):
        b.open(b.page(name, sample_documents.DOCUMENTS[name]), route)
        b.js("const t = document.querySelector('.tree-rows'); if (t) t.scrollTop = 1e6")
        b.settle()
        b.js("addEventListener('beforeprint', () => { window.printed = {rows: document.querySelectorAll('.row:not(.head)').length,"
             "controls: [...document.querySelectorAll('.search, .top .buttons')].filter((e) => matchMedia('print').matches && e.offsetParent).length}; })")  # fmt: skip
        pdf = base64.b64decode(b.cdp("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        case = f"{name}-{route.replace('/', '-')}"
        os.makedirs(options.shots, exist_ok=True)
        with open(os.path.join(options.shots, f"{case}.pdf"), "wb") as file:
            file.write(pdf)
        pages[case] = len(re.findall(rb"/Type\s*/Page\b", pdf))
        printed = b.js("return window.printed")
        tally.check(f"paper {case}: a PDF", pdf.startswith(b"%PDF") and len(pdf) > 5000, len(pdf))
        tally.equal(f"paper {case}: no controls", 0, printed["controls"])
        if route == "program":
            rows = b.js("return +document.getElementById('tree').getAttribute('aria-rowcount')")
            tally.equal(f"paper {case}: rows", min(rows, 400), printed["rows"])
    tally.check("paper: pages", all(0 < n < 40 for n in pages.values()) and pages["gpt-program"] >= 2, pages)
    b.cdp("Emulation.setEmulatedMedia", media="print", features=[])
    b.open(b.page("gpt", sample_documents.transformer))
    b.settle()
    hidden = b.js("return [...document.querySelectorAll('.search, .top .buttons, [role=tab][aria-selected=false]')].filter((e) => e.getClientRects().length).length")
    tally.equal("paper: controls are not printed", 0, hidden)
    shot(b, "gpt-overview-paper")
    b.cdp("Emulation.setEmulatedMedia", media="", features=[])


def still(b):
    b.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    b.open(b.page("gpt", sample_documents.transformer))
    moving = b.js("return [...document.querySelectorAll('*')].filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0 || getComputedStyle(e).animationName !== 'none').length")
    tally.equal("nothing moves where motion is reduced", 0, moving)
    b.cdp("Emulation.setEmulatedMedia", features=[])


palette()
with browser.Browser() as b:
    views(b)
    faults(b)
    themes(b)
    without_colour(b)
    paper(b)
    still(b)
    complaints = b.complaints()
    tally.check("no messages on the console", not complaints, "\n".join(complaints[:5]))
print(f"looks: screenshots in {options.shots}")
tally.finish()
