#===- examples_propagate.py - our propagation of the examples is Shardy's -===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""The examples after our import stage, propagated by jaxlib and by `shardwright partition`:
the same module, every value's sharding equal, and the source positions still there."""

import re

import oracle


def stage(path, name, *flags):
    done = oracle.process([oracle.TOOL, "partition", path, f"--stop-after={name}", *flags])
    if done.returncode != 0:
        raise oracle.OurError(done)
    return done.stdout


oracle.require()
tally = oracle.Tally("examples_propagate")
for name in oracle.EXAMPLES:
    path = oracle.example(name)
    try:
        imported = stage(path, "import")
        expected = oracle.run(imported, "sdy-propagation-pipeline")
        found = oracle.normal(stage(path, "propagate"))
    except (oracle.OurError, oracle.OracleError) as error:
        tally.fail(name, str(error))
        continue
    tally.equal(name, expected, found)
    # A sharding must have gone somewhere, or there is nothing to compare.
    tally.check(name + " is sharded", found.count("sdy.sharding") > 1, found)
    # Every op of the partitioned program says where in Python it comes from.
    for last in ("propagate", "reshard", "local"):
        text = stage(path, last, "--debug-info")
        ops = [l for l in text.splitlines() if re.search(r"stablehlo\.(dot_general|reduce|add)\b.* loc\(", l)]
        lost = [l for l in ops if l.rstrip().endswith("loc(#loc)") or "loc(unknown)" in l]
        tally.check(f"{name} locations after {last}", not lost, "\n".join(lost[:5]))
tally.finish()
