#===- shardy_passes.py - runs the results of Shardy's passes --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs with random shardings through the chain of upstream's `sdy-*` passes that lead to a
program of one device. It runs on our virtual devices, and every fourth program also on XLA's CPU
devices if XLA supports its types and ops. The results are compared with those of the program on one
device.

    shardy_passes.py [--cases N] [--seed S] [--family NAME] [--no-halo] [--compile-only] [--sums PLACES]
"""

import argparse

import oracle

oracle.require()

import partition
import partition_engines as engines
import partition_programs as programs
import replicas
from partition_builder import Value

RESHARD = [
    "--sdy-propagation-pipeline",
    "--sdy-insert-explicit-reshards=enable-full-version=true",
]
LOCAL = [
    "--sdy-reshard-to-collectives",
    "--canonicalize=enable-patterns=sdy-collective",
    "--sdy-pad-for-divisibility",
    "--sdy-resolve-single-device-sharding",
    "--sdy-convert-global-to-local",
    "--sdy-drop-sharding-and-mesh",
]


class Check(partition.Check):
    def __call__(self, program):
        """Returns None if the case passes, "refused" if one device cannot run it either, otherwise a
        message."""
        values = program.inputs()
        plain = program.text(sharded=False)
        try:
            expected = self.engine.whole(plain, values, program.results)
        except engines.Failed:
            return "refused"
        resolve = "--sdy-resolve-permutation-factors"
        if self.args.no_halo:
            resolve += "=enable-halo-exchange=false"
        reshard = local = ""
        try:
            reshard = oracle.ours(program.text(sharded=True), *RESHARD, resolve)
            local = oracle.ours(reshard, *LOCAL)
            if self.args.compile_only:
                return None
            found = self.on_devices(program, values, reshard, local)
            message = self.compare(program, plain, values, expected, found)
            if not message and program.seed % 4 == 0 and program.mesh.devices <= engines.MOST_DEVICES["xla"]:
                message = engines.elsewhere("xla", program, values, reshard, local)
                message = None if message == "skipped" else message
        except oracle.OurError as error:
            message = str(error)
            # As in upstream's; JAX writes none.
            if "Shardy propagation doesn't support tuples" in message or "cannot have a single-device" in message:
                return "refused"
        except engines.Failed as failed:
            message = f"{failed.kind}: {failed.message}"
        except AssertionError as error:  # devices disagree
            message = str(error)
        return message and f"{message}\n--- reshard\n{reshard}\n--- local\n{local}"

    def on_devices(self, program, values, reshard, local):
        ins, outs = replicas.signature(reshard, program.meshes)
        shapes = [r.shape for r in program.results]
        parts = [s.box(0, shape) if s else [slice(0, n) for n in shape] for s, shape in zip(outs, shapes)]
        results = [Value(r.name, [p.stop - p.start for p in part], r.element) for r, part in zip(program.results, parts)]
        found = self.engine.on_devices(local, replicas.split(values, ins, program.mesh.devices), results)
        return replicas.joined(found, outs, program.mesh, shapes)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", help="only ops of this family")
    parser.add_argument("--sums", default="off", choices=programs.PLACES, help="where values may be unreduced (off)")
    parser.add_argument("--shrink", type=float, default=0, help="seconds to reduce a failing program (0)")
    parser.add_argument("--no-halo", action="store_true", help="replicate instead of fetching rows")
    parser.add_argument("--compile-only", action="store_true", help="do not run the result")
    args = oracle.arguments(__doc__, cases=24, long_cases=1000, parser=parser)
    args.effort, args.through = 1, None
    tally, check = oracle.Tally("shardy_passes"), Check(args)
    try:
        for rng in oracle.generators(args):
            program = programs.random_program(rng, args.family, sums=args.sums)
            program.written = None
            message = check(program)
            if message == "refused":
                continue
            if not message:
                tally.ok()
                continue
            if args.shrink and tally.failed < tally.show:
                program = partition.shrink(program, check, args.shrink, message)
                message = check(program)
            tally.fail(rng.name, f"{message}\n--- program\n{program.text(sharded=True)}")
    finally:
        check.stop()
    tally.finish()


if __name__ == "__main__":
    main()
