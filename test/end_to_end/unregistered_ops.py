#===- unregistered_ops.py - ops that no dialect registers ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Every pass and pipeline of `shardwright-opt` accepts programs with ops of unregistered dialects, or
refuses them with a diagnostic: as producers of operands, as users, with regions, with shardings,
together with calls, loops, manual computations, data-flow edges and single devices."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

MESH = 'sdy.mesh @m = <["x"=2, "y"=2]>\nsdy.mesh @one = <[], device_ids=[1]>\n'
X = "{sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}"
S = '{sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>}'

PROGRAMS = {
    "op": f"""{MESH}func.func @main(%a: tensor<8xf32> {X}) -> (tensor<8xf32> {X}) {{
  %0 = "a.b"(%a) {S} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 {S} : tensor<8xf32>
  "a.c"(%1) : (tensor<8xf32>) -> ()
  return %1 : tensor<8xf32> }}""",
    "replicated": f"""{MESH}func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = "a.broadcast_b"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "a.top_k"(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32> }}""",
    "no dot in the name": """func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "b"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32> }""",
    "uneven": f"""{MESH}func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {{
  %0 = stablehlo.negate %a {S} : tensor<5xf32>
  %1 = "a.b"(%0) {S} : (tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32> }}""",
    "data flow edge": f"""{MESH}func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = "a.b"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@m, [{{"x"}}]> : tensor<8xf32>
  return %1 : tensor<8xf32> }}""",
    "one device": f"""{MESH}func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = "a.b"(%a) {{sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32> }}""",
    "regions": f"""{MESH}func.func @main(%a: tensor<8xf32> {X}, %n: tensor<i32>) -> tensor<8xf32> {{
  %0 = "a.b"(%a) ({{
    %i = stablehlo.negate %a {S} : tensor<8xf32>
    "a.end"(%i) : (tensor<8xf32>) -> ()
  }}) : (tensor<8xf32>) -> tensor<8xf32>
  %1:2 = stablehlo.while(%v = %0, %i = %n) : tensor<8xf32>, tensor<i32> cond {{
    %p = "a.p"(%i) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %w = "a.b"(%v) {S} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %w, %i : tensor<8xf32>, tensor<i32>
  }}
  %2 = sdy.manual_computation(%1#0) in_shardings=[<@m, [{{"x"}}]>] out_shardings=[<@m, [{{"x"}}]>] manual_axes={{"x"}} (%l: tensor<4xf32>) {{
    %k = "a.b"(%l) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %k : tensor<4xf32>
  }} : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32> }}""",
    "calls": f"""{MESH}func.func @main(%a: tensor<8xf32> {X}) -> tensor<8xf32> {{
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "a.call"(%0) {{callee = @f}} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.reshard %1 <@m, [{{"y"}}]> : tensor<8xf32>
  return %2 : tensor<8xf32> }}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = "a.b"(%a) {S} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32> }}""",
    "reducers": """func.func @main(%a: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%p: tensor<f32>, %q: tensor<f32>) {
    %s = "a.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32> }
  return %0 : tensor<f32> }""",
    "in the module": '"a.b"() {sym_name = "s"} : () -> ()\nfunc.func @main() { return }',
    "types": """func.func @main(%a: !b.c, %t: tensor<4xf32, #d.e>) -> !b.c {
  %0 = "a.b"(%a, %t) {f = #d.e} : (!b.c, tensor<4xf32, #d.e>) -> !b.c
  return %0 : !b.c }""",
}  # fmt: skip


def passes():
    """Returns all of our passes, from the tool's own list: under a heading, each name with its
    summary."""
    text = oracle.process([oracle.OPT, "--help"]).stdout
    start = text.index("Compiler passes to run")
    names = re.findall(r"^      --((?:sdy|sw|chlo|stablehlo|vhlo)-[a-z0-9-]+)\s", text[start:], re.M)
    return sorted(set(names))


def main():
    tally = oracle.Tally("unregistered_ops")
    names = passes()
    tally.check("list", len(names) > 60 and "sdy-propagation-pipeline" in names, f"only {names}")
    whole = oracle.SPLIT.join(text + "\n" for text in PROGRAMS.values())
    flags = ["--allow-unregistered-dialect"]
    for name in names:
        # Most passes accept all modules together. If a pass refuses them, run each alone.
        for case, text in [("all", whole), *PROGRAMS.items()]:
            done = oracle.process([oracle.OPT, *flags, "--split-input-file", "--" + name], text)
            refused = done.returncode == 1 and "error:" in done.stderr
            if case == "all" and done.returncode != 0:
                continue
            tally.check(f"--{name} {case}", done.returncode == 0 or refused,
                        f"exit code {done.returncode}\n{done.stderr[:3000]}\n{text}")  # fmt: skip
            if case == "all":
                break
    tally.finish()


if __name__ == "__main__":
    main()
