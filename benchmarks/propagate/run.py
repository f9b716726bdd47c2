#===- run.py - the propagation pipeline: ours beside Shardy's --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CPU milliseconds of `sdy-propagation-pipeline` on training steps of the GPT example, with
the time that each side takes to parse them; best of all runs. The modules that come out have
to be equal before a time counts."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "parse"))
import common
import modules
import oracle

TURNS, RUNS = 3, 4
OURS = [os.path.join(common.BUILD, "bin", "propagate_module")]
PEER = [sys.executable, os.path.join(HERE, "peer.py")]


def output(command, path, runs):
    done = subprocess.run([*command, path, str(runs)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[-1]} {path}: {done.stderr}")
    return done.stdout


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for layers in (4, 24, 144):
            path = os.path.join(folder, f"{layers}.mlir")
            with open(path, "w") as out:
                out.write(modules.training_step(layers).as_text(debug_info=True))
            if oracle.normal(output(OURS, path, 0)) != oracle.normal(output(PEER, path, 0)):
                sys.exit(f"{layers} layers: the results differ: their times mean nothing")
            best = [{}, {}]
            for _ in range(TURNS):
                for one, command in zip(best, (OURS, PEER)):
                    for key, value in json.loads(output(command, path, RUNS)).items():
                        one[key] = min(value, one.get(key, value))
            mine, peer = best
            times = [f"{x * 1e3:.1f}" for x in (mine["parse"], mine["propagate"], peer["propagate"])]
            ratio = mine["propagate"] / peer["propagate"]
            rows.append([f"training step, {layers} layers", mine["ops"], *times, f"{ratio:.2f}"])
    common.table(
        f"propagation pipeline, CPU ms (results compared first; best of {TURNS * RUNS})",
        ["module", "ops", "parse", "ours", "Shardy", "ours/Shardy"],
        rows,
    )


if __name__ == "__main__":
    main()
