#===- frontend_pmap_errors.py - mistakes in calls of pmap ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of jax.pmap and jax.vmap with a mistake each, for frontend_errors.py. test/oracle/frontend_pmap_mistakes.cc makes the same
calls in C++. Where JAX gives the text of another function by accident, ours is in shardwright/frontend/pmap/pmap_test.cc."""

import jax
import numpy as np
from jax import lax
from jax.sharding import Mesh

X = np.ones((8, 2), np.float32)
D = jax.devices()
MESH = Mesh(np.array(D).reshape(4, 2), ("x", "y"))


def twice(x):
    return x * 2


def first(x, y):
    return x


def under_mesh():
    with jax.set_mesh(MESH):
        return jax.pmap(twice)(X)


MISTAKES = {
    "pmap in_axes of a word": lambda: jax.pmap(twice, in_axes="x")(X),
    "pmap in_axes of a word in a tuple": lambda: jax.pmap(first, in_axes=(0, "x"))(X, X),
    "pmap in_axes of a fraction": lambda: jax.pmap(twice, in_axes=0.5)(X),
    "pmap in_axes of a truth value": lambda: jax.pmap(first, in_axes=(True, None))(X, X),
    "pmap out_axes of a word": lambda: jax.pmap(twice, out_axes={"a": "x"})(X),
    "pmap without a mapped argument": lambda: jax.pmap(twice, in_axes=None)(X),
    "pmap of a number": lambda: jax.pmap(twice)(2.0),
    "pmap of nothing": lambda: jax.pmap(lambda: 1.0)(),
    "pmap axis_size": lambda: jax.pmap(twice, axis_size=4)(X),
    "pmap without devices": lambda: jax.pmap(twice, devices=[])(X),
    "pmap static argument missing": lambda: jax.pmap(twice, static_broadcasted_argnums=1)(X),
    "pmap static arguments missing": lambda: jax.pmap(first, static_broadcasted_argnums=(1, 4))(X, 3),
    "pmap static and donated": lambda: jax.pmap(first, static_broadcasted_argnums=1, donate_argnums=1)(X, 3),
    "pmap in_axes length": lambda: jax.pmap(twice, in_axes=(0, 0))(X),
    "pmap in_axes of a list": lambda: jax.pmap(twice, in_axes=[0, 0])(X),
    "pmap in_axes key": lambda: jax.pmap(first, in_axes=(0, {"p": 0}))(X, {"q": X}),
    "pmap in_axes list length": lambda: jax.pmap(first, in_axes=(0, [0, 0]))(X, [X]),
    "pmap in_axes with keywords": lambda: jax.pmap(first, in_axes=(0, 0))(X, y=X),
    "pmap out_axes length": lambda: jax.pmap(lambda x: (x, x), out_axes=(0, 0, 0))(X),
    "pmap out_axes key": lambda: jax.pmap(lambda x: {"a": x}, out_axes={"b": 0})(X),
    "pmap out_axes too large": lambda: jax.pmap(twice, out_axes=5)(X),
    "pmap axis of another name": lambda: jax.pmap(lambda x: lax.psum(x, "q"), "i")(X),
    "pmap under another mesh": under_mesh,
    "pmap of a scatter": lambda: jax.pmap(lambda x: lax.psum_scatter(x, "i"), "i")(X),
    "pmap of an exchange": lambda: jax.pmap(lambda x: lax.all_to_all(x, "i", 0, 0), "i")(X),
    "pmap of a permutation": lambda: jax.pmap(lambda x: lax.ppermute(x, "i", [(0, 1), (0, 2)]), "i")(X),
    "vmap sizes differ": lambda: jax.vmap(first)(X, X[:4]),
    "vmap most sizes": lambda: jax.vmap(lambda d: d)({"u": X[:4], "v": X[:2], "w": X[:2]}),
    "vmap axis_size": lambda: jax.vmap(twice, axis_size=4)(X),
    "vmap without a mapped argument": lambda: jax.vmap(twice, in_axes=None)(X),
    "vmap in_axes length": lambda: jax.vmap(first, in_axes=(0, 0, 0))(X, X),
    "vmap axis too large": lambda: jax.vmap(twice, in_axes=5)(X),
    "vmap out_axes length": lambda: jax.vmap(lambda x: (x, x), out_axes=(0, 0, 0))(X),
    "vmap out_axes of a batch": lambda: jax.vmap(twice, out_axes=None)(X),
}
