#===- partition_examples.py - the examples, partitioned, against JAX -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each example is propagated by the oracle (CHLO expanded), partitioned by ours, run on 8 CPU
devices and compared with the stored results of unsharded JAX.

    partition_examples.py
"""

import re

import oracle
import replicas
import numpy as np


def mesh_of(text):
    line = re.search(r"sdy.mesh @\w+ = <\[([^\]]*)\]", text).group(1)
    return replicas.DeviceMesh([(n, int(s)) for n, s in re.findall(r'"(\w+)"=(\d+)', line)])


def main():
    oracle.require()
    oracle.stablehlo.register_stablehlo_passes()
    tally = oracle.Tally("partition_examples")
    for name in oracle.EXAMPLES:
        with open(oracle.example(name)) as file:
            source = file.read()
        propagated = oracle.run(
            source, "func.func(chlo-legalize-to-stablehlo),sdy-propagation-pipeline"
        )
        reshard = oracle.ours(propagated, "--sw-insert-collectives")
        local = oracle.ours(reshard, "--sw-localize")
        mesh = mesh_of(source)
        ins, outs = replicas.signature(reshard, mesh)
        given = np.load(oracle.example(name, "inputs.npz"))
        stored = np.load(oracle.example(name, "expected.npz"))
        arguments = [given[f"arg{i}"] for i in range(len(given.files))]
        expected = [stored[f"out{i}"] for i in range(len(stored.files))]
        found = replicas.run_partitioned(
            local, arguments, ins, outs, mesh, [e.shape for e in expected]
        )
        worst = max(
            float(np.max(np.abs(e - f) / (1e-5 + np.abs(e)))) if e.size else 0.0
            for e, f in zip(expected, found)
        )
        close = all(np.allclose(e, f, rtol=1e-4, atol=1e-5) for e, f in zip(expected, found))
        print(f"{name}: worst relative error {worst:.2e}")
        tally.check(name, close, "results differ")
    tally.finish()


if __name__ == "__main__":
    main()
