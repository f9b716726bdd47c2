#===- generator.py - random programs of the front end ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs with nested functions. A program is made while JAX traces it, so that the types of its values
are known: a step that JAX refuses is left out."""

import jax
import jax.numpy as jnp
import numpy as np

import frontend_mesh as fm
from frontend import generator_ops
from frontend.program import Block, Step, apply, is_float, renumbered

SHAPES = [(3,), (2, 3), (4, 4), (2, 3, 4), (1, 5), (), (8, 4), (4, 8), (5,), (0,), (2, 0), (6, 2)]
MESHES = [((4, 2), ("x", "y")), ((2, 2, 2), ("x", "y", "z")), ((8,), ("x",))]
FUNCTIONS = """scan scan scan while fori fori_dynamic cond cond switch jit jit checkpoint vmap vmap grad jvp vjp
    linearize custom_jvp custom_vjp map assoc_scan""".split()


class Generator:
    """Makes blocks with random steps; `kinds` counts what it made."""

    def __init__(self, rng, mesh=None, manual=None):
        self.rng, self.mesh, self.manual = rng, mesh, manual
        self.depth, self.axes, self.floor = 0, [], 0
        self.kinds = {}

    # Values: numbers of those of a kind.
    def find(self, values, test):
        return [i for i, v in enumerate(values) if i >= self.floor and not isinstance(v, (int, float)) and test(v)]

    def floats(self, values, rank=None, shape=None):
        return self.find(values, lambda v: v.dtype == jnp.float32 and (rank is None or v.ndim >= rank) and
                         (shape is None or v.shape == shape))

    def pick(self, values, **keys):
        """A float, a late one rather than an early one."""
        found = self.floats(values, **keys)
        if not found:
            raise ValueError("no such value")
        return found[max(self.rng.randrange(len(found)) for _ in range(2))]

    # Steps: each returns the step; emitting it makes its results values.
    def emit(self, block, values, step):
        values.extend(apply(step, values))
        block.steps.append(step)
        self.kinds[step.name] = self.kinds.get(step.name, 0) + 1
        return list(range(len(values)))[-1]

    def literal(self, block, values, kind, value):
        return self.emit(block, values, Step("lit", [], literal=(kind, value)))

    def some_steps(self, block, values, count):
        """Up to `count` steps; those that JAX refuses are left out."""
        made = tries = 0
        while made < count and tries < 4 * count + 6:
            tries += 1
            steps, length, axes, depth, floor = len(block.steps), len(values), list(self.axes), self.depth, self.floor
            try:
                self.step(block, values)
                made += 1
            except jax.errors.ConcretizationTypeError:
                raise
            except Exception:  # Whatever JAX refuses.
                del block.steps[steps:], values[length:]
                self.axes, self.depth, self.floor = axes, depth, floor

    def step(self, block, values):
        if self.depth < 2 and self.rng.random() < (0.4 if self.depth == 0 else 0.25):
            explicit = self.mesh and "Explicit" in self.mesh[2]
            kinds = [f for f in FUNCTIONS if not (explicit and f.startswith("custom"))]
            kinds += (["shard_map"] * 4 if self.manual is not None and not self.axes else [])
            return getattr(self, "make_" + self.rng.choice(kinds))(block, values)
        if self.axes and self.rng.random() < 0.5:
            return generator_ops.collective(self, block, values)
        if self.mesh and not self.axes and self.rng.random() < 0.25:
            return generator_ops.placement(self, block, values)
        return generator_ops.operation(self, block, values)

    # Bodies.
    def body(self, wanted=None, count=None, results=None, axes=(), closed=False):
        """A block that is made when JAX traces it. `wanted`: the types of its results; else `results` floats.
        `closed`: it uses no values around it."""
        def make(block, values, around):
            floor = self.floor
            if closed:
                self.floor = around
            self.depth += 1
            self.axes = self.axes + list(axes)
            first = len(values)
            self.some_steps(block, values, count or self.rng.randint(1, 3))
            if wanted is not None:
                block.outs = [self.like(values, t, around, first) for t in wanted]
            else:
                new = [i for i in self.floats(values) if i >= first] or self.floats(values)
                block.outs = [self.rng.choice(new[-4:]) for _ in range(results or self.rng.randint(1, 2))]
            self.axes = self.axes[:len(self.axes) - len(axes)]
            self.depth -= 1
            self.floor = floor
            return values
        return Block(make)

    def like(self, values, wanted, around, first):
        """A value of a type: a new one, an argument, or one from outside of the block."""
        same = self.find(values, lambda v: v.dtype == wanted.dtype and v.shape == wanted.shape)
        for group in ([i for i in same if i >= first], [i for i in same if i >= around], same):
            if group:
                return self.rng.choice(group[-3:])
        raise ValueError("no such value")

    def operands(self, values, most=2, **keys):
        return [self.pick(values, **keys) for _ in range(self.rng.randint(1, most))]

    def function(self, block, values, name, args, blocks, **keys):
        self.emit(block, values, Step(name, args, keys, blocks))
        return block.steps[-1]

    # Functions with bodies.
    def make_scan(self, block, values):
        rng = self.rng
        carry = self.operands(values)
        xs = []
        if rng.random() < 0.75:
            xs = [self.pick(values, rank=1)]
            n = values[xs[0]].shape[0]
            more = [i for i in self.floats(values, rank=1) if values[i].shape[0] == n]
            xs += [rng.choice(more)] * (rng.random() < 0.3)
        wanted = [values[i] for i in carry]
        keys = {"carry": len(carry)}
        if rng.random() < 0.3:
            keys["reverse"] = 1
        if not xs:
            keys["length"] = rng.randint(0, 3)
        elif rng.random() < 0.15:
            keys["unroll"] = rng.randint(2, 3)
        ys = [] if rng.random() < 0.3 else [rng.choice(wanted)]
        self.function(block, values, "scan", carry + xs, [self.body(wanted + ys)], **keys)

    def make_while(self, block, values):
        """Counts a number of C++ or an i32 to a bound."""
        rng = self.rng
        carry = self.operands(values)
        counter = self.literal(block, values, "i32", 0)
        bound = rng.randint(1, 3)
        wanted = [values[i] for i in carry]

        def test(b, inner, around):
            inner_bound = self.literal(b, inner, "i32", bound)
            b.outs = [self.emit(b, inner, Step("lt", [around, inner_bound]))]
            return inner

        def count(b, inner, around):
            made = self.body(wanted)
            inner = made.make(b, inner, around)
            one = self.literal(b, inner, "i32", 1)
            b.outs = [self.emit(b, inner, Step("add", [around, one]))] + b.outs
            return inner
        self.function(block, values, "while", [counter] + carry, [Block(test), Block(count)])

    def make_fori(self, block, values):
        carry = self.operands(values)
        self.function(block, values, "fori", carry, [self.body([values[i] for i in carry])],
                      **{"from": self.rng.randint(0, 1), "to": self.rng.randint(1, 4)})

    def make_fori_dynamic(self, block, values):
        carry = self.operands(values)
        wanted = [values[i] for i in carry]
        low = self.literal(block, values, "i32", 0)
        x = self.pick(values, rank=1)
        high = self.emit(block, values, Step("argmax", [self.flat(block, values, x)], {"axis": 0}))
        self.function(block, values, "fori_dynamic", [low, high] + carry, [self.body(wanted)])

    def flat(self, block, values, x):
        if values[x].ndim == 1:
            return x
        return self.emit(block, values, Step("reshape", [x], {"shape": values[x].size}))

    def scalar(self, block, values):
        """A float scalar: the sum of a value."""
        x = self.pick(values)
        if values[x].ndim == 0:
            return x
        return self.emit(block, values, Step("reduce_sum", [x], {"axes": ",".join(map(str, range(values[x].ndim)))}))

    def make_cond(self, block, values):
        s = self.scalar(block, values)
        half = self.literal(block, values, "f32", 0.5)
        p = self.emit(block, values, Step("lt", [s, half]))
        args = self.operands(values)
        wanted = [values[self.rng.choice(args)] for _ in range(self.rng.randint(1, 2))]
        self.function(block, values, "cond", [p] + args, [self.body(wanted), self.body(wanted)])

    def make_switch(self, block, values):
        s = self.scalar(block, values)
        index = self.emit(block, values, Step("to_i32", [s]))
        args = self.operands(values)
        wanted = [values[self.rng.choice(args)] for _ in range(self.rng.randint(1, 2))]
        self.function(block, values, "switch", [index] + args, [self.body(wanted) for _ in range(self.rng.randint(1, 3))])

    def make_jit(self, block, values):
        args = self.operands(values, 3)
        if self.rng.random() < 0.3:
            wanted = [values[i] for i in args]
            return self.function(block, values, "jit", args, [self.body(wanted)], times=2)
        keys = {"inline": 1} if self.rng.random() < 0.2 else {}
        self.function(block, values, "jit", args, [self.body()], **keys)

    def make_checkpoint(self, block, values):
        keys = {}
        if self.rng.random() < 0.4:
            keys["policy"] = self.rng.randrange(3)
        if self.rng.random() < 0.2:
            keys["prevent_cse"] = 0
        self.function(block, values, "checkpoint", self.operands(values), [self.body()], **keys)

    def make_vmap(self, block, values):
        rng = self.rng
        x = self.pick(values, rank=1)
        axis = rng.randrange(values[x].ndim)
        n = values[x].shape[axis]
        args, dims = [x], [axis]
        for i in self.operands(values):
            fits = [d for d in range(values[i].ndim) if values[i].shape[d] == n]
            args.append(i)
            dims.append(rng.choice(fits + [-1]))
        name = f"b{self.depth}" if rng.random() < 0.4 and not self.axes else ""
        self.function(block, values, "vmap", args, [self.body(axes=[(name, n, False)] if name else ())],
                      **{"in": ",".join(map(str, dims)), "out": 0, "name": name})

    def make_map(self, block, values):
        x = self.pick(values, rank=1)
        keys = {"batch": self.rng.randint(1, 3)} if self.rng.random() < 0.3 else {}
        self.function(block, values, "map", [x], [self.body()], **keys)

    def make_grad(self, block, values):
        made = self.body()

        def total(b, inner, around):
            inner = made.make(b, inner, around)
            x = b.outs[0]
            if inner[x].ndim:
                axes = ",".join(map(str, range(inner[x].ndim)))
                x = self.emit(b, inner, Step("reduce_sum", [x], {"axes": axes}))
            b.outs = [x]
            return inner
        self.function(block, values, "grad", self.operands(values), [Block(total)])

    def with_tangents(self, block, values):
        args = self.operands(values)
        return args + [self.emit(block, values, Step("cos", [i])) for i in args]

    def make_jvp(self, block, values):
        self.function(block, values, "jvp", self.with_tangents(block, values), [self.body()])

    def make_linearize(self, block, values):
        self.function(block, values, "linearize", self.with_tangents(block, values), [self.body()])

    def make_vjp(self, block, values):
        args = self.operands(values)
        ct = self.emit(block, values, Step("sin", [args[0]]))
        self.function(block, values, "vjp", args + [ct], [self.body([values[args[0]]])], primals=len(args))

    def make_custom_jvp(self, block, values):
        """The rule: the tangent of each result is that of an argument, times a function of the result."""
        x = self.pick(values)
        args = [x] + [self.pick(values, shape=values[x].shape) for _ in range(self.rng.randint(0, 1))]
        step = Step("custom_jvp", args, {}, [self.body([values[x]], closed=True), Block()])
        start = len(values)
        self.emit(block, values, step)
        rule = step.blocks[1]
        rule.steps = renumbered(step.blocks[0].steps, start + len(args), len(args))
        out = step.blocks[0].outs[0]
        out += len(args) if out >= start + len(args) else 0
        n = start + 2 * len(args) + self.results(step.blocks[0], values[:start] + [values[i] for i in args])
        rule.steps += [Step("cos", [start]), Step("mul", [start + len(args) + self.rng.randrange(len(args)), n])]
        rule.outs = [out, n + 1]

    def results(self, block, values):
        """How many values the steps of a block make."""
        inner = list(values)
        for s in block.steps:
            inner.extend(apply(s, inner))
        return len(inner) - len(values)

    def make_custom_vjp(self, block, values):
        x = self.pick(values)
        args = [x] + [self.pick(values, shape=values[x].shape) for _ in range(self.rng.randint(0, 1))]
        step = Step("custom_vjp", args, {"results": 1}, [self.body([values[x]], closed=True), Block(), Block()])
        start = len(values)
        self.emit(block, values, step)
        f, forward, backward = step.blocks
        forward.steps = list(f.steps)
        n = start + len(args) + self.results(f, values[:start] + [values[i] for i in args])
        forward.steps.append(Step("cos", [start]))
        forward.outs = [f.outs[0], n] + [start] * self.rng.randint(0, 1)
        residuals = len(forward.outs) - 1
        ct = start + residuals
        backward.steps = [Step("mul", [ct, start])]
        backward.outs = [self.rng.choice([ct, ct + 1]) for _ in args]

    def make_assoc_scan(self, block, values):
        rng = self.rng
        x = self.pick(values, rank=1)
        args = [x] + ([self.pick(values, shape=values[x].shape)] if rng.random() < 0.4 else [])
        axis = rng.randrange(values[x].ndim)

        def combine(b, inner, around):
            n = len(args)
            p = self.emit(b, inner, Step(rng.choice(["mul", "add", "max"]), [around, around + n]))
            b.outs = [p]
            if n == 2:
                q = self.emit(b, inner, Step("mul", [around + 2, around + 1]))
                b.outs.append(self.emit(b, inner, Step("add", [q, around + 3])))
            return inner
        self.function(block, values, "assoc_scan", args, [Block(combine)], axis=axis, reverse=rng.randint(0, 1))

    def make_shard_map(self, block, values):
        sizes, names = self.manual
        size = dict(zip(names, sizes))
        args = self.operands(values)
        chosen = names if self.rng.random() < 0.7 else tuple(a for a in names if self.rng.random() < 0.5) or names
        spec_of = lambda v: generator_ops.random_spec(self.rng, v.shape, {a: size[a] for a in chosen})
        check = self.rng.random() < 0.7
        axes = [(a, size[a], True) for a in chosen]
        # JAX reshards what a body takes from around it; ours has no equation for that.
        body = self.body(axes=axes, closed=True)
        outs = []

        def make(b, inner, around):
            inner = body.make(b, inner, around)
            for i in b.outs:
                outs.append(generator_ops.out_spec(self.rng, inner[i], chosen, check))
            keys["out"] = ";".join(fm.spec(e) for e in outs)
            return inner
        keys = {"in": ";".join(fm.spec(spec_of(values[i])) for i in args), "out": ".",
                "axes": "" if chosen == names else ",".join(chosen), "check": int(check)}
        step = Step("shard_map", args, {}, [Block(make)])
        step.keys = keys
        # The specs of the results are known once the body is.
        try:
            apply(step, values)
        except Exception:
            if step.blocks[0].make:
                raise
        self.emit(block, values, step)


class Program:
    """A random program with its arguments, and the text for the server."""

    def __init__(self, rng):
        numbers = np.random.default_rng(rng.getrandbits(32))
        self.mesh, kind = None, rng.random()
        self.is_map = rng.random() < 0.2
        self.places = None
        manual = None
        if kind < 0.45:
            sizes, names = rng.choice(MESHES)
            types = rng.choice([("Auto",) * 3, ("Auto",) * 3, ("Explicit",) * 3, ("Explicit", "Auto", "Explicit")])
            self.mesh = (sizes, names, types[:len(names)])
            manual = (sizes, names) if "Explicit" not in types[:len(names)] else None
        self.generator = Generator(rng, self.mesh, manual)
        self.ins, self.batches = [], []
        shape = rng.choice(SHAPES if not self.mesh else [(8, 4), (8, 8), (4, 8), (8,), (3, 8), (8, 4, 2)])
        for i in range(rng.choice([1, 2, 2, 3])):
            own = shape if rng.random() < 0.8 else rng.choice(SHAPES)
            kind = rng.choice(["f32"] * 9 + ["i32", "bool", "bf16"])
            kind = kind if i else "f32"
            make = lambda: self.elements(numbers, kind, own)
            self.ins.append(make())
            self.batches.append(np.stack([self.ins[-1], make()]))
        if self.mesh:
            size = dict(zip(*self.mesh[:2][::-1]))
            self.places = [fm.spec(generator_ops.random_spec(rng, x.shape, size)) for x in self.ins]
        self.block = Block()
        with self.context():
            jax.make_jaxpr(self.fill)(*self.placed())

    @staticmethod
    def elements(numbers, kind, shape):
        if kind == "i32":
            return np.int32(numbers.integers(0, 4, shape))
        if kind == "bool":
            return np.asarray(numbers.integers(0, 2, shape), bool)
        floats = np.float32(numbers.uniform(0.1, 0.9, shape))
        return np.asarray(jnp.asarray(floats, jnp.bfloat16)) if kind == "bf16" else floats

    def fill(self, *ins):
        g, values = self.generator, list(ins)
        g.some_steps(self.block, values, g.rng.randint(2, 6))
        used = {i for s in self.block.steps for i in s.args}
        found = [i for i in range(len(ins), len(values)) if i not in used and not isinstance(values[i], (int, float))]
        found = [i for i in found if self.block_makes(i, values)]
        self.block.outs = (found or [0])[-5:]
        return [values[i] for i in self.block.outs]

    @staticmethod
    def block_makes(i, values):
        return isinstance(values[i], jax.core.Tracer)

    def is_explicit(self):
        return bool(self.mesh) and "Explicit" in self.mesh[2]

    def context(self):
        return jax.set_mesh(self.jax_mesh()) if self.mesh else jax.default_matmul_precision(None)

    def jax_mesh(self):
        sizes, names, types = self.mesh
        return jax.sharding.Mesh(np.array(jax.devices()[:np.prod(sizes)]).reshape(sizes), names,
                                 axis_types=tuple(jax.sharding.AxisType[t] for t in types))

    def placed(self):
        if not self.mesh:
            return self.ins
        mesh = self.jax_mesh()
        return [jax.device_put(x, jax.sharding.NamedSharding(mesh, fm.parse_spec(s)))
                for x, s in zip(self.ins, self.places)]

    def function(self):
        def f(*ins):
            return self.block.run([], ins)
        return f

    def lines(self):
        join = lambda v: ",".join(map(str, v)) or "-"
        out = ["mesh " + " ".join(map(join, self.mesh))] if self.mesh else []
        out += [f"tree {int(self.is_map)}"]
        for n, (x, batch) in enumerate(zip(self.ins, self.batches)):
            for word, array in (("in", x), ("batch", batch)):
                kind = {"float32": "f32", "int32": "i32"}.get(str(array.dtype), {"bfloat16": "bf16"}.get(
                    str(array.dtype), "bool"))
                out.append(f"{word} {kind} {join(array.shape)} " + " ".join(repr(float(v)) for v in array.ravel()))
            if self.places:
                out.append("place " + self.places[n])
        out += [line for s in self.block.steps for line in s.lines()]
        return out + ["out " + " ".join(map(str, self.block.outs))]

    def brief(self):
        """The text without elements."""
        return "\n".join(" ".join(line.split()[:3]) if line.startswith("in ") else line
                         for line in self.lines() if not line.startswith("batch "))


class ModelProgram(Program):
    """One of the models of model_ops.py as a program; ring attention is on a mesh of 8 devices."""

    def __init__(self, name, shapes):
        numbers = np.random.default_rng(3)
        self.is_map, self.places = False, None
        self.mesh = ((8,), ("x",), ("Auto",)) if "ring" in name else None
        self.ins = [np.float32(numbers.uniform(0.1, 0.9, shape)) for shape in shapes]
        self.batches = [np.stack([x, x * 0.5]) for x in self.ins]
        if self.mesh:
            self.places = ["x|-"] * len(shapes)
        self.block = Block()
        step = Step(name, range(len(shapes)))
        self.block.steps.append(step)
        results = jax.make_jaxpr(lambda *a: apply(step, list(a)))
        with self.context():
            count = len(results(*self.ins).out_avals)
        self.block.outs = [len(shapes) + i for i in range(count)]
