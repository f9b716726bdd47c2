#===- export.py - a transformer block, tensor parallel x data parallel -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Layer norm, multi-head attention with a causal softmax, GELU MLP, Megatron's way:
heads and hidden units over `model`, batch over `data`, one reduction after each half."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import exporting

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P


def layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def attention(p, x, constrain):
    # x: batch, time, model; wq, wk, wv: model, heads, head; wo: heads, head, model
    q, k, v = (jnp.einsum("btm,mhd->bhtd", x, p[w]) for w in ("wq", "wk", "wv"))
    q = constrain(q, "data", "model", None, None)
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k) / np.sqrt(q.shape[-1]).astype(np.float32)
    time = x.shape[1]
    causal = jnp.arange(time)[:, None] >= jnp.arange(time)[None, :]
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    out = jnp.einsum("bhts,bhsd->bthd", weights, v)
    return jnp.einsum("bthd,hdm->btm", out, p["wo"])


def mlp(p, x, constrain):
    hidden = jax.nn.gelu(x @ p["w_in"] + p["b_in"], approximate=False)
    hidden = constrain(hidden, "data", None, "model")
    return hidden @ p["w_out"] + p["b_out"]


def block(p, x, constrain):
    x = x + attention(p, layer_norm(x, p["ln1_scale"], p["ln1_bias"]), constrain)
    x = constrain(x, "data", None, None)
    x = x + mlp(p, layer_norm(x, p["ln2_scale"], p["ln2_bias"]), constrain)
    return constrain(x, "data", None, None)


def parameters(rng, d_model, heads, d_ff, layers=()):
    """Random weights and their specs; `layers` are leading dimensions of all of them."""
    d_head = d_model // heads
    # name: shape, scale of the values, spec
    table = dict(
        wq=((d_model, heads, d_head), d_model**-0.5, (None, "model", None)),
        wk=((d_model, heads, d_head), d_model**-0.5, (None, "model", None)),
        wv=((d_model, heads, d_head), d_model**-0.5, (None, "model", None)),
        wo=((heads, d_head, d_model), d_model**-0.5, ("model", None, None)),
        w_in=((d_model, d_ff), d_model**-0.5, (None, "model")),
        b_in=((d_ff,), 0.1, ("model",)),
        w_out=((d_ff, d_model), d_ff**-0.5, ("model", None)),
        b_out=((d_model,), 0.1, (None,)),
        ln1_scale=((d_model,), 1.0, (None,)),
        ln1_bias=((d_model,), 0.1, (None,)),
        ln2_scale=((d_model,), 1.0, (None,)),
        ln2_bias=((d_model,), 0.1, (None,)),
    )
    values = {
        # Multiples of 1/256: the file compresses to a third.
        name: (np.round(rng.standard_normal(layers + shape) * scale * 256) / 256).astype(np.float32)
        for name, (shape, scale, _) in table.items()
    }
    specs = {name: P(*(None,) * len(layers), *spec) for name, (_, _, spec) in table.items()}
    return values, specs


def make(constrain):
    def transformer_block(params, x):
        return block(params, x, constrain)

    return transformer_block


def case(mesh_sizes=dict(data=2, model=4), batch=8, time=32, d_model=64, heads=8, d_ff=256):
    """make, mesh, arguments and their specs, for the export and the benchmarks."""
    mesh = exporting.make_mesh(**mesh_sizes)
    rng = np.random.default_rng(1)
    params, specs = parameters(rng, d_model, heads, d_ff)
    x = rng.standard_normal((batch, time, d_model)).astype(np.float32)
    data = P("data", None, None)
    return make, mesh, (params, x), (specs, data), data


if __name__ == "__main__":
    exporting.export(__file__, *case(), compress=True)
