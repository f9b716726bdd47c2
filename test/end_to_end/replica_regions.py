#===- replica_regions.py - several replicas in region form ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs of 2 replicas of 4 partitions: the region form (`partition --form=region`), partitioned again, gives the
results of the program itself, bit for bit. With collectives of our partitioner and of the program: within a
replica, among replicas, among all devices; on permuted devices too."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

import numpy as np

MODULE = """
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]IDS>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    BODY
  }
}
"""
MANUAL = """%%0 = sdy.manual_computation(%%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%%s: tensor<4x4xf32>) {
      %s
      sdy.return %%r : tensor<4x4xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %%0 : tensor<8x8xf32>"""
SUM = """%%r = "stablehlo.all_reduce"(%%s) <{%s}> ({ ^bb0(%%p: tensor<f32>, %%q: tensor<f32>):
        %%t = stablehlo.add %%p, %%q : tensor<f32>
        stablehlo.return %%t : tensor<f32> }) : (tensor<4x4xf32>) -> tensor<4x4xf32>"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
BODIES = {
    "product": """%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>""",
    "transposition": """%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.subtract %0, %a : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>""",
    "sum among all": MANUAL % (SUM % (CHANNEL + "use_global_device_ids, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>")),
    "sum of pairs": MANUAL % (SUM % (CHANNEL + "use_global_device_ids, replica_groups = dense<[[0, 5], [1, 4], [2, 7], [3, 6]]> : tensor<4x2xi64>")),
    "sum among replicas": MANUAL % (SUM % "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"),
    "replica": MANUAL % """%id = stablehlo.replica_id : tensor<ui32>
      %pid = stablehlo.partition_id : tensor<ui32>
      %n = stablehlo.add %id, %pid : tensor<ui32>
      %f = stablehlo.convert %n : (tensor<ui32>) -> tensor<f32>
      %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %r = stablehlo.add %s, %b : tensor<4x4xf32>""",
    "exchange": MANUAL % ("""%r = "stablehlo.collective_permute"(%s) <{""" + CHANNEL +
                          """source_target_pairs = dense<[[0, 3], [3, 1], [1, 0]]> : tensor<3x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>"""),
}  # fmt: skip


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("replica_regions")
    with tempfile.TemporaryDirectory() as folder:
        path, region = (os.path.join(folder, name) for name in ("whole.mlir", "region.mlir"))
        for ids in ("", ", device_ids=[2, 0, 3, 1]"):
            for name, body in BODIES.items():
                case = name + ids
                with open(path, "w") as file:
                    file.write(MODULE.replace("IDS", ids).replace("BODY", body))
                results = []
                with open(region, "w") as file:
                    done = oracle.process([oracle.TOOL, "partition", path, "--form=region"])
                    if not tally.check(f"{case}: region", done.returncode == 0, done.stderr):
                        continue
                    file.write(done.stdout)
                tally.check(f"{case}: the mesh of a replica", '<["x"=2, "y"=2]' in done.stdout
                            and 'manual_axes={"x", "y"}' in done.stdout, done.stdout)  # fmt: skip
                for program in (path, region):
                    out = os.path.join(folder, "out.npz")
                    done = oracle.process([oracle.TOOL, "run", program, "--random=3", f"--out={out}"])
                    if tally.check(f"{case}: run {os.path.basename(program)}", done.returncode == 0, done.stderr):
                        with np.load(out) as arrays:
                            results.append(arrays["out0"])
                if len(results) == 2:
                    tally.check(f"{case}: bits", results[0].tobytes() == results[1].tobytes(), results)
    tally.finish()


main()
