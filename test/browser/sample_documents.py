#===- sample_documents.py - report documents of every form ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Report documents (docs/dev/report-format.md) that real programs rarely give: empty, of one device,
of five or ten axes, of every rank, with hostile names, with unknown numbers, and of many ops.
Documents are deterministic: they depend on their arguments only."""

import random

HOSTILE = (
    "</script><script>window.attacked=1</script>",
    "<img src=x onerror=window.attacked=1>",
    "<!--<script>",
    '"><b onmouseover=window.attacked=1>',
    "javascript:window.attacked=1",
    "\u2028\u2029\u202e\ufeff",
    "a" * 300,
    "quo\"te\\back'tick`${window.attacked=1}",
    "&lt;b&gt; &amp;amp;",
    "名前 des données",
)


class Builder:
    """Makes the tables of a document; values and ops are named by their indices."""

    def __init__(self, title="sample.mlir", axes=(("data", 2), ("model", 4)), machine=True):
        self.indices, self.strings = {"": 0}, [""]
        self.axes = [{"name": n, "size": k} for n, k in axes]
        self.devices = 1
        for axis in self.axes:
            self.devices *= axis["size"]
        self.machine, self.title = machine, title
        self.frames, self.stacks, self.user_frame, self.stack_of = [], [], [], {}
        self.ops = {c: [] for c in ("op", "name", "stack", "function", "parent", "operands", "results", "times", "flops", "seconds", "communication_seconds")}
        self.values = {
            c: []
            for c in ("name", "source", "type", "local", "sharding", "bytes", "local_bytes", "op", "argument", "result", "copy", "copies", "flags", "why", "stops", "ahead")
        }
        self.arrivals = {
            c: []
            for c in ("value", "dim", "from", "from_dim", "op", "factor", "kind", "op_priority", "user_priority", "where", "value_name",
                      "next", "origin", "origin_dim", "origin_value", "origin_where")
        }  # fmt: skip
        self.stops, self.collectives, self.whole, self.reshards, self.what_if = [], [], [], [], []
        self.needs, self.notes = [], []
        self.arguments = 0

    def s(self, text):
        if text not in self.indices:
            self.indices[text] = len(self.strings)
            self.strings.append(text)
        return self.indices[text]

    def stack(self, file, line, function="f"):
        key = (file, line, function)
        if key not in self.stack_of:
            library = len(self.frames)
            self.frames.append([self.s("/usr/lib/python3/jax/_src/numpy/lax_numpy.py"), 700, 4, self.s("dot")])
            self.frames.append([self.s(file), line, 8, self.s(function)])
            self.stack_of[key] = len(self.stacks)
            self.stacks.append([library, library + 1])
            self.user_frame.append(1)
        return self.stack_of[key]

    def size(self, axis):
        return next(a["size"] for a in self.axes if a["name"] == axis)

    def value(self, name, shape, dims=None, element="f32", op=-1, source="", argument=False, flags=0, result=(), unreduced=()):
        """dims: a list of axis names for each dimension; None is a value without a sharding."""
        width = {"f32": 4, "bf16": 2, "i32": 4, "i1": 1}[element]
        text = "x".join([*map(str, shape), element])
        local, sharding = list(shape), ""
        if dims is not None:
            for d, axes in enumerate(dims):
                for axis in axes:
                    local[d] = -(-local[d] // self.size(axis))
            sharding = "[" + ", ".join("{" + ", ".join(f'"{a}"' for a in axes) + "}" for axes in dims) + "]"
            if unreduced:
                sharding += ", unreduced={" + ", ".join(f'"{a}"' for a in unreduced) + "}"

        def count(sizes):
            n = width
            for size in sizes:
                n *= size
            return n

        row = {
            "name": self.s(name), "source": self.s(source), "type": self.s(text), "local": self.s("x".join([*map(str, local), element])),
            "sharding": self.s(sharding), "bytes": count(shape), "local_bytes": count(local), "op": op,
            "argument": self.arguments if argument else -1, "result": list(result), "copy": 0, "copies": 1, "flags": flags, "why": [], "stops": [], "ahead": [],
        }  # fmt: skip
        self.arguments += argument
        for column, entry in row.items():
            self.values[column].append(entry)
        return len(self.values["name"]) - 1

    def op(self, op, name="", operands=(), stack=-1, function="main", parent=-1, times=1, flops=0, seconds=0.0):
        row = {
            "op": self.s(op), "name": self.s(name), "stack": stack, "function": self.s(function), "parent": parent,
            "operands": list(operands), "results": [], "times": times, "flops": flops, "seconds": seconds if self.machine else 0,
            "communication_seconds": 0,
        }  # fmt: skip
        for column, entry in row.items():
            self.ops[column].append(entry)
        return len(self.ops["op"]) - 1

    def result(self, o, *args, **kwargs):
        v = self.value(*args, op=o, **kwargs)
        self.ops["results"][o].append(v)
        return v

    def arrival(self, value, dim, axis, came_from=-1, from_dim=-1, op="", following=-1, origin="", origin_value=-1, where=""):
        row = {
            "value": value, "dim": dim, "from": came_from, "from_dim": from_dim, "op": self.s(op), "factor": self.s("i" if op else ""),
            "kind": self.s("forward" if op else ""), "op_priority": 0, "user_priority": 0, "where": self.s(where),
            "value_name": self.values["name"][value], "next": following, "origin_dim": dim,
            "origin": self.s(origin),
            "origin_value": self.values["name"][origin_value] if origin_value >= 0 else 0, "origin_where": self.s(""),
        }  # fmt: skip
        for column, entry in row.items():
            self.arrivals[column].append(entry)
        a = len(self.arrivals["value"]) - 1
        self.values["why"][value].append([dim, self.s(axis), a])
        return a

    def stop(self, value, axis, dim, source, **more):
        self.stops.append({
            "axis": f'"{axis}"', "dim": dim, "value": value, "source": source, "source_dim": dim, "through": "add", "where": "model.py:12",
            "target": source, "obstacle": "closed", "why": f"dim {dim} of {self.strings[self.values['name'][value]]} is closed", "suggestion": None, **more,
        })  # fmt: skip
        self.values["stops"][value].append(len(self.stops) - 1)
        self.values["flags"][value] |= 2

    def collective(self, kind, axes, sent, op, value, executions=1, why="", stack=-1, name="", needs=None):
        has, wants = '[{"data"}, {}]', "[{}, {}]"
        value_name = self.strings[self.values["name"][value]] if value >= 0 else ""
        s, seconds = self.s, len(self.needs) % 2
        scale = 1e-9 if seconds else 1
        if needs is None:
            needs = [len(self.needs)]
            self.needs.append({
                "has": s(has), "needs": s(wants), "op": s(f"dot_general {value_name}"), "where": s("model.py:37"), "value": s(value_name),
                "more_ways": 2, "why": s(why or f'each device has a partial result of {value_name} along "{axes[0]}", which is reduced to {wants}'),
                "origins": [[s(f'"{axes[0]}"'), s(value_name), 0, s(f"{value_name}, annotated {has}"), s("model.py:3")]],
                "routes": [[s("gather it to full size, then slice it (2 steps)"), 28672]],
                "tensors": [[s("operand 0"), s(value_name), s("8x16xf32"), s(wants), s(has)]],
                "ways": [[s('[{"data"}, {"model"}] [{"model"}, {}] -> [{"data"}, {}]'), 29081.6 * scale, seconds, 1],
                         [s('[{"data"}, {}] [{}, {}] -> [{"data"}, {}]'), 40140.8 * scale, seconds, 0]],
            })  # fmt: skip
        self.collectives.append({
            "kind": kind, "axes": ",".join(f'"{a}"' for a in axes), "bytes_sent_per_device": sent, "executions": executions,
            "group_size": 4, "predicted_seconds": sent * 1e-9 if self.machine else None, "needs": needs,
            "op": op, "value": value, "stack": stack, "name": self.s(name),
        })  # fmt: skip
        return len(self.collectives) - 1

    def memory(self, points=200):
        count = len(self.ops["op"])
        if not count:
            return {"peak": None, "values_at_peak": 0, "points": [], "classes": [], "by_class": [], "at_peak": []}
        classes = ["argument", "state", "temporary", "gathered", "residual", "result"]
        out, rows = [], []
        for i in range(min(points, count)):
            wave = 1 - abs(2 * i / max(1, min(points, count) - 1) - 1)
            row = [200000, 30000, int(90000 * wave), 20000 * (i % 7 == 3), int(60000 * wave), 800 * i // 10]
            rows.append(row)
            out.append([i * count // min(points, count), sum(row)])
        peak = max(range(len(out)), key=lambda i: out[i][1])
        largest = sorted(range(len(self.values["name"])), key=lambda v: -self.values["local_bytes"][v])[:10]
        at_peak = [
            {"value": self.strings[self.values["source"][v] or self.values["name"][v]], "row": v, "type": self.strings[self.values["local"][v]],
             "class": classes[v % 6], "bytes": self.values["local_bytes"][v]}
            for v in largest
        ]  # fmt: skip
        return {"peak": out[peak][1], "values_at_peak": 31, "points": out, "classes": classes, "by_class": rows, "at_peak": at_peak}

    def timeline(self, lanes=1, source="predicted", processes=1):
        if not self.machine and source == "predicted":
            return None
        events, loops, total = [], [], 0.0
        for lane in range(lanes):
            at = 0.0
            for o in range(min(len(self.ops["op"]), 20000 // lanes)):
                seconds = self.ops["seconds"][o] * (1 + 0.07 * ((lane * 7 + o) % 5) * (lanes > 1))
                sent = sum(c["bytes_sent_per_device"] for c in self.collectives if c["op"] == o) if o % 10 == 0 or o < 200 else 0
                if seconds:
                    events.append([lane, at, seconds, self.ops["name"][o], o, 0, self.ops["times"][o] if source == "predicted" else 1])
                    at += seconds
                if sent:
                    events.append([lane, at, sent * 1e-9, self.s("all_reduce"), o, sent, 1])
                    at += sent * 1e-9 + (2e-6 if o % 3 == 0 else 0)
            if source == "measured":  # a wait for the other devices
                events.append([lane, at, 0.04 * at, self.s("waiting for all_reduce"), -1, None, 1])
                at *= 1.04
            total = max(total, at)
            if source == "measured":  # two runs of a loop, the first of which holds two runs of another
                for begin, end, iterations, depth in ((0.1, 0.4, 12, 0), (0.12, 0.2, 3, 1), (0.22, 0.3, 0, 1), (0.5, 0.9, 1200 + lane, 0)):
                    loops.append([lane, begin * at, (end - begin) * at, self.s("while"), -1, iterations, depth, -1])
        names = [f"device {i}" for i in range(lanes)] if lanes > 1 else ["all devices"]
        timeline = {"source": source, "lanes": names, "events": events, "total": total, "left_out": 0, "overhead": 0,
                    "loops": loops, "loops_left_out": 0}  # fmt: skip
        if source == "measured":  # each lane's first kernel has the ops after it, too
            last = min(5, len(self.ops["op"]))
            timeline["fused"] = [[[self.ops["op"][o], o, -1] for o in range(1, last)] + [[self.s("constant"), -1, -1]]]
            timeline["processes"] = processes
            seen = set()
            for event in events:
                event += [-1, -1 if event[0] in seen else 0]
                seen.add(event[0])
            if processes > 1:
                timeline["lanes"] = [f"{name}, process {i * processes // lanes}" for i, name in enumerate(names)]
        return timeline

    def document(self, lanes=1, source="predicted", memory=True, diff=None, processes=1):
        timeline = self.timeline(lanes, source, processes)  # names of events are strings
        sent = sum(c["bytes_sent_per_device"] for c in self.collectives)
        self.order_collectives()
        statistics = {"bytes_sent_per_device": sent, "devices": self.devices, "ops": len(self.ops["op"]) + 7,  # terminators count, too
                       "peak_bytes_per_device": 248580}
        if self.machine:
            compute = sum(self.ops["seconds"])
            statistics["predicted_step"] = {
                "communication_seconds": sent * 1e-9, "compute_seconds": compute, "exposed_communication_seconds": sent * 0.8e-9,
                "machine": "an accelerator", "step_seconds": compute + sent * 0.8e-9,
            }  # fmt: skip
        memory = self.memory() if memory else None
        if memory and memory["peak"]:
            statistics["predicted_peak"] = {"bytes": memory["peak"], "place": "add (model.py:25)", "values": 31}
        links = [{"axis": a["name"], "bytes_per_second": 1e11 / (i + 1), "latency_seconds": 1e-6} for i, a in enumerate(self.axes)]
        return {
            "format": "shardwright report", "version": 1, "made_by": "shardwright 0.9 (LLVM 22.1)", "title": self.title, "statistics": statistics,
            "mesh": {"name": "mesh", "axes": self.axes, "devices": self.devices, "device_ids": None},
            "machine": {"name": "an accelerator", "given": True, "flops_per_second": 1e14, "bytes_per_second": 1e12, "links": links} if self.machine else None,
            "parameters": {"arguments": self.arguments, "elements": 123456, "bytes": 493824, "local_bytes": 61728},
            "flops": {"global": sum(self.ops["flops"]) * self.devices, "local": sum(self.ops["flops"])},
            "strings": self.strings, "frames": self.frames, "stacks": self.stacks, "user_frame": self.user_frame, "ops": self.ops,
            "values": self.values, "arrivals": self.arrivals, "stops": self.stops, "collectives": self.collectives, "needs": self.needs, "notes": self.notes, "options": {"shardy": "0.12.0", "partition_effort": 1, "overlap": "off", "target": "cpu"},
            "annotations": {"value": [], "sharding": [], "kind": [], "where": []}, "whole": self.whole,
            "reshards": self.reshards, "what_if": self.what_if, "memory": memory, "timeline": timeline, "diff": diff,
        }  # fmt: skip

    def order_collectives(self):
        """Sorts by bytes, descending, as the format asks for, and renames them in the reshards."""
        order = sorted(range(len(self.collectives)), key=lambda i: -self.collectives[i]["bytes_sent_per_device"])
        place = {old: new for new, old in enumerate(order)}
        self.collectives = [self.collectives[i] for i in order]
        for reshard in self.reshards:
            if reshard["collective"] >= 0:
                reshard["collective"] = place[reshard["collective"]]


def transformer(layers=4, title="examples/gpt/gpt.mlir", machine=True, ops_per_layer=24, lanes=1, source="predicted", diff=None, processes=1):
    """A transformer's step with loops, reasons, conflicts, reshards and suggestions."""
    b = Builder(title, machine=machine)
    weights = []
    for layer in range(layers):
        for name, dims in (("w_in", [[], ["model"]]), ("w_out", [["model"], []]), ("scale", [[], []])):
            v = b.value(f"%arg{b.arguments}", (64, 256), dims, source=f"params['blocks'][{layer}]['{name}']", argument=True,
                        flags=8 if name != "scale" else 0)  # fmt: skip
            weights.append(v)
            for d, axes in enumerate(dims):
                for axis in axes:
                    text = b.strings[b.values["sharding"][v]]
                    b.arrival(v, d, axis, origin=f"annotated {text}", origin_value=v)
    x = b.value(f"%arg{b.arguments}", (8, 16, 64), [["data"], [], []], source="batch", argument=True, flags=8)
    root = x
    b.arrival(x, 0, "data", origin='annotated [{"data"}, {}, {}]', origin_value=x)
    loop = last = -1
    for layer in range(layers):
        for k in range(ops_per_layer):
            kind = ("dot_general", "add", "multiply", "tanh", "reduce", "broadcast_in_dim")[k % 6]
            part = ("attn", "mlp", "norm")[k * 3 // ops_per_layer]
            stack = b.stack("/home/user/model.py" if k % 3 else "/home/user/layers/attention.py", 20 + k, part)
            if layer == layers - 1 and k == ops_per_layer // 2:
                loop = b.op("stablehlo.while", "jit(step)/while", [x], stack, times=1)
                y = b.result(loop, f"%w{layer}#0", (8, 16, 64), [["data"], [], []])
                b.result(loop, f"%w{layer}#1", (), [], element="i32")
                b.arrival(y, 0, "data", came_from=x, from_dim=0, op="stablehlo.while", following=last)
                x = y
                continue
            inside = loop >= 0
            name = f"jit(step)/while/body/{part}/{kind}" if inside else f"jit(step)/jvp(block{layer})/{part}/{kind}"
            o = b.op(f"stablehlo.{kind}", name, [x, weights[(layer * 3 + k) % len(weights)]], stack, parent=loop, times=8 if inside else 1,
                     flops=2_000_000 if kind == "dot_general" else 20_000, seconds=(6e-6 if kind == "dot_general" else 7e-7))  # fmt: skip
            model = kind == "dot_general" and part == "mlp"
            y = b.result(o, f"%{b.ops['op'].__len__()}", (8, 16, 256 if model else 64), [["data"], [], ["model"] if model else []])
            # The first step comes from the annotation itself.
            first = {"origin": 'annotated [{"data"}, {}, {}]', "origin_value": x} if x == root else {"came_from": x, "from_dim": 0, "following": last}
            last = b.arrival(y, 0, "data", op=f"stablehlo.{kind}", where=f"model.py:{20 + k}", **first)
            if kind == "dot_general":
                sent = 98304 // (k + 1) * (8 if inside else 1)
                i = b.collective("all_reduce" if k % 2 == 0 else "all_gather", ["model"] if k % 4 else ["data", "model"], sent, o, y, 8 if inside else 1,
                                 stack=stack, name=name)  # fmt: skip
                if k % 12 == 0:
                    b.reshards.append({"value": y, "from": '[{"data"}, {}, {"model"}]', "to": '[{"data", "model"}, {}, {}]', "bytes": sent, "collective": i})
            if kind == "reduce" and layer % 2 == 0:
                suggestion = {"kind": "argument", "value": "batch", "gives": {"axis": '"model"', "dim": 1}, "sharding": '[{"data"}, {"model"}, {}]', "partition_spec": "P('data', 'model')"}
                b.stop(y, "model", 1, b.strings[b.values["name"][x]], suggestion=suggestion)
            x = y
    b.values["result"][x] = [0]
    table = b.value(f"%arg{b.arguments}", (8192, 512), [[], []], source="params['embed']", argument=True, flags=1)
    b.ops["operands"][0].append(table)
    for v in [table, *weights[2::3]][:10]:
        b.whole.append({"value": v, "bytes": b.values["bytes"][v], "why": f'no axis reaches it: {b.strings[b.values["name"][v]]} has no annotation'})
    b.what_if = [
        {"text": f"annotate argument params['embed'] as [{{\"{a}\"}}, {{}}], P('{a}', None)", "sharding": f'[{{"{a}"}}, {{}}]', "partition_spec": f"P('{a}', None)", "value": table,
         "bytes": 210052 - n, "seconds": 1e-4 if machine else None, "peak": 200000, "saved_bytes": n, "saved_seconds": n * 1e-9 if machine else None, "saved_peak": n // 2 - 20000,
         "verified": True}
        for a, n in (("model", 72830), ("data", 31000))
    ]  # fmt: skip
    return b.document(lanes=lanes, source=source, diff=diff, processes=processes)


def empty():
    return Builder("empty.mlir", axes=(), machine=False).document()


def one_device():
    b = Builder("one.mlir", axes=())
    x = b.value("%arg0", (4, 4), None, source="x", argument=True)
    o = b.op("stablehlo.add", "jit(f)/add", [x, x], b.stack("f.py", 3), flops=16, seconds=1e-7)
    b.result(o, "%0", (4, 4), None, result=[0])
    return b.document()


def many_axes(count=5):
    """A mesh of `count` axes; a value of `count` dimensions, one axis each, and one dimension with all axes."""
    names = ("pod", "data", "fsdp", "model", "expert", "stage", "pipe", "seq", "head", "tensor", "x", "y")[:count]
    b = Builder(f"{count}-axes.mlir", axes=[(n, 2) for n in names])
    x = b.value("%arg0", [4] * count, [[n] for n in names], source="x", argument=True, flags=8)
    y = b.value("%arg1", [2**count * 3, 5], [list(names), []], source="y", argument=True)
    for v in (x, y):
        for d, n in enumerate(names):
            b.arrival(v, d if v == x else 0, n, origin="annotated", origin_value=v)
    o = b.op("stablehlo.custom_call", "jit(f)/custom_call", [x, y], b.stack("f.py", 3), flops=100, seconds=1e-6)
    r = b.result(o, "%0", [4] * count, [[]] * count, unreduced=[names[0]], result=[0])
    for i, n in enumerate(names):
        b.collective(("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute")[i % 5], [n], 1000 * (i + 1), o, r)
    b.reshards.append({"value": x, "from": b.strings[b.values["sharding"][x]], "to": b.strings[b.values["sharding"][r]].split(", unr")[0], "bytes": 1000, "collective": 0})
    return b.document()


def ranks():
    """Values of rank 0 to 6, without elements, of odd sizes, and of types without slices."""
    b = Builder("ranks.mlir", axes=(("x", 2), ("y", 3)))
    for rank in range(7):
        shape = [5 if d % 2 else 6 for d in range(rank)]
        dims = [["x"] if d == 0 else ["y"] if d == 3 or (d == 1 and rank < 4) else [] for d in range(rank)]
        v = b.value(f"%arg{rank}", shape, dims, source=f"rank{rank}", argument=True)
        if rank >= 2:
            other = "[" + ", ".join('{"y"}' if d == 0 else "{}" for d in range(rank)) + "]"
            b.reshards.append({"value": v, "from": b.strings[b.values["sharding"][v]], "to": other, "bytes": 60, "collective": -1})
    b.value("%arg7", (0, 4), [["x"], []], source="no elements", argument=True)
    b.value("%arg8", (7, 1), [["x", "y"], []], source="uneven", argument=True)
    v = b.value("%arg9", (), [], source="token", argument=True)
    b.values["type"][v] = b.values["local"][v] = b.s("!stablehlo.token")
    v = b.value("%arg10", (8, 4), [["x"], []], source="sub-axes and open dimensions", argument=True)
    b.values["sharding"][v] = b.s('[{"x":(1)2, ?}p1, {?}], replicated={"y"}')
    return b.document(memory=False)


def hostile():
    """Every text of the document is hostile: markup, scripts, control characters, long words."""
    b = Builder(HOSTILE[0], axes=[(HOSTILE[1], 2), (HOSTILE[3].replace('"', ""), 2), ("\u2028", 1)], machine=True)
    axes = [a["name"] for a in b.axes]
    previous = -1
    for i, text in enumerate(HOSTILE):
        v = b.value(text, (4, 4), [[axes[0]], [axes[1]]], source=HOSTILE[-1 - i], argument=i % 2 == 0, flags=63 if i % 3 == 0 else 0)
        a = b.arrival(v, 0, axes[0], came_from=previous, from_dim=0, op=text, origin=text, origin_value=v, where=text)
        b.arrivals["factor"][a] = b.arrivals["kind"][a] = b.s(text)
        o = b.op(text, f"jit({text})/{text}/{text}", [v], b.stack(text, i, text), function=text, flops=1, seconds=1e-6)
        r = b.result(o, "%" + text, (4, 4), [[axes[0]], []])
        b.stop(r, axes[0], 0, text, through=text, where=text, why=text, suggestion={"kind": text, "value": text, "sharding": text, "partition_spec": text})
        b.collective(text, [axes[0]], 100 * (i + 1), o, r, why=text, name=text)
        b.notes.append([r, text])
        b.whole.append({"value": v, "bytes": 64, "why": text})
        b.reshards.append({"value": r, "from": text, "to": text, "bytes": 64, "collective": i})
        b.what_if.append({"text": text, "sharding": text, "partition_spec": text, "value": v, "bytes": 1, "seconds": None, "peak": 1,
                          "saved_bytes": 1, "saved_seconds": None, "saved_peak": 1, "verified": True})  # fmt: skip
        previous = v
    return b.document(diff=difference(HOSTILE[0]))


def large(ops=20000):
    """A training step of many ops."""
    return transformer(layers=max(1, ops // 100), title="large.mlir", ops_per_layer=100)


def unknown():
    """Nothing is known but the program: no machine, no trip counts, no names, no memory."""
    d = transformer(2, machine=False)
    d.update(statistics={"devices": 8}, parameters=None, flops=None, memory=None, timeline=None)
    d["ops"]["times"] = [None] * len(d["ops"]["op"])
    d["ops"]["name"] = [0] * len(d["ops"]["op"])
    d["ops"]["stack"] = [-1] * len(d["ops"]["op"])
    for c in d["collectives"]:
        c.update(executions=None, predicted_seconds=None, needs=[], stack=-1, op=-1, value=-1)
    return d


def random_document(seed):
    """A program of random ops, shapes, shardings, regions and reasons."""
    r = random.Random(seed)
    axes = [(f"a{i}", r.choice((1, 2, 3, 4))) for i in range(r.randrange(0, 6))]
    b = Builder(f"random-{seed}.mlir", axes=axes, machine=r.random() < 0.7)
    names, values, regions = [a for a, _ in axes], [], [-1]

    def shape_and_dims():
        rank, free = r.randrange(0, 7), r.sample(names, len(names))
        shape = [r.choice((0, 1, 2, 3, 5, 8)) for _ in range(rank)]
        dims = [[free.pop() for _ in range(r.randrange(0, 3)) if free] for _ in range(rank)]
        return (shape, dims) if r.random() < 0.8 else (shape, None)

    for i in range(r.randrange(0, 5)):
        values.append(b.value(f"%arg{i}", *shape_and_dims(), source=r.choice(("", f"x{i}")), argument=True, flags=r.randrange(64)))
    for i in range(r.randrange(0, 60)):
        parent = r.choice(regions)
        scope = "/".join(r.choice(("jit(f)", "a", "b", "transpose(jvp(c/d))")) for _ in range(r.randrange(0, 4)))
        o = b.op("stablehlo." + r.choice(("add", "while", "case", "dot_general")), f"{scope}/op{i}" if scope else "", r.sample(values, min(len(values), r.randrange(0, 4))),
                 r.choice((-1, b.stack(f"f{i % 4}.py", i))), function=r.choice(("main", "f")), parent=parent, times=r.choice((None, 0, 1, 7)),
                 flops=r.randrange(1000), seconds=r.random() * 1e-5)  # fmt: skip
        if r.random() < 0.3:
            regions.append(o)
        for k in range(r.choice((0, 1, 1, 1, 2, 3))):
            shape, dims = shape_and_dims()
            v = b.result(o, f"%{i}#{k}", shape, dims, flags=r.randrange(64))
            for d, on in enumerate(dims or []):
                for axis in on:
                    came_from = r.choice([-1, *values])
                    b.arrival(v, d, axis, came_from=came_from, from_dim=0, op="add", following=r.randrange(-1, len(b.arrivals["value"])), origin="annotated")
            values.append(v)
            if names and r.random() < 0.3:
                i_c = b.collective(r.choice(("all_gather", "all_reduce")), [r.choice(names)], r.randrange(10**6), o, v)
                if dims:
                    b.reshards.append({"value": v, "from": b.strings[b.values["sharding"][v]], "to": "[" + ", ".join("{}" for _ in shape) + "]", "bytes": 1, "collective": i_c})
    return b.document(lanes=r.choice((1, 3)), source=r.choice(("predicted", "measured")), memory=r.random() < 0.8)


def difference(text=None):
    """The object of `diff --json`; `text` stands for every text."""

    def t(other):
        return text or other

    def thing(what, a, b, where):
        return {"what": t(what), "a": t(a), "b": t(b), "where": t(where)}

    def number(name, a, b):
        return {"name": name, "a": a, "b": b, "difference": b - a, "ratio": b / a if a else None}

    def collective(change, kind, a, b):
        return {"change": change, "kind": kind, "op": t("dot_general (model.py:37)"), "axes_a": '"model"' if a else "none", "axes_b": '"data"' if b else "none",
                "bytes_a": a, "bytes_b": b, "executions_a": int(a > 0), "executions_b": int(b > 0), "why": t('each device has a partial result of %55 along "model"')}  # fmt: skip

    return {
        "a": t("examples/gpt/gpt.mlir"), "b": t("examples/gpt/gpt_without_w_in.mlir"), "equal": False,
        "first": {"kind": "annotation", "what": t("params['blocks'][0]['w_in']"), "a": t('[{}, {"model"}]'), "b": t("none"),
                  "cause": t('A annotates it with "model" at dimension 1, B does not'), "where": t("model.py:12")},
        "numbers": [number("bytes_sent_per_device", 210052, 180000), number("predicted_step.step_seconds", 5.2e-5, 6.1e-5),
                    number("predicted_peak.bytes", 248452, 248452),
                    number("predicted_peak.classes.argument", 158208, 305920), number("collectives.all_reduce.count", 12, 10)],
        "annotations": [thing("params['blocks'][0]['w_in']", '[{}, {"model"}]', "none", "model.py:12")], "options": [thing("partition effort", "1", "2", "")],
        "program": [], "shardings": [thing(f"%{k} = add (model.py:{k})", '[{"data"}, {"model"}]', '[{"data"}, {}]', f"model.py:{k}") for k in range(30)],
        "collectives": [collective("came", "all_gather", 0, 4096), collective("went", "all_reduce", 98304, 0), collective("changed", "all_reduce", 512, 2048)],
    }  # fmt: skip


DOCUMENTS = {
    "gpt": transformer, "empty": empty, "one_device": one_device, "five_axes": many_axes, "ten_axes": lambda: many_axes(10), "ranks": ranks,
    "hostile": hostile, "unknown": unknown, "measured": lambda: transformer(2, lanes=8, source="measured", diff=difference()), "large": large,
}  # fmt: skip
