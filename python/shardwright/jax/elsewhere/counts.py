#===- counts.py - our plan beside the backend's program -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A backend's compiler combines, splits and moves collectives. This shows what is left of our plan: number
and bytes of the collectives in both, by the same model (hlo_bytes.py)."""

import dataclasses

from shardwright.jax import inspection
from shardwright.jax.elsewhere import hlo_bytes


@dataclasses.dataclass
class Communication:
    """Of one device in one step. str() is a table."""

    planned: dict  # kind -> {"count", "bytes"}
    compiled: dict  # the same of the backend's optimized program

    @property
    def planned_bytes(self):
        return sum(total["bytes"] for total in self.planned.values())

    @property
    def compiled_bytes(self):
        return sum(total["bytes"] for total in self.compiled.values())

    def __str__(self):
        rows = [("", "planned", "bytes", "compiled", "bytes")]
        for kind in sorted(self.planned | self.compiled):
            a, b = (side.get(kind, {"count": 0, "bytes": 0}) for side in (self.planned, self.compiled))
            rows.append((kind, *(f"{round(n):,}" for n in (a["count"], a["bytes"], b["count"], b["bytes"]))))
        counts = [sum(total["count"] for total in side.values()) for side in (self.planned, self.compiled)]
        rows.append(("all", *(f"{round(n):,}" for n in (counts[0], self.planned_bytes, counts[1], self.compiled_bytes))))
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        return "\n".join("  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]) for row in rows)

    __repr__ = __str__


def communication(compiled):
    """Returns {kind: {"count", "bytes"}} of a `Compiled` of JAX, or of the text of an optimized HLO
    module."""
    text = compiled if isinstance(compiled, str) else compiled.as_text()
    return hlo_bytes.summary(text)["collectives"]


def platform_of(compiled):
    """Returns the platform of a `Compiled`, of the default backend if no sharding names its devices."""
    import jax

    for sharding in jax.tree.leaves((compiled.input_shardings, compiled.output_shardings)):
        for device in getattr(sharding, "device_set", ()):
            return device.platform
    return jax.default_backend()


def compare(jitted, options, args, kwargs):
    """Returns the Communication of a function of `shardwright.jax.jit`."""
    compiled = jitted.lower(*args, **kwargs).compile()
    chosen = options.on(platform_of(compiled)).request()
    plan = inspection.partition(jitted, *args, stages=(), memory=False, **(chosen | kwargs))
    return Communication(plan.collectives, communication(compiled))
