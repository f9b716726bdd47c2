#===- pairs.py - seeded pairs of shardings, and lower bounds --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A pair is a mesh, a shape and two shardings of it. The lower bound on the elements that a device
must receive is its part of the output minus its part of the input. Both are boxes, so the bound is
exact."""

import itertools
import math
import random

DEVICES = (8, 16, 32)
NAMES = "xyzw"


class Pair:
    """A side is a list per dimension of axes (name, size of the more major part of the axis, size)."""

    def __init__(self, mesh, shape, before, after):
        self.mesh, self.shape, self.before, self.after = mesh, shape, before, after
        self.devices = math.prod(mesh.values())
        self.type = f"tensor<{'x'.join(map(str, shape))}xf32>"

    def sharding(self, side):
        def ref(name, pre, size):
            return f'"{name}"' if size == self.mesh[name] else f'"{name}":({pre}){size}'

        dims = ", ".join("{" + ", ".join(ref(*a) for a in axes) + "}" for axes in side)
        return f"[{dims}]"

    def name(self):
        mesh = "x".join(str(n) for n in self.mesh.values())
        shape = "x".join(map(str, self.shape))
        return f"{mesh} {shape} {self.sharding(self.before)} -> {self.sharding(self.after)}"

    def mesh_text(self):
        return ", ".join(f'"{n}"={s}' for n, s in self.mesh.items())

    def box(self, device, side):
        """Returns [first, last) of each dimension that the device holds; `device` has its coordinates."""
        names, box = list(self.mesh), []
        for axes, size in zip(side, self.shape):
            k, n = 0, 1
            for name, pre, part in axes:
                minor = self.mesh[name] // (pre * part)
                k, n = k * part + device[names.index(name)] // minor % part, n * part
            box.append((k * size // n, (k + 1) * size // n))
        return box

    def bound(self):
        """Returns the mean bytes that a device must receive."""

        def volume(box):
            return math.prod(max(0, b - a) for a, b in box)

        need = 0
        for device in itertools.product(*map(range, self.mesh.values())):
            has, wants = self.box(device, self.before), self.box(device, self.after)
            both = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(has, wants)]
            need += volume(wants) - volume(both)
        return 4 * need / self.devices

    def local_bytes(self, side):
        return 4 * math.prod(
            n // math.prod(s for _, _, s in axes) for n, axes in zip(self.shape, side)
        )


def random_mesh(rng, devices):
    """Two to four axes of powers of two."""
    bits = devices.bit_length() - 1
    count = rng.randint(2, min(4, bits))
    cuts = sorted(rng.sample(range(1, bits), count - 1))
    return {n: 2 ** (b - a) for n, a, b in zip(NAMES, [0] + cuts, cuts + [bits])}


def random_side(rng, mesh, rank, whole):
    side = [[] for _ in range(rank)]
    for name in rng.sample(list(mesh), len(mesh)):
        if rng.random() < 0.25:
            continue
        pre, size = 1, mesh[name]
        if not whole and size % 2 == 0 and size > 2 and rng.random() < 0.5:
            half = rng.choice([n for n in range(2, size) if size % n == 0])
            pre, size = rng.choice([(1, half), (size // half, half)])
        rng.choice(side).append((name, pre, size))
    return side


def make(rng, mesh, sizes, whole):
    """Returns a pair with different sides, and no more shards than rows. `sizes` returns the size of a
    dimension for its numbers of shards."""
    rank = rng.randint(1, 4)
    while True:
        sides = [random_side(rng, mesh, rank, whole) for _ in range(2)]
        counts = [[math.prod(s for _, _, s in axes) for axes in side] for side in sides]
        shape = [sizes(rank, *both) for both in zip(*counts)]
        fits = all(n <= size for side in counts for n, size in zip(side, shape))
        if sides[0] != sides[1] and fits and math.prod(shape) <= 1 << 21:
            return Pair(mesh, shape, *sides)


def power_of_two(count, seed):
    """Full axes, and dimensions that all of them divide: the cases that peers support too."""
    for i in range(count):
        rng = random.Random(seed + i)
        mesh = random_mesh(rng, DEVICES[i % len(DEVICES)])
        yield make(rng, mesh, lambda rank, a, b: 32 if rank > 2 else rng.choice([32, 64]), whole=True)


def awkward(count, seed):
    """Axes of 3, 5 and 6, and sub-axes. There are no uneven arguments: they are cut to even sizes."""
    for i in range(count):
        rng = random.Random(seed + i)
        mesh = dict(zip(NAMES, rng.choice([(2, 3), (3, 4), (2, 3, 2), (4, 6), (6, 5), (3, 2, 3)])))
        yield make(rng, mesh, lambda rank, a, b: math.lcm(a, b) * rng.choice([1, 2]), whole=i % 2 == 0)
