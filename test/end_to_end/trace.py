#===- trace.py - the output of --trace ------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright run --trace` writes one row per device, whose steps do not overlap. Devices that arrive
early at a collective wait there. Loops are spans around their iterations, which are spans around their steps."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import numpy as np

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


# Device d runs a loop d times, whose i-th iteration runs a loop i times. One more loop has no iteration, and a loop in
# a branch runs three times.
NESTED = """
module @nested {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %zero: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>})
      -> (tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.manual_computation(%arg0, %zero) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<1024xf32>, %c: tensor<i32>) {
      %p = stablehlo.partition_id : tensor<ui32>
      %id = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %1:2 = stablehlo.while(%i = %c, %x = %arg1) : tensor<i32>, tensor<1024xf32>
      cond {
        %2 = stablehlo.compare LT, %i, %id : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2:2 = stablehlo.while(%j = %c, %y = %x) : tensor<i32>, tensor<1024xf32>
        cond {
          %3 = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %3 : tensor<i1>
        } do {
          %3 = stablehlo.add %j, %one : tensor<i32>
          %4 = stablehlo.sine %y : tensor<1024xf32>
          stablehlo.return %3, %4 : tensor<i32>, tensor<1024xf32>
        } loc("inner.py":2:1)
        %5 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %5, %2#1 : tensor<i32>, tensor<1024xf32>
      } loc("outer.py":1:1)
      %6:2 = stablehlo.while(%i = %c, %x = %1#1) : tensor<i32>, tensor<1024xf32>
      cond {
        %2 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2 = stablehlo.add %i, %one : tensor<i32>
        %3 = stablehlo.cosine %x : tensor<1024xf32>
        stablehlo.return %2, %3 : tensor<i32>, tensor<1024xf32>
      } loc("none.py":3:1)
      %even = stablehlo.and %id, %one : tensor<i32>
      %7 = "stablehlo.case"(%even) ({
        stablehlo.return %6#1 : tensor<1024xf32>
      }, {
        %8:2 = stablehlo.while(%i = %c, %x = %6#1) : tensor<i32>, tensor<1024xf32>
        cond {
          %2 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
        } do {
          %2 = stablehlo.add %i, %one : tensor<i32>
          %3 = stablehlo.cosine %x : tensor<1024xf32>
          stablehlo.return %2, %3 : tensor<i32>, tensor<1024xf32>
        } loc("branch.py":4:1)
        stablehlo.return %8#1 : tensor<1024xf32>
      }) : (tensor<i32>) -> tensor<1024xf32>
      sdy.return %7 : tensor<1024xf32>
    } : (tensor<4096xf32>, tensor<i32>) -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}
"""
LOOPS = ("loop", "iteration")


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
        mine = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["tid"] == device and e["cat"] not in LOOPS)
        tally.check(f"{name} device {device} has spans", mine)
        apart = all(b[0] >= a[1] - 1e-3 for a, b in zip(mine, mine[1:]))
        tally.check(f"{name} device {device} does one thing at a time", apart, str(mine))


def holds(outer, inner, slack=2e-3):
    """True if one span lies in the other. Times are rounded to nanoseconds."""
    return outer["ts"] <= inner["ts"] + slack and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + slack


def check_nested(tally, events):
    for device in range(4):
        mine = [e for e in events if e["tid"] == device]
        loops = [e for e in mine if e["cat"] == "loop"]
        at = lambda name: [e for e in loops if e["args"]["at"].startswith(name)]  # noqa: E731
        trips = lambda name: [e["args"]["iterations"] for e in at(name)]  # noqa: E731
        name = f"nested device {device}"
        tally.equal(f"{name}: trips of the outer loop", [device], trips("outer.py"))
        tally.equal(f"{name}: trips of the inner loop", list(range(device)), trips("inner.py"))
        tally.equal(f"{name}: a loop without iterations", [0], trips("none.py"))
        tally.equal(f"{name}: a loop in a branch", [3] if device % 2 else [], trips("branch.py"))
        tally.check(f"{name}: loops nest", all(holds(at("outer.py")[0], e) for e in at("inner.py")), str(loops))
        iterations = [e for e in mine if e["cat"] == "iteration"]
        tally.equal(f"{name}: number of iterations", sum(e["args"]["iterations"] for e in loops), len(iterations))
        tally.check(f"{name}: iterations are in loops", all(any(holds(loop, e) for loop in loops) for e in iterations), str(mine))
        sines = [e for e in mine if e["name"] == "stablehlo.sine"]
        tally.equal(f"{name}: steps of the inner loop", sum(range(device)), len(sines))
        tally.check(f"{name}: steps are in loops", all(any(holds(loop, e) for loop in at("inner.py")) for e in sines), str(mine))


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
        layers = [e for e in events if e["cat"] == "loop"]
        tally.equal("gpt loops", {(d, 4) for d in range(8)}, {(e["tid"], e["args"]["iterations"]) for e in layers})
        inside = [e for e in events if "transformer_block/export.py:30" in at(e)]
        tally.check("gpt steps of layers", inside and all(any(holds(loop, e) for loop in layers if loop["tid"] == e["tid"]) for e in inside))
        tally.check("gpt places", any("export.py" in e["args"].get("at", "") for e in events))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(PARTED)
        file.flush()
        rows, events = spans(file.name, "--random", "0")
    check(tally, "parted", 4, rows, events)
    if rows is not None:
        waits = {e["tid"] for e in events if e["cat"] in ("waiting", "collective")}
        tally.equal("parted all meet", {0, 1, 2, 3}, waits)
    with tempfile.TemporaryDirectory() as folder:
        path, zero = os.path.join(folder, "nested.mlir"), os.path.join(folder, "zero.npz")
        with open(path, "w") as file:
            file.write(NESTED)
        np.savez(zero, arg0=np.ones(4096, np.float32), arg1=np.int32(0))
        rows, events = spans(path, zero)
    check(tally, "nested", 4, rows, events)
    if rows is not None:
        check_nested(tally, events)
    tally.finish()


main()
