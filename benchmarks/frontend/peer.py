#===- peer.py - one side of the benchmark: JAX on its CPU backend --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The program of worker.cc in JAX, with the same requests and replies."""

import json
import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

WIDTH, HEADS, CONTEXT, BATCH, VOCABULARY, DEPTH = 32, 4, 16, 8, 28, 24


def timed(work, units):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return [(time.perf_counter() - wall) / units, (time.process_time() - cpu) / units]


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


def update(state, text):
    model, mean, variance, step = state
    value, gradient = jax.value_and_grad(loss)(model, text)
    step = step + 1.0
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    variance = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * jnp.square(g), variance, gradient)
    a, b = 1.0 - 0.9**step, 1.0 - 0.99**step
    model = jax.tree.map(lambda p, m, v: p - 0.003 * (m / a) / (jnp.sqrt(v / b) + 1e-8), model, mean, variance)
    return value, (model, mean, variance, step)


def parameter(number, shape):
    return jax.random.normal(jax.random.fold_in(jax.random.key(0), number), shape) * 0.1


class Dispatch:
    def __init__(self, devices):
        mesh = jax.make_mesh((devices,), ("x",), devices=jax.devices()[:devices], axis_types=(AxisType.Auto,))
        sharding = NamedSharding(mesh, P("x")) if devices > 1 else jax.devices()[0]
        self.start = jax.device_put(np.arange(8, dtype=np.float32), sharding)
        self.step = jax.jit(lambda x: x + 1.0)

    def run(self, calls):
        x = self.start
        for _ in range(calls):
            x = self.step(x)
        return jax.block_until_ready(x)

    def answer(self):
        return self.run(5)

    def time(self):
        return timed(lambda: self.run(1000), 1000)


class Lowering:
    def __init__(self):
        size = WIDTH // HEADS
        into, out = (WIDTH, HEADS, size), (HEADS, size, WIDTH)
        shapes = dict(query=into, key=into, value=into, out=out, up=(WIDTH, 4 * WIDTH), down=(4 * WIDTH, WIDTH))
        blocks = [{name: parameter(2 + 6 * i + k, shapes[name]) for k, name in enumerate(shapes)} for i in range(DEPTH)]
        model = dict(tokens=parameter(0, (VOCABULARY, WIDTH)), positions=parameter(1, (CONTEXT, WIDTH)), blocks=blocks)
        self.state = (model, jax.tree.map(jnp.zeros_like, model), jax.tree.map(jnp.zeros_like, model), jnp.zeros(()))
        tokens = [i * i % VOCABULARY for i in range(BATCH * (CONTEXT + 1))]
        self.text = np.array(tokens, np.int32).reshape(BATCH, CONTEXT + 1)

    def answer(self):
        value, (model, *_) = jax.jit(update)(self.state, self.text)
        blocks = [b[name] for b in model["blocks"] for name in ("query", "key", "value", "out", "up", "down")]
        return [value, *(jnp.sum(jnp.abs(x)) for x in (model["tokens"], model["positions"], *blocks))]

    def time(self):
        # A new function: the caches of JAX's own functions stay, as in a program that has run for a while.
        step = jax.jit(lambda state, text: update(state, text))
        return timed(lambda: step.lower(self.state, self.text), 1)


class Eager:
    def __init__(self):
        self.start = (jnp.arange(64, dtype=jnp.float32) / 64.0).reshape(8, 8)

    def run(self, rounds):
        x = self.start
        for _ in range(rounds):
            y = jnp.sin(x) * x + 0.5
            y = y @ self.start
            y = y / (1.0 + jnp.abs(y))
            x = jnp.where(y > 0.25, y, y.T) - jnp.mean(y)
        return jax.block_until_ready(x)

    def answer(self):
        return self.run(3)

    def time(self):
        return timed(lambda: self.run(50), 50 * 11)


def main():
    cases = {"dispatch_1": Dispatch(1), "dispatch_8": Dispatch(8), "lowering": Lowering(), "eager": Eager()}
    for line in sys.stdin:
        request, name = line.split()
        case = cases[name]
        if request == "answer":
            reply = [float(x) for leaf in jax.tree.leaves(case.answer()) for x in np.asarray(leaf).ravel()]
        else:
            reply = case.time()
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
