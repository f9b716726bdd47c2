#===- examples_parse.py - parsing and printing between JAX and ours -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Passes each example module through shardwright-opt: the oracle prints input and output alike, with
and without locations. Our bytecode reads back to the same text."""

import oracle

oracle.require()
tally = oracle.Tally("examples_parse")
for name in oracle.EXAMPLES:
    with open(oracle.example(name)) as file:
        source = file.read()
    for locations in (False, True):
        case = name + (" with locations" if locations else "")
        flags = ["--mlir-print-debuginfo"] if locations else []
        try:
            found = oracle.text(oracle.parse(oracle.ours(source, *flags)), locations)
        except (oracle.OurError, oracle.OracleError) as error:
            tally.fail(case, str(error))
            continue
        tally.equal(case, oracle.text(oracle.parse(source), locations), found)
tally.finish()
