#===- partition_layouts.py - the layout of a value on a mesh --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Layouts of random programs. A sub-axis is (name, pre-size, size, size of the axis), as sdy writes
`"name":(pre-size)size`."""

import copy
import math

# Element types that can be summed, so that a value may be unreduced: no booleans, no types without
# zero, no quantized types.
ADDITIVE = {
    "f64", "f32", "f16", "bf16", "complex<f32>", "complex<f64>", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32",
    "ui64", "f8E5M2", "f8E4M3FN", "f8E4M3", "f8E3M4", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ",
}  # fmt: skip


# Those of which there are maxima and minima.
ORDERED = {e for e in ADDITIVE if not e.startswith("complex")}
# By kind of unreduced axes: the op that combines partial values, and the word in collectives.
COMBINERS = {"": "add", "max": "maximum", "min": "minimum"}


def ref(part):
    name, pre, k, size = part
    return f'"{name}"' if k == size else f'"{name}":({pre}){k}'


def merged(parts):
    """Merges adjacent sub-axes that are one sub-axis together."""
    out = []
    for name, pre, k, size in parts:
        if out and out[-1][0] == name and out[-1][1] * out[-1][2] == pre:
            last = out.pop()
            out.append((name, last[1], last[2] * k, size))
        else:
            out.append((name, pre, k, size))
    return out


def refs(parts):
    return ", ".join(ref(p) for p in merged(parts))


def lists(dims):
    """Returns axes by dimension, as the collectives write them: `[{"a"}, {}]`."""
    return "[" + ", ".join("{" + refs(d) + "}" for d in dims) + "]"


def size_of(parts):
    return math.prod(p[2] for p in parts)


class Layout:
    """dims: the (sub-)axes that shard each dimension, major first. unreduced: those along which the
    value is a sum, maximum or minimum. left: the remaining ones. kinds: by name of the axis, the kind
    of values that are unreduced along it: "max", "min" or "" (sum)."""

    def __init__(self, name, mesh, dims, unreduced=(), left=(), kinds=None):
        self.name, self.mesh, self.kinds = name, mesh, kinds or {}
        self.dims, self.unreduced, self.left = [list(d) for d in dims], list(unreduced), list(left)

    def kind_of(self, part):
        return self.kinds.get(part[0], "")

    @property
    def kind(self):
        return self.kind_of(self.unreduced[0]) if self.unreduced else ""

    def alike(self, parts):
        """Returns the parts that can be unreduced together with those that are; if there are none,
        with the first of `parts`."""
        known = (self.unreduced or list(parts))[:1]
        return [p for p in parts if self.kind_of(p) == self.kind_of(known[0])]

    def reduce_over(self, parts):
        """Makes the value unreduced along those of the parts that can be so together."""
        self.unreduced = []
        found = self.alike(parts)
        self.left += [p for p in parts if p not in found]
        self.unreduced = found

    def copy(self):
        return copy.deepcopy(self)

    def ordered(self, parts):
        """Returns the parts in the order of the mesh."""
        names = [n for n, _ in self.mesh.axes]
        return sorted(parts, key=lambda p: (names.index(p[0]), p[1]))

    def tail(self):
        return f", unreduced={self.kind}{{{refs(self.ordered(self.unreduced))}}}" if self.unreduced else ""

    def text(self):
        """Closed: `<@mesh, [{"x"}, {}], unreduced={"y"}>`; on a mesh without axes, of one device."""
        if not self.mesh.axes:
            return f"<@{self.name}, []>"
        return f"<@{self.name}, {lists(self.dims)}{self.tail()}>"

    def counts(self):
        """True if the unreduced axes have more than one device."""
        return size_of(self.unreduced) > 1
