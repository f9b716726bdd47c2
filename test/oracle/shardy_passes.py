#===- shardy_passes.py - Shardy's passes to a program of one device -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs with random shardings through the chain of upstream's `sdy-*` passes that
leads to a program of one device, run on up to 8 devices of XLA's CPU client and compared with
the program as one device runs it.

    shardy_passes.py [--cases N] [--seed S] [--family NAME] [--no-halo] [--compile-only]
"""

import argparse

import oracle

oracle.require()

import partition
import partition_engines as engines
import partition_programs as programs
import replicas

RESHARD = [
    "--sdy-propagation-pipeline",
    "--sdy-insert-explicit-reshards=enable-full-version=true",
]
LOCAL = [
    "--sdy-reshard-to-collectives",
    "--canonicalize=enable-patterns=sdy-collective",
    "--sdy-pad-for-divisibility",
    "--sdy-convert-global-to-local",
    "--sdy-drop-sharding-and-mesh",
]


class Check:
    def __init__(self, args):
        self.args, self.engine = args, engines.Ours(effort=1)

    def __call__(self, program):
        """None if the case passes, "refused" if one device cannot run it either, else a message."""
        values = program.inputs()
        plain = program.text(sharded=False)
        resolve = "--sdy-resolve-permutation-factors"
        if self.args.no_halo:
            resolve += "=enable-halo-exchange=false"
        try:
            expected = self.engine.whole(plain, values, program.results)
        except engines.Failed:
            return "refused"
        reshard = local = ""
        try:
            reshard = oracle.ours(program.text(sharded=True), *RESHARD, resolve)
            local = oracle.ours(reshard, *LOCAL)
            oracle.parse(local)
            if self.args.compile_only:
                return None
            ins, outs = replicas.signature(reshard, program.meshes)
            found = replicas.run_partitioned(
                local, values, ins, outs, program.mesh, [e.shape for e in expected]
            )
            message = engines.compare(expected, found, False, max(1e-5, engines.coarsest(local)))
        except oracle.OurError as error:
            message = str(error)
            # Between meshes with other axes reshards stay, and have no local form.
            if "failed to legalize operation 'sdy.reshard'" in message:
                return "refused"
        except oracle.OracleError as error:
            if "quant" in str(error):
                return "refused"
            message = f"the oracle does not take our program: {error}"
        except Exception as error:  # XLA refuses or devices disagree
            message = f"{type(error).__name__}: {str(error)[:2000]}"
            if "No registered implementation" in message or "failed to legalize operation 'arith" in message:
                return "refused"
        return message and f"{message}\n--- reshard\n{reshard}\n--- local\n{local}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", help="only ops of this family")
    parser.add_argument("--shrink", type=float, default=0, help="seconds to reduce a failing program (0)")
    parser.add_argument("--no-halo", action="store_true", help="replicate instead of fetching rows")
    parser.add_argument("--compile-only", action="store_true", help="do not run the result")
    args = oracle.arguments(__doc__, cases=10, long_cases=1000, parser=parser)
    tally, check = oracle.Tally("shardy_passes"), Check(args)
    try:
        for rng in oracle.generators(args):
            program = programs.random_program(rng, args.family, None, engines.MOST_DEVICES["xla"])
            message = check(program)
            if message == "refused":
                continue
            if not message:
                tally.ok()
                continue
            if args.shrink and tally.failed < tally.show:
                program = partition.shrink(program, check, args.shrink)
                message = check(program)
            tally.fail(rng.name, f"{message}\n--- program\n{program.text(sharded=True)}")
    finally:
        check.engine.stop()
    tally.finish()


if __name__ == "__main__":
    main()
