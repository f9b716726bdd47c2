#===- views.py - what the views of report pages show ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compares what the views show with the document, and follows their links, in Chromium. Slices and bytes of reshards are
compared with a computation of their own, over meshes with sub-axes and dimensions of any size."""

import random
import re

import browser
import sample_documents

tally, options = browser.start("views", __doc__)
UNITS = ("B", "KiB", "MiB", "GiB")


def has(case, text, *parts):
    for part in parts:
        tally.check(f"{case}: {part}", part in (text or ""), text)


def bytes_text(n):
    """`1.5 MiB` with three significant digits, as the page has it."""
    unit = 0
    while n >= 1023.5 and unit < len(UNITS) - 1:
        n, unit = n / 1024, unit + 1
    if not unit:
        return f"{n} B"
    places = 0 if n >= 100 else 1 if n >= 10 else 2
    text = f"{n:.{places}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {UNITS[unit]}"


def overview(b, d):
    b.open(b.page("gpt", d))
    totals = dict(zip(b.texts(".total dt"), b.texts(".total dd")))
    s = d["statistics"]
    has("totals", totals["Sent"], bytes_text(s["bytes_sent_per_device"]))
    has("totals", totals["Peak memory"], bytes_text(s["predicted_peak"]["bytes"]))
    has("totals", totals["Program"], f"{d['statistics']['ops']} ops", f"{len(d['ops']['op'])} as written; 8 devices")
    has("totals", totals["Conflicts"], str(len(d["stops"])))
    tally.equal("mesh: a square for each device", 8, b.js("return document.querySelectorAll('.mesh rect.device').length"))
    has("mesh: names of axes", b.js("return document.querySelector('.mesh').textContent"), "data = 2", "model = 4")
    sent = {}
    for c in d["collectives"]:
        sent[c["kind"]] = sent.get(c["kind"], 0) + c["bytes_sent_per_device"]
    rows = b.texts(".traffic tbody tr")
    for kind, n in sent.items():
        tally.check(f"bytes of {kind}", any(kind.replace("_", "-") in row and bytes_text(n) in row for row in rows), rows)
    costliest = b.js("const c = [...document.querySelectorAll('.card')].find((e) => e.querySelector('h3').innerText === 'Costliest collectives');"
                     "return [...c.querySelectorAll('tbody tr')].map((e) => e.innerText)")  # fmt: skip
    tally.equal("ten costliest collectives", min(10, len(d["collectives"])), len(costliest))
    for c, row in zip(d["collectives"], costliest):
        has("costliest", row, bytes_text(c["bytes_sent_per_device"]))
    b.click(".card.wide tbody a")
    tally.equal("a collective's link", "#why/collective/0", b.route())
    b.open(b.page("gpt", d))
    b.click(".card a", "params['embed']")
    tally.equal("a replicated value's link", f"#why/value/{d['whole'][0]['value']}", b.route())
    b.open(b.page("gpt", d))
    b.click(".total a")
    has("conflicts' link", b.text(), "stopped at dimension", 'annotate the argument batch as P(\'data\', \'model\')')


def unknown(b):
    """What is not known is never shown as 0."""
    b.open(b.page("unknown", sample_documents.unknown))
    totals = dict(zip(b.texts(".total dt"), b.texts(".total dd")))
    for name in ("Step time", "Peak memory", "Sent", "Operations"):
        has(f"unknown {name}", totals[name], "not known")
    d = sample_documents.unknown()
    mine = [v for v, n in enumerate(d["values"]["argument"]) if n >= 0]
    has("unknown parameters", totals["Arguments"], bytes_text(sum(d["values"]["bytes"][v] for v in mine)), f"{len(mine)} of main")
    has("unknown step", totals["Step time"], "--machine FILE")
    b.go("timeline")
    has("unknown timeline", b.text(), "give --machine FILE")
    b.go("memory")
    has("unknown memory", b.text(), "not known")
    b.go("why/collective/0")
    has("unknown collective", b.text(), "Executions\nnot known", "Predicted\nnot known: give --machine FILE")


def reasons(b, d):
    """The chain of a value, from its last step to the annotation."""
    values, arrivals, strings = d["values"], d["arrivals"], d["strings"]
    v = max(range(len(values["name"])), key=lambda i: len(chain(d, values["why"][i][0][2])) if values["why"][i] else 0)
    b.open(b.page("gpt", d), f"why/value/{v}")
    steps = [a for a in chain(d, values["why"][v][0][2]) if arrivals["op"][a]]
    tally.check("a long chain is folded", f"{len(steps) - 3} more steps" in b.text(), b.text())
    b.click(".chain button")
    shown = b.js("return [...document.querySelector('.chain').querySelectorAll('li')].map((e) => e.innerText)")
    tally.equal("each step of the chain, and its origin", len(steps) + 1, len(shown))
    for a, text in zip(steps, shown):
        source = arrivals["from"][a]
        label = strings[values["source"][source]] or strings[values["name"][source]] if source >= 0 else strings[arrivals["origin_value"][a]]
        has("step", text, label, strings[arrivals["op"][a]].split(".")[-1], strings[arrivals["where"][a]])
    has("origin", shown[-1], "batch", "annotated")
    b.click(".chain a")
    tally.equal("a step's link", f"#why/value/{arrivals['from'][steps[0]]}", b.route())
    b.click(".actions a", "In the program")
    tally.check("the value's row is selected", b.js("return document.querySelector('.row.current') !== null"))
    b.js("history.back()")
    b.settle()
    tally.equal("the browser's way back", f"#why/value/{arrivals['from'][steps[0]]}", b.route())


def chain(d, a):
    steps = []
    while a >= 0 and a not in steps:
        steps.append(a)
        a = d["arrivals"]["next"][a]
    return steps


def collective(b, d):
    s = d["strings"]
    for i in (0, 1):
        b.open(b.page("gpt", d), f"why/collective/{i}")
        need, text = d["needs"][d["collectives"][i]["needs"][0]], b.text()
        has(f"collective {i}", text, "all-reduce", bytes_text(d["collectives"][i]["bytes_sent_per_device"]), "model.py:37", "✓ chosen", "rejected",
            "1.00 ×", "1.38 ×", "2 more expensive ways are left out", "gather it to full size", "Annotations that cause it", s[need["op"]])  # fmt: skip
        seconds = need["ways"][0][2]
        has(f"collective {i} cost", text, "29.1 µs" if seconds else "28.4 KiB")


def what_if(b, d):
    b.open(b.page("gpt", d), "why?list=what-if")
    rows = b.texts("main tbody tr")
    tally.equal("suggestions", len(d["what_if"]), len(rows))
    for w, row in zip(d["what_if"], rows):
        tally.equal("a suggestion is said once", 1, row.count("annotate"))
        has("suggestion", row, w["partition_spec"], bytes_text(w["saved_bytes"]), bytes_text(w["bytes"]))
    small = {**d, "what_if": [{**w, "saved_bytes": w["bytes"] // 2000} for w in d["what_if"]]}
    stand_out = "return [...document.querySelectorAll('main tbody tr')].map((row) => Boolean(row.cells[1].querySelector('strong')))"
    tally.equal("large savings stand out", [w["saved_bytes"] > 0 for w in d["what_if"]], b.js(stand_out))
    b.open(b.page("small_savings", small), "why?list=what-if")
    tally.equal("less than a thousandth does not", [False] * len(d["what_if"]), b.js(stand_out))
    has("it is said", b.texts("main tbody tr")[0], bytes_text(d["what_if"][0]["bytes"] // 2000) + " saved")


def slices(mesh, dims, shape, device):
    """The slice of a device: dims has (axis, before, size) for each dimension; axes are (name, size), row-major."""
    at, rest = {}, device
    for name, size in reversed(mesh):
        at[name], rest = rest % size, rest // size
    out = []
    for d, size in enumerate(shape):
        parts, index = 1, 0
        for axis, before, count in dims[d]:
            whole = dict(mesh)[axis]
            parts *= count
            index = index * count + at[axis] // (whole // before // count) % count
        each = -(-size // parts)
        out.append((min(size, index * each), min(size, (index + 1) * each)))
    return out


def volume(box):
    n = 1
    for a, e in box:
        n *= max(0, e - a)
    return n


def random_slices(b, count):
    """Random meshes and shardings: the page's slices and moved elements against `slices`."""
    b.open(b.page("gpt", sample_documents.transformer))
    for seed in range(count):
        r = random.Random(seed)
        mesh = [(f"m{i}", r.choice((1, 2, 3, 4, 6))) for i in range(r.randrange(1, 5))]
        rank = r.randrange(0, 7)
        shape = [r.choice((0, 1, 2, 3, 5, 8, 12)) for _ in range(rank)]

        def sharding():
            free = []
            for name, size in mesh:
                if size == 4 and r.random() < 0.4:
                    free += [(name, 1, 2), (name, 2, 2)]
                else:
                    free.append((name, 1, size))
            r.shuffle(free)
            return [[free.pop() for _ in range(r.randrange(0, 3)) if free] for _ in range(rank)]

        def text(dims):
            whole = dict(mesh)
            return "[" + ", ".join(
                "{" + ", ".join(f'"{a}"' if n == whole[a] else f'"{a}":({k}){n}' for a, k, n in axes) + r.choice(("", ", ?" if axes else "?")) + "}" + r.choice(("", "p1"))
                for axes in dims
            ) + "]"  # fmt: skip

        before, after = sharding(), sharding()
        devices = 1
        for _, size in mesh:
            devices *= size
        found = b.js(
            "const [axes, devices, from, to, shape] = arguments; const mesh = {axes, devices}, S = SW.sharding, a = S.parse(from), b = S.parse(to);"
            "return [...Array(devices).keys()].map((p) => { const m = S.moves(mesh, a, b, shape, p); return [m.before, m.after, m.receives]; })",
            [{"name": n, "size": k} for n, k in mesh], devices, text(before), text(after), shape,
        )  # fmt: skip
        for device in range(devices):
            has_box, needs_box = slices(mesh, before, shape, device), slices(mesh, after, shape, device)
            kept = volume([(max(a, c), min(e, g)) for (a, e), (c, g) in zip(has_box, needs_box)])
            expected = [[list(x) for x in has_box], [list(x) for x in needs_box], volume(needs_box) - kept]
            if not tally.equal(f"slices {seed}, device {device}: {text(before)} -> {text(after)} of {shape} on {mesh}", expected, found[device]):
                break


def tensor(b):
    """The drawing of each rank has a cell for each shard, and the table each device's slice."""
    d = sample_documents.ranks()
    for rank in range(7):
        b.open(b.page("ranks", d), f"tensor/{rank}?device=3")
        rows = b.texts("main tbody tr")
        tally.equal(f"rank {rank}: a row for each device", 6, len(rows))
        dims = [["x"] if k == 0 else ["y"] if k == 3 or (k == 1 and rank < 4) else [] for k in range(rank)]
        shape = [5 if k % 2 else 6 for k in range(rank)]
        mesh = [("x", 2), ("y", 3)]
        for device in range(6):
            box = slices(mesh, [[(a, 1, dict(mesh)[a]) for a in axes] for axes in dims], shape, device)
            has(f"rank {rank} device {device}", rows[device], "[" + ", ".join(f"{a}:{e}" for a, e in box) + "]")
        shards = len({tuple(map(tuple, slices(mesh, [[(a, 1, dict(mesh)[a]) for a in axes] for axes in dims], shape, p))) for p in range(6)})
        tally.equal(f"rank {rank}: a cell for each shard", shards, b.js("return document.querySelectorAll('g.shard').length"))
        tally.equal(f"rank {rank}: one is marked", 1, b.js("return document.querySelectorAll('g.shard.own').length"))
    b.open(b.page("ranks", d), "tensor/2")
    b.click("nav.lists a:nth-child(2)")
    has("a reshard", b.text(), "Before: [", "After: [", "Receives", "Keeps")
    b.click(".device-button", "4")
    has("a reshard's device", b.text(), "Device 4 keeps")
    tally.check("a reshard's device is in the route", "device=4" in b.route() and "reshard=" in b.route(), b.route())


def memory(b, d):
    b.open(b.page("gpt", d), "memory")
    peak = max(d["memory"]["points"], key=lambda p: p[1])
    has("memory", b.text(), "At the peak", bytes_text(peak[1]), *d["memory"]["classes"])
    rows = b.texts("main tbody tr")
    for entry, row in zip(d["memory"]["at_peak"], rows):
        has("contributor", row, entry["value"], entry["type"], bytes_text(entry["bytes"]))
    b.js("document.querySelector('.chart').focus()")
    b.keys("\ue011")  # Home
    has("memory by keys", b.text(), "At the cursor", bytes_text(d["memory"]["points"][0][1]))
    b.keys("\ue014")
    tally.equal("memory's point in the route", "#memory?at=1", b.route())
    b.click("main button", "Go to the peak")
    has("back to the peak", b.text(), "At the peak")


def predicted_timeline(b):
    """An op of a loop is drawn once, and counts as often as it runs."""
    d = sample_documents.transformer(2)
    b.open(b.page("predicted", d), "timeline")
    has("loops are drawn once", b.text(), "The body of a loop is drawn once")
    seconds, repeated = {}, set()
    for _, _, duration, name, op, _, times in d["timeline"]["events"]:
        if not d["strings"][d["ops"]["op"][op]].endswith("while"):
            seconds[name, op] = seconds.get((name, op), 0) + duration * times
            repeated |= {(name, op)} if times > 1 else set()
    longest = sorted(seconds, key=lambda key: -seconds[key])[:15]
    tally.check("an op of a loop is among the longest", repeated & set(longest), longest)
    expected = b.js("return arguments[0].map(SW.format.seconds)", [seconds[key] for key in longest])
    shown = b.js("return [...document.querySelectorAll('main table tbody tr')].map((row) => row.cells[4].innerText.trim())")
    tally.equal("an op of a loop takes the time of all iterations", expected, shown)


def timeline(b):
    d = sample_documents.transformer(2, lanes=8, source="measured", diff=sample_documents.difference())
    b.open(b.page("measured", d), "timeline")
    has("timeline", b.text(), "Measured step", "device 0", "device 7", "What takes most time", "waiting for other devices")
    tally.check("one process has no note", "processes" not in b.text(), b.text())
    drawn = b.js("const c = document.querySelector('canvas'); const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                 "const seen = new Set(); for (let i = 0; i < p.length; i += 4) if (p[i + 3]) seen.add(p[i] + ',' + p[i + 1] + ',' + p[i + 2]); return seen.size")  # fmt: skip
    tally.check("the canvas has colours", drawn > 3, drawn)
    b.js("document.querySelector('canvas').focus()")
    b.keys("\ue014")
    tally.check("a key chooses an event", "event=" in b.route(), b.route())
    first = b.text("#timeline-event")
    b.keys("\ue014")
    tally.check("the next event is another", b.text("#timeline-event") != first, first)
    b.keys("\ue013")
    has("up is the row of inner loops", b.text("#timeline-event"), "while on device 0", "iteration")
    b.keys("\ue013")
    b.keys("\ue012")
    has("up once more is the row of loops", b.text("#timeline-event"), "12 iterations")
    b.keys("\ue014")
    has("the next loop", b.text("#timeline-event"), "1,200 iterations")
    b.keys("\ue015", "\ue015", "\ue015")
    has("down is the next lane", b.text("#timeline-event"), "while on device 1", "12 iterations")
    has("table of loops", b.text(), "12 to 1,207", "0 to 3")
    b.keys("+", "+")
    tally.check("zoom is in the route", "from=" in b.route() or "until=" in b.route(), b.route())
    b.keys("0")
    tally.check("0 shows all", "from=" not in b.route() and "until=" not in b.route(), b.route())
    box = b.js("const r = document.querySelector('canvas').getBoundingClientRect(); return [r.left, r.top, r.width]")

    def click(x, row):
        for kind in ("mousePressed", "mouseReleased"):
            b.cdp("Input.dispatchMouseEvent", type=kind, x=box[0] + x, y=box[1] + 34 + 24 * row, button="left", clickCount=1)
        b.settle()

    click(box[2] * 0.25, 0)
    has("a click chooses a loop", b.text("#timeline-event"), "on device 0", "12 iterations")
    click(4, 2)  # below two rows of loops
    has("a click chooses", b.text("#timeline-event"), "on device 0")
    b.click("#timeline-event a")
    tally.check("an event's op", b.route().startswith("#program?op="), b.route())
    b.go("timeline?event=0")  # a kernel of ops of several places
    frames = {d["strings"][d["frames"][i][0]].split("/")[-1] + f":{d['frames'][i][1]}" for stack in d["stacks"] for i in stack}
    has("places of a kernel: their number", b.text("#timeline-event summary"), "and", "more")
    shown = "return document.querySelector('#timeline-event details ol').checkVisibility({contentVisibilityAuto: true})"
    tally.equal("places of a kernel: folded", False, b.js(shown))
    b.click("#timeline-event summary")
    tally.equal("places of a kernel: unfolded", True, b.js(shown))
    places = b.texts("#timeline-event li .place")
    number = int(re.search(r"and (\d+) more", b.text("#timeline-event summary")).group(1))
    tally.check("places of a kernel: all", len(set(places)) == len(places) == number and set(places) <= frames, (places, number, frames))
    own = b.text("#timeline-event summary .place")
    tally.check("places of a kernel: not its own again", own in frames and own not in places, (own, places))
    tally.check("places of a kernel: in the table", b.js("return document.querySelectorAll('main table details.places').length") > 0)
    b.go("overview")
    has("measured step on the overview", b.text(), "Measured (mean of the devices)")
    events, strings = d["timeline"]["events"], d["strings"]
    waits = sum(e[2] for e in events if strings[e[3]].startswith("waiting")) / 8
    computing = sum(e[2] for e in events if not e[5] and not strings[e[3]].startswith("waiting")) / 8
    tally.check("waiting is idle time", waits > 0 and b.js("return SW.format.seconds(arguments[0])", computing) in b.text(), computing)
    d = sample_documents.transformer(2, lanes=8, source="measured", processes=2)
    b.open(b.page("job", d), "timeline")
    has("timeline of a job", b.text(), "on 2 processes", "device 7, process 1")


def diff(b):
    d = sample_documents.transformer(2, diff=sample_documents.difference())
    b.open(b.page("diff", d), "diff")
    text = b.text()
    has("diff", text, "Another annotation", "params['blocks'][0]['w_in']", "A annotates it with", "29.3 KiB less", "0.857", "of the peak: argument", "144 KiB more", "9 µs more", "equal", "partition effort",
        "only in B", "only in A", "Show all 30 rows")  # fmt: skip
    tally.check("diff: what is equal has no section", "Ops of one program only" not in text, text)
    b.click("main button.more")
    tally.equal("diff: all shardings", 30, sum("= add" in row for row in b.texts("main tbody tr")))
    tally.equal("diff: names of the other program are no links", 0, b.js("return document.querySelectorAll('main td a').length"))
    same = {**sample_documents.difference(), "equal": True, "annotations": [], "options": [], "shardings": [], "collectives": []}
    b.open(b.page("same", sample_documents.transformer(1, diff=same)), "diff")
    has("diff of equal programs", b.text(), "Nothing differs")


with browser.Browser() as b:
    gpt = sample_documents.transformer()
    for check in (overview, reasons, collective, what_if, memory):
        check(b, gpt)
    unknown(b)
    tensor(b)
    predicted_timeline(b)
    timeline(b)
    diff(b)
    random_slices(b, 2000 if options.long else 150)
    complaints = b.complaints()
    tally.check("no messages on the console", not complaints, "\n".join(complaints[:5]))
tally.finish()
