#===- kernel_programs.py - random kernels over cores ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random kernels whose values do not depend on the order of the cores, as nested lists (the format is described in
frontend_kernels_server.cc). The generator knows for each memory what the cores may do with it:

  read     nobody writes
  part     core c owns the rows of the partition c + shift; after a barrier with another shift, or nobody writes
  cell     one core reads and writes, or nobody writes
  scratch  of each core
  group    allocated once for all cores, used as `part`

and which copies are in flight: their sources are not written, their destinations not touched. A fault (`Fault`) breaks
one step of the program, so that the kernel is wrong under every order of the cores."""

import numpy as np

TYPES = ["f32", "f32", "bf16", "i32", "i8", "bool"]


class Memory:
    def __init__(self, name, dtype, shape, kind, rows=0):
        self.name, self.dtype, self.shape, self.kind, self.rows = name, dtype, tuple(shape), kind, rows
        self.mode, self.shift, self.owner = "mine", 0, 0
        self.reading = self.writing = 0  # copies in flight
        self.is_set = True
        self.touched = False  # since the last barrier


class Fault:
    """Breaks the candidate number `number` of a kind: wait (of a copy), semwait, signal, range, writer."""

    def __init__(self, kind=None, number=0):
        self.kind, self.number, self.counts = kind, number, {}

    def here(self, kind):
        n = self.counts.get(kind, 0)
        self.counts[kind] = n + 1
        return kind == self.kind and n == self.number


def product(shape):
    return int(np.prod(shape, dtype=np.int64))


class Generator:
    def __init__(self, rng, fault=None):
        self.rng, self.fault = rng, fault or Fault()
        self.cores = rng.choice([1, 2, 2, 4, 4, 8])
        # Pallas' interpret mode takes it.
        self.plain = self.chance(0.5)
        self.x64 = not self.plain and self.chance(0.3)
        types = TYPES + (["f64", "f64", "i64"] if self.x64 else [])
        # Few, so that most memories can be copied to another one.
        self.types = [rng.choice(types) for _ in range(rng.choice([1, 2, 2, 3]))]
        self.spaces = not self.plain and self.chance(0.3)
        # What the program uses that other interpreters may not have.
        self.features = set()
        self.memories, self.names, self.loops = {}, [], []
        self.pending = []  # copies of the blocks around, a list for each
        self.who = None  # the core that executes, or None: all
        self.level = 0  # 0: outside of branches and loops
        self.in_kernel = False
        self.count = 0
        self.semaphores = {}
        self.program = self.make()

    # Names, numbers.
    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def chance(self, p):
        return self.rng.random() < p

    def shape(self, max_rank=3, most=4):
        rank = self.rng.choice([0, 1, 1, 2, 2, 3])
        most = 6 if self.chance(0.3) else most
        return tuple(self.rng.randint(1, most) for _ in range(min(rank, max_rank)))

    def integer(self, depth=0):
        """A number that is not negative."""
        kinds = ["number", "number"] + ["loop"] * 2 * bool(self.loops) + ["core"] * 2 * self.in_kernel
        kinds += ["op"] if depth < 2 else []
        scalars = [n for n, t, s in self.names if s == () and t in ("i32", "i8", "f32")]
        kinds += ["pick"] * bool(scalars)
        kind = self.rng.choice(kinds)
        if kind == "loop":
            return self.rng.choice(self.loops)
        if kind == "core":
            return "core"
        if kind == "pick":
            return ["pick", self.rng.choice(scalars), self.rng.randint(1, 5)]
        if kind == "op":
            op = self.rng.choice(["add", "add", "mul"])
            return [op, self.integer(depth + 1), self.integer(depth + 1)]
        return self.rng.randrange(5)

    def below(self, n):
        """A number from 0 to n - 1."""
        return self.rng.randrange(n) if n == 1 or self.chance(0.4) else ["rem", self.integer(), n]

    # Views.
    def dim(self, size, is_static=False):
        """A subscript of a dimension and the size of the part, or None if it is a position."""
        kind = self.rng.choice(["all", "all", "at", "st", "ds"])
        if kind == "at" and size:
            return ["at", self.rng.randrange(size) if is_static else self.below(size)], None
        stride = self.rng.choice([1, 1, 2, 2, 3])
        most = -(-size // stride)
        if kind == "st" or (kind == "ds" and is_static and size):
            n = self.rng.randint(0 if not self.plain and self.chance(0.1) else min(1, most), most)
            if not n:
                self.features.add("empty")
                return ["st", 0, 0, 1], 0
            self.features |= {"stride"} if stride > 1 and n > 1 else set()
            return ["st", self.rng.randrange(size - (n - 1) * stride), n, stride], n
        if kind == "ds" and size:
            n = self.rng.randint(1, most)
            self.features |= {"stride"} if stride > 1 and n > 1 else set()
            return ["ds", self.below(size - (n - 1) * stride), n, stride], n
        return ["all"], size

    def subscripts(self, shape, is_static=False):
        dims, sizes = zip(*(self.dim(n, is_static) for n in shape)) if shape else ((), ())
        return list(dims), tuple(n for n in sizes if n is not None)

    def partition(self, memory, shift):
        """The subscripts of a partition, the shape of the part. A fault shifts it beyond the end."""
        index = ["rem", ["add", "core", shift % self.cores], self.cores] if shift % self.cores else "core"
        k = memory.rows
        start = index if k == 1 else ["mul", index, k]
        if product(memory.shape) and not self.level and self.who is None and self.fault.here("range"):
            start = ["add", start, self.cores * k - k + 1]
        if k == 1 and self.chance(0.5):
            return [["at", start]] + [["all"]] * (len(memory.shape) - 1), memory.shape[1:]
        return [["ds", start, k, 1]] + [["all"]] * (len(memory.shape) - 1), (k,) + memory.shape[1:]

    def base(self, memory, write):
        """The subscripts that lead to what may be accessed now and its shape, or None."""
        free = memory.is_set and not memory.writing and not (write and memory.reading)
        if not free or (write and memory.kind == "read"):
            return None
        if memory.kind in ("read", "scratch") or not self.in_kernel:
            return [], memory.shape
        if memory.kind == "cell":
            if memory.mode == "shared":
                return None if write else ([], memory.shape)
            return ([], memory.shape) if self.who == memory.owner else None
        if memory.mode == "shared":
            return None if write else ([], memory.shape)
        if memory.mode == "left":
            if write:
                return None
            shift = memory.shift - self.rng.randrange(2)
        else:
            shift = memory.shift
        part, shape = self.partition(memory, shift)
        return [part], shape

    def view(self, memory, write, can_nest=True):
        """A view of a part that may be accessed, and its shape, or None."""
        found = self.base(memory, write)
        if not found:
            return None
        indices, shape = found
        while can_nest and shape and len(indices) < 3 and self.chance(0.6 if not indices else 0.35):
            more, shape = self.subscripts(shape)
            indices = indices + [more]
            if len(indices) > 1:
                self.features.add("nested")
        memory.touched = True
        return ["view", memory.name] + indices, shape

    def some(self, write, test=lambda m: True):
        """A view of some memory: (memory, view, shape), or None."""
        candidates = [m for m in self.memories.values() if m.kind != "sems" and test(m)]
        self.rng.shuffle(candidates)
        for memory in candidates:
            found = self.view(memory, write)
            if found:
                return memory, *found
        return None

    # Values.
    def expression(self, dtype, shape):
        kinds = ["full", "of"] + ["var"] * 4 + ["plus"]
        kind = self.rng.choice(kinds)
        same = [n for n, t, s in self.names if t == dtype and s == shape]
        alike = [n for n, t, s in self.names if s == shape]
        filled = [n for n, t, s in self.names if product(s)]
        mixed = lambda name: ["mix", name, self.rng.randint(-5, 5)]
        if kind == "plus" and len(same) > 1:
            return ["plus", self.rng.choice(same), self.rng.choice(same)]
        if kind == "var" and same:
            return mixed(self.rng.choice(same))
        if kind == "var" and alike and self.chance(0.7):
            return ["cast", dtype, mixed(self.rng.choice(alike))]
        if kind == "var" and filled:
            return ["mix", ["spread", list(shape), ["cast", dtype, mixed(self.rng.choice(filled))]], self.rng.randint(-3, 3)]
        if kind == "of":
            return ["of", dtype, list(shape), self.integer()]
        return ["full", dtype, list(shape), self.rng.randint(0, 1) if dtype == "bool" else self.rng.randint(-9, 9)]

    def bind(self, dtype, shape):
        name = self.name("v")
        self.names.append((name, dtype, shape))
        return name

    # Steps on the own memory of a core.
    def access(self, out):
        kind = self.rng.choice(["get", "set", "set", "add", "swap"])
        found = self.some(kind != "get", lambda m: kind != "add" or m.dtype != "bool")
        if not found:
            return
        memory, view, shape = found
        if kind == "get":
            out.append(["get", self.bind(memory.dtype, shape), view])
        elif kind == "swap":
            value = self.expression(memory.dtype, shape)
            out.append(["swap", self.bind(memory.dtype, shape), view, value])
        else:
            out.append([kind, view, self.expression(memory.dtype, shape)])
        is_shared = memory.kind in ("part", "group") and self.in_kernel and not self.level and self.cores > 1
        if kind != "get" and is_shared and product(shape) and product(memory.shape):
            if self.fault.here("writer"):
                neighbour = [["ds", ["mul", ["rem", ["add", "core", (memory.shift + 1) % self.cores], self.cores],
                                     memory.rows], memory.rows, 1]] + [["all"]] * (len(memory.shape) - 1)
                out.append(["set", ["view", memory.name, neighbour],
                            ["full", memory.dtype, [memory.rows, *memory.shape[1:]], 1]])

    def semaphore(self, kind):
        """A view of an element of an array of semaphores that nothing uses now, or None."""
        free = self.semaphores.get(kind, [])
        return free.pop(self.rng.randrange(len(free))) if free else None

    def start(self, out):
        """A copy; it is waited for later in this block."""
        sem = self.semaphore("dma")
        if not sem:
            return
        for _ in range(6):
            target = self.some(True)
            if not target:
                break
            to, view, shape = target
            # A copy within a memory reads its source first.
            alone = self.chance(0.25)
            source = self.some(False, lambda m: (m is to if alone else m.dtype == to.dtype) and self.fits(m, shape))
            # Between the two views there is one of each shape.
            into = source and self.narrowed(view, shape, source[2])
            if into:
                from_ = source[1]
                source[0].reading += 1
                to.writing += 1
                out.append(["copy", from_, into, sem])
                size = product(source[2])
                self.pending[-1].append((["wait", from_, into, sem], source[0], to, sem, size))
                return
        self.semaphores["dma"].append(sem)

    def fits(self, memory, shape):
        return len(memory.shape) >= len(shape)

    def narrowed(self, view, shape, wanted):
        """The view with a last subscript that makes its shape the wanted one, or None."""
        if shape == wanted:
            return view
        dims, left = [], list(wanted)
        for n in shape:
            if left and left[0] <= n and (len(left) == len(shape) - len(dims) or self.chance(0.6)):
                m = left.pop(0)
                dims.append(["st", self.rng.randrange(n - m + 1) if m else 0, m, 1])
            elif n:
                dims.append(["at", self.below(n)])
            else:
                return None
        return None if left else view + [dims]

    def finish(self, out, number):
        """Waits for a copy of this block."""
        step, source, to, sem, size = self.pending[-1].pop(number)
        source.reading -= 1
        to.writing -= 1
        self.semaphores["dma"].append(sem)
        is_candidate = size and not self.level and self.who is None
        if not (is_candidate and self.fault.here("wait")):
            out.append(step)

    def finish_all(self, out):
        while self.pending[-1]:
            self.finish(out, self.rng.randrange(len(self.pending[-1])))

    def local(self, out, depth):
        kinds = ["access"] * 5 + (["start"] * 5 + ["finish", "finish", "self"] if self.in_kernel else [])
        kinds += ["when", "loop"] if depth < 2 else []
        kinds += ["scope"] if self.in_kernel and depth < 2 and self.chance(0.3) else []
        kind = self.rng.choice(kinds)
        if kind == "access":
            self.access(out)
        elif kind == "start":
            self.start(out)
        elif kind == "finish":
            if self.pending[-1]:
                self.finish(out, self.rng.randrange(len(self.pending[-1])))
        elif kind == "self":
            self.own_signal(out)
        elif kind == "when":
            self.branch(out, depth)
        elif kind == "loop":
            self.loop(out, depth)
        else:
            self.scope(out, depth + 1, self.rng.randint(1, 3))

    def inner(self, head, depth, length):
        """A block; what it names is not known outside."""
        before = len(self.names)
        self.pending.append([])
        self.level += 1
        for _ in range(length):
            self.local(head, depth)
        self.finish_all(head)
        self.level -= 1
        self.pending.pop()
        del self.names[before:]
        return head

    def branch(self, out, depth):
        who = self.who
        if self.in_kernel and self.chance(0.4):
            core = self.rng.randrange(self.cores)
            condition = ["eq", "core", core]
            # Inside of a branch for another core nothing happens.
            self.who = core if who in (None, core) else who
        else:
            condition = [self.rng.choice(["lt", "eq"]), self.below(3), self.integer()]
        out.append(self.inner(["when", condition], depth + 1, self.rng.randint(1, 3)))
        self.who = who

    def loop(self, out, depth):
        k = self.name("k")
        first = self.rng.choice([0, 0, 1])
        to = first + self.rng.randint(0, 3) if self.chance(0.7) else ["rem", self.integer(), 4]
        self.loops.append(k)
        out.append(self.inner(["loop", k, first, to], depth + 1, self.rng.randint(1, 3)))
        self.loops.pop()

    def own_signal(self, out):
        sem = self.semaphore("sem")
        if sem:
            n = self.rng.randint(1, 4)
            out.append(["signal", sem, n])
            if not self.plain and self.chance(0.4):
                self.features.add("read")
                out.append(["read", self.bind("i32", ()), sem])
            for part in [n] if self.chance(0.6) else [1] * n:
                out.append(["semwait", sem, part])
            self.semaphores["sem"].append(sem)

    # Scopes.
    def scope(self, out, depth, length, is_outer=False):
        """run_scoped with memory and semaphores; the outer one also has what all cores synchronize with."""
        types, made, axes = [], [], []
        kept = self.semaphores
        self.semaphores = {k: list(v) for k, v in kept.items()}
        is_group = is_outer and not self.plain and self.cores > 1 and self.chance(0.4)
        for _ in range(self.rng.randint(0 if is_group else 1, 3)):
            space = self.rng.choice(["smem", "hbm", "any"]) if self.spaces else "vmem"
            self.features |= {"space"} if space != "vmem" else set()
            memory = Memory(self.name("t"), self.rng.choice(self.types), self.shape(), "scratch")
            memory.is_set = False
            types.append([memory.name, space, memory.dtype, list(memory.shape)])
            made.append(memory)
        if is_group:
            # Its arrays of semaphores are shared: each core uses a row of its own.
            axes = ["core"]
            self.features.add("group")
            rows = self.rng.randint(1, 2)
            made, types = [], []
            memory = Memory(self.name("g"), self.rng.choice(self.types), (self.cores * rows, *self.shape(2)), "group", rows)
            memory.is_set = False
            types.append([memory.name, "vmem", memory.dtype, list(memory.shape)])
            made.append(memory)
        semaphores = []
        for kind in ("dma", "sem"):
            n = self.rng.randint(1, 3)
            name = self.name("s")
            types.append([name, kind, "-", [self.cores, n] if axes else [n]])
            self.semaphores[kind] = self.semaphores.get(kind, []) + [
                ["view", name, [["at", "core"], ["at", i]] if axes else [["at", i]]] for i in range(n)]
            semaphores.append(name)
        body = ["scope", types, axes]
        for memory in made:
            self.memories[memory.name] = memory
        if is_group:
            # Inside, what belongs to each core.
            for memory in made:
                self.initialize(body, memory)
            self.scope_body(body, depth, length, is_outer=True)
            for memory in made:
                self.show(body, memory)
        else:
            self.scope_body(body, depth, length, is_outer, made)
        for memory in made:
            del self.memories[memory.name]
        self.semaphores = kept
        out.append(body)

    def initialize(self, out, memory):
        memory.is_set = True
        memory.touched = True
        if memory.kind == "group":
            part, shape = self.partition(memory, 0)
            out.append(["set", ["view", memory.name, part], self.expression(memory.dtype, shape)])
        else:
            out.append(["set", ["view", memory.name], self.expression(memory.dtype, memory.shape)])

    def scope_body(self, body, depth, length, is_outer, made=()):
        before = len(self.names)
        self.pending.append([])
        outer = None
        if is_outer:
            # A scope of each core within, for what cores synchronize with by name.
            names = {kind: self.name("c") for kind in ("bar", "sem", "send", "recv")}
            self.links = names
            self.num_links = 4
            self.next_link = {"sem": 0, "copy": 0}
            outer = ["scope", [[names["bar"], "sem", "-", []], [names["sem"], "sem", "-", [self.num_links]],
                               [names["send"], "dma", "-", [self.num_links]], [names["recv"], "dma", "-", [self.num_links]]], []]
        target = outer or body
        for memory in made:
            if not (is_outer and self.chance(0.4)):
                self.initialize(target, memory)
        for _ in range(length):
            if is_outer and self.chance(0.5):
                self.shared_step(target)
            else:
                self.local(target, depth)
        self.finish_all(target)
        for memory in made:
            self.show(target, memory)
        if outer:
            body.append(outer)
        self.pending.pop()
        del self.names[before:]

    def show(self, out, memory):
        """Adds what the memory of a scope holds to an operand."""
        if not product(memory.shape) or not self.base(memory, False):
            return
        found = self.some(True, lambda m: m.kind in ("part", "cell") and product(m.shape))
        if found:
            to, view, shape = found
            whole, part = self.base(memory, False)
            out.append(["get", self.bind(memory.dtype, part), ["view", memory.name] + whole])
            value = ["spread", list(shape), ["cast", to.dtype, ["mix", f"v{self.count}", 1]]]
            out.append([self.rng.choice(["set", "add"]) if to.dtype != "bool" else "set", view, value])

    # Steps of all cores together.
    def shared_step(self, out):
        kinds = ["barrier", "shift", "oneway", "stream"] + ["ring"] * 6 * (not self.plain)
        kind = self.rng.choice(kinds)
        {"barrier": self.barrier, "shift": self.handshake, "oneway": self.one_way, "ring": self.ring,
         "stream": self.stream}[kind](out)

    def shared(self):
        return [m for m in self.memories.values() if m.kind in ("part", "group", "cell")]

    def barrier(self, out):
        self.finish_all(out)
        out.append(["barrier", ["view", self.links["bar"]]])
        for memory in self.memories.values():
            memory.touched = False
        for memory in self.shared():
            memory.mode = self.rng.choice(["mine", "mine", "shared"])
            memory.shift, memory.owner = self.rng.randrange(self.cores), self.rng.randrange(self.cores)

    def link(self, kind):
        number = self.next_link[kind]
        if number == self.num_links:
            return None
        self.next_link[kind] += 1
        return number

    def handshake(self, out):
        """Each core tells the next one that it may read this one's partition."""
        found = [m for m in self.shared() if m.kind != "cell" and m.mode == "mine" and m.is_set]
        if not found or (number := self.link("sem")) is None:
            return
        memory = self.rng.choice(found)
        self.finish_all(out)
        sem = ["view", self.links["sem"], [["at", number]]]
        n = self.rng.randint(1, 3)
        step = ["signal", sem, n, ["rem", ["add", "core", 1], self.cores]]
        if not self.fault.here("signal"):
            out.append(step)
        if not self.fault.here("semwait"):
            out.append(["semwait", sem, n])
        memory.mode = "left"

    def one_way(self, out):
        """A core hands a cell over to another one."""
        found = [m for m in self.shared() if m.kind == "cell" and m.mode == "mine"]
        if not found or (number := self.link("sem")) is None:
            return
        memory = self.rng.choice(found)
        self.finish_all(out)
        a, b = memory.owner, self.rng.randrange(self.cores)
        sem = ["view", self.links["sem"], [["at", number]]]
        n = self.rng.randint(1, 3)
        who, self.who = self.who, a
        block = self.inner(["when", ["eq", "core", a]], 2, self.rng.randint(1, 2))
        block += [["signal", sem, 1, b]] * n
        out.append(block)
        self.who, memory.owner = b, b
        block = ["when", ["eq", "core", b], ["semwait", sem, n]]
        out.append(self.inner(block, 2, self.rng.randint(1, 2)))
        self.who = who

    def ring(self, out):
        """Each core copies something to the scratch of another one."""
        if not any(m.kind == "scratch" and not m.touched for m in self.memories.values()):
            self.barrier(out)
        targets = [m for m in self.memories.values() if m.kind == "scratch" and not m.touched and not m.reading
                   and not m.writing]
        number = self.link("copy") if targets else None
        if number is None:
            return
        to = self.rng.choice(targets)
        if not to.is_set and self.chance(0.7):
            self.initialize(out, to)
            self.barrier(out)
        into = None
        for _ in range(8):
            source = self.some(False, lambda m: m is not to and m.dtype == to.dtype and self.fits(m, to.shape))
            if source and source[2] == to.shape:
                into = ["view", to.name]
            elif source and to.is_set:
                into = self.narrowed(["view", to.name], to.shape, source[2])
            if into:
                break
        if not into:
            return
        wanted = source[2]
        self.features.add("ring")
        send, recv = (["view", self.links[k], [["at", number]]] for k in ("send", "recv"))
        other = ["rem", ["add", "core", self.rng.randrange(self.cores)], self.cores]
        args = [source[1], into, send, recv, other]
        out.append(["rcopy", *args])
        source[0].reading += 1
        to.writing += 1
        for _ in range(self.rng.randint(0, 2)):
            self.local(out, 1)
        waits = [["waitsend", *args], ["waitrecv", *args]]
        self.rng.shuffle(waits)
        for step in waits:
            if product(wanted) and self.fault.here("wait"):
                continue
            out.append(step)
        source[0].reading -= 1
        to.writing -= 1
        to.is_set = to.touched = True

    def stream(self, out):
        """Reads the rows of an array in turn, and copies the next one meanwhile."""
        found = [m for m in self.memories.values() if m.kind == "read" and len(m.shape) > 1 and m.dtype != "bool"]
        if not found:
            return
        source = self.rng.choice(found)
        steps, row = source.shape[0], list(source.shape[1:])
        slots, total, sems, k = self.name("t"), self.name("t"), self.name("s"), self.name("k")
        whole = [["all"]] * len(row)
        at = lambda name, index: ["view", name, [["at", index]] + whole * (name != sems)]
        part = lambda index: (at(source.name, index), at(slots, ["rem", index, 2]), at(sems, ["rem", index, 2]))
        value = self.name("v")
        body = ["scope", [[slots, "vmem", source.dtype, [2] + row], [total, "vmem", source.dtype, row], [sems, "dma", "-", [2]]],
                [], ["set", ["view", total], ["full", source.dtype, row, 0]], ["copy", *part(0)],
                ["loop", k, 0, steps,
                 ["when", ["lt", ["add", k, 1], steps], ["copy", *part(["add", k, 1])]],
                 ["wait", *part(k)], ["get", value, at(slots, ["rem", k, 2])],
                 ["add", ["view", total], ["mix", value, 1]]]]
        target = self.some(True, lambda m: m.dtype == source.dtype and len(m.shape) >= len(row))
        view = target and self.narrowed(target[1], target[2], tuple(row))
        if view:
            body += [["get", self.name("v"), ["view", total]], ["set", view, ["mix", f"v{self.count}", 2]]]
        out.append(body)

    # The program.
    def operand(self, name, dtype, shape, kind, rows=0):
        memory = Memory(name, dtype, shape, kind, rows)
        if memory.kind == "cell":
            memory.owner = self.rng.randrange(self.cores)
        self.memories[name] = memory
        values = [self.rng.randint(0, 1) if dtype == "bool" else self.rng.randint(-12, 12) for _ in range(product(shape))]
        return [name, dtype, list(shape), values]

    def make(self):
        operands = []
        for i in range(self.rng.randint(2, 4)):
            kind = self.rng.choice(["read", "part", "part", "part", "cell"]) if i else "part"
            rows = self.rng.randint(1, 3)
            shape = (self.cores * rows, *self.shape(2)) if kind == "part" else self.shape(3)
            if kind == "read" and not self.plain and self.chance(0.1):
                shape = (*shape, 0)
                self.features.add("empty")
            operands.append(self.operand(f"r{i}", self.rng.choice(self.types), shape, kind, rows))
        steps = []
        self.pending.append([])
        for _ in range(self.rng.randint(0, 2)):
            self.access(steps)
        if not self.plain and self.chance(0.3):
            zeros = [["at", 0]] * len(operands[0][2])
            steps.append(["get", self.bind(operands[0][1], ()), ["view", "r0", zeros]])
        for _ in range(self.rng.choice([1, 1, 2])):
            self.kernel(steps)
            for _ in range(self.rng.randint(0, 2)):
                self.access(steps)
        return [self.cores, int(self.x64), operands, steps]

    def kernel(self, out):
        # Scalars from outside are captured.
        outside, self.names = self.names, [n for n in self.names if n[2] == () and not self.plain]
        self.features |= {"capture"} if self.names else set()
        self.in_kernel = True
        for memory in self.shared():
            memory.mode, memory.shift = "mine", self.rng.randrange(self.cores)
        # What writes nothing is not run.
        part, shape = self.partition(self.memories["r0"], self.memories["r0"].shift)
        body = ["kernel", ["set", ["view", "r0", part], self.expression(self.memories["r0"].dtype, shape)]]
        for _ in range(self.rng.randint(0, 2)):
            self.access(body)
        self.scope(body, 0, self.rng.randint(6, 16), is_outer=True)
        self.in_kernel = False
        self.names = outside
        out.append(body)


def text(node):
    return f"({' '.join(text(n) for n in node)})" if isinstance(node, (list, tuple)) else str(node)
