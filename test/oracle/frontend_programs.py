#===- frontend_programs.py - the C++ front end against JAX ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded programs over the primitives of the C++ front end, written once and run twice: by
frontend_server (C++) and by JAX. Compared: the text of the jaxpr, the values of the jitted program,
its vjp and jvp, and its vmap."""

import json
import os
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

import oracle
from frontend.callback_ops import CONTRACTIONS
from frontend.jax_ops import OTHER_JAXPR, function, without_addresses

args = oracle.arguments(__doc__, cases=60, long_cases=600)
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")

# Unary primitives with a domain in which they and their derivatives are smooth: inputs are in (0.1, 0.9).
SMOOTH = """neg exp exp2 log log1p expm1 sin cos tan tanh logistic sqrt rsqrt cbrt abs square erf erfc erf_inv
asin acos atan sinh cosh asinh atanh""".split()
STEPS = "sign floor ceil stop_gradient".split()
BINARY = "add sub mul div max min pow atan2 add_any".split()
COMPARE = "eq ne lt le gt ge".split()


class Program:
    """A random program: its text, and what JAX evaluates."""

    def __init__(self, rng):
        self.rng = rng
        numbers = np.random.default_rng(rng.getrandbits(32))
        self.lines, self.steps, self.types, self.literals = [], [], [], set()
        shape = rng.choice([(3,), (2, 3), (4, 4), (2, 3, 4), (1, 5)])
        self.ins = [np.float32(numbers.uniform(0.1, 0.9, shape)) for _ in range(rng.choice([1, 2]))]
        self.batches = [np.stack([x, np.float32(numbers.uniform(0.1, 0.9, shape))]) for x in self.ins]
        for word, arrays in (("in", self.ins), ("batch", self.batches)):
            for x in arrays:
                self.lines.append(f"{word} f32 {','.join(map(str, x.shape))} " +
                                  " ".join(repr(float(v)) for v in x.ravel()))
        self.types = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in self.ins]
        for _ in range(rng.randint(1, 5)):
            self.step()
        used = {i for _, operands, _ in self.steps if operands for i in operands}
        last = [i for i in range(len(self.ins), len(self.types))
                if i not in used and i not in self.literals]
        self.outs = last or [0]
        self.lines.append("out " + " ".join(map(str, self.outs)))

    def literal(self, kind, value):
        self.lines.append(f"lit {kind} {value}")
        self.steps.append(("lit", None, np.float32(value) if kind == "f32" else np.int32(value)))
        self.types.append(jax.ShapeDtypeStruct((), np.float32 if kind == "f32" else np.int32))
        self.literals.add(len(self.types) - 1)
        return len(self.types) - 1

    def emit(self, name, operands, **keys):
        outs = jax.eval_shape(lambda *a: function(name)(list(a), keys), *[self.types[i] for i in operands])
        text = "".join(f" {k}={','.join(map(str, v))}" for k, v in keys.items() if v)
        self.lines.append(f"op {name} {' '.join(map(str, operands))}{text}")
        self.steps.append((name, operands, keys))
        self.types.extend(outs)

    def floats(self, min_rank=0):
        return [i for i, t in enumerate(self.types)
                if t.dtype == np.float32 and len(t.shape) >= min_rank and i not in self.literals]

    def step(self):
        rng = self.rng
        x = rng.choice(self.floats(1) or [0])
        shape = self.types[x].shape
        rank = len(shape)
        if rank == 0:
            return self.emit(rng.choice(SMOOTH), [x])
        axis = rng.randrange(rank)
        same = [i for i in self.floats() if self.types[i].shape == shape]
        kind = rng.choice(["smooth"] * 4 + ["binary"] * 4 + """step compare scalar reduce cumulative arg shape
            slice pad concat dot dynamic update select clamp sort jit power round tie rows
            custom transform loop window conv fft matrix top_k scatter sort_pair callback contract options""".split())
        if kind == "smooth":
            return self.emit(rng.choice(SMOOTH), [x])
        if kind == "binary":
            return self.emit(rng.choice(BINARY), [x, rng.choice(same)])
        if kind == "step":
            return self.emit(rng.choice(STEPS), [x])
        if kind == "compare":
            return self.emit(rng.choice(COMPARE), [x, rng.choice(same)])
        if kind == "scalar":
            return self.emit(rng.choice(["add", "sub", "mul", "div", "max"]),
                             [x, self.literal("f32", rng.choice([0.5, 2.0, 1.25]))])
        if kind == "reduce":
            axes = tuple(sorted(rng.sample(range(rank), rng.randint(1, rank))))
            return self.emit(rng.choice(["reduce_sum", "reduce_max", "reduce_min", "reduce_prod"]), [x], axes=axes)
        if kind == "cumulative":
            name = rng.choice(["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
            return self.emit(name, [x], axis=(axis,), reverse=(rng.randint(0, 1),))
        if kind == "arg":
            return self.emit(rng.choice(["argmax", "argmin"]), [x], axis=(axis,))
        if kind == "shape":
            size = int(np.prod(shape))
            pick = rng.randrange(5)
            if pick == 0:
                return self.emit("reshape", [x], shape=rng.choice([(size,), (1, size), (size, 1)]))
            if pick == 1:
                return self.emit("transpose", [x], permutation=tuple(rng.sample(range(rank), rank)))
            if pick == 2:
                return self.emit("rev", [x], dims=(axis,))
            if pick == 3:
                return self.emit("expand_dims", [x], dims=(rng.randint(0, rank),))
            return self.emit("broadcast_in_dim", [x], shape=(2,) + shape, dims=tuple(range(1, rank + 1)))
        if kind == "slice":
            limit = tuple(rng.randint(1, n) for n in shape)
            start = tuple(rng.randrange(n) for n in limit)
            return self.emit("slice", [x], start=start, limit=limit, strides=tuple(rng.choice([1, 2]) for _ in shape))
        if kind == "pad":
            config = tuple(v for _ in shape for v in (rng.randint(0, 2), rng.randint(0, 1), rng.randint(0, 1)))
            return self.emit("pad", [x, self.literal("f32", 0.5)], config=config)
        if kind == "concat":
            return self.emit("concatenate", [x, rng.choice(same)], dim=(axis,))
        if kind == "dot":
            y = rng.choice(same)
            if rank > 1 and rng.random() < 0.5:
                return self.emit("dot_general", [x, y], lc=(rank - 1,), rc=(rank - 1,), lb=(0,), rb=(0,))
            return self.emit("dot_general", [x, y], lc=(axis,), rc=(axis,))
        if kind == "dynamic":
            starts = [self.literal("i32", rng.randrange(n + 1)) for n in shape]
            return self.emit("dynamic_slice", [x] + starts, sizes=tuple(rng.randint(1, n) for n in shape))
        if kind == "update":
            limit = tuple(rng.randint(1, n) for n in shape)
            self.emit("slice", [x], start=(0,) * rank, limit=limit, strides=(1,) * rank)
            update = len(self.types) - 1
            starts = [self.literal("i32", rng.randrange(n)) for n in shape]
            return self.emit("dynamic_update_slice", [x, update] + starts)
        if kind == "select":
            y = rng.choice(same)
            self.emit("lt", [x, y])
            return self.emit("select_n", [len(self.types) - 1, x, y])
        if kind == "clamp":
            return self.emit("clamp", [self.literal("f32", 0.25), x, self.literal("f32", 0.75)])
        if kind == "sort":
            return self.emit("sort", [x], dim=(axis,))
        if kind == "jit":
            return self.emit("jit_sin_mul", [x, rng.choice(same)])
        if kind == "window":
            dims = tuple(rng.randint(1, min(2, n)) for n in shape)
            padding = tuple(rng.randrange(d) for d in dims for _ in range(2))
            keys = {"dims": dims, "strides": tuple(rng.randint(1, 2) for _ in shape), "padding": padding}
            name = rng.choice(["sum", "max", "min"])
            if name == "sum":
                keys |= {"base": tuple(rng.randint(1, 2) for _ in shape),
                         "dilation": tuple(rng.randint(1, 2) for _ in shape)}
            return self.emit(f"reduce_window_{name}", [x], **keys)
        if kind == "conv":
            return self.convolution(x, rng.choice(same), int(np.prod(shape)))
        if kind == "fft":
            y, n = rng.choice(same), rng.randint(1, min(rank, 2))
            name = rng.choice(["fft", "rfft", "irfft"])
            if name == "irfft":
                last = 2 * (shape[-1] - 1) + rng.randint(0, 1) if shape[-1] > 1 else 1
                return self.emit(name, [x, y], lengths=shape[rank - n:-1] + (last,))
            if name == "rfft":
                return self.emit(name, [x], lengths=shape[rank - n:])
            return self.emit(name, [x, y], type=(rng.randint(0, 1),), lengths=shape[rank - n:])
        if kind == "matrix":
            # Of an argument: what is computed may have equal eigenvalues.
            shape = self.types[0].shape
            if len(shape) < 2 or min(shape[-2:]) < 2:
                return self.emit("neg", [x])
            name = rng.choice("cholesky triangular_solve qr lu eigh svd svd_values".split())
            if name == "triangular_solve":
                return self.emit(name, [0, len(self.ins) - 1],
                                 **{k: (rng.randint(0, 1),) for k in ("left", "lower", "transpose", "unit")})
            keys = {"qr": ("tall", "full"), "lu": ("tall",), "svd": ("full",)}.get(name, ())
            return self.emit(name, [0], **{k: (rng.randint(0, 1),) for k in keys})
        if kind == "top_k":
            return self.emit("top_k", [x], k=(rng.randint(1, shape[axis]),), axis=(axis,))
        if kind == "scatter" and rank == 2:
            self.emit("argmax", [x], axis=(1,))
            return self.emit("scatter_rows", [x, len(self.types) - 1, rng.choice(same)], kind=(rng.randint(0, 1),))
        if kind == "sort_pair":
            return self.emit("sort_pair", [x, rng.choice(same)], dim=(axis,), keys=(rng.randint(1, 2),))
        if kind == "custom":
            return self.emit(rng.choice(["custom_jvp", "custom_vjp"]), [x, rng.choice(same)])
        if kind == "transform":
            if rank == 1:
                return self.emit(rng.choice(["jacfwd", "jacrev", "hessian"]), [x])
            return self.emit(rng.choice(["grad", "vmap_rows", "vmap_last", "checkpoint"]), [x])
        if kind == "loop":
            name = rng.choice("""scan_rows while_double fori fori_dynamic cond map assoc_scan
                assoc_recurrence""".split())
            if name in ("cond", "assoc_recurrence"):
                return self.emit(name, [x, rng.choice(same)])
            keys = {"scan_rows": {"reverse": (rng.randint(0, 1),)},
                    "assoc_scan": {"reverse": (rng.randint(0, 1),), "axis": (axis,)}}
            return self.emit(name, [x], **keys.get(name, {}))
        if kind == "callback":
            name = rng.choice(["callback_pure", "callback_pair", "callback_io", "callback_debug"])
            if name in ("callback_pure", "callback_pair"):
                return self.emit(name, [x] + [rng.choice(same)] * (name == "callback_pair"), method=(rng.randrange(5),))
            return self.emit(name, [x], ordered=(rng.randint(0, 1) if name == "callback_debug" else 0,))
        if kind == "contract" and rank == 2:
            spec = rng.randrange(len(CONTRACTIONS))
            return self.emit("contract", [rng.choice(same) for _ in CONTRACTIONS[spec].split(",")], spec=(spec,))
        if kind == "options":
            name = rng.choice(["scan_unroll", "map_batch", "checkpoint_policy"])
            keys = {"scan_unroll": {"reverse": (rng.randint(0, 1),), "unroll": (rng.randint(1, 5),), "split": (rng.randint(0, 1),)},
                    "map_batch": {"size": (rng.randint(1, 4),)},
                    "checkpoint_policy": {"policy": (rng.randrange(9),)}}
            return self.emit(name, [x], **keys[name])
        if kind == "power":
            return self.emit("integer_pow", [x], y=(rng.choice([-1, 2, 3, 4]),))
        if kind == "round":
            return self.emit("round", [x], method=(rng.randint(0, 1),))
        if kind == "tie":
            return self.emit(rng.choice(["max", "min"]), [x, x])
        if kind == "rows" and rank == 2:
            self.emit("argmax", [x], axis=(1,))
            return self.emit("rows", [x, len(self.types) - 1], mode=(rng.randint(0, 1),))
        return self.emit("neg", [x])

    def convolution(self, x, y, size):
        """A convolution of two arrays of `size` elements, brought into shapes that fit."""
        rng = self.rng
        layouts = {
            3: [("conv1", (1, 1, 3), (1, 1, 3), 1, 1)],
            5: [("conv1", (1, 1, 5), (1, 1, 5), 1, 1)],
            6: [("conv1", (1, 2, 3), (1, 2, 3), 1, 1), ("conv1", (1, 2, 3), (2, 1, 3), 2, 1)],
            16: [("conv1", (1, 4, 4), (4, 1, 4), 4, 1), ("conv1", (4, 1, 4), (4, 1, 4), 1, 2),
                 ("conv1", (2, 2, 4), (2, 2, 4), 1, 1), ("conv2", (1, 4, 4, 1), (2, 2, 1, 4), 1, 1)],
            24: [("conv1", (2, 3, 4), (2, 3, 4), 1, 1), ("conv2", (1, 2, 3, 4), (1, 2, 4, 3), 1, 1),
                 ("conv2", (1, 2, 3, 4), (2, 3, 2, 2), 2, 1), ("conv2", (2, 3, 4, 1), (2, 2, 1, 6), 1, 2)],
        }
        if size not in layouts:
            return self.emit("neg", [x])
        name, lhs, rhs, features, batches = rng.choice(layouts[size])
        spatial = int(name[-1])
        padding = tuple(rng.randint(1, 2) for _ in range(2 * spatial))
        return self.emit(name, [x, y], lhs=lhs, rhs=rhs, features=(features,), batches=(batches,), padding=padding,
                         **{k: tuple(rng.randint(1, 2) for _ in range(spatial))
                            for k in ("strides", "base", "dilation")})

    def evaluate(self, *ins):
        values = list(ins)
        for name, operands, keys in self.steps:
            if name == "lit":
                values.append(keys)
            else:
                values.extend(function(name)([values[i] for i in operands], keys))
        return [values[i] for i in self.outs]

    def expected(self):
        f = self.evaluate
        floats = lambda outs: [np.asarray(y, np.float32) for y in outs]

        def vjp():
            values, pull = jax.vjp(f, *self.ins)
            return pull([jnp.ones_like(y) if y.dtype == np.float32 else np.zeros(y.shape, jax.dtypes.float0)
                         for y in values])

        def jvp():
            _, tangents = jax.jvp(f, self.ins, [np.full(x.shape, 0.5, np.float32) for x in self.ins])
            return [t for t in tangents if t.dtype == np.float32]

        def attempt(compute):
            """Arrays, or the text of the error of a function without such a derivative."""
            try:
                return floats(compute())
            except (TypeError, ValueError, NotImplementedError) as error:
                return f"{type(error).__name__}: {error}"

        return {
            "jaxpr": str(jax.make_jaxpr(f)(*self.ins)),
            "values": floats(jax.jit(f)(*self.ins)),
            "vjp": attempt(vjp),
            "jvp": attempt(jvp),
            "vmap": floats(jax.jit(jax.vmap(f))(*self.batches)),
        }


def differs(name, ours, theirs):
    """What differs between two results, or None."""
    if name == "jaxpr":
        theirs = without_addresses(theirs)
        return None if ours == theirs else f"ours:\n{ours}\nJAX:\n{theirs}"
    if isinstance(ours, str) or isinstance(theirs, str):
        return None if ours == theirs else f"{ours}\nJAX: {theirs}"
    if len(ours) != len(theirs):
        return f"{len(ours)} results, JAX has {len(theirs)}"
    for a, b in zip(ours, theirs):
        a, b = np.float32(a), b.ravel()
        if a.shape != b.shape:
            return f"{a.size} elements, JAX has {b.size}"
        finite = b[np.isfinite(b)]
        scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
        if not np.allclose(a, b, rtol=2e-4, atol=2e-5 * scale, equal_nan=True):
            return f"{a}\nJAX: {b}"
    return None


def main():
    server = subprocess.Popen([os.path.join(BUILD, "bin", "frontend_server")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    tally = oracle.Tally("frontend_programs")
    for rng in oracle.generators(args):
        case = rng.name
        program = Program(rng)
        server.stdin.write("\n".join(program.lines) + "\nrun\n")
        server.stdin.flush()
        theirs = program.expected()
        line = server.stdout.readline()
        if not line:
            tally.fail(case, "the server ended\n" + "\n".join(program.lines))
            break
        ours = json.loads(line)
        for name, value in theirs.items():
            if name == "jaxpr" and any(step[0] in OTHER_JAXPR for step in program.steps):
                continue
            problem = differs(name, ours.get(name, "missing"), value)
            if problem is None:
                tally.ok()
                continue
            tally.fail(f"{case} {name}", f"{problem}\n{theirs['jaxpr']}")
    server.stdin.close()
    server.wait()
    tally.finish()


main()
