#===- partial_sums.py - values that are unreduced along mesh axes ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs in which values are partial sums at every place where a sharding can express it: reshards
between layouts and meshes, values of rank 0, borders of manual computations, loops, branches,
reductions of several operands, initial values. All values are integers; each result must be
numpy's, at every effort."""

import itertools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

args = oracle.arguments(__doc__, cases=60, long_cases=1500)
tally = oracle.Tally("partial_sums")
data = np.random.default_rng(0)


def check(case, text, arguments, expected, efforts=(0, 1, 2)):
    for effort in efforts:
        flag = f"--partition-effort={effort}"
        done = oracle.run_and_compare(text, arguments, expected, "--rtol=0", "--atol=0", flag)
        tally.check(f"{case} {flag}", done.returncode == 0, f"{done.stderr}{done.stdout}\n{text}")
    # The output of each stage must parse and verify.
    for stage in ("propagate", "reshard", "local"):
        done = oracle.process([oracle.TOOL, "partition", "-", f"--stop-after={stage}"], text)
        again = oracle.process([oracle.TOOL, "convert", "-", "--to=text"], done.stdout)
        tally.check(f"{case} {stage}", done.returncode == 0 and again.returncode == 0, f"{done.stderr}{again.stderr}\n{text}")


def ints(*shape):
    return data.integers(-9, 10, shape).astype(np.int32)


# --- From one layout of a partial sum to another -------------------------------------------------

MESHES = {
    "mesh": '<["x"=2, "y"=2, "z"=2]>',
    "turned": '<["x"=2, "y"=2, "z"=2], device_ids=[3, 1, 4, 0, 7, 2, 6, 5]>',
    "other": '<["x"=4, "y"=2]>',
}
AXES = {"mesh": {"y": 2, "z": 2}, "turned": {"y": 2, "z": 2}, "other": {"y": 2}}


def layout(rng, mesh, shape):
    """Returns random dimension shardings that do not use x."""
    dims = [[] for _ in shape]
    for axis in rng.sample(sorted(AXES[mesh]), len(AXES[mesh])):
        d = rng.randrange(len(shape) + 1)
        if d < len(shape):
            dims[d].append(f'"{axis}"')
    return "[" + ", ".join("{" + ", ".join(d) + "}" for d in dims) + "]"


def reshards(rng):
    """Returns a product that is unreduced along x in one layout, then in others, then reduced."""
    m, n = rng.choice([4, 5, 6, 8]), rng.choice([4, 6, 7, 8])
    out, lines, value = f"tensor<{m}x{n}xi32>", [], "p"
    meshes = "".join(f" sdy.mesh @{name} = {text}\n" for name, text in MESHES.items())
    for i in range(rng.randint(1, 3)):
        mesh = rng.choice(["mesh", "mesh", "mesh", "turned", "other"])
        unreduced = rng.choice(['"x"', '"x"', '"x":(1)2']) if mesh == "other" else '"x"'
        name = rng.choice(["sdy.reshard", "sdy.sharding_constraint"])
        lines.append(f" %r{i} = {name} %{value} <@{mesh}, {layout(rng, mesh, (m, n))}, unreduced={{{unreduced}}}> : {out}\n")
        value = f"r{i}"
    last = rng.choice(["mesh", "mesh", "turned", "other"])
    text = f"""module {{
{meshes} func.func @main(%a: tensor<{m}x8xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}]>}},
   %b: tensor<8x{n}xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
   -> ({out} {{sdy.sharding = #sdy.sharding<@{last}, {layout(rng, last, (m, n)) if m % 4 == n % 4 == 0 else "[{}, {}]"}>}}) {{
 %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{m}x8xi32>, tensor<8x{n}xi32>) -> {out}
{"".join(lines)} return %{value} : {out}
}} }}"""
    a, b = ints(m, 8), ints(8, n)
    return text, [a, b], [a @ b]


for rng in oracle.generators(args):
    text, arguments, expected = reshards(rng)
    check(f"reshards {rng.name}", text, arguments, expected)

# --- Rank 0 -----------------------------------------------------------------------------------

MESH = 'sdy.mesh @mesh = <["x"=4, "y"=2]>\n'
X = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
PARTIAL = '{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x"}>]>}'
SUM = f"""%zero = stablehlo.constant dense<0> : tensor<i32>
 %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] {PARTIAL} : (tensor<8xi32>, tensor<i32>) -> tensor<i32>"""
COMPLETIONS = {
    "all_reduce": '%r = sdy.all_reduce {"x"} %s out_sharding=<@mesh, []> : tensor<i32>',
    "reshard": "%r = sdy.reshard %s <@mesh, []> : tensor<i32>",
    "constraint": "%r = sdy.sharding_constraint %s <@mesh, []> : tensor<i32>",
    "other op": "%r = stablehlo.maximum %s, %zero : tensor<i32>",
    "twice": "%r = stablehlo.multiply %s, %s : tensor<i32>",
    "nothing": "%r = stablehlo.negate %s : tensor<i32>",
}
a = ints(8)
total = a.sum(dtype=np.int32)
for name, line in COMPLETIONS.items():
    result = {"other op": np.maximum(total, np.int32(0)), "twice": total * total, "nothing": -total}.get(name, total)
    check(f"scalar {name}", f"{MESH}func.func @main(%a: tensor<8xi32> {X}) -> tensor<i32> {{\n {SUM}\n {line}\n return %r : tensor<i32>\n}}",
          [a], [result])  # fmt: skip

INDEX = f"""{MESH}func.func @main(%a: tensor<8xi32> {X}, %b: tensor<64xi32>) -> tensor<2xi32> {{
 {SUM}
 %k = stablehlo.abs %s {PARTIAL} : tensor<i32>
 %u = sdy.sharding_constraint %k <@mesh, [], unreduced={{"x"}}> : tensor<i32>
 %r = stablehlo.dynamic_slice %b, %u, sizes = [2] : (tensor<64xi32>, tensor<i32>) -> tensor<2xi32>
 return %r : tensor<2xi32>
}}"""
b = ints(64)
at = min(abs(int(total)), 62)
check("scalar as an index", INDEX, [a, b], [b[at : at + 2]])

BROADCAST = f"""{MESH}func.func @main(%a: tensor<8xi32> {X}) -> tensor<8x4xi32> {{
 {SUM}
 %r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<i32>) -> tensor<8x4xi32>
 %q = sdy.sharding_constraint %r <@mesh, [{{"y"}}, {{}}]> : tensor<8x4xi32>
 %t = stablehlo.add %q, %q : tensor<8x4xi32>
 return %t : tensor<8x4xi32>
}}"""
check("scalar broadcast", BROADCAST, [a], [np.full((8, 4), 2 * total, np.int32)])

BRANCH = f"""{MESH}func.func @main(%a: tensor<8xi32> {X}) -> tensor<i32> {{
 {SUM}
 %p = stablehlo.compare GT, %s, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
 %r = "stablehlo.if"(%p) ({{ %n = stablehlo.negate %s : tensor<i32>
   %u = sdy.sharding_constraint %n <@mesh, [], unreduced={{"x"}}> : tensor<i32>
   stablehlo.return %u : tensor<i32> }}, {{
   %u = sdy.sharding_constraint %s <@mesh, [], unreduced={{"x"}}> : tensor<i32>
   stablehlo.return %u : tensor<i32> }}) : (tensor<i1>) -> tensor<i32>
 return %r : tensor<i32>
}}"""
for sign in (1, -1):
    check(f"scalar in branches {sign}", BRANCH, [a * sign * np.sign(total)], [-abs(total)])

LOOP = f"""{MESH}func.func @main(%a: tensor<8xi32> {X}) -> tensor<i32> {{
 {SUM}
 %one = stablehlo.constant dense<1> : tensor<i32>
 %n = stablehlo.constant dense<3> : tensor<i32>
 %init = sdy.sharding_constraint %one <@mesh, [], unreduced={{"x"}}> : tensor<i32>
 %o:2 = stablehlo.while(%i = %zero, %c = %init) : tensor<i32>, tensor<i32> attributes {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [], unreduced={{"x"}}>]>}}
  cond {{ %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
   stablehlo.return %p : tensor<i1> }} do {{ %j = stablehlo.add %i, %one : tensor<i32>
   %t = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] {PARTIAL} : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
   %d = stablehlo.add %c, %t {PARTIAL} : tensor<i32>
   stablehlo.return %j, %d : tensor<i32>, tensor<i32> }}
 %r = sdy.reshard %o#1 <@mesh, []> : tensor<i32>
 return %r : tensor<i32>
}}"""
check("scalar carried by a loop", LOOP, [a], [1 + 3 * total + 3])

# --- Manual computations ----------------------------------------------------------------------

PSUM = """"stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
   ^bb0(%l: tensor<i32>, %q: tensor<i32>): %o = stablehlo.add %l, %q : tensor<i32>
   stablehlo.return %o : tensor<i32> })"""
for shape, dims in (("", "[]"), ("4x", "[{}]")):
    T = f"tensor<{shape}i32>"
    for source in (f"stablehlo.constant dense<5> : {T}", f"stablehlo.negate %g : {T}", f"sdy.sharding_constraint %g <@mesh, {dims}, unreduced={{\"x\"}}> : {T}"):  # fmt: skip
        text = f"""{MESH}func.func @main(%g: {T}) -> {T} {{
 %c = {source}
 %u = sdy.sharding_constraint %c <@mesh, {dims}, unreduced={{"x"}}> : {T}
 %r = sdy.manual_computation(%u) in_shardings=[<@mesh, {dims}, unreduced={{"x"}}>] out_shardings=[<@mesh, {dims}>] manual_axes={{"x"}} (%v: {T}) {{
   %s = {PSUM} : ({T}) -> {T}
   sdy.return %s : {T}
 }} : ({T}) -> {T}
 return %r : {T}
}}"""
        g = ints(*(int(n) for n in shape.split("x") if n))
        value = np.full(g.shape, 5, np.int32) if "constant" in source else -g if "negate" in source else g
        check(f"into a manual computation: {source}", text, [g], [value])
    text = f"""{MESH}func.func @main(%g: {T}, %k: tensor<4xi32>) -> {T} {{
 %r = sdy.manual_computation(%g, %k) in_shardings=[<@mesh, {dims}>, <@mesh, [{{"x"}}]>] out_shardings=[<@mesh, {dims}, unreduced={{"x"}}>] manual_axes={{"x"}} (%v: {T}, %w: tensor<1xi32>) {{
   %z = stablehlo.reshape %w : (tensor<1xi32>) -> tensor<i32>
   %b = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<i32>) -> {T}
   %s = stablehlo.multiply %v, %b : {T}
   sdy.return %s : {T}
 }} : ({T}, tensor<4xi32>) -> {T}
 %n = stablehlo.abs %r : {T}
 return %n : {T}
}}"""
    g, k = ints(*(int(n) for n in shape.split("x") if n)), ints(4)
    check(f"out of a manual computation {shape}", text, [g, k], [abs(g * k.sum(dtype=np.int32))])

# --- Reductions -------------------------------------------------------------------------------

for first, second in itertools.product(("", ', unreduced={"x"}'), repeat=2):
    for init in (0, 7):
        text = f"""{MESH}func.func @main(%a: tensor<8xi32> {X}, %b: tensor<8xi32> {X}) -> (tensor<i32>, tensor<i32>) {{
 %z = stablehlo.constant dense<{init}> : tensor<i32>
 %o:2 = "stablehlo.reduce"(%a, %b, %z, %z) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%l: tensor<i32>, %m: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
   %s = stablehlo.add %l, %p : tensor<i32>
   %t = stablehlo.add %m, %q : tensor<i32>
   stablehlo.return %s, %t : tensor<i32>, tensor<i32> }}) {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, []{first}>, <@mesh, []{second}>]>}} : (tensor<8xi32>, tensor<8xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
 %u = stablehlo.abs %o#0 : tensor<i32>
 %v = stablehlo.abs %o#1 : tensor<i32>
 return %u, %v : tensor<i32>, tensor<i32>
}}"""
        b = ints(8)
        check(f"two sums, init {init}{first}{second}", text, [a, b], [abs(x.sum(dtype=np.int32) + init) for x in (a, b)])

# Two reducers, one of which would apply its initial value once per partial result.
for init, kind in itertools.product((0, 5), ("add", "multiply")):
    text = f"""{MESH}func.func @main(%a: tensor<8xi32> {X}, %b: tensor<8xi32> {X}) -> (tensor<i32>, tensor<i32>) {{
 %z = stablehlo.constant dense<{init}> : tensor<i32>
 %k = stablehlo.constant dense<-100> : tensor<i32>
 %o:2 = "stablehlo.reduce"(%a, %b, %z, %k) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%l: tensor<i32>, %m: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
   %s = stablehlo.{kind} %l, %p : tensor<i32>
   %t = stablehlo.maximum %m, %q : tensor<i32>
   stablehlo.return %s, %t : tensor<i32>, tensor<i32> }}) : (tensor<8xi32>, tensor<8xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
 return %o#0, %o#1 : tensor<i32>, tensor<i32>
}}"""
    b = ints(8)
    first = a.sum(dtype=np.int32) + init if kind == "add" else a.prod(dtype=np.int32) * init
    check(f"{kind} with {init} beside maximum", text, [a, b], [np.int32(first), b.max()])

tally.finish()
