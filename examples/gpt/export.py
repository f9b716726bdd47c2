#===- export.py - a GPT-like model: embedding, scanned blocks, loss --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Token and position embedding (gather), `lax.scan` over four transformer blocks whose
weights are stacked, logits split over the vocabulary, mean cross entropy."""

import functools
import importlib.util
import os
import sys

examples = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, examples)
import exporting

spec = importlib.util.spec_from_file_location(
    "transformer_block", os.path.join(examples, "transformer_block", "export.py")
)
transformer_block = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transformer_block)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P


def make(constrain, unroll=1):
    def gpt(params, tokens, targets):
        x = params["embed"][tokens] + params["position"]
        x = constrain(x, "data", None, None)

        def layer(x, p):
            return transformer_block.block(p, x, constrain), None

        x, _ = jax.lax.scan(layer, x, params["blocks"], unroll=unroll)
        x = transformer_block.layer_norm(x, params["ln_scale"], params["ln_bias"])
        logits = constrain(x @ params["unembed"], "data", None, "model")
        logp = jax.nn.log_softmax(logits, axis=-1)
        picked = jnp.sum(jax.nn.one_hot(targets, logp.shape[-1]) * logp, axis=-1)
        return -jnp.mean(picked), logits

    return gpt


def case(
    mesh_sizes=dict(data=2, model=4),
    batch=8,
    time=16,
    vocabulary=128,
    d_model=64,
    heads=8,
    d_ff=128,
    layers=4,
    unroll=1,
):
    """make, mesh, arguments and their specs, for the export and the benchmarks."""
    mesh = exporting.make_mesh(**mesh_sizes)
    rng = np.random.default_rng(2)

    def normal(*shape, scale):
        return (np.round(rng.standard_normal(shape) * scale * 256) / 256).astype(np.float32)

    blocks, block_specs = transformer_block.parameters(rng, d_model, heads, d_ff, (layers,))
    params = dict(
        embed=normal(vocabulary, d_model, scale=1.0),
        position=normal(time, d_model, scale=0.5),
        blocks=blocks,
        ln_scale=normal(d_model, scale=1.0),
        ln_bias=normal(d_model, scale=0.1),
        unembed=normal(d_model, vocabulary, scale=d_model**-0.5),
    )
    specs = dict(
        embed=P(None, "model"),
        position=P(None, None),
        blocks=block_specs,
        ln_scale=P(None),
        ln_bias=P(None),
        unembed=P(None, "model"),
    )
    tokens = rng.integers(0, vocabulary, (batch, time)).astype(np.int32)
    targets = np.roll(tokens, -1, axis=1)
    data = P("data", None)
    return (
        functools.partial(make, unroll=unroll),
        mesh,
        (params, tokens, targets),
        (specs, data, data),
        (P(), P("data", None, "model")),
    )


if __name__ == "__main__":
    exporting.export(__file__, *case(), compress=True)
