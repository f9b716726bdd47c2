#===- run.py - time to parse and verify: ours and jaxlib's ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CPU milliseconds to read a file, parse it into a new context and verify it: the best of all runs, in
processes that do nothing else. The two sides alternate after a few runs each, so that load on the
machine affects both. Both print the module afterwards; the texts must be equal. `floor` has no op
of our dialects: it compares the builds of MLIR."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import common
import modules
import oracle

TURNS, RUNS = 6, 5
OURS = [os.path.join(common.BUILD, "bin", "parse_module")]
PEER = [sys.executable, os.path.join(HERE, "peer.py")]


def output(command, path, runs):
    """Returns stdout, or None and the first line of the error."""
    done = subprocess.run([*command, path, str(runs)], capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stderr.splitlines() or ["killed"])[0]
    return done.stdout, None


def measure(ours, peer):
    """Returns (ours, peer): the best of TURNS x RUNS runs of each on its file."""
    best = [{}, {}]
    for _ in range(TURNS):
        for one, command, path in zip(best, (OURS, PEER), (ours, peer)):
            for key, value in json.loads(output(command, path, RUNS)[0]).items():
                one[key] = min(value, one.get(key, value))
    return best


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path, other in modules.write_all(folder):
            printed, error = output(OURS, path, 0)
            if error:
                rows.append([name, "", "not read", "", "", ""])
                print(f"{name}: {error}")
                continue
            if path == other and oracle.normal(printed) != oracle.normal(output(PEER, path, 0)[0]):
                sys.exit(f"{name}: the two read different modules: their times mean nothing")
            mine, peer = measure(path, other)
            rows.append(
                [name, mine["ops"], os.path.getsize(path), f"{mine['cpu'] * 1e3:.1f}",
                 f"{peer['cpu'] * 1e3:.1f}", f"{mine['cpu'] / peer['cpu']:.2f}"]
            )  # fmt: skip
    common.table(
        f"parse and verify, CPU ms (modules compared first; best of {TURNS * RUNS})",
        ["module", "ops", "bytes", "ours", "jaxlib", "ours/jaxlib"],
        rows,
    )


if __name__ == "__main__":
    main()
