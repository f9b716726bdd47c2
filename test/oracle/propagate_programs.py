#===- propagate_programs.py - random programs for the propagation tests ----===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Random StableHLO + sdy programs as trees, which can be printed, and reduced after a failure.

`generate(rng)` returns a Program; `str(program)` is its text; `smaller(program)` yields programs
with one thing less (an op, a sharding, a group of results).
"""

import copy
import math
import re

import rules


class Value:
    def __init__(self, shape, element="f32", sharding=None):
        self.shape, self.element, self.sharding = tuple(shape), element, sharding
        self.name = None

    @property
    def type(self):
        return "tensor<" + "".join(f"{d}x" for d in self.shape) + self.element + ">"

    def like(self):
        return Value(self.shape, self.element)


class Op:
    """`form(operand names)` is the text between `results =` and the attributes."""

    def __init__(self, form, operands, results, signature=None, regions=(), attribute=True, pre=""):
        self.form, self.operands, self.results = form, list(operands), list(results)
        self.signature, self.regions = signature, list(regions)
        # Whether the shardings of results are printed as sdy.sharding.
        self.attribute = attribute


class Block:
    def __init__(self, args, outer=()):
        self.args, self.ops, self.returns = list(args), [], []
        self.scope = list(outer) + list(args)


class Func:
    def __init__(self, name, block, private=False):
        self.name, self.block, self.private = name, block, private
        self.result_shardings = []


class Program:
    def __init__(self, meshes):
        self.meshes, self.funcs = meshes, []

    def __str__(self):
        lines = [f"sdy.mesh @{name} = {text}" for name, text in self.meshes]
        for func in self.funcs:
            lines += Printer().func(func)
        return "\n".join(lines) + "\n"


class Printer:
    def __init__(self):
        self.count = 0

    def fresh(self, values):
        for value in values:
            value.name = f"%{self.count}"
            self.count += 1

    def func(self, func):
        block = func.block
        for i, arg in enumerate(block.args):
            arg.name = f"%arg{i}"
        args = ", ".join(
            f"{a.name}: {a.type}" + (f" {{sdy.sharding = #sdy.sharding{a.sharding}}}" if a.sharding else "")
            for a in block.args
        )
        results = ", ".join(
            r.type + (f" {{sdy.sharding = #sdy.sharding{s}}}" if s else "")
            for r, s in zip(block.returns, func.result_shardings)
        )
        private = "private " if func.private else ""
        yield f"func.func {private}@{func.name}({args}) -> ({results}) {{"
        yield from self.body(block, "  ", "return")
        yield "}"

    def body(self, block, indent, terminator):
        for op in block.ops:
            yield from self.op(op, indent)
        types = ", ".join(v.type for v in block.returns)
        names = ", ".join(v.name for v in block.returns)
        yield f"{indent}{terminator} {names}" + (f" : {types}" if block.returns else "")

    def op(self, op, indent):
        names = [v.name for v in op.operands]
        nested = []
        for block in op.regions:
            self.fresh(block.args)
        nested = [
            "\n".join(self.body(block, indent + "  ", block.terminator)) for block in op.regions
        ]
        self.fresh(op.results)
        left = ", ".join(v.name for v in op.results)
        shardings = [v.sharding for v in op.results]
        attribute = ""
        if op.attribute and any(shardings):
            attribute = "sdy.sharding = #sdy.sharding_per_value<[" + ", ".join(s for s in shardings) + "]>"
        signature = op.signature
        if signature is None:
            signature = f"({', '.join(v.type for v in op.operands)}) -> " + (
                op.results[0].type if len(op.results) == 1 else f"({', '.join(v.type for v in op.results)})"
            )
        text = op.form(op, names, nested, attribute, signature)
        if len(op.results) > 1:
            # %a:2 style needs one name; give each result its own through a tuple name.
            base = op.results[0].name
            for i, v in enumerate(op.results):
                v.name = f"{base}#{i}"
            left = f"{base}:{len(op.results)}"
        yield indent + (f"{left} = " if op.results else "") + text


def plain(mnemonic):
    """mnemonic operands attributes : signature"""

    def form(op, names, nested, attribute, signature):
        return f"{mnemonic(names) if callable(mnemonic) else mnemonic + ' ' + ', '.join(names)}" + (
            f" {{{attribute}}}" if attribute else ""
        ) + f" : {signature}"

    return form


def generic(name, properties):
    """"name"(operands) <{properties}> ({regions}) {attributes} : signature"""

    def form(op, names, nested, attribute, signature):
        regions = ""
        if nested:
            bodies = []
            for block, body in zip(op.regions, nested):
                label = ", ".join(f"{a.name}: {a.type}" for a in block.args)
                bodies.append("{\n" + (f"^bb0({label}):\n" if block.args else "") + body + "\n}")
            regions = " (" + ", ".join(bodies) + ")"
        return (
            f'"{name}"({", ".join(names)})'
            + (f" <{{{properties}}}>" if properties else "")
            + regions
            + (f" {{{attribute}}}" if attribute else "")
            + f" : {signature}"
        )

    return form


def same_type(op_name):
    def form(op, names, nested, attribute, signature):
        return (
            f"{op_name} {', '.join(names)}" + (f" {{{attribute}}}" if attribute else "") + f" : {op.results[0].type}"
        )

    return form


SIZES = (2, 3, 4, 6, 8, 16)


class Generator:
    def __init__(self, rng, options):
        self.rng, self.options = rng, options
        axes = [("a", 2), ("b", 2), ("c", 4)]
        if rng.random() < 0.3:
            axes.append(("d", 3))
        if rng.random() < 0.2:
            axes.append(("e", 8))
        if rng.random() < 0.1:
            axes.append(("one", 1))
        self.axes = axes
        text = ", ".join(f'"{n}"={s}' for n, s in axes)
        self.meshes = [("m", f"<[{text}]>")]
        self.inlined = None
        if rng.random() < 0.06:
            ids = list(range(math.prod(s for _, s in axes)))
            rng.shuffle(ids)
            self.meshes.append(("m2", f"<[{text}], device_ids={ids}>"))
        elif rng.random() < 0.06:
            self.meshes.append(("same", f"<[{text}]>"))
        elif rng.random() < 0.06:
            self.meshes.append(("empty_mesh", "<[]>"))
        if rng.random() < 0.06:
            self.inlined = f"mesh<[{text}]>"
        self.base = [rng.choice(SIZES) for _ in range(rng.randint(2, 3))]
        self.funcs = []
        self.groups = rng.randint(1, 3)
        self.main_block = Block([None])

    # --- shardings ------------------------------------------------------------------------

    def sharding(self, value, banned=(), closed=None, priorities=None, mesh=None, unreduced=True):
        """Returns a random sharding for the value's shape that uses no axis twice."""
        rng = self.rng
        name = mesh
        if name is None:
            name = rng.choice(self.meshes)[0] if rng.random() < 0.3 else "m"
        if name == "empty_mesh":
            dims = ", ".join("{}" if rng.random() < 0.5 else "{?}" for _ in value.shape)
            return f"<@empty_mesh, [{dims}]>"
        refs = []
        for axis, size in self.axes:
            if axis in banned:
                continue
            draw = rng.random()
            if draw < 0.6:
                refs.append(f'"{axis}"')
            elif draw < 0.8 and size in (4, 8) and self.options.get("sub_axes", True):
                if size == 8 and rng.random() < 0.5:
                    refs.append(rng.choice([f'"{axis}":(1)4', f'"{axis}":(2)4', f'"{axis}":(4)2']))
                else:
                    refs.append(rng.choice([f'"{axis}":(1)2', f'"{axis}":(2)2']))
        rng.shuffle(refs)
        dims = []
        for _ in value.shape:
            taken = []
            while refs and rng.random() < 0.45:
                taken.append(refs.pop())
            is_closed = rng.random() < 0.5 if closed is None else closed
            priority = ""
            use = self.options.get("priorities", True) if priorities is None else priorities
            if use and rng.random() < 0.12 and (taken or not is_closed):
                priority = f"p{rng.randint(0, 2)}"
            dims.append("{" + ", ".join(taken + ([] if is_closed else ["?"])) + "}" + priority)
        tail = ""
        if refs and rng.random() < 0.12:
            tail = f", replicated={{{refs.pop()}}}"
        if refs and unreduced and rng.random() < self.options.get("unreduced", 0.02):
            tail += f", unreduced={{{refs.pop()}}}"
        where = "@" + name
        if name == "m" and self.inlined and rng.random() < 0.3:
            where = self.inlined
        return f"<{where}, [{', '.join(dims)}]{tail}>"

    # --- values ---------------------------------------------------------------------------

    def shape(self):
        rng = self.rng
        rank = rng.choice([1, 2, 2, 2, 3])
        if rng.random() < 0.85:
            return tuple(rng.choice(self.base) for _ in range(rank))
        return tuple(rng.choice(SIZES) for _ in range(rank))

    def pick(self, block, condition=lambda v: True, element="f32"):
        choices = [v for v in block.scope if v.element == element and condition(v)]
        # Later values are chosen more often, so that programs are deep.
        if not choices:
            return None
        i = max(self.rng.randrange(len(choices)), self.rng.randrange(len(choices)))
        return choices[i] if self.rng.random() < 0.7 else self.rng.choice(choices)

    def add(self, block, form, operands, results, **more):
        op = Op(form, operands, results, **more)
        block.ops.append(op)
        block.scope += results
        if op.attribute and self.rng.random() < self.options.get("annotate", 0.1):
            banned = block.banned
            for v in results:
                v.sharding = self.sharding(v, banned, mesh="m")
        return results[0] if results else None

    def index(self, block):
        """Returns an i32 scalar: an argument or a constant."""
        rng = self.rng
        choice = self.pick(block, lambda v: v.shape == (), "i32")
        if choice and rng.random() < 0.6:
            return choice
        return self.constant(block, (), "i32", rng.randint(0, 1))

    def constant(self, block, shape, element, number):
        v = Value(shape, element)

        def form(op, names, nested, attribute, signature):
            text = f"{number}.0" if element == "f32" else ("true" if number else "false") if element == "i1" else str(number)
            return "stablehlo.constant " + (f"{{{attribute}}} " if attribute else "") + f"dense<{text}> : {v.type}"

        return self.add(block, form, [], [v])

    # --- ops ------------------------------------------------------------------------------

    def unary(self, block):
        x = self.pick(block)
        name = self.rng.choice(["negate", "tanh", "abs", "cosine", "exponential"])
        self.add(block, same_type("stablehlo." + name), [x], [x.like()])

    def binary(self, block):
        x = self.pick(block)
        y = self.pick(block, lambda v: v.shape == x.shape)
        name = self.rng.choice(["add", "multiply", "maximum", "subtract"])
        self.add(block, same_type("stablehlo." + name), [x, y], [x.like()])

    def select(self, block):
        x = self.pick(block)
        y = self.pick(block, lambda v: v.shape == x.shape)
        if self.rng.random() < 0.5:
            p = Value(x.shape, "i1")
            self.add(block, plain(lambda n: f"stablehlo.compare LT, {n[0]}, {n[1]}"), [x, y], [p])
            self.add(
                block,
                lambda op, n, _, a, s: f"stablehlo.select {', '.join(n)}" + (f" {{{a}}}" if a else "") + f" : {op.operands[0].type}, {op.results[0].type}",
                [p, x, y],
                [x.like()],
            )
        else:
            low = self.constant(block, (), "f32", 0)
            self.add(block, plain("stablehlo.clamp"), [low, x, y], [x.like()])

    def splat(self, block):
        rng = self.rng
        x = self.pick(block)
        kind = rng.random()
        if kind < 0.4:
            self.constant(block, x.shape, "f32", rng.randint(0, 2))
        elif kind < 0.7:
            scalar = self.constant(block, (), "f32", rng.randint(0, 2))
            self.add(block, plain(lambda n: f"stablehlo.broadcast_in_dim {n[0]}, dims = []"), [scalar], [x.like()])
        else:
            v = x.like()
            if not v.shape:
                return
            d = rng.randrange(len(v.shape))
            self.add(
                block,
                lambda op, n, _, a, s: f"stablehlo.iota dim = {d}" + (f" {{{a}}}" if a else "") + f" : {op.results[0].type}",
                [],
                [v],
            )

    def broadcast(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: len(v.shape) < 3)
        if x is None:
            return
        shape, dims = list(x.shape), list(range(len(x.shape)))
        at = rng.randint(0, len(shape))
        shape.insert(at, rng.choice(self.base))
        dims = [d if d < at else d + 1 for d in dims]
        if rng.random() < 0.2:
            order = list(range(len(shape)))
            rng.shuffle(order)
            new = [0] * len(shape)
            for i, o in enumerate(order):
                new[o] = shape[i]
            dims = [order[d] for d in dims]
            shape = new
        self.add(block, plain(lambda n: f"stablehlo.broadcast_in_dim {n[0]}, dims = {dims}"), [x], [Value(shape)])

    def reshape(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        shape = list(x.shape)
        if rng.random() < 0.5 and len(shape) > 1:
            i = rng.randrange(len(shape) - 1)
            shape[i : i + 2] = [shape[i] * shape[i + 1]]
        else:
            i = rng.randrange(len(shape))
            divisors = [d for d in range(1, max(shape[i], 1) + 1) if shape[i] % d == 0]
            d = rng.choice(divisors)
            shape[i : i + 1] = [d, shape[i] // d]
        if len(shape) > 4 or max(shape) > 256:
            return
        self.add(block, plain("stablehlo.reshape"), [x], [Value(shape)])

    def transpose(self, block):
        x = self.pick(block, lambda v: len(v.shape) > 1)
        if x is None:
            return
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        self.add(
            block,
            plain(lambda n: f"stablehlo.transpose {n[0]}, dims = {order}"),
            [x],
            [Value([x.shape[o] for o in order])],
        )

    def reverse(self, block):
        x = self.pick(block, lambda v: v.shape)
        if x:
            d = self.rng.randrange(len(x.shape))
            self.add(block, lambda op, n, _, a, s: f"stablehlo.reverse {n[0]}, dims = [{d}]" + (f" {{{a}}}" if a else "") + f" : {op.results[0].type}", [x], [x.like()])

    def slice(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        ranges, shape = [], []
        for size in x.shape:
            if size > 1 and rng.random() < 0.4:
                begin = rng.randrange(size // 2 + 1)
                end = rng.randint(begin + 1, size)
            else:
                begin, end = 0, size
            ranges.append(f"{begin}:{end}")
            shape.append(end - begin)
        self.add(block, plain(lambda n: f"stablehlo.slice {n[0]} [{', '.join(ranges)}]"), [x], [Value(shape)])

    def pad(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        zero = self.constant(block, (), "f32", 0)
        low = [rng.choice([0, 0, 1, 2]) for _ in x.shape]
        high = [rng.choice([0, 0, 1]) for _ in x.shape]
        inner = [0 for _ in x.shape]
        shape = [s + l + h for s, l, h in zip(x.shape, low, high)]
        self.add(
            block,
            plain(lambda n: f"stablehlo.pad {n[0]}, {n[1]}, low = {low}, high = {high}, interior = {inner}"),
            [x, zero],
            [Value(shape)],
        )

    def concatenate(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        d = rng.randrange(len(x.shape))
        others = lambda v: len(v.shape) == len(x.shape) and all(
            v.shape[i] == x.shape[i] for i in range(len(x.shape)) if i != d
        )
        inputs = [x] + [self.pick(block, others) for _ in range(rng.randint(1, 2))]
        shape = list(x.shape)
        shape[d] = sum(v.shape[d] for v in inputs)
        if shape[d] > 64:
            return
        self.add(block, plain(lambda n: f"stablehlo.concatenate {', '.join(n)}, dim = {d}"), inputs, [Value(shape)])

    def dynamic_slice(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        sizes = [rng.randint(min(1, s), s) if rng.random() < 0.5 else s for s in x.shape]
        starts = [self.index(block) for _ in x.shape]
        self.add(
            block,
            plain(lambda n: f"stablehlo.dynamic_slice {', '.join(n)}, sizes = {sizes}"),
            [x] + starts,
            [Value(sizes)],
        )

    def dynamic_update_slice(self, block):
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        u = self.pick(
            block, lambda v: len(v.shape) == len(x.shape) and all(a <= b for a, b in zip(v.shape, x.shape))
        )
        starts = [self.index(block) for _ in x.shape]
        self.add(block, plain("stablehlo.dynamic_update_slice"), [x, u] + starts, [x.like()])

    def gather(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        batch = rng.choice(self.base)
        idx = self.constant(block, (batch, 1), "i32", 0)
        rank = len(x.shape)
        d = rng.randrange(rank)
        collapse = rng.random() < 0.7
        sizes = list(x.shape)
        sizes[d] = 1
        if not collapse and rng.random() < 0.5:
            sizes[rng.randrange(rank)] = 1
        offsets = [s for i, s in enumerate(sizes) if not (collapse and i == d)]
        shape = [batch] + offsets
        dims = ", ".join(str(i + 1) for i in range(len(offsets)))
        numbers = "#stablehlo.gather<" + ", ".join(
            ([f"offset_dims = [{dims}]"] if offsets else [])
            + ([f"collapsed_slice_dims = [{d}]"] if collapse else [])
            + [f"start_index_map = [{d}]", "index_vector_dim = 1"]
        ) + ">"
        self.add(
            block,
            generic(
                "stablehlo.gather",
                f"dimension_numbers = {numbers}, indices_are_sorted = false, slice_sizes = array<i64: {', '.join(map(str, sizes))}>",
            ),
            [x, idx],
            [Value(shape)],
        )

    def reducer(self, name="add"):
        a, b, c = Value(()), Value(()), Value(())
        block = Block([a, b])
        block.terminator = "stablehlo.return"
        block.banned = ()
        block.ops.append(Op(same_type("stablehlo." + name), [a, b], [c]))
        block.returns = [c]
        return block

    def scatter(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        batch = rng.choice(self.base)
        idx = self.constant(block, (batch, 1), "i32", 0)
        d = rng.randrange(len(x.shape))
        window = [s for i, s in enumerate(x.shape) if i != d]
        updates = self.pick(block, lambda v: v.shape == (batch, *window))
        if updates is None:
            updates = self.constant(block, (batch, *window), "f32", 1)
        dims = ", ".join(str(i + 1) for i in range(len(window)))
        numbers = "#stablehlo.scatter<" + ", ".join(
            ([f"update_window_dims = [{dims}]"] if window else [])
            + [f"inserted_window_dims = [{d}]", f"scatter_dims_to_operand_dims = [{d}]", "index_vector_dim = 1"]
        ) + ">"
        self.add(
            block,
            generic(
                "stablehlo.scatter",
                f"indices_are_sorted = false, scatter_dimension_numbers = {numbers}, unique_indices = false",
            ),
            [x, idx, updates],
            [x.like()],
            regions=[self.reducer(rng.choice(["add", "subtract"]))],
        )

    def reduce(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        zero = self.constant(block, (), "f32", 0)
        dims = sorted(rng.sample(range(len(x.shape)), rng.randint(1, max(1, len(x.shape) - 1))))
        shape = [s for i, s in enumerate(x.shape) if i not in dims]
        self.add(
            block,
            plain(lambda n: f"stablehlo.reduce({n[0]} init: {n[1]}) applies stablehlo.add across dimensions = {dims}"),
            [x, zero],
            [Value(shape)],
        )

    def dot(self, block):
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        y = self.pick(block, lambda v: v.shape and set(v.shape) & set(x.shape))
        if y is None:
            return
        pairs = [(i, j) for i, s in enumerate(x.shape) for j, t in enumerate(y.shape) if s == t]
        contract = [rng.choice(pairs)]
        batch = []
        rest = [(i, j) for i, j in pairs if i != contract[0][0] and j != contract[0][1]]
        if rest and rng.random() < 0.4:
            (batch if rng.random() < 0.7 else contract).append(rng.choice(rest))
        shape = [x.shape[i] for i, _ in batch]
        shape += [s for i, s in enumerate(x.shape) if i not in [p[0] for p in batch + contract]]
        shape += [s for j, s in enumerate(y.shape) if j not in [p[1] for p in batch + contract]]
        if len(shape) > 4:
            return
        side = lambda ps, k: [p[k] for p in ps]
        text = f"batching_dims = {side(batch, 0)} x {side(batch, 1)}, " if batch else ""
        text += f"contracting_dims = {side(contract, 0)} x {side(contract, 1)}"
        self.add(block, plain(lambda n: f"stablehlo.dot_general {n[0]}, {n[1]}, {text}"), [x, y], [Value(shape)])

    def sort(self, block):
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        d = self.rng.randrange(len(x.shape))
        a, b, c = Value(()), Value(()), Value((), "i1")
        body = Block([a, b])
        body.terminator = "stablehlo.return"
        body.banned = ()
        body.ops.append(Op(plain(lambda n: f"stablehlo.compare LT, {n[0]}, {n[1]}"), [a, b], [c]))
        body.returns = [c]
        self.add(
            block,
            generic("stablehlo.sort", f"dimension = {d} : i64, is_stable = true"),
            [x],
            [x.like()],
            regions=[body],
        )

    def custom_call(self, block):
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        target = self.rng.choice(["MoveToHost", "MoveToDevice", "annotate_device_placement", "xla_python_cpu_callback"])
        self.add(block, plain(lambda n: f"stablehlo.custom_call @{target}({n[0]})"), [x], [x.like()])

    def custom_rule(self, block):
        """A call with its own sharding rule."""
        rng = self.rng
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        names = "ijklmn"[: len(x.shape)]
        shape, out, kinds = [], [], []
        for name, size in zip(names, x.shape):
            kind = rng.choice(["", "", "", "reduction", "need_replication", "permutation", "blocked_propagation"])
            if kind:
                kinds.append((kind, name))
            if kind != "reduction":
                shape.append(size)
                out.append(name)
        order = list(range(len(out)))
        rng.shuffle(order)
        sizes = ", ".join(f"{n}={s}" for n, s in zip(names, x.shape))
        groups = ""
        for kind in ("reduction", "need_replication", "permutation", "blocked_propagation"):
            members = ", ".join(n for k, n in kinds if k == kind)
            groups += f" {kind}={{{members}}}" if members else ""
        rule = (
            f"#sdy.op_sharding_rule<([{', '.join(names)}])->([{', '.join(out[o] for o in order)}]) "
            f"{{{sizes}}}{groups}{rng.choice([', custom', ''])}>"
        )
        self.add(
            block,
            lambda op, n, _, a, s: f"stablehlo.custom_call @mine({n[0]}) {{{a + ', ' if a else ''}sdy.sharding_rule = {rule}}} : {s}",
            [x],
            [Value([shape[o] for o in order])],
        )

    def foreign(self, block):
        """An op of any family of the rule tests, on its own values."""
        rng = self.rng
        main = self.main_block
        if not any(v is main.args[0] for v in block.scope):
            return
        text = rules.FAMILIES[rng.choice(list(rules.FAMILIES))][0](rng)
        if "slice_sizes = array<i64>" in text:
            return  # jaxlib cannot parse its own output for it
        match = re.match(r"\((.*?)\) \{\n  %r(?::\d+)? = (.*)\n  return\n\}\n$", text, re.S)
        types = match and re.search(r"(?:-> |: )(\(?[^:()]*?\)?)$", match.group(2))
        if not types or "tuple" in text:
            return

        def value(kind):
            parts = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", kind)
            return parts and Value([int(d) for d in parts.group(1).split("x")[:-1]], parts.group(2))

        results = [value(t) for t in types.group(1).strip("()").split(", ")]
        arguments = [a.split(": ") for a in match.group(1).split(", %")]
        operands = [value(a[1]) for a in arguments if len(a) == 2]
        if not all(results) or not all(operands) or len(operands) != len(arguments):
            return
        used = []
        for operand in operands:
            if operand.shape and rng.random() < 0.6:
                operand.sharding = self.sharding(operand, mesh="m")
            main.args.append(operand)
            if operand.element == "f32" and rng.random() < 0.5:
                copied = operand.like()
                self.add(block, same_type("stablehlo.negate"), [operand], [copied])
                operand = copied
            used.append(operand)
        body, number = match.group(2), len(main.args)

        def form(op, names, nested, attribute, signature):
            def rename(m):
                if re.fullmatch(r"a\d+", m.group(1)) and int(m.group(1)[1:]) < len(names):
                    return names[int(m.group(1)[1:])]
                return f"%f{number}_{m.group(1)}"

            return re.sub(r"%([a-z]\w*)", rename, body)

        self.add(block, form, used, results, attribute=False)
        for v in results:
            if v.element == "f32" and rng.random() < 0.7:
                self.add(block, same_type("stablehlo.abs"), [v], [v.like()])

    def constraint(self, block):
        x = self.pick(block)
        s = self.sharding(x, block.banned)
        v = x.like()
        self.add(
            block,
            lambda op, n, _, a, sig: f"sdy.sharding_constraint {n[0]} {op.constraint} : {op.results[0].type}",
            [x],
            [v],
            attribute=False,
        )
        block.ops[-1].constraint = s

    def barrier(self, block):
        x = self.pick(block)
        direction = self.rng.choice(["NONE", "FORWARD", "BACKWARD"])
        self.add(
            block,
            lambda op, n, _, a, sig: f"sdy.propagation_barrier {n[0]} allowed_direction={direction}" + (f" {{{a}}}" if a else "") + f" : {op.results[0].type}",
            [x],
            [x.like()],
        )

    def group(self, block):
        x = self.pick(block, lambda v: v.shape)
        if x is None:
            return
        key = (x.shape, id(block.manual))
        ids = self.__dict__.setdefault("group_ids", {})
        # Groups of the same id need the same shape and enclosing manual computation.
        number = ids.setdefault((key, self.rng.randint(0, 1)), len(ids) + self.rng.choice([0, 5]) * 0)
        self.add(
            block,
            lambda op, n, _, a, sig: f"sdy.sharding_group {n[0]} group_id={number} : {op.operands[0].type}",
            [x],
            [],
            attribute=False,
        )

    def opt_barrier(self, block):
        xs = [self.pick(block) for _ in range(self.rng.randint(1, 2))]
        self.add(
            block,
            lambda op, n, _, a, sig: "stablehlo.optimization_barrier " + (f"{{{a}}} " if a else "") + f"{', '.join(n)} : {', '.join(v.type for v in op.operands)}",
            xs,
            [x.like() for x in xs],
        )

    def nested(self, args, outer, parent, depth, count, isolated=False, banned=None, manual=None):
        block = Block(args, [] if isolated else outer)
        block.terminator = "stablehlo.return"
        block.banned = parent.banned if banned is None else banned
        block.manual = parent.manual if manual is None else manual
        block.callable = parent.callable
        self.fill(block, count, depth)
        return block

    def choose_returns(self, block, types):
        out = []
        for t in types:
            v = self.pick(block, lambda v: v.shape == t.shape, t.element)
            out.append(v)
        return out

    def loop(self, block, depth):
        rng = self.rng
        init = [self.pick(block) for _ in range(rng.randint(1, 3))]
        counter = self.index(block)
        init.insert(rng.randint(0, len(init)), counter)
        at = next(i for i, v in enumerate(init) if v.element == "i32")

        def args():
            return [v.like() for v in init]

        cond_args = args()
        limit, p = Value((), "i32"), Value((), "i1")
        cond = Block(cond_args)
        cond.terminator, cond.banned, cond.manual = "stablehlo.return", block.banned, block.manual
        cond.scope = cond_args
        self.constant(cond, (), "i32", 3)
        limit = cond.ops[-1].results[0]
        cond.ops.append(Op(plain(lambda n: f"stablehlo.compare LT, {n[0]}, {n[1]}"), [cond_args[at], limit], [p]))
        cond.returns = [p]
        body_args = args()
        body = self.nested(body_args, block.scope, block, depth - 1, rng.randint(1, 4))
        one = self.constant(body, (), "i32", 1)
        nxt = Value((), "i32")
        body.ops.append(Op(same_type("stablehlo.add"), [body_args[at], one], [nxt]))
        body.returns = []
        for i, v in enumerate(init):
            if i == at:
                body.returns.append(nxt)
                continue
            choice = self.pick(body, lambda u: u.shape == v.shape) if rng.random() < 0.8 else body_args[i]
            body.returns.append(choice)

        def form(op, names, nested, attribute, signature):
            pairs = ", ".join(f"{a.name} = {n}" for a, n in zip(op.regions[0].args, names))
            # Both regions have the same argument names in this syntax.
            return (
                "\"stablehlo.while\"("
                + ", ".join(names)
                + ") ({\n^bb0("
                + ", ".join(f"{a.name}: {a.type}" for a in op.regions[0].args)
                + "):\n"
                + nested[0]
                + "\n}, {\n^bb0("
                + ", ".join(f"{a.name}: {a.type}" for a in op.regions[1].args)
                + "):\n"
                + nested[1]
                + "\n})"
                + (f" {{{attribute}}}" if attribute else "")
                + f" : {signature}"
            )

        self.add(block, form, init, [v.like() for v in init], regions=[cond, body])

    def case(self, block, depth):
        rng = self.rng
        index = self.index(block)
        results = [self.pick(block).like() for _ in range(rng.randint(1, 2))]
        branches = []
        number = rng.randint(1, 3)
        conditional = number == 2 and rng.random() < 0.5
        for _ in range(number):
            branch = self.nested([], block.scope, block, depth - 1, rng.randint(0, 3))
            branch.returns = self.choose_returns(branch, results)
            branches.append(branch)
        name = "stablehlo.case"
        if conditional:
            name, index = "stablehlo.if", self.constant(block, (), "i1", rng.randint(0, 1))
        self.add(block, generic(name, ""), [index], results, regions=branches)

    def manual(self, block, depth):
        rng = self.rng
        free = [(n, s) for n, s in self.axes if n not in block.banned]
        rng.shuffle(free)
        axes = free[: rng.randint(1, 2)]
        if not axes:
            return
        names = [n for n, _ in axes]
        order = [n for n, _ in self.axes]
        rest = [n for n in order if n not in names and n not in block.banned]

        def placed(value):
            """Returns the local type and sharding text for one value."""
            local, dims = list(value.shape), [[] for _ in value.shape]
            for n, s in axes:
                fits = [d for d in range(len(local)) if local[d] % s == 0]
                if fits and rng.random() < 0.8:
                    d = rng.choice(fits)
                    local[d] //= s
                    dims[d].append(f'"{n}"')
            spare = list(rest)
            rng.shuffle(spare)
            text = []
            for d in dims:
                if spare and rng.random() < 0.25:
                    d.append(f'"{spare.pop()}"')
                if rng.random() < 0.5:
                    d.append("?")
                text.append("{" + ", ".join(d) + "}")
            return Value(local), f"<@m, [{', '.join(text)}]>"

        inputs = [self.pick(block) for _ in range(rng.randint(1, 2))]
        placed_in = [placed(v) for v in inputs]
        token = object()
        body = self.nested(
            [v for v, _ in placed_in], [], block, depth - 1, rng.randint(1, 4), isolated=True,
            banned=tuple(block.banned) + tuple(names), manual=token,
        )
        body.terminator = "sdy.return"
        outputs, out_text = [], []
        for _ in range(rng.randint(1, 2)):
            v = self.pick(body)
            # Extend the local value along the manual axes again.
            shape, dims = list(v.shape), [[] for _ in v.shape]
            for n, s in axes:
                if shape and rng.random() < 0.8:
                    d = rng.randrange(len(shape))
                    if shape[d] * s <= 128:
                        shape[d] *= s
                        dims[d].append(f'"{n}"')
            body.returns.append(v)
            outputs.append(Value(shape))
            out_text.append("<@m, [" + ", ".join("{" + ", ".join(d + (["?"] if rng.random() < 0.5 else [])) + "}" for d in dims) + "]>")

        def form(op, names_, nested, attribute, signature):
            args = ", ".join(f"{a.name}: {a.type}" for a in op.regions[0].args)
            quoted = ", ".join(f'"{n}"' for n in names)
            return (
                f"sdy.manual_computation({', '.join(names_)}) in_shardings=[{', '.join(t for _, t in placed_in)}]"
                f" out_shardings=[{', '.join(out_text)}] manual_axes={{{quoted}}} ({args}) {{\n{nested[0]}\n}} : {signature}"
            )

        self.add(
            block, form, inputs, outputs, regions=[body], attribute=False,
            signature=f"({', '.join(v.type for v in inputs)}) -> "
            + (outputs[0].type if len(outputs) == 1 else f"({', '.join(v.type for v in outputs)})"),
        )

    def call(self, block):
        if not block.callable:
            return
        func = self.rng.choice(block.callable)
        operands = []
        for arg in func.block.args:
            v = self.pick(block, lambda v: v.shape == arg.shape, arg.element)
            operands.append(v or self.constant(block, arg.shape, arg.element, 0))
        self.add(block, plain(lambda n: f"func.call @{func.name}({', '.join(n)})"), operands, [r.like() for r in func.block.returns],
                 signature=f"({', '.join(v.type for v in operands)}) -> ({', '.join(r.type for r in func.block.returns)})")

    # --- programs -------------------------------------------------------------------------

    SIMPLE = (
        ["unary", "binary", "dot", "dot", "broadcast", "reduce", "transpose"] * 2
        + ["binary", "binary", "select", "splat", "reshape", "reshape", "reverse", "slice", "pad"]
        + ["concatenate", "dynamic_slice", "dynamic_update_slice", "gather", "scatter", "sort", "custom_call"]
    )

    def fill(self, block, count, depth):
        rng, options = self.rng, self.options
        block.callable = getattr(block, "callable", [])
        target = len(block.ops) + count
        for _ in range(count * 4):
            if len(block.ops) >= target:
                break
            if not any(v.element == "f32" for v in block.scope):
                self.constant(block, self.shape(), "f32", 1)
            draw = rng.random()
            if block.callable and rng.random() < 0.2:
                self.call(block)
            elif draw < options.get("constraints", 0.08):
                self.constraint(block)
            elif draw < 0.11 and options.get("barriers", True):
                self.barrier(block)
            elif draw < 0.14 and options.get("groups", True):
                self.group(block)
            elif draw < 0.16:
                self.opt_barrier(block)
            elif draw < 0.20 and depth > 0:
                self.loop(block, depth)
            elif draw < 0.23 and depth > 0:
                self.case(block, depth)
            elif draw < 0.27 and depth > 0 and options.get("manual", True):
                self.manual(block, depth)
            elif draw < 0.32 and options.get("calls", True):
                self.call(block)
            elif draw < 0.32 + options.get("foreign", 0.12):
                self.foreign(block)
            elif draw < 0.46:
                self.custom_rule(block)
            else:
                getattr(self, rng.choice(self.SIMPLE))(block)

    def function(self, name, count, depth, callable_, private):
        rng = self.rng
        args = [Value(self.shape()) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.3:
            args.append(Value((), "i32"))
        block = Block(args)
        block.banned, block.manual, block.callable = (), None, callable_
        if name == "main":
            self.main_block = block
        share = 0.7 if name == "main" else 0.3
        for a in args:
            if a.shape and rng.random() < share:
                a.sharding = self.sharding(a)
        self.fill(block, count, depth)
        used = {id(v) for op in block.ops for v in op.operands}
        ends = [v for op in block.ops for v in op.results if id(v) not in used and v.element == "f32"]
        rng.shuffle(ends)
        # Some dead ops remain.
        block.returns = ends[: rng.randint(1, 4)] or [self.pick(block)]
        if rng.random() < 0.3:
            block.returns.append(self.pick(block))
        func = Func(name, block, private)
        func.result_shardings = [
            # docs/compatibility.md: unreduced results of functions that are called.
            self.sharding(v, mesh="m", unreduced=name == "main") if v.shape and rng.random() < 0.25 else None
            for v in block.returns
        ]
        return func

    def program(self):
        rng = self.rng
        program = Program(self.meshes)
        callable_ = []
        if self.options.get("calls", True) and rng.random() < 0.3:
            for i in range(rng.randint(1, 2)):
                func = self.function(f"f{i}", rng.randint(1, 4), 1, list(callable_), rng.random() < 0.8)
                callable_.append(func)
        main = self.function("main", rng.randint(2, self.options.get("ops", 10)), 2, callable_, False)
        program.funcs = [main, *callable_]
        if rng.random() < 0.2:
            rng.shuffle(program.funcs)
        return program


def generate(rng, **options):
    return Generator(rng, options).program()


# --- shrinking ----------------------------------------------------------------------------


def blocks_of(program):
    stack = [f.block for f in program.funcs]
    while stack:
        block = stack.pop()
        yield block
        for op in block.ops:
            stack += op.regions


def smaller(program):
    """Yields copies with one thing less, the largest reductions first."""
    count = sum(len(b.ops) for b in blocks_of(program))
    for index in reversed(range(count)):
        yield from without_op(program, index)
    for i, func in enumerate(program.funcs):
        for j in range(len(func.block.returns)):
            if len(func.block.returns) > 1 and func.name == "main":
                p = copy.deepcopy(program)
                del p.funcs[i].block.returns[j], p.funcs[i].result_shardings[j]
                yield p
    for i, func in enumerate(program.funcs):
        if func.name != "main":
            p = copy.deepcopy(program)
            del p.funcs[i]
            yield p
        for j, s in enumerate(func.result_shardings):
            if s:
                p = copy.deepcopy(program)
                p.funcs[i].result_shardings[j] = None
                yield p
        for j, a in enumerate(func.block.args):
            if a.sharding:
                p = copy.deepcopy(program)
                p.funcs[i].block.args[j].sharding = None
                yield p
    n = 0
    for block in blocks_of(program):
        for op in block.ops:
            if op.attribute and any(v.sharding for v in op.results):
                p = copy.deepcopy(program)
                ops = [o for b in blocks_of(p) for o in b.ops]
                for v in ops[n].results:
                    v.sharding = None
                yield p
            n += 1


def without_op(program, index):
    """Removes the index-th op. Its results become arguments of main, or an operand."""
    p = copy.deepcopy(program)
    n = 0
    for block in blocks_of(p):
        for i, op in enumerate(block.ops):
            if n == index:
                del block.ops[i]
                for r in op.results:
                    same = next((o for o in op.operands if o.shape == r.shape and o.element == r.element), None)
                    if same is None:
                        main = next(f for f in p.funcs if f.name == "main")
                        if any(b is block for b in reach(main.block)) :
                            same = r.like()
                            main.block.args.append(same)
                        else:
                            return
                    replace(p, r, same)
                yield p
                return
            n += 1


def reach(block):
    """Returns the blocks in which the arguments of this block are visible."""
    yield block
    for op in block.ops:
        if getattr(op, "isolated", False):
            continue
        for b in op.regions:
            if b.terminator != "sdy.return":
                yield from reach(b)


def replace(program, old, new):
    for block in blocks_of(program):
        for op in block.ops:
            op.operands = [new if v is old else v for v in op.operands]
        block.returns = [new if v is old else v for v in block.returns]
