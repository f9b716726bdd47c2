#===- examples_propagate.py - propagates the examples in Shardy and ours ---===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Each example, after our import stage, is propagated by `sdy-propagation-pipeline` of the oracle and
by ours (`--stop-after=propagate`). The oracle prints both results; the texts must be equal. The
same on other mesh sizes."""

import oracle

MESHES = {
    "double": ["", "x=2,y=2", "x=1,y=1"],
    "mlp_train": ["", "data=2,model=2", "data=1,model=1"],
    "transformer_block": ["", "data=2,model=2", "data=1,model=1", "data=1,model=8"],
    "gpt": ["", "data=2,model=2", "data=1,model=1", "data=8,model=1"],
}


def stage(name, mesh, stop):
    command = [oracle.TOOL, "partition", oracle.example(name), f"--stop-after={stop}", f"--shardy={oracle.SHARDY}"]
    done = oracle.process(command + (["--mesh", mesh] if mesh else []))
    if done.returncode != 0:
        raise oracle.OurError(done)
    return done.stdout


oracle.require()
tally = oracle.Tally("examples_propagate")
for name, meshes in MESHES.items():
    for mesh in meshes:
        case = f"{name} {mesh}".strip()
        try:
            expected = oracle.run(stage(name, mesh, "import"), "sdy-propagation-pipeline")
            found = oracle.normal(stage(name, mesh, "propagate"))
        except (oracle.OurError, oracle.OracleError) as error:
            tally.fail(case, str(error))
            continue
        if "sdy.sharding" not in expected:
            tally.fail(case, "the oracle's module has no sharding: nothing was compared")
            continue
        tally.equal(case, expected, found)
tally.finish()
