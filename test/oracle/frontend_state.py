#===- frontend_state.py - runState of the front end against JAX -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded bodies of run_state, written once and run twice: by frontend_state_server (C++) and by JAX. Compared: the
text of the jaxpr, the values with and without jit, the text and the values of the jvp. JAX 0.10 has no reverse
derivative and no batching rule of run_state: the vjp must be the transpose of the jvp, and each example of vmap have
the values of JAX's own call."""

# Feature: core-map
import os
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np
from jax import lax
from jax._src.state.discharge import run_state
from jax._src.state.primitives import ref_addupdate, ref_swap
from jax.experimental import pallas as pl

import oracle

args = oracle.arguments(__doc__, cases=16, long_cases=600)
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")


class Case:
    """A random body."""

    def __init__(self, rng):
        self.rng = rng
        self.shapes = [tuple(rng.randint(3, 5) for _ in range(rng.choice([1, 2, 2, 3]))) for _ in range(rng.choice([1, 2]))]
        self.lines = []
        numbers = np.random.default_rng(rng.getrandbits(32))
        self.init = [np.float32(numbers.uniform(-1, 2, s)) for s in self.shapes]
        self.count = 0
        self.dynamic = False
        self.block([], [], rng.randint(3, 7))

    def text(self):
        refs = [f"ref {','.join(map(str, x.shape))} {' '.join(f'{v:.9g}' for v in x.ravel())}" for x in self.init]
        return "\n".join(refs + self.lines + ["run"])

    def index(self, shape, loops):
        """Words of one subscript, and the shape of what it selects."""
        words, out = [], []
        # JAX's own discharging fails for strides beside positions.
        kinds = ["at", "at", "k", "slice", "kslice", "full", "full"]
        if self.rng.random() < 0.2:
            kinds = ["stride", "slice", "full"]
        for n in shape:
            kind = self.rng.choice(kinds)
            k = f"k{self.rng.randrange(len(loops))}" if loops else None
            if kind == "at" or (kind == "k" and not (k and n >= 3)):
                words.append(str(self.rng.randrange(n)))
            elif kind == "k":
                words.append(k)
            elif kind == "kslice" and k and n >= 4:
                words.append(f"{k}:{n - 2}")
                out.append(n - 2)
            elif kind == "stride" and n >= 3:
                words.append(f"{self.rng.randrange(n - 2)}:2:2")
                out.append(2)
            elif kind == "slice":
                start = self.rng.randrange(n)
                size = self.rng.randint(1, n - start)
                words.append(f"{start}:{size}")
                out.append(size)
            else:
                words.append(":")
                out.append(n)
        return ",".join(words), tuple(out)

    def part(self, loops, can_nest=True):
        ref = self.rng.randrange(len(self.shapes))
        text, shape = self.index(self.shapes[ref], loops)
        if can_nest and shape and self.rng.random() < 0.25:
            more, _ = self.index(shape, [])
            text += "|" + more
        return f"{ref} {text}"

    def scalar(self, loops):
        ref = self.rng.randrange(len(self.shapes))
        return f"{ref} " + ",".join(str(self.rng.randrange(n)) for n in self.shapes[ref])

    def value(self, names):
        if names and self.rng.random() < 0.7:
            return f"{self.rng.choice(names)}*{self.rng.choice(['0.5', '2', '-1'])}"
        return self.rng.choice(["1", "-0.5", "0.25"])

    def block(self, loops, names, length):
        names = list(names)
        for _ in range(length):
            kind = self.rng.choice(["get", "get", "set", "set", "add", "add", "swap", "loop", "dloop", "when"])
            if kind in ("loop", "dloop", "when"):
                # JAX shares the conditions of all dynamic loops of a program.
                if len(loops) > 1 or (kind == "dloop" and self.dynamic):
                    continue
                self.dynamic |= kind == "dloop"
                head = str(self.rng.randint(1, 3)) if kind == "loop" else self.scalar(loops)
                self.lines.append(f"{kind} {head}")
                self.block(loops + ["k"] if kind != "when" else loops, names, self.rng.randint(1, 3))
                self.lines.append("end")
            elif kind in ("get", "swap"):
                name = f"v{self.count}"
                self.count += 1
                self.lines.append(f"{kind} {name} {self.part(loops)}" + (f" {self.value(names)}" if kind == "swap" else ""))
                names.append(name)
            else:
                # JAX adds to parts, but not to parts of parts.
                self.lines.append(f"{kind} {self.part(loops, kind == 'set')} {self.value(names)}")


class Body:
    """The same body in JAX."""

    def __init__(self, lines, refs):
        self.steps, self.refs, self.values, self.loops = [line.split() for line in lines], refs, {}, []
        self.block(0)

    def position(self, word):
        return self.loops[int(word[1:])] if word[0] == "k" else int(word)

    def index(self, word):
        if word == ":":
            return slice(None)
        if ":" not in word:
            return self.position(word)
        start, *rest = word.split(":")
        size, stride = int(rest[0]), int(rest[1]) if len(rest) > 1 else 1
        return pl.ds(self.position(start), size, stride)

    def part(self, ref, text):
        """The reference or a view, and the last subscript."""
        view = self.refs[int(ref)]
        *outer, last = [tuple(self.index(w) for w in one.split(",")) for one in text.split("|")]
        for index in outer:
            view = view.at[index]
        return view, last

    def value(self, text, shape):
        name, *factor = text.split("*")
        if not factor:
            return lax.full(shape, np.float32(name)) if shape else np.float32(name)
        x = self.values[name]
        x = lax.reduce_sum(x, tuple(range(x.ndim))) if x.ndim else x
        x = lax.mul(lax.sin(x), np.float32(factor[0]))
        return lax.broadcast_in_dim(x, shape, ()) if shape else x

    def shape(self, view, index):
        return view.at[index].shape

    def block(self, at):
        while at < len(self.steps) and self.steps[at][0] != "end":
            at = self.step(at)

    def after(self, at):
        depth = 1
        while depth:
            word = self.steps[at][0]
            depth += (word in ("loop", "dloop", "when")) - (word == "end")
            at += 1
        return at

    def loop(self, count, first):
        def body(k, _):
            self.loops.append(k)
            self.block(first)
            self.loops.pop()

        lax.fori_loop(0, count, body, None)

    def step(self, at):
        word, *rest = self.steps[at]
        at += 1
        if word == "get":
            view, index = self.part(*rest[1:])
            self.values[rest[0]] = view[index]
        elif word in ("set", "add"):
            view, index = self.part(*rest[:2])
            x = self.value(rest[2], self.shape(view, index))
            ref_swap(view, index, x) if word == "set" else ref_addupdate(view, index, x)
        elif word == "swap":
            view, index = self.part(*rest[1:3])
            self.values[rest[0]] = ref_swap(view, index, self.value(rest[3], self.shape(view, index)))
        else:
            if word == "loop":
                self.loop(int(rest[0]), at)
            elif word == "dloop":
                view, index = self.part(*rest)
                n = lax.clamp(np.float32(0), view[index], np.float32(3))
                self.loop(lax.convert_element_type(n, np.int32), at)
            else:
                view, index = self.part(*rest)
                lax.cond(lax.gt(view[index], np.float32(0)), lambda: self.block(at), lambda: None)
            at = self.after(at)
        return at


def flat(values):
    return np.concatenate([np.ravel(np.asarray(v, np.float64)) for v in values])


def compare(tally, case, answer, seed):
    def f(*xs):
        return run_state(lambda refs: Body(case.lines, refs) and None)(tuple(xs))

    text = f"{seed}\n{case.text()}"
    tally.equal(f"jaxpr\n{text}", str(jax.make_jaxpr(f)(*case.init)), answer["jaxpr"].replace("~", "\n"))
    values = flat(f(*case.init))

    def near(name, expected):
        if answer.get(name, "").startswith("error"):
            return tally.fail(f"{name}\n{text}", answer[name])
        found = np.array(answer[name].split(), np.float64)
        scale = max(1, np.abs(expected).max())
        if found.shape == expected.shape and np.allclose(found, expected, rtol=2e-5, atol=2e-5 * scale):
            return tally.ok()
        return tally.fail(f"{name}\n{text}", f"{found}\nJAX: {expected}")

    near("eager", values)
    near("values", values)
    dual = lambda x, t: jax.jvp(f, x, t)
    x = tuple(case.init)
    tally.equal(f"jvp\n{text}", str(jax.make_jaxpr(dual)(x, x)), answer["jvp"].replace("~", "\n"))
    near("tangents", flat(dual(x, x)[1]))
    near("vmap", flat([np.stack(both) for both in zip(f(*x), f(*[-v for v in x]))]))
    if not case.dynamic:
        found = np.array(answer["cotangents"].split(), np.float64)
        basis = [flat(dual(x, tuple(np.float32(row[s].reshape(v.shape)) for v, s in zip(x, slices(x))))[1])
                 for row in np.eye(sum(v.size for v in x))]
        near("cotangents", np.array(basis) @ flat(x))
        assert found.shape == (len(basis),)


def slices(x):
    out, at = [], 0
    for v in x:
        out.append(slice(at, at + v.size))
        at += v.size
    return out


def main():
    tally = oracle.Tally("frontend_state")
    with subprocess.Popen([os.path.join(BUILD, "bin", "frontend_state_server")], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        for rng in oracle.generators(args):
            case = Case(rng)
            server.stdin.write(case.text() + "\n")
            server.stdin.flush()
            answer = {}
            for line in server.stdout:
                if line.strip() == "done":
                    break
                name, _, value = line.rstrip("\n").partition(": ")
                answer[name] = value
            compare(tally, case, answer, rng.name)
        server.stdin.close()
    tally.finish()


main()
