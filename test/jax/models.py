#===- models.py - training of models written with flax and optax --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""An MLP, a conv net and a small GPT, written with flax and optax, train for 50 steps with data, tensor
and fully sharded parallelism on 8 devices; their losses are those on JAX's CPU."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from both import case, main
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

STEPS = 50


def mesh():
    return jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def replicated(shape):
    return P()


def tensor_parallel(shape):
    """Shards the last dimension along the model axis, if it divides."""
    return P(*[None] * (len(shape) - 1), "model") if len(shape) > 1 and shape[-1] % 2 == 0 else P()


def fully_sharded(shape):
    """Shards the first dimension that divides along all devices."""
    for i, size in enumerate(shape):
        if len(shape) > 1 and size % 8 == 0:
            return P(*[None] * i, ("data", "model"))
    return P()


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (32, 32):
            x = nn.relu(nn.Dense(width)(x))
        return nn.Dense(8)(x)


class ConvNet(nn.Module):
    @nn.compact
    def __call__(self, x):
        for width in (8, 16):
            x = nn.relu(nn.Conv(width, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), (2, 2))
        return nn.Dense(8)(x.reshape(x.shape[0], -1))


class Gpt(nn.Module):
    width: int = 32

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(40, self.width)(tokens) + self.param("positions", nn.initializers.normal(0.02), (tokens.shape[1], self.width))
        mask = nn.make_causal_mask(tokens)
        for _ in range(2):
            x = x + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(x), mask=mask)
            x = x + nn.Dense(self.width)(nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(x))))
        return nn.Dense(40)(nn.LayerNorm()(x))


def make_step(model, inputs, labels, spec, batch):
    """Returns a jitted step (params, state, inputs, labels) -> (loss, params, state), and its arguments."""
    m = mesh()
    params = jax.jit(model.init)(jax.random.key(0), inputs[:1])
    params = jax.device_put(params, jax.tree.map(lambda p: NamedSharding(m, spec(p.shape)), params))
    optimizer = optax.adamw(3e-3)
    state = jax.jit(optimizer.init)(params)
    inputs, labels = (jax.device_put(a, NamedSharding(m, batch)) for a in (inputs, labels))

    def loss(params, inputs, labels):
        logits = model.apply(params, inputs)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    def step(params, state, inputs, labels):
        value, grads = jax.value_and_grad(loss)(params, inputs, labels)
        updates, state = optimizer.update(grads, state, params)
        return value, optax.apply_updates(params, updates), state

    # Arrays of several processes cannot be constants of a program.
    return jax.jit(step, donate_argnums=(0, 1)), (params, state, inputs, labels)


def training(*problem):
    """Returns a step (params, state) -> (loss, params, state), and its initial arguments."""
    step, (params, state, inputs, labels) = make_step(*problem)
    return lambda params, state: step(params, state, inputs, labels), params, state


def train(*problem):
    step, params, state = training(*problem)
    losses = []
    for _ in range(STEPS):
        value, params, state = step(params, state)
        losses.append(value)
    return jnp.stack(losses)


RNG = np.random.RandomState(0)
VECTORS = RNG.randn(32, 16).astype(np.float32)
IMAGES = RNG.randn(16, 8, 8, 3).astype(np.float32)
TOKENS = RNG.randint(0, 40, (16, 17)).astype(np.int32)
CLASSES = RNG.randint(0, 8, 32).astype(np.int32)
PROBLEMS = {
    "mlp": (Mlp(), VECTORS, CLASSES),
    "conv_net": (ConvNet(), IMAGES, CLASSES[:16]),
    "gpt": (Gpt(), TOKENS[:, :-1], TOKENS[:, 1:]),
}
PARALLELISMS = {
    "data": (replicated, P(("data", "model"))),
    "tensor": (tensor_parallel, P("data")),
    "fully_sharded": (fully_sharded, P(("data", "model"))),
}

for _problem, (_model, _inputs, _labels) in PROBLEMS.items():
    for _how, (_spec, _batch) in PARALLELISMS.items():

        def _case(arguments=(_model, _inputs, _labels, _spec, _batch)):
            return train(*arguments)

        _case.__name__ = f"{_problem}_{_how}"
        case(_case, rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    main(__doc__)
