#===- keys.py - search, filters and keys of report pages -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Uses the program's tree, the search, the filters and the keys in Chromium, and checks the roles that readers of the
screen need. What a search finds is compared with a search of its own over the document."""

import browser
import sample_documents

tally, options = browser.start("keys", __doc__)
DOWN, UP, LEFT, RIGHT, HOME, END, ENTER, ESCAPE, TAB, PAGE_DOWN = (
    "\ue015", "\ue013", "\ue012", "\ue014", "\ue011", "\ue010", "\ue007", "\ue00c", "\ue004", "\ue00f",
)  # fmt: skip
FLAGS = {"replicated": 1, "conflicted": 2, "annotated": 8}


def active(b):
    return b.js("const e = document.activeElement; return e.id || e.getAttribute('aria-label') || e.tagName.toLowerCase()")


def current(b):
    return b.js("const e = document.querySelector('.row.current'); return e && e.innerText.trim()")


def matches(b):
    """The number that the page gives, of rows that match."""
    text = b.text(".matches").split(" ")[0].replace(",", "")
    return int(text) if text.isdigit() else text


def found(d, test):
    """Rows that match: ops with their results, and arguments. `test` takes (op, values)."""
    values = d["values"]
    rows = sum(test(o, d["ops"]["results"][o]) for o in range(len(d["ops"]["op"])))
    return rows + sum(test(-1, [v]) for v in range(len(values["name"])) if values["argument"][v] >= 0)


def searches(b, d):
    values, ops, s = d["values"], d["ops"], d["strings"]
    sending = {c["op"] for c in d["collectives"]}

    def file_of(o):
        stack = ops["stack"][o]
        return s[d["frames"][d["stacks"][stack][d["user_frame"][stack]]][0]] if stack >= 0 else ""

    def line_of(o):
        stack = ops["stack"][o]
        return d["frames"][d["stacks"][stack][d["user_frame"][stack]]][1] if stack >= 0 else 0

    def flag(bit):
        return lambda o, vs: any(values["flags"][v] & bit for v in vs)

    def word(text):
        def test(o, vs):
            parts = [s[ops["op"][o]], s[ops["name"][o]], f"{file_of(o)}:{line_of(o)}"] if o >= 0 else []
            for v in vs:
                parts += [s[values[c][v]] for c in ("name", "source", "type", "sharding")]
            return any(text in p.lower() for p in parts)

        return test

    def both(*tests):
        return lambda o, vs: all(t(o, vs) for t in tests)

    cases = {f"is:{name}": flag(bit) for name, bit in FLAGS.items()}
    cases |= {
        "is:sending": lambda o, vs: o in sending,
        "axis:model": lambda o, vs: any('"model"' in s[values["sharding"][v]] for v in vs),
        "size:>=1MiB": lambda o, vs: any(values["bytes"][v] >= 1 << 20 for v in vs),
        "size:<1KiB": lambda o, vs: any(values["bytes"][v] < 1024 for v in vs),
        "file:attention": lambda o, vs: o >= 0 and "attention" in file_of(o),
        "op:dot_general": lambda o, vs: o >= 0 and "dot_general" in s[ops["op"][o]],
        "scope:mlp": lambda o, vs: o >= 0 and "mlp" in s[ops["name"][o]],
        "tanh": word("tanh"), "TANH": word("tanh"), "8x16x256": word("8x16x256"), "w_out": word("w_out"), "model.py:33": word("model.py:33"),
        "tanh axis:data": both(word("tanh"), lambda o, vs: any('"data"' in s[values["sharding"][v]] for v in vs)),
        "%1": word("%1"),
    }  # fmt: skip
    b.open(b.page("gpt", d), "program")
    for query, test in cases.items():
        b.js("location.hash = '#program?q=' + encodeURIComponent(arguments[0])", query)
        b.settle()
        tally.equal(f"search {query}", found(d, test), matches(b))
        tally.equal(f"search {query}: the field has it", query, b.js("return document.querySelector('.search input').value"))
        hits = b.js("return document.querySelectorAll('.row.hit').length")
        tally.check(f"search {query}: rows are marked", hits > 0, hits)
    for query, said in (("is:nothing", "is:nothing is no filter: use replicated,"), ("size:big", "write size:>1MiB"), ("axis:z", "the mesh has no axis z: it has data, model")):
        b.js("location.hash = '#program?q=' + encodeURIComponent(arguments[0])", query)
        b.settle()
        tally.check(f"search {query}: {said}", said in b.text(".matches"), b.text(".matches"))
    b.js("location.hash = '#program?q=nosuchthing'")
    b.settle()
    tally.check("nothing found", "Nothing matches nosuchthing" in b.text().replace("“", "").replace("”", ""), b.text())
    b.click(".empty-state button")
    tally.equal("cleared", "#program", b.route())


def typing(b, d):
    b.open(b.page("gpt", d), "overview")
    b.keys("/")
    tally.equal("/ goes to the search", "Search the program", active(b))
    b.keys(*"tanh")
    tally.check("typing shows the program", b.route() == "#program?q=tanh", b.route())
    b.keys(ENTER)
    tally.equal("Enter goes to the tree", "tree", active(b))
    b.keys(DOWN, DOWN)
    tally.check("the arrows move on rows that match or hold them", current(b) is not None)
    b.keys("/", ESCAPE)
    tally.equal("Escape clears the search", "", b.js("return document.querySelector('.search input').value"))
    tally.check("Escape leaves the search", active(b) != "Search the program", active(b))
    b.keys("/", "1", "?", "t")
    tally.equal("keys in the search are text", "1?t", b.js("return document.querySelector('.search input').value"))


def filters(b, d):
    b.open(b.page("gpt", d), "program")
    b.click(".filters button", "conflict")
    tally.equal("a chip is a word of the search", "#program?q=is%3Aconflicted", b.route())
    tally.equal("a chip is pressed", ["false", "true", "false", "false"], b.js("return [...document.querySelectorAll('.filters button')].map((e) => e.getAttribute('aria-pressed'))"))
    one = matches(b)
    b.js("const s = document.querySelectorAll('.filters select')[0]; s.value = 'data'; s.dispatchEvent(new Event('change', {bubbles: true}))")
    b.settle()
    tally.check("filters add up", "axis%3Adata" in b.route() and matches(b) <= one, b.route())
    b.click(".filters button", "conflict")
    tally.equal("a chip goes", "#program?q=axis%3Adata", b.route())
    files = b.js("return [...document.querySelectorAll('.filters select')[2].options].map((o) => o.text)")
    tally.equal("the files of the program", ["any", "attention.py", "model.py"], sorted(files, key=lambda f: f != "any"))


def tree(b, d):
    b.open(b.page("gpt", d), "program")
    b.js("document.getElementById('tree').focus()")
    b.keys(HOME)
    tally.check("Home selects the first row", current(b).startswith("▾\narguments") or "arguments" in current(b), current(b))
    rows = b.js("return +document.getElementById('tree').getAttribute('aria-rowcount')")
    b.keys(LEFT)
    fewer = b.js("return +document.getElementById('tree').getAttribute('aria-rowcount')")
    arguments = sum(a >= 0 for a in d["values"]["argument"])
    tally.equal("left closes the arguments", rows - arguments, fewer)
    b.keys(RIGHT)
    tally.equal("right opens them", rows, b.js("return +document.getElementById('tree').getAttribute('aria-rowcount')"))
    b.keys(RIGHT)
    tally.check("right goes to the first", "w_in" in current(b), current(b))
    b.keys(LEFT)
    tally.check("left goes to the parent", "arguments" in current(b), current(b))
    b.keys(END)
    tally.check("End selects the last row", b.js("const e = document.querySelector('.row.current'); return e.getAttribute('aria-rowindex') === document.getElementById('tree').getAttribute('aria-rowcount')"))
    visible = b.js("const e = document.querySelector('.row.current').getBoundingClientRect(), t = document.querySelector('.tree-rows').getBoundingClientRect();"
                   "return e.top >= t.top && e.bottom <= t.bottom + 1")  # fmt: skip
    tally.check("the row of End is visible", visible)
    b.keys(UP, UP)
    tally.equal("the row is named to readers of the screen", b.js("return document.querySelector('.row.current').id"),
                b.js("return document.getElementById('tree').getAttribute('aria-activedescendant')"))  # fmt: skip
    b.keys(HOME, PAGE_DOWN)
    index = b.js("return +document.querySelector('.row.current').getAttribute('aria-rowindex')")
    tally.check("PageDown moves by a page", index > 10, index)
    b.go("program?v=40")
    b.js("document.getElementById('tree').focus()")
    b.keys(ENTER)
    tally.equal("Enter opens all reasons", "#why/value/40", b.route())
    b.go("program?v=60")
    depth = b.js("return +document.querySelector('.row.current').getAttribute('aria-level')")
    tally.check("a linked value's row is open and selected, at its level", depth >= 3, depth)
    while_row = next(o for o, name in enumerate(d["ops"]["op"]) if d["strings"][name] == "stablehlo.while")
    b.go(f"program?op={while_row}")
    text = current(b)
    tally.check("a loop shows once, with what is inside", "ops inside" in text, text)
    results = d["ops"]["results"][while_row]
    b.go(f"program?v={results[1]}")
    tally.check("each result of an op has a row", "result 1" in current(b), current(b))


def frame(b, d):
    b.open(b.page("gpt", d))
    for number, view in enumerate(("overview", "program", "why", "tensor", "memory", "timeline"), 1):
        b.keys(str(number))
        tally.equal(f"key {number}", f"#{view}", b.route())
        tally.equal(f"{view}: its tab is selected", view, b.js("return document.querySelector('[role=tab][aria-selected=true]').id.replace('tab-', '')"))
        tally.equal(f"{view}: one tab can have the focus", 1, b.js("return document.querySelectorAll('[role=tab][tabindex=\"0\"]').length"))
        tally.equal(f"{view}: the panel is named by its tab", f"tab-{view}", b.js("return document.querySelector('[role=tabpanel]').getAttribute('aria-labelledby')"))
    b.js("document.querySelector('[role=tab][aria-selected=true]').focus()")
    b.keys(RIGHT)
    tally.equal("right goes round the tabs", "#overview", b.route())
    b.keys(RIGHT)
    tally.equal("the focus goes with the tab", "tab-program", active(b))
    b.keys("?")
    tally.check("? opens the help", b.js("return document.querySelector('dialog[open]') !== null"))
    inside = b.js("return document.querySelector('dialog').contains(document.activeElement)")
    tally.check("the focus is in the help", inside)
    b.keys(ESCAPE)
    tally.check("Escape closes the help", b.js("return document.querySelector('dialog') === null"))
    was = b.js("return document.documentElement.dataset.theme")
    b.keys("t")
    tally.check("t changes the theme", b.js("return document.documentElement.dataset.theme") != was)
    b.open(b.page("gpt", d))
    was = b.js("return document.documentElement.dataset.theme")
    order = []
    for _ in range(6):
        b.keys(TAB)
        order.append(active(b))
    tally.equal("the order of Tab", ["Search the program", "Dark theme" if was == "light" else "Light theme", "Help", "tab-overview"], order[:4])
    outline = b.js("return getComputedStyle(document.activeElement).outlineStyle")
    tally.check("the focus is visible", outline not in ("none", ""), outline)


def names(b, d):
    """Everything that can have the focus has a name; every picture has one; ids are unique."""
    for route in ("overview", "program?v=40", "why", "why/value/40", "why/collective/0", "tensor/40", "memory", "timeline"):
        b.open(b.page("gpt", d), route)
        nameless = b.js(
            "return [...document.querySelectorAll('button, a[href], input, select, [tabindex=\"0\"], [role=img]')].filter((e) => !(e.innerText || '').trim() &&"
            "!e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') && !e.closest('[aria-hidden=true]') && !(e.labels && e.labels.length)).map((e) => e.outerHTML.slice(0, 120))"
        )
        tally.equal(f"{route}: all controls have names", [], nameless)
        twice = b.js("const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i && !id.startsWith('class-pattern'))")
        tally.equal(f"{route}: ids are unique", [], twice)
        heads = b.js("return document.querySelectorAll('h1').length")
        tally.equal(f"{route}: one h1", 1, heads)


with browser.Browser() as b:
    gpt = sample_documents.transformer()
    for check in (searches, typing, filters, tree, frame, names):
        check(b, gpt)
    complaints = b.complaints()
    tally.check("no messages on the console", not complaints, "\n".join(complaints[:5]))
tally.finish()
