#===- gpt.py - the program of gpt.cc in JAX --------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The program of gpt.cc in JAX, with the same losses to float accuracy."""

import os
import sys

# A device that waits for others blocks a thread of XLA's pool, which has no more threads than devices: NPROC adds
# some. The devices share few cores: a collective may wait long for one of them.
os.environ.setdefault("NPROC", "32")
os.environ["XLA_FLAGS"] = (
    "--xla_force_host_platform_device_count=8 --xla_cpu_collective_call_warn_stuck_timeout_seconds=60"
    " --xla_cpu_collective_call_terminate_timeout_seconds=100"
)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

WIDTH, HEADS, CONTEXT, BATCH, VOCABULARY, DEPTH = 32, 4, 32, 16, 28, 2
WORDS = "nought one two three four five six seven eight nine".split()
# Steps in flight would wait for each other's threads on a machine with fewer cores than devices.
jax.config.update("jax_cpu_enable_async_dispatch", False)
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def make_text():
    text = []
    for i in range(400):
        for digit in (i // 100, i // 10 % 10, i % 10):
            text += [ord(c) - ord("a") + 1 for c in WORDS[digit]] + [27 if digit == i % 10 else 0]
    return np.array(text, np.int32)


def normalized(x):
    centered = x - jnp.mean(x, -1, keepdims=True)
    return centered / jnp.sqrt(jnp.mean(jnp.square(centered), -1, keepdims=True) + 1e-5)


def attention(b, x):
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, b[name]) for name in ("query", "key", "value"))
    scores = jnp.einsum("bthk,bshk->bhts", q, k) / np.sqrt(WIDTH // HEADS)
    scores = jnp.where(jnp.tril(jnp.ones((CONTEXT, CONTEXT))) > 0, scores, -1e9)
    return jnp.einsum("bthk,hkd->btd", jnp.einsum("bhts,bshk->bthk", jax.nn.softmax(scores), v), b["out"])


def loss(m, text):
    x = jnp.take(m["tokens"], text[:, :-1], axis=0) + m["positions"]
    for b in m["blocks"]:
        x = x + attention(b, normalized(x))
        x = x + jax.nn.gelu(normalized(x) @ b["up"]) @ b["down"]
    logits = normalized(x) @ m["tokens"].T
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * jax.nn.one_hot(text[:, 1:], VOCABULARY), -1))


@jax.jit
def update(state, text):
    model, mean, variance, step = state
    value, gradient = jax.value_and_grad(loss)(model, text)
    step = step + 1.0
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    variance = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * jnp.square(g), variance, gradient)
    a, b = 1.0 - 0.9**step, 1.0 - 0.99**step
    model = jax.tree.map(lambda p, m, v: p - 0.003 * (m / a) / (jnp.sqrt(v / b) + 1e-8), model, mean, variance)
    return value, (model, mean, variance, step)


def parameter(number, shape, spec):
    key = jax.random.fold_in(jax.random.key(0), number)
    return jax.device_put(jax.random.normal(key, shape) * 0.1, NamedSharding(mesh, spec))


def make_model():
    size, out, into = WIDTH // HEADS, P("model"), P(None, "model")
    shapes = {"query": ((WIDTH, HEADS, size), into), "key": ((WIDTH, HEADS, size), into),
              "value": ((WIDTH, HEADS, size), into), "out": ((HEADS, size, WIDTH), out),
              "up": ((WIDTH, 4 * WIDTH), into), "down": ((4 * WIDTH, WIDTH), out)}
    blocks = [{name: parameter(2 + 6 * i + k, *shapes[name]) for k, name in enumerate(shapes)} for i in range(DEPTH)]
    return {"tokens": parameter(0, (VOCABULARY, WIDTH), P()), "positions": parameter(1, (CONTEXT, WIDTH), P()),
            "blocks": blocks}


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
model, text = make_model(), make_text()
state = (model, jax.tree.map(jnp.zeros_like, model), jax.tree.map(jnp.zeros_like, model), jnp.zeros(()))
for i in range(steps + 1):
    starts = [(i * BATCH + row) * 977 % (len(text) - CONTEXT - 1) for row in range(BATCH)]
    part = np.stack([text[s:s + CONTEXT + 1] for s in starts])
    value, state = update(state, jax.device_put(part, NamedSharding(mesh, P("data"))))
    if i % 50 == 0:
        print(f"step {i:3d} loss {value:.5f}")
