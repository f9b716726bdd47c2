#===- report.py - report documents against statistics and explain ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Examples, programs of benchmarks/collective_bytes and random programs: every number of a report
document equals `--stats=json`, sums of its tables equal the statistics, and every reason is that of
`explain --json`, for all values and collectives. A second run writes the same bytes."""

import json
import math
import os
import re
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle
import partition_programs
import propagate_programs
import suggestions

# Suggestions propagate the program again for each obstacle, so large programs have few of them.
EXAMPLES = ["double", "mlp_train", "transformer_block", "gpt"]
COLLECTIVE_BYTES = 10
# Flags of values.
REMOVED, IS_RESULT = 4, 32


def tool(*arguments):
    done = oracle.process([oracle.TOOL, *arguments])
    if done.returncode == 2:
        return None
    assert done.returncode == 0, f"exit code {done.returncode}: {arguments}\n{done.stderr}"
    return done.stdout


def explained(path, names):
    """The answers of `explain` for values by name, in batches."""
    answers = []
    for start in range(0, len(names), 200):
        flags = [f"--value={name}" for name in names[start : start + 200]]
        answers += json.loads(tool("explain", path, "--json", *flags))["values"]
    return answers


class Document:
    def __init__(self, data):
        self.data, self.strings = data, data["strings"]
        self.values, self.arrivals = data["values"], data["arrivals"]

    def text(self, table, column, row):
        return self.strings[self.data[table][column][row]]

    def path(self, arrival):
        """The steps and the origin of a path, in the form of `explain --json`."""
        steps, table = [], self.arrivals
        while True:
            text = lambda column: self.text("arrivals", column, arrival)
            if text("op"):
                steps.append({
                    "value": text("value_name"), "dim": table["dim"][arrival], "through": text("op"),
                    "factor": text("factor"), "factor_kind": text("kind"),
                    "op_priority": table["op_priority"][arrival], "user_priority": table["user_priority"][arrival],
                    "where": text("where"),
                })  # fmt: skip
            if table["next"][arrival] < 0:
                break
            arrival = table["next"][arrival]
        origin = {
            "value": text("origin_value"), "dim": table["origin_dim"][arrival], "how": text("origin"),
            "where": text("origin_where"),
        }  # fmt: skip
        return steps, origin

    def stop(self, number):
        stop = {key: value for key, value in self.data["stops"][number].items() if key != "value"}
        if stop["suggestion"] is None:
            del stop["suggestion"]
        return stop

    def explanation(self, row):
        """The reasons of a value, in the form of `explain --json`."""
        dims = {}
        for dim, axis, arrival in self.values["why"][row]:
            steps, origin = self.path(arrival)
            dims.setdefault(dim, ([], []))[0].append({"axis": self.strings[axis], "steps": steps, "origin": origin})
        for number in self.values["stops"][row]:
            dims.setdefault(self.data["stops"][number]["dim"], ([], []))[1].append(self.stop(number))
        return {
            "type": self.text("values", "type", row), "sharding": self.text("values", "sharding", row), "dims": dims,
            "stops_ahead": [self.stop(number) for number in self.values["ahead"][row]],
            "notes": [note for v, note in self.data["notes"] if v == row],
        }  # fmt: skip

    def need(self, number):
        """A need, in the form of `explain --collectives --json`."""
        need, s = self.data["needs"][number], self.strings
        keys = ["op", "where", "why", "value", "has", "needs"]
        tensors = ["role", "value", "type", "propagated", "computed"]
        return {
            **{key: s[need[key]] for key in keys},
            "tensors": [dict(zip(tensors, (s[i] for i in row))) for row in need["tensors"]],
            "origins": [
                {"axis": s[a], "value": s[v], "dim": d, "from": s[f], "where": s[w]} for a, v, d, f, w in need["origins"]
            ],
            "ways": [
                {"how": s[how], "seconds" if seconds else "cost": cost, "taken": bool(taken)}
                for how, cost, seconds, taken in need["ways"]
            ],
            "more_ways": need["more_ways"],
            "routes": [{"how": s[how], "cost": cost, "taken": False} for how, cost in need["routes"]],
        }


def without_missing_suggestions(stops, document):
    """A document has suggestions for some stops only: leave out those that it has not."""
    return [
        {k: v for k, v in stop.items() if k != "suggestion" or "suggestion" in ours}
        for stop, ours in zip(stops, document)
    ] + stops[len(document) :]


def check_reasons(tally, name, path, document):
    values = document.values
    names = {}
    for row in range(len(values["name"])):
        if not values["flags"][row] & IS_RESULT:
            names.setdefault(document.text("values", "name", row), []).append(row)
    # A name may be that of several values, in the regions of a loop: explain answers for all, in the order of rows.
    answers = {}
    for answer in explained(path, list(names)):
        of_name = answers.setdefault(answer["name"], [])
        if answer.get("copy", 0) <= 1:
            of_name.append({})
        of_name[-1][answer.get("copy", 0)] = answer
    wrong = []
    for text, rows in names.items():
        number, before = -1, 1
        for row in rows:
            copy = values["copy"][row]
            if copy <= 1 or copy <= before:
                number += 1
            before = copy
            found = answers.get(text, [])
            theirs = found[number].get(copy) if number < len(found) else None
            ours = document.explanation(row)
            if theirs is None:
                wrong.append((text, "explain has no such value"))
                continue
            if values["flags"][row] & REMOVED:
                if theirs["sharding"] or theirs["dims"]:
                    wrong.append((text, "is in the program"))
                continue
            dims = {}
            for d, dim in enumerate(theirs["dims"]):
                mine = ours["dims"].get(d, ([], []))
                entry = (dim["axes"], without_missing_suggestions(dim["stops"], mine[1]))
                if entry[0] or entry[1]:
                    dims[d] = entry
            expected = {
                "type": theirs["type"], "sharding": theirs["sharding"], "dims": dims,
                "stops_ahead": without_missing_suggestions(theirs["stops_ahead"], ours["stops_ahead"]),
                "notes": theirs["notes"],
            }  # fmt: skip
            if json.loads(json.dumps(expected, sort_keys=True)) != json.loads(json.dumps(ours, sort_keys=True)):
                wrong.append((text, json.dumps(expected, sort_keys=True), json.dumps(ours, sort_keys=True)))
    tally.check(f"{name}: reasons of {len(names)} values", not wrong, "\n".join(map(str, wrong[:3])))


def check_results(tally, name, path, document):
    """The rows of results, which come last."""
    rows = [row for row, flags in enumerate(document.values["flags"]) if flags & IS_RESULT]
    for number, row in enumerate(rows):
        theirs = json.loads(tool("explain", path, "--json", f"--result={number}"))["values"][0]
        ours = document.explanation(row)
        dims = [ours["dims"].get(d, ([], []))[0] for d in range(len(theirs["dims"]))]
        tally.equal(
            f"{name}: result {number}", json.dumps([theirs["sharding"], [d["axes"] for d in theirs["dims"]]], sort_keys=True),
            json.dumps([ours["sharding"], dims], sort_keys=True),
        )  # fmt: skip


def check_collectives(tally, name, path, document, flags):
    theirs = json.loads(tool("explain", path, "--collectives", "--json", *flags))["collectives"]
    ours = []
    for one in document.data["collectives"]:
        mine = {key: value for key, value in one.items() if key not in ("op", "value", "stack", "name")}
        mine["needs"] = [document.need(number) for number in one["needs"]]
        ours.append(mine)
    tally.equal(f"{name}: collectives", json.dumps(theirs, indent=1, sort_keys=True),
                json.dumps(ours, indent=1, sort_keys=True))  # fmt: skip


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15)


def check_numbers(tally, name, document, statistics):
    data = document.data
    expected = {key: value for key, value in statistics.items() if key != "stages"}
    tally.equal(f"{name}: statistics", json.dumps(expected, indent=1, sort_keys=True),
                json.dumps(data["statistics"], indent=1, sort_keys=True))  # fmt: skip
    step, timeline, memory = statistics["predicted_step"], data["timeline"], data["memory"]
    sums = {
        "bytes of collectives": (sum(c["bytes_sent_per_device"] for c in data["collectives"]), statistics["bytes_sent_per_device"]),
        "seconds of ops": (max(sum(data["ops"]["seconds"]), 0) <= step["compute_seconds"] * (1 + 1e-9), True),
        "step": (timeline["total"], step["step_seconds"]),
        "peak": (memory["peak"], statistics["predicted_peak"]["bytes"]),
        "classes at the peak": (sum(statistics["predicted_peak"]["classes"].values()), memory["peak"]),
    }  # fmt: skip
    if memory["points"]:
        sums["largest point"] = (max(b for _, b in memory["points"]), memory["peak"])
        sums["classes of points"] = ([sum(c) for c in memory["by_class"]], [b for _, b in memory["points"]])
    if len(memory["at_peak"]) == memory["values_at_peak"]:
        sums["values at the peak"] = (sum(v["bytes"] for v in memory["at_peak"]), memory["peak"])
    if not timeline["left_out"]:
        compute = timeline["lanes"].index("compute")
        events = timeline["events"]
        sums["computing"] = (sum(e[2] * e[6] for e in events if e[0] == compute) + timeline["overhead"], step["compute_seconds"])
        sums["communication"] = (
            sum(e[2] * e[6] for e in events if timeline["lanes"][e[0]].startswith("link")), step["communication_seconds"]
        )  # fmt: skip
        sums["bytes of events"] = (
            sum(e[5] for e in events), sum(c["bytes_sent_per_device"] for c in data["collectives"] if c["predicted_seconds"] > 0)
        )  # fmt: skip
    for what, (ours, theirs) in sums.items():
        same = ours == theirs if isinstance(ours, (list, bool)) else near(ours, theirs)
        tally.check(f"{name}: {what}", same, f"{ours} is not {theirs}")


def check_tables(tally, name, document):
    """All indices are in their tables, and columns have equal lengths."""
    data, wrong = document.data, []
    sizes = {"s": len(data["strings"]), "v": len(data["values"]["name"]), "o": len(data["ops"]["op"]),
             "a": len(data["arrivals"]["op"]), "stack": len(data["stacks"]), "stop": len(data["stops"])}  # fmt: skip
    kinds = {
        "ops": {"op": "s", "name": "s", "function": "s", "parent": "o", "operands": "v", "results": "v", "stack": "stack"},
        "values": {"name": "s", "source": "s", "type": "s", "local": "s", "sharding": "s", "op": "o", "stops": "stop", "ahead": "stop"},
        "arrivals": {"value": "v", "from": "v", "op": "s", "factor": "s", "kind": "s", "axis": "s", "where": "s", "next": "a",
                     "origin": "s", "origin_value": "s", "origin_where": "s", "value_name": "s"},
        "annotations": {"value": "v", "sharding": "s", "kind": "s", "where": "s"},
    }  # fmt: skip
    for table, columns in kinds.items():
        lengths = {len(column) for column in data[table].values()}
        if len(lengths) > 1:
            wrong.append(f"{table}: columns of lengths {lengths}")
        for column, kind in columns.items():
            for cell in data[table][column]:
                for index in cell if isinstance(cell, list) else [cell]:
                    if not -1 <= index < sizes[kind]:
                        wrong.append(f"{table}.{column}: {index}")
    tally.check(f"{name}: tables", not wrong, "\n".join(wrong[:5]))


def check_what_if(tally, name, path, document):
    """jaxlib writes the annotations of arguments and results into the program, which is partitioned again."""
    with open(path) as file:
        text = oracle.normal(file.read())
    mesh = re.search(r"sdy.mesh @(\w+)", text)
    for one in document.data["what_if"]:
        row = one["value"]
        argument, flags = document.values["argument"][row], document.values["flags"][row]
        if argument < 0 and not flags & IS_RESULT:
            continue
        module = oracle.parse(text)
        with module.context, oracle.ir.Location.unknown():
            ir = oracle.ir
            main = suggestions.find(module, "")[0]
            key = "res_attrs" if argument < 0 else "arg_attrs"
            index = document.values["result"][row][0] if argument < 0 else argument
            count = len(ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).results)
            if argument >= 0:
                count = len(main.regions[0].blocks[0].arguments)
            attrs = list(main.attributes[key]) if key in main.attributes else [ir.DictAttr.get({})] * count
            old = {a.name: a.attr for a in ir.DictAttr(attrs[index])}
            sharding = ir.Attribute.parse(f"#sdy.sharding<@{mesh.group(1)}, {one['sharding']}>")
            attrs[index] = ir.DictAttr.get({**old, "sdy.sharding": sharding})
            main.attributes[key] = ir.ArrayAttr.get(attrs)
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(oracle.text(module))
            file.flush()
            found = json.loads(tool("report", file.name, "--form=json", "--trials=0"))["statistics"]
        ours = (one["bytes"], one["seconds"], one["peak"])
        theirs = (found["bytes_sent_per_device"], found["predicted_step"]["step_seconds"], found["predicted_peak"]["bytes"])
        tally.check(f"{name}: {one['text']}", all(near(a, b) for a, b in zip(ours, theirs)), f"{ours} is not {theirs}")


def check(tally, name, path, trials, flags=()):
    with tempfile.TemporaryDirectory() as folder:
        out, again, stats = (os.path.join(folder, file) for file in ("a.json", "b.json", "stats.json"))
        done = tool("report", path, "-o", out, "--compile", f"--trials={trials}", f"--stats=json={stats}", *flags)
        if done is None:
            tally.skip(name, "not partitioned")
            return
        tool("report", path, "-o", again, "--compile", f"--trials={trials}", *flags)
        with open(out, "rb") as file:
            first = file.read()
        with open(again, "rb") as file:
            tally.check(f"{name}: determinism", first == file.read())
        document = Document(json.loads(first))
        with open(stats) as file:
            check_numbers(tally, name, document, json.load(file))
        partition = tool("partition", path, "--stats=json", *flags)
        check_numbers(tally, f"{name}: partition", document, json.loads(partition))
        check_tables(tally, name, document)
        check_reasons(tally, name, path, document)
        check_results(tally, name, path, document)
        check_what_if(tally, name, path, document)
        check_collectives(tally, name, path, document, flags)


def check_run(tally, name, path):
    """The page of a run has its trace: the bytes of all collectives, the source of its steps, its loops."""
    with tempfile.TemporaryDirectory() as folder:
        page, stats = os.path.join(folder, "run.html"), os.path.join(folder, "stats.json")
        tool("run", path, "--random", "1", f"--report=html={page}", f"--stats=json={stats}")
        with open(page, encoding="utf-8") as file:
            data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', file.read(), re.S).group(1))
        with open(stats) as file:
            seconds = json.load(file)["run_seconds"]
    timeline, collectives = data["timeline"], data["collectives"]
    right = timeline["source"] == "measured" and len(timeline["lanes"]) == data["mesh"]["devices"] and timeline["total"] == seconds
    tally.check(f"{name}: timeline of a run", right, json.dumps(timeline)[:500])
    events, loops = timeline["events"], timeline["loops"]
    tally.equal(f"{name}: all events", (0, 0), (timeline["left_out"], timeline["loops_left_out"]))
    kinds = {c["kind"] for c in collectives}
    silent = [e for e in events if data["strings"][e[3]] in kinds and e[5] is None]
    tally.check(f"{name}: bytes of each collective of a run", not silent, str(silent))
    for lane in range(len(timeline["lanes"])):
        sent = sum(e[5] or 0 for e in events if e[0] == lane)
        said = data["statistics"]["bytes_sent_per_device"]
        tally.check(f"{name}: bytes of a run", math.isclose(sent, said, rel_tol=1e-9), f"{sent} {said}")
    fused = timeline["fused"]
    tally.check(f"{name}: kernels of several ops", len(fused) > 0)
    tally.equal(f"{name}: events of such kernels", set(range(len(fused))), {e[8] for e in events} - {-1})
    ops, stacks = data["ops"], len(data["stacks"])
    for step, op, stack in (row for rows in fused for row in rows):
        kind = data["strings"][ops["op"][op]].removeprefix("stablehlo.") if op >= 0 else None
        right = kind in (None, data["strings"][step]) and -1 <= stack < stacks and (op < 0 or stack == ops["stack"][op])
        tally.check(f"{name}: ops of a kernel", right, str((data["strings"][step], op, stack)))
    placeless = sum(row[2] < 0 for rows in fused for row in rows)
    tally.check(f"{name}: places of kernels", placeless <= sum(map(len, fused)) // 10, f"{placeless} of {sum(map(len, fused))}")
    unknown = [data["strings"][e[3]] for e in events if e[7] < 0]
    tally.check(f"{name}: sources of a run", len(unknown) <= len(events) // 50, str(unknown))
    trips = data["ops"]["op"].count(data["strings"].index("stablehlo.while")) if "stablehlo.while" in data["strings"] else 0
    tally.equal(f"{name}: loops of a run", trips * len(timeline["lanes"]), len(loops))
    for lane, start, seconds, _, op, iterations, depth, _ in loops:
        body = data["ops"]["parent"].index(op) if op >= 0 else -1
        tally.check(f"{name}: iterations", body >= 0 and data["ops"]["times"][body] == iterations and depth == 0, str((op, iterations, depth)))
        inside = [e for e in events if e[0] == lane and start <= e[1] and e[1] + e[2] <= start + seconds + 1e-9]
        tally.check(f"{name}: steps of a loop", len(inside) >= iterations, str(len(inside)))


def collective_bytes(tally, folder):
    sys.path[:0] = [os.path.join(ROOT, "benchmarks"), os.path.join(ROOT, "benchmarks", "collective_bytes")]
    import common
    import run

    common.Program.runs = False
    for name, make in list(run.programs())[-COLLECTIVE_BYTES:]:
        path = os.path.join(folder, "program.mlir")
        with open(path, "w") as file:
            file.write(make().text)
        check(tally, name, path, trials=0)


def main():
    args = oracle.arguments(__doc__, cases=20, long_cases=400)
    tally = oracle.Tally("report")
    machine = ["--machine", os.path.join(ROOT, "examples", "machines", "accelerator.json")]
    for name in EXAMPLES:
        path = os.path.join(ROOT, "examples", name, f"{name}.mlir")
        check(tally, name, path, trials=6)
        check(tally, f"{name} on a machine", path, trials=0, flags=machine)
        check_run(tally, name, path)
    with tempfile.TemporaryDirectory() as folder:
        collective_bytes(tally, folder)
        for rng in oracle.generators(args):
            generate = rng.choice([propagate_programs.generate, lambda r: partition_programs.random_program(r)])
            try:
                program = oracle.normal(str(generate(rng)))
            except oracle.OracleError:
                continue
            path = os.path.join(folder, "random.mlir")
            with open(path, "w") as file:
                file.write(program)
            check(tally, rng.name, path, trials=3)
    tally.finish()


if __name__ == "__main__":
    main()
