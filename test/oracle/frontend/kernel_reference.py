#===- kernel_reference.py - kernels over cores in numpy -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What the programs of kernel_programs.py compute: cores are coroutines that take turns where they wait, copies are
done at once."""

import ml_dtypes
import numpy as np

TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f64": np.float64, "i32": np.int32, "i8": np.int8,
         "i64": np.int64, "bool": np.bool_}
WIDTH = {name: np.dtype(t).itemsize for name, t in TYPES.items()}


class Deadlock(Exception):
    pass


class Core:
    """A core, or (with number -1) the program around the kernels."""

    def __init__(self, run, number, memories, values):
        self.run, self.number = run, number
        self.memories, self.values, self.loops = dict(memories), dict(values), {}

    def integer(self, n):
        if isinstance(n, int):
            return n
        if isinstance(n, str):
            return self.number if n == "core" else self.loops[n]
        if n[0] == "pick":
            return abs(int(self.values[n[1]])) % self.integer(n[2])
        a, b = self.integer(n[1]), self.integer(n[2])
        return a + b if n[0] == "add" else a * b if n[0] == "mul" else a % b

    def index(self, dim):
        if dim[0] == "all":
            return slice(None)
        start = self.integer(dim[1])
        if dim[0] == "at":
            return start
        return slice(start, start + dim[2] * dim[3], dim[3])

    def view(self, n, memories=None):
        x = (memories or self.memories)[n[1]]
        for dims in n[2:]:
            index = tuple(self.index(d) for d in dims)
            assert all(0 <= (i if isinstance(i, int) else i.start or 0) < max(size, 1) for i, size in zip(index, x.shape))
            x = x[index + (Ellipsis,)]
        return x

    def small(self, x):
        return np.fmod(x, np.asarray(13, x.dtype))

    def value(self, n):
        if isinstance(n, str):
            return self.values[n]
        if n[0] == "full":
            return np.full(n[2], n[3], TYPES[n[1]])
        if n[0] == "of":
            return np.full(n[2], self.integer(n[3]) % 13, TYPES[n[1]])
        if n[0] == "mix":
            x = self.value(n[1])
            if x.dtype == np.bool_:
                return ~x if n[2] % 2 else x
            return self.small(self.small(x) + np.asarray(n[2], x.dtype))
        if n[0] == "plus":
            a, b = self.value(n[1]), self.value(n[2])
            return a ^ b if a.dtype == np.bool_ else self.small(self.small(a) + self.small(b))
        if n[0] == "cast":
            return self.value(n[2]).astype(TYPES[n[1]])
        x = self.value(n[2])
        total = (np.fmod(x.ravel().astype(np.int32), 13) * np.arange(1, x.size + 1)).sum()
        return np.full(n[1], np.fmod(total, 2 if x.dtype == np.bool_ else 13), np.float32).astype(x.dtype)

    def steps(self, steps):
        for step in steps:
            yield from self.step(step)

    def step(self, n):
        op = n[0]
        if op in ("get", "swap"):
            view = self.view(n[2])
            before = view.copy()
            if op == "swap":
                view[...] = self.value(n[3])
            self.values[n[1]] = before
        elif op in ("set", "add"):
            view = self.view(n[1])
            view[...] = self.value(n[2]) if op == "set" else view + self.value(n[2])
        elif op == "when":
            a, b = self.integer(n[1][1]), self.integer(n[1][2])
            if a < b if n[1][0] == "lt" else a == b:
                yield from self.steps(n[2:])
        elif op == "loop":
            for k in range(self.integer(n[2]), self.integer(n[3])):
                self.loops[n[1]] = k
                yield from self.steps(n[4:])
        elif op == "kernel":
            self.run.kernel(self, n[1:])
        elif op == "scope":
            yield from self.scope(n)
        else:
            yield from self.synchronize(op, n)

    def scope(self, n):
        names = []
        for name, space, dtype, shape in n[1]:
            semaphores = space in ("sem", "dma")
            new = np.zeros(shape, np.int64) if semaphores else np.zeros(shape, TYPES[dtype])
            # Names are unique, so that cores share by name.
            self.memories[name] = self.run.shared.setdefault(name, new) if n[2] else new
            names.append(name)
        yield
        yield from self.steps(n[3:])
        if not n[2]:
            assert not any(self.memories[name].any() for name, space, _, _ in n[1] if space in ("sem", "dma"))

    def wait(self, sem, amount):
        while sem[...] < amount:
            yield
        sem[...] -= amount

    def others(self, number, *names):
        """The memories of another core, once it has allocated these."""
        other = self.run.cores[number]
        while not all(name in other.memories for name in names):
            yield
        return other.memories

    def bytes(self, view):
        return view.size * view.dtype.itemsize

    def synchronize(self, op, n):
        if op == "copy":
            source = self.view(n[1]).copy()
            self.view(n[2])[...] = source
            self.view(n[3])[...] += self.bytes(source)
        elif op == "wait":
            yield from self.wait(self.view(n[3]), self.bytes(self.view(n[2])))
        elif op == "rcopy":
            source = self.view(n[1]).copy()
            other = yield from self.others(self.integer(n[5]), n[2][1], n[4][1])
            self.view(n[2], other)[...] = source
            self.view(n[4], other)[...] += self.bytes(source)
            self.view(n[3])[...] += self.bytes(source)
        elif op == "waitsend":
            yield from self.wait(self.view(n[3]), self.bytes(self.view(n[1])))
        elif op == "waitrecv":
            yield from self.wait(self.view(n[4]), self.bytes(self.view(n[2])))
        elif op == "signal":
            memories = self.memories
            if len(n) == 4:
                memories = yield from self.others(self.integer(n[3]), n[1][1])
            self.view(n[1], memories)[...] += self.integer(n[2])
        elif op == "semwait":
            yield from self.wait(self.view(n[1]), self.integer(n[2]))
        elif op == "read":
            self.values[n[1]] = np.asarray(self.view(n[2]), np.int32)
        else:
            for i in range(1, self.run.size):
                other = yield from self.others((self.number + i) % self.run.size, n[1][1])
                self.view(n[1], other)[...] += 1
            yield from self.wait(self.view(n[1]), self.run.size - 1)


class Run:
    def __init__(self, program):
        self.size, _, operands, steps = program
        memories = {name: np.array(values, np.float64).reshape(shape).astype(TYPES[dtype])
                    for name, dtype, shape, values in operands}
        for _ in Core(self, -1, memories, {}).steps(steps):
            raise AssertionError("outside of kernels nothing waits")
        self.results = [memories[name].astype(np.float32) for name, *_ in operands]

    def kernel(self, around, steps):
        self.shared = {}
        self.cores = [Core(self, i, around.memories, around.values) for i in range(self.size)]
        running = [core.steps(steps) for core in self.cores]
        # A wait for what no one does would take many turns in vain.
        vain = 0
        while running:
            left = []
            for one in running:
                if next(one, self) is not self:
                    left.append(one)
            vain = vain + 1 if len(left) == len(running) else 0
            if vain > 2000:
                raise Deadlock()
            running = left


def run(program):
    """The arrays at the end, as numbers of f32."""
    return Run(program).results
