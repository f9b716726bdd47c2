#===- callback_ops.py - host functions, contractions, options of loops ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of callback_ops.cc, written with JAX."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import io_callback

METHODS = ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"]
CONTRACTIONS = ["ij,kj,kl->il", "ij,kj,kl,il->", "ij,ij,ij->i", "ij,kj,il->kl", "...j,...j,...j->...", "ij,kj,kl,ml->im"]
POLICIES = [jax.checkpoint_policies.everything_saveable, jax.checkpoint_policies.nothing_saveable,
            jax.checkpoint_policies.dots_saveable, jax.checkpoint_policies.save_only_these_names("y"),
            jax.checkpoint_policies.save_anything_except_these_names("y"),
            jax.checkpoint_policies.save_and_offload_only_these_names(
                names_which_can_be_saved=["z"], names_which_can_be_offloaded=["y"], offload_src="device", offload_dst="pinned_host"),
            jax.checkpoint_policies.save_and_offload_only_these_names(
                names_which_can_be_saved=["y"], names_which_can_be_offloaded=["z"], offload_src="device", offload_dst="pinned_host"),
            jax.checkpoint_policies.offload_dot_with_no_batch_dims("device", "pinned_host"), None]

sines = lambda x: np.sin(np.asarray(x))
sine_of_sum = lambda x, y: np.sin(np.asarray(x) + np.asarray(y))


def like(x):
    return jax.ShapeDtypeStruct(x.shape, np.float32)


def debug(a, k):
    jax.debug.callback(lambda x: None, a[0], ordered=bool(k["ordered"][0]))
    return [lax.mul(a[0], 2.0)]


def scan_unroll(a, k):
    body = lambda c, x: (lax.mul(lax.sin(c), x), lax.add(c, x))
    return list(lax.scan(body, a[0][0], a[0], reverse=bool(k["reverse"][0]), unroll=k["unroll"][0],
                         _split_transpose=bool(k.get("split", (0,))[0])))


def two_layers(x):
    y = checkpoint_name(lax.sin(x), "y")
    z = checkpoint_name(lax.sin(y), "z")
    last = (y.ndim - 1,)
    return lax.sin(lax.dot_general(z, x, ((last, last), ((), ()))))


OPS = {
    "callback_pure": lambda a, k: [jax.pure_callback(sines, like(a[0]), a[0], vmap_method=METHODS[k["method"][0]])],
    "callback_pair": lambda a, k: [jax.pure_callback(sine_of_sum, like(a[0]), *a, vmap_method=METHODS[k["method"][0]])],
    "callback_io": lambda a, k: [io_callback(sines, like(a[0]), a[0], ordered=bool(k["ordered"][0]))],
    "callback_debug": debug,
    "contract": lambda a, k: [jnp.einsum(CONTRACTIONS[k["spec"][0]], *a)],
    "scan_unroll": scan_unroll,
    "map_batch": lambda a, k: [lax.map(lax.sin, a[0], batch_size=k["size"][0])],
    "checkpoint_policy": lambda a, k: [jax.checkpoint(two_layers, policy=POLICIES[k["policy"][0]])(a[0])],
}
