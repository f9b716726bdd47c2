#===- worker.py - one side of the benchmark: JAX on one platform ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Answers requests, a JSON object a line. {"do": "answer", "case": ..., "out": npz} computes the
results for the comparison; {"do": "time", "case": ...} returns seconds of wall time and of CPU time
of all threads. JAX_PLATFORMS selects the platform."""

import json
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "jax"))

import jax
import jax.numpy as jnp
import models
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

STEPS = 10  # training steps per measurement


def timed(work, count):
    """Returns wall and CPU seconds per run, averaged over `count` runs."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return [(time.perf_counter() - wall) / count, (time.process_time() - cpu) / count]


class Dispatch:
    """Calls of a function that does almost nothing: in sequence, and each awaited."""

    def __init__(self, devices, leaves):
        mesh = jax.make_mesh((devices,), ("x",), devices=jax.devices()[:devices], axis_types=(AxisType.Auto,))
        sharding = NamedSharding(mesh, P("x")) if devices > 1 else jax.devices()[0]
        self.args = [jax.device_put(np.arange(8, dtype=np.float32) + i, sharding) for i in range(leaves)]
        self.step = jax.jit(lambda args: [a + 1 for a in args])

    def answer(self):
        return self.step(self.args)

    def time(self, awaits, calls=200):
        def run():
            args = self.args
            for _ in range(calls):
                args = self.step(args)
                if awaits:
                    jax.block_until_ready(args)
            jax.block_until_ready(args)

        return timed(run, calls)


class Training:
    """A step of a model of test/jax/models.py, and its compilation."""

    def __init__(self, problem, parallelism):
        self.problem = models.PROBLEMS[problem] + models.PARALLELISMS[parallelism]

    def begin(self):
        self.step, self.params, self.state = models.training(*self.problem)

    def run(self, steps):
        for _ in range(steps):
            loss, self.params, self.state = self.step(self.params, self.state)
        return loss

    def answer(self):
        self.begin()
        return [self.run(5)]

    def time(self):
        return timed(lambda: jax.block_until_ready(self.run(STEPS)), STEPS)

    def compile_time(self):
        jax.clear_caches()
        step, params, state = models.training(*self.problem)
        lowered = step.lower(params, state)
        return timed(lowered.compile, 1)


def main():
    cases = {}
    for devices in (1, 8):
        for leaves in (1, 50):
            cases[f"dispatch_{devices}_{leaves}"] = Dispatch(devices, leaves)
    for problem in models.PROBLEMS:
        for parallelism in models.PARALLELISMS:
            cases[f"{problem}_{parallelism}"] = Training(problem, parallelism)
    print(json.dumps(list(cases)), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        case = cases[request["case"]]
        if request["do"] == "answer":
            leaves = [np.asarray(x) for x in case.answer()]
            np.savez(request["out"], *leaves)
            reply = 0
        elif request["do"] == "compile":
            reply = case.compile_time()
        else:
            reply = case.time(*request.get("how", []))
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
