#===- trace.py - the output of --trace ------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright run --trace` writes one row per device, whose spans do not overlap. Devices that arrive
early at a collective wait there."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

# Each device loops as many times as its number, then all rendezvous.
PARTED = """
module @parted {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %c = stablehlo.constant dense<0> : tensor<ui32>
      %one = stablehlo.constant dense<1> : tensor<ui32>
      %1:2 = stablehlo.while(%i = %c, %x = %arg1) : tensor<ui32>, tensor<2xf32>
      cond {
        %2 = stablehlo.compare LT, %i, %id : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2 = stablehlo.add %i, %one : tensor<ui32>
        %3 = stablehlo.sine %x : tensor<2xf32>
        stablehlo.return %2, %3 : tensor<ui32>, tensor<2xf32>
      }
      %4 = "stablehlo.all_reduce"(%1#1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %5 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %4 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
"""


def spans(module, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        done = oracle.process([oracle.TOOL, "run", module, *flags, f"--trace={path}"], None)
        if done.returncode:
            return None, done.stderr
        with open(path) as file:
            events = json.load(file)["traceEvents"]
    rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return rows, [e for e in events if e["ph"] == "X"]


def check(tally, name, devices, rows, events):
    if rows is None:
        tally.fail(name, events)
        return
    tally.equal(f"{name} rows", {d: f"device {d}" for d in range(devices)}, rows)
    for device in range(devices):
        mine = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["tid"] == device)
        tally.check(f"{name} device {device} has spans", mine)
        apart = all(b[0] >= a[1] - 1e-3 for a, b in zip(mine, mine[1:]))
        tally.check(f"{name} device {device} does one thing at a time", apart, str(mine))


def main():
    tally = oracle.Tally("trace")
    example = [oracle.example("gpt", f) for f in ("gpt.mlir", "inputs.npz")]
    rows, events = spans(*example)
    check(tally, "gpt", 8, rows, events)
    if rows is not None:
        names = {e["name"] for e in events if e["cat"] == "collective"}
        tally.check("gpt collectives", "stablehlo.all_reduce" in names, str(names))
        at = lambda e: e["args"].get("at", "")  # noqa: E731
        # A device has 4 of 8 sequences: 4x16x64 numbers of 4 bytes, and products of 64x8 with 2 of 8 heads.
        reduced = [e["args"] for e in events if e["name"] == "stablehlo.all_reduce" and "transformer_block/export.py:37" in at(e)]
        moved = {(a["bytes_read"], a["bytes_written"]) for a in reduced}
        tally.equal("gpt bytes of all_reduce", {(16384, 16384)}, moved)
        dots = {(a["bytes_read"], a["bytes_written"], a["flops"]) for a in (e["args"] for e in events if "export.py:30" in at(e)) if a.get("flops")}
        tally.check("gpt work of products", (20480, 4096, 2 * 64 * 64 * 16) in dots, str(dots))
        tally.check("gpt places", any("export.py" in e["args"].get("at", "") for e in events))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(PARTED)
        file.flush()
        rows, events = spans(file.name, "--random", "0")
    check(tally, "parted", 4, rows, events)
    if rows is not None:
        waits = {e["tid"] for e in events if e["cat"] in ("waiting", "collective")}
        tally.equal("parted all meet", {0, 1, 2, 3}, waits)
    tally.finish()


main()
