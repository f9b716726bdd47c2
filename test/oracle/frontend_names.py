#===- frontend_names.py - names of operations against JAX -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs with named scopes, nested functions, transformations and control flow, through frontend_mesh_server
(frontend_names.cc) and through JAX: the operations of the modules have the same names in their locations, and those in a
scope have its place in the source."""

import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=1, long_cases=1)
X = np.ones((8, 4), np.float32)
MESH = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def total(x):
    return lax.reduce_sum_p.bind(x, axes=tuple(range(x.ndim)), out_sharding=None)


def scoped(x):
    y = lax.sin(x)
    with jax.named_scope("outer"):
        y = lax.cos(y)
        with jax.named_scope("inner"):
            y = lax.mul(y, y)
    return y


def nested(x):
    def g(v):
        with jax.named_scope("inner"):
            return lax.exp(lax.tanh(v))
    with jax.named_scope("outer"):
        return jax.jit(g)(lax.sin(x))


def branches(x):
    def other(v):
        with jax.named_scope("other"):
            return lax.cos(v)
    with jax.named_scope("a b/c"):
        return lax.cond(lax.gt(total(x), np.float32(0)), lambda v: lax.sin(v), other, x)


def loop(x):
    with jax.named_scope("loop"):
        return lax.while_loop(lambda v: lax.lt(total(v), np.float32(3)), lambda v: lax.exp(v), x)


def mapped(x):
    with jax.named_scope("outside"):
        return jax.shard_map(scoped, mesh=MESH, in_specs=P("x"), out_specs=P("x"))(x)


def around(x):
    with jax.named_scope("around"):
        return jax.vmap(scoped)(x)


PROGRAMS = {
    "scoped": scoped, "nested": nested, "branches": branches, "loop": loop, "mapped": mapped,
    "pulled": jax.grad(lambda x: total(scoped(x))), "pushed": lambda x: jax.jvp(scoped, (x,), (x,))[1],
    "vmapped": jax.vmap(scoped), "vmapped twice": jax.vmap(jax.vmap(scoped)),
    "vmapped gradient": jax.vmap(jax.grad(lambda v: total(scoped(v)))), "vmapped in a scope": around,
}
KINDS = "sine|cosine|multiply|exponential|tanh|negate|compare|case|while|call"


def operations(text):
    """The named operations of a module, and those of them that have a place in a C++ file."""
    locations = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))
    names, placed = [], set()
    for line in text.splitlines():
        found = re.search(rf"= (?:stablehlo|func)?\.?({KINDS})\b.* loc\((#loc\d*)\)$|^ *\}} loc\((#loc\d*)\)$", line)
        if not found or not found[1]:
            continue
        name = re.match(r'"([^"]*)"(?:\((#loc\d*)\))?', locations.get(found[2], ""))
        if name:
            names.append(f"{found[1]} {name[1]}")
            if ".cc" in locations.get(name[2], ""):
                placed.add(name[1])
    return sorted(names), placed


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_names", show=int(os.environ.get("SHOW", 3)))
    for name, function in PROGRAMS.items():
        def f(x, function=function):
            return function(x)
        f.__name__ = f.__qualname__ = "f"
        theirs, _ = operations(jax.jit(f).lower(X).as_text(debug_info=True))
        server.process.stdin.write(f"located {name}\n")
        server.process.stdin.flush()
        text = server.receive()
        ours, placed = operations(text)
        tally.equal(name, "\n".join(theirs), "\n".join(ours), text)
        missing = {n.split(" ", 1)[1] for n in ours if "outer" in n} - placed
        tally.equal(f"{name}: places", "", " ".join(sorted(missing)), text)
    server.close()
    tally.finish()


main()
