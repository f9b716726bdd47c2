#===- symbolic_shapes.py - programs exported with symbolic dimensions ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What JAX exports with symbolic dimensions runs on arrays of any shape, as JAX runs it; arrays
that break what the program asks of its sizes are refused with JAX's words."""

import os
import tempfile

import numpy as np

import oracle

oracle.require()

import jax
import jax.numpy as jnp
from jax import export

tally = oracle.Tally("symbolic_shapes")


def mlp(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w), axis=-1), jnp.mean(x, axis=0)


def shapes(x, w):
    y = jnp.concatenate([x, x * 2], axis=0)
    return jnp.reshape(y, (-1,)), jnp.arange(x.shape[0] * 3), y[1:], jnp.sum(w) / x.shape[0]


def gradient(x, w):
    return jax.grad(lambda w: jnp.sum(jnp.sin(x @ w) ** 2))(w)


def loop(x, w):
    return jax.lax.fori_loop(0, 3, lambda i, y: jnp.cos(y) * i, x @ w)


def pick(x, w):
    return x[jnp.argmax(x[:, 0])], jnp.sort(x, axis=0), jnp.pad(w, ((1, 0), (0, 2))), jax.lax.cond(w[0, 0] > 0, jnp.sin, jnp.cos, x)


with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    for f in (mlp, shapes, gradient, loop, pick):
        a, b = export.symbolic_shape("a, b", constraints=["a >= 2"])
        kinds = [jax.ShapeDtypeStruct(s, jnp.float32) for s in ((a, 4), (4, b))]
        with open(path("m.mlir"), "w") as file:
            file.write(export.export(jax.jit(f))(*kinds).mlir_module())
        for n, m in ((2, 1), (5, 3), (8, 8)):
            data = np.random.default_rng(n)
            arrays = [data.standard_normal(s).astype(np.float32) for s in ((n, 4), (4, m))]
            np.savez(path("a.npz"), **{f"arg{i}": x for i, x in enumerate(arrays)})
            results = jax.tree.leaves(jax.jit(f)(*arrays))
            np.savez(path("o.npz"), **{f"out{i}": np.asarray(x) for i, x in enumerate(results)})
            done = oracle.process([oracle.TOOL, "run", path("m.mlir"), path("a.npz"), "--expect", path("o.npz"), "--rtol=1e-4"])
            tally.check(f"{f.__name__} {n}x{m}", done.returncode == 0, done.stdout + done.stderr)
    np.savez(path("a.npz"), arg0=np.zeros((1, 4), np.float32), arg1=np.zeros((4, 2), np.float32))
    done = oracle.process([oracle.TOOL, "run", path("m.mlir"), path("a.npz")])
    tally.check("too small", done.returncode == 2 and "constraint a >= 2" in done.stderr, done.stderr)
    done = oracle.process([oracle.TOOL, "run", path("m.mlir"), "--random=1"])
    tally.check("no shapes", done.returncode == 2 and "known only when the program runs" in done.stderr, done.stderr)

tally.finish()
