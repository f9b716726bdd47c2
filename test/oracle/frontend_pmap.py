#===- frontend_pmap.py - pmap of the front end against JAX ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded functions with collectives under pmap, written once and run twice: by frontend_server (C++) and by jax.pmap.
Mapped dimensions are at any place, counted from either end, or None; shapes have rank 0 to 3 in the function and may be
empty; arguments and results are lists, trees, keywords. A pmap may call another one, where JAX has vmap. Compared:
values and specs of the results of a direct call, the jaxpr, the manual computations and collectives of the module,
values under jit, vjp, jvp and vmap, and gradients outside of jit."""

# Feature: pmap
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import warnings

import jax
import jax.numpy as jnp
import numpy as np

import frontend_mesh as fm
import oracle
from frontend.case_server import CaseServer
from frontend.program import Block, Step, apply, renumbered, transformed

args = oracle.arguments(__doc__, cases=24, long_cases=600)
warnings.filterwarnings("ignore")
UNARY = ["sin", "tanh", "neg", "exp", "logistic"]
BINARY = ["add", "mul", "sub", "max"]


def joined(values):
    return ",".join(map(str, values))


class PmapProgram:
    """Arguments, and one step: a function under pmap."""

    def __init__(self, rng):
        self.rng, self.numbers = rng, np.random.default_rng(rng.getrandbits(32))
        self.n = rng.choice([1, 2, 3, 4, 4, 5, 6, 8, 8])
        self.name = rng.choice(["i", "i", "batch"])
        self.ins, self.values = [], []  # (shape, differs between devices, element type)
        self.block, self.steps = Block(), []
        # Devices are given to pmaps that call no others.
        self.may_nest, self.has_nested = rng.random() < 0.5, False
        self.form = rng.choice(["", "", "two", "tree", "one", "keywords", "static"])
        count = {"two": 2, "one": 1, "static": 1}.get(self.form, rng.randint(1, 3))
        self.local = tuple(rng.choice([1, 2, 3, 4, 4, 8]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3])))
        if rng.random() < 0.08 and self.local:
            self.local = self.local[:-1] + (0,)
        self.axes = [self.argument(i) for i in range(count)]
        self.first = count
        for _ in range(rng.randint(1, 5)):
            self.step()
        self.results()

    # --- arguments ---

    def argument(self, number):
        rng, shape = self.rng, self.local
        is_mapped = number == 0 or self.form == "keywords" or rng.random() < 0.7
        dtype = "i32" if number and rng.random() < 0.2 else "f32"
        axis = (rng.randrange(len(shape) + 1) if self.form != "keywords" or number == 0 else 0) if is_mapped else None
        whole = shape if axis is None else shape[:axis] + (self.n,) + shape[axis:]
        x = self.numbers.uniform(0.1, 0.9, whole).astype(np.float32)
        if dtype == "i32":
            x = self.numbers.integers(0, 5, whole).astype(np.int32)
        self.ins.append(x)
        self.values.append((shape, is_mapped, dtype))
        return axis

    # --- the body ---

    def emit(self, name, operands, shape, varies, dtype="f32", **keys):
        self.steps.append(Step(name, operands, keys))
        self.values.append((tuple(shape), varies, dtype))
        return len(self.values) - 1

    def floats(self):
        return [i for i, v in enumerate(self.values) if v[2] == "f32"]

    def step(self):
        rng, n = self.rng, self.n
        x = rng.choice(self.floats())
        shape, varies, _ = self.values[x]
        axes = {"axes": self.name}
        grouped = n in (4, 6, 8) and rng.random() < 0.25
        if grouped:
            order = rng.sample(range(n), n)
            axes["groups"] = ";".join(joined(order[i:i + 2]) for i in range(0, n, 2))
        size = 2 if grouped else n
        kind = rng.choice("unary binary reduce reduce mean gather scatter exchange permute index integers sum nest nest".split())
        at = rng.randrange(len(shape)) if shape else 0
        if kind == "unary":
            self.emit(rng.choice(UNARY), [x], shape, varies)
        elif kind == "binary":
            y = rng.choice([i for i in self.floats() if self.values[i][0] == shape])
            self.emit(rng.choice(BINARY), [x, y], shape, varies or self.values[y][1])
        elif kind == "reduce":
            name = rng.choice(["psum", "psum", "pmax", "pmin"])
            self.emit(name, [x], shape, grouped and varies, **axes)
        elif kind == "mean":
            self.emit("pmean", [x], shape, False, axes=self.name)
        elif kind == "gather":
            tiled = bool(shape) and rng.random() < 0.5
            at = at if tiled else rng.randrange(len(shape) + 1)
            out = shape[:at] + (shape[at] * size,) + shape[at + 1:] if tiled else shape[:at] + (size,) + shape[at:]
            # No element of an empty dimension is gathered.
            if 0 < np.prod(out) < 600 and len(out) < 4:
                self.emit("all_gather", [x], out, grouped, axis=at, tiled=int(tiled), **axes)
        elif kind == "scatter" and shape and shape[at] and shape[at] % size == 0:
            tiled = shape[at] != size or rng.random() < 0.5
            out = shape[:at] + ((shape[at] // size,) if tiled else ()) + shape[at + 1:]
            self.emit("psum_scatter", [x], out, True, axis=at, tiled=int(tiled), **axes)
        elif kind == "exchange" and shape and shape[at] and shape[at] % size == 0:
            to, tiled = rng.randrange(len(shape)), shape[at] != size or rng.random() < 0.5
            out = list(shape)
            if tiled:
                out[at] //= size
                out[to] *= size
            else:
                del out[at]
                out.insert(to, size)
            self.emit("all_to_all", [x], out, True, split=at, concat=to, tiled=int(tiled), **axes)
        elif kind == "permute":
            pairs = list(zip(range(n), rng.sample(range(n), n)))[: rng.choice([n, n, max(1, n - 1)])]
            self.emit("ppermute", [x], shape, True, axes=self.name, perm=joined(v for p in pairs for v in p))
        elif kind == "index":
            index = self.emit("axis_index", [x], (), True, axes=self.name)
            self.emit("mul", [x, self.emit("sin", [index], (), True)], shape, True) if shape == () else None
        elif kind == "integers":
            integers = [i for i, v in enumerate(self.values) if v[2] == "i32"]
            if integers:
                y = rng.choice(integers)
                self.emit("psum", [y], self.values[y][0], False, "i32", axes=self.name)
        elif kind == "nest" and shape and 0 < n * shape[at] <= 8 and self.may_nest:
            self.nested(x, at)
        elif kind == "sum" and shape:
            self.emit("reduce_sum", [x], shape[:at] + shape[at + 1:], varies, axes=str(at))

    def nested(self, x, at):
        """A pmap over a dimension of a value, whose body communicates along both axes."""
        rng, shape = self.rng, self.values[x][0]
        inner, size = "j", shape[at]
        others = [i for i in self.floats() if self.values[i][0] == shape[:at] + shape[at + 1:]]
        operands = [x] + rng.sample(others, min(len(others), rng.randint(0, 1)))
        block, count = Block(), len(self.values)
        local = shape[:at] + shape[at + 1:]
        values, steps = [count + i for i in range(len(operands))], []
        for _ in range(rng.randint(1, 3)):
            y = rng.choice(values)
            axes = rng.choice([inner, inner, self.name, f"{self.name},{inner}"])
            name = rng.choice(["sin", "add", "psum", "psum", "pmax", "ppermute", "add_index"])
            keys = {} if name in ("sin", "add") else {"axes": axes}
            if name == "ppermute":
                total = self.n if axes == self.name else size if axes == inner else self.n * size
                # Batches know only permutations of all positions.
                keys["perm"] = joined(v for p in zip(range(total), rng.sample(range(total), total)) for v in p)
                if axes not in (inner, self.name):
                    keys["axes"] = inner
                    keys["perm"] = joined(v for p in zip(range(size), rng.sample(range(size), size)) for v in p)
            steps.append(Step(name, [y, rng.choice(values)] if name == "add" else [y], keys))
            values.append(count + len(operands) + len(steps) - 1)
        block.steps, block.outs = steps, [values[-1]]
        out = rng.randrange(len(local) + 1)
        ins = [at] + [None] * (len(operands) - 1)
        keys = {"name": inner, "in": "([" + ",".join("n" if a is None else str(a) for a in ins) + "],)", "out": f"[{out}]"}
        self.has_nested = True
        self.steps.append(Step("pmap", operands, keys, [block]))
        self.values.append((local[:out] + (size,) + local[out:], True, "f32"))

    # --- results ---

    def results(self):
        rng = self.rng
        used = {i for s in self.steps for i in s.args}
        outs = [i for i in range(self.first, len(self.values)) if i not in used] or [rng.randrange(self.first)]
        if self.form == "one":
            outs = outs[-1:]
        if rng.random() < 0.2 and self.form != "one":
            outs.append(rng.randrange(self.first))
        self.block.steps, self.block.outs = self.steps, outs
        self.outs = outs
        axes = []
        for i in outs:
            shape, varies, _ = self.values[i]
            axes.append(None if not varies and rng.random() < 0.3 else rng.randrange(len(shape) + 1))
        self.out_axes = axes

    def trees(self, ins, outs):
        """The texts of in_axes and out_axes from a word for each leaf."""
        listed = lambda words: "[" + ",".join(words) + "]"
        if self.form == "tree":
            out = "(" + outs[0] + ",{" + ",".join(f"{chr(97 + i)}:{w}" for i, w in enumerate(outs[1:])) + "})"
            return f"({ins[0]},{listed(ins[1:])})", out
        if self.form == "two":
            return f"({','.join(ins)})", listed(outs)
        if self.form in ("one", "keywords"):
            return f"({ins[0]},)", outs[0] if self.form == "one" else listed(outs)
        if self.form == "static":
            return f"({ins[0]},n)", listed(outs)
        return f"({listed(ins)},)", listed(outs)

    def keys(self):
        """The options as texts of axes trees."""
        rng = self.rng
        word = lambda axis: "n" if axis is None else str(axis)
        ins, outs = [word(a) for a in self.axes], [word(a) for a in self.out_axes]
        keys = {"name": self.name, "form": self.form}
        keys["in"], keys["out"] = self.trees(ins, outs)
        if rng.random() < 0.3:
            # JAX does not count mapped dimensions from the end.
            keys["jax_in"], keys["jax_out"] = keys["in"], keys["out"]
            last = lambda axis, rank: word(axis if axis is None else axis - rank - 1)
            keys["in"], keys["out"] = self.trees([last(a, x.ndim - 1) for a, x in zip(self.axes, self.ins)],
                                                 [last(a, len(self.values[i][0])) for a, i in zip(self.out_axes, self.outs)])
        # One number for all where that says the same.
        elif len(set(ins)) == 1 and ins[0] != "n" and rng.random() < 0.5 and self.form != "keywords":
            keys["in"] = ins[0]
        elif len(set(outs)) == 1 and rng.random() < 0.5:
            keys["out"] = outs[0]
        if rng.random() < 0.2 and not self.has_nested:
            keys["devices"] = f"{rng.randrange(8)},{self.n}"
        if rng.random() < 0.2:
            keys["size"] = str(self.n)
        return keys

    def finish(self):
        self.step_of_all = Step("pmap", range(len(self.ins)), self.keys(), [self.block])
        # Values in the block are numbered after those around it.
        by = len(self.ins)
        self.steps[:] = renumbered(self.steps, 0, by)
        self.block.outs = [i + by for i in self.block.outs]
        return self

    def function(self):
        return lambda *a: apply(self.step_of_all, list(a))

    def lines(self):
        out = []
        for kind, arrays in (("in", self.ins), ("batch", self.batches())):
            for x in arrays:
                dtype = "i32" if x.dtype == np.int32 else "f32"
                out.append(f"{kind} {dtype} {joined(x.shape) or '-'} " + " ".join(repr(float(v)) for v in x.ravel()))
        count = len(self.outs)
        return out + self.step_of_all.lines() + ["out " + " ".join(str(len(self.ins) + i) for i in range(count))]

    def batches(self):
        return [np.stack([x, x[..., ::-1] if x.ndim else x, x]) for x in self.ins]

    def brief(self):
        return "\n".join(" ".join(line.split()[:3]) if line.startswith(("in ", "batch ")) else line for line in self.lines())


def floats_of(outs):
    # JAX cannot assemble an empty array that is sharded.
    return [np.asarray(y, np.float32).ravel() if y.size else np.zeros(0, np.float32) for y in outs]


def specs_of(outs):
    return " ".join(str(y.sharding.spec).replace("PartitionSpec", "P") for y in outs)


def expected(p):
    f, ins, batches = p.function(), p.ins, p.batches()
    f_of_list = lambda a: f(*a)
    f_of_list.__name__ = "f"
    answers = {
        "eager:": lambda: floats_of(f(*ins)),
        "placed:": lambda: specs_of(f(*ins)),
        "jaxpr:": lambda: fm.normalized(str(jax.make_jaxpr(f)(*ins))),
        "module:": lambda: fm.communication(jax.jit(f_of_list).lower(ins).as_text()),
        "values:": lambda: floats_of(jax.jit(f)(*ins)),
        "values:jvp": lambda: floats_of(jax.jit(transformed(f, ["jvp"]))(*ins)),
        "values:vjp": lambda: floats_of(jax.jit(transformed(f, ["vjp"]))(*ins)),
        "eager:vjp": lambda: floats_of(transformed(f, ["vjp"])(*ins)),
        "values:vmap": lambda: floats_of(jax.jit(transformed(f, ["vmap"]))(*batches)),
        "values:vmap.vjp": lambda: floats_of(jax.jit(transformed(f, ["vmap", "vjp"]))(*batches)),
    }
    if p.has_nested:  # Ours is on a mesh of two axes, JAX's a vmap.
        for name in ("jaxpr:", "module:"):
            del answers[name]
    return {name: fm.or_error(compute) for name, compute in answers.items()}


def main():
    server = CaseServer()
    tally = oracle.Tally("frontend_pmap", show=int(os.environ.get("SHOW", 3)))
    for rng in oracle.generators(args):
        p = PmapProgram(rng).finish()
        theirs = expected(p)
        ours = server.ask("\n".join(p.lines() + ["ask " + " ".join(theirs)]))
        if ours is None:
            tally.fail(rng.name, "the server ended\n" + p.brief())
            continue
        if not p.has_nested:
            ours["jaxpr:"], ours["module:"] = fm.normalized(ours["jaxpr:"]), fm.communication(ours["module:"])
        for name, value in theirs.items():
            if "xla.sdy.GlobalToLocalShape" in str(value):
                continue  # XLA has no body without operands that have elements.
            if str(value).startswith("NotImplementedError: Please open a feature request!"):
                continue  # JAX has no batching of all_to_all in groups.
            if name == "module:" and p.n == 1 or "@empty_mesh" in str(value):
                continue  # JAX drops an all_to_all of one device, and places numbers of numpy on no mesh.
            problem = fm.differs(name, ours[name], value)
            if problem is None:
                tally.ok()
            else:
                tally.fail(f"{rng.name} {name}", f"{problem}\n{p.brief()}")
    server.close()
    tally.finish()


main()
