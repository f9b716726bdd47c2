#===- export.py - a training step of an MLP: loss, gradients, Adam ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Batch over `data`; hidden layers alternate columns and rows over `model`."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import exporting

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

LEARNING_RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-8


def forward(params, x, constrain):
    x = jnp.tanh(x @ params["w1"] + params["b1"])
    x = constrain(x, "data", "model")
    x = jax.nn.relu(x @ params["w2"] + params["b2"])
    return x @ params["w3"] + params["b3"]


def make(constrain):
    def loss_of(params, x, labels):
        logp = jax.nn.log_softmax(forward(params, x, constrain))
        return -jnp.mean(jnp.sum(labels * logp, axis=-1))

    def adam(param, grad, m, v, step):
        m = BETA1 * m + (1 - BETA1) * grad
        v = BETA2 * v + (1 - BETA2) * jnp.square(grad)
        m_hat = m / (1 - BETA1**step)
        v_hat = v / (1 - BETA2**step)
        return param - LEARNING_RATE * m_hat / (jnp.sqrt(v_hat) + EPSILON), m, v

    def train_step(params, m, v, step, x, labels):
        loss, grads = jax.value_and_grad(loss_of)(params, x, labels)
        step = step + 1
        updated = jax.tree.map(
            lambda p, g, m, v: adam(p, g, m, v, step.astype(jnp.float32)), params, grads, m, v
        )
        pick = lambda i: {name: updated[name][i] for name in params}
        return loss, pick(0), pick(1), pick(2), step

    return train_step


def case(mesh_sizes=dict(data=4, model=2), batch=32, inputs=64, hidden=128, outputs=64, classes=16):
    """make, mesh, arguments and their specs, for the export and the benchmarks."""
    mesh = exporting.make_mesh(**mesh_sizes)
    rng = np.random.default_rng(0)
    shapes = dict(
        w1=(inputs, hidden),
        b1=(hidden,),
        w2=(hidden, outputs),
        b2=(outputs,),
        w3=(outputs, classes),
        b3=(classes,),
    )
    specs = dict(
        w1=P(None, "model"),
        b1=P("model"),
        w2=P("model", None),
        b2=P(None),
        w3=P(None, None),
        b3=P(None),
    )

    def normal(*shape, scale=1.0):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    params = {n: normal(*s, scale=s[0] ** -0.5 if len(s) == 2 else 0.1) for n, s in shapes.items()}
    m = {n: normal(*s, scale=1e-2) for n, s in shapes.items()}
    v = {n: np.square(normal(*s, scale=1e-2)) + np.float32(1e-4) for n, s in shapes.items()}
    step = np.int32(10)
    x = normal(batch, inputs)
    labels = np.eye(classes, dtype=np.float32)[rng.integers(0, classes, batch)]
    data = P("data", None)
    return (
        make,
        mesh,
        (params, m, v, step, x, labels),
        (specs, specs, specs, P(), data, data),
        (P(), specs, specs, specs, P()),
    )


if __name__ == "__main__":
    exporting.export(__file__, *case())
