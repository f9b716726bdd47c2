#===- mesh_axes_groups.py - replica groups as mesh axes and as ids --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs of collectives whose replica groups are axes and sub-axes of a mesh (symbol or
inline, with and without device ids), in loops, branches, calls and nested manual computations, and
the same programs with the groups as ids, which NumPy computes here. Both must print the same program
of one device, with ids only, send the same bytes, and compute the same values.

    mesh_axes_groups.py [--cases N] [--seed N] [--long]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

MESHES = [(2,), (8,), (2, 4), (4, 2), (2, 2, 2), (2, 3), (1, 4), (6,)]
LOCAL = "tensor<24x4xf32>"  # of every value of a body; 24 is divisible by each size of a group


class Groups:
    """A collective's groups in both notations."""

    def __init__(self, rng, sizes, ids):
        """Chooses parts of at most the axes of the mesh, in random order."""
        parts = []  # (axis, pre-size, size)
        for axis, size in enumerate(sizes):
            cuts = [(p, s) for p in range(1, size + 1) for s in range(1, size + 1) if size % (p * s) == 0]
            if rng.random() < 0.6:
                parts.append((axis, *rng.choice([(1, size)] * len(cuts) + cuts)))
        if len(sizes) == 1 and sizes[0] == 8 and rng.random() < 0.3:
            parts = [(0, 1, 2), (0, 4, 2)]
        rng.shuffle(parts)
        self.sizes, self.ids, self.parts = sizes, ids, parts
        # Splits each axis at the ends of its parts; the parts become the last dimensions.
        shape, chosen = [], {}
        for axis, size in enumerate(sizes):
            at = 1
            for part in sorted(p for p in parts if p[0] == axis):
                shape.append(part[1] // at)
                chosen[part] = len(shape)
                shape.append(part[2])
                at = part[1] * part[2]
            shape.append(size // at)
        others = [d for d in range(len(shape)) if d not in chosen.values()]
        devices = np.array(ids or range(int(np.prod(sizes)))).reshape(shape)
        self.size = int(np.prod([p[2] for p in parts]))
        self.rows = devices.transpose(others + [chosen[p] for p in parts]).reshape(-1, self.size).tolist()

    def dense(self):
        return f"dense<{self.rows}> : tensor<{len(self.rows)}x{self.size}xi64>"

    def axes(self, mesh):
        refs = []
        for axis, before, size in self.parts:
            sub = "" if size == self.sizes[axis] else f", sub_axis_info = ({before}){size}"
            refs.append(f'#stablehlo.axis_ref<name = "a{axis}"{sub}>')
        return f"#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{', '.join(refs)}]>"


class Maker:
    """Writes a program twice, as `self.text(False)` with mesh axes and `self.text(True)` with ids."""

    def __init__(self, rng):
        self.rng, self.count, self.functions, self.handles = rng, 0, [], 0
        self.sizes = rng.choice(MESHES)
        self.devices = int(np.prod(self.sizes))
        self.ids = []
        if rng.random() < 0.3:
            self.ids = list(range(self.devices))
            rng.shuffle(self.ids)
        self.axes = [f"a{i}" for i in range(len(self.sizes))]
        self.body = self.steps("%a", rng.randint(2, 5), 2)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def groups(self):
        """Returns the groups as a format field and remembers both notations."""
        groups = Groups(self.rng, self.sizes, self.ids)
        pairs = ", ".join(f'<name = "{a}", size = {s}>' for a, s in zip(self.axes, self.sizes))
        ids = f", device_ids = dense<{self.ids}> : tensor<{self.devices}xi64>" if self.ids else ""
        mesh = self.rng.choice(["@mesh", "@mesh_0", f"#stablehlo.mesh<axes = [{pairs}]{ids}>"])
        return groups, f"\x01{groups.axes(mesh)}\x02{groups.dense()}\x03"

    def collective(self, x):
        """Returns (lines, result) of one collective and what makes its result of shape LOCAL again."""
        groups, text = self.groups()
        n, out = groups.size, self.name()
        self.handles += 1
        channel = f"channel_handle = #stablehlo.channel_handle<handle = {self.handles}, type = 1>"
        common = f"replica_groups = {text}, {channel}"
        add = (
            "({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n%s = stablehlo.add %p, %q : tensor<f32>\n"
            "stablehlo.return %s : tensor<f32>\n})"
        )
        kind = self.rng.choice(["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_broadcast"])
        if kind == "all_reduce":
            return [f'{out} = "stablehlo.all_reduce"({x}) <{{{common}, use_global_device_ids}}> {add} : ({LOCAL}) -> {LOCAL}'], out
        if kind == "collective_broadcast":
            return [f'{out} = "stablehlo.collective_broadcast"({x}) <{{{common}}}> : ({LOCAL}) -> {LOCAL}'], out
        if kind == "all_to_all":
            what = f"split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = {n} : i64"
            return [f'{out} = "stablehlo.all_to_all"({x}) <{{{what}, {common}}}> : ({LOCAL}) -> {LOCAL}'], out
        if kind == "all_gather":
            wide, dim = self.name(), self.rng.choice([0, 1])
            shape = [24, 4]
            shape[dim] *= n
            shape = f"tensor<{shape[0]}x{shape[1]}xf32>"
            start = [0, 0]
            start[dim] = self.rng.randrange(n) * (24, 4)[dim]
            return [
                f'{wide} = "stablehlo.all_gather"({x}) <{{all_gather_dim = {dim} : i64, {common}, use_global_device_ids}}> : ({LOCAL}) -> {shape}',
                f"{out} = stablehlo.slice {wide} [{start[0]}:{start[0] + 24}, {start[1]}:{start[1] + 4}] : ({shape}) -> {LOCAL}",
            ], out
        part, wide = self.name(), self.name()
        shape, full = f"tensor<{24 // n}x4xf32>", f"tensor<{n}x{24 // n}x4xf32>"
        return [
            f'{part} = "stablehlo.reduce_scatter"({x}) <{{scatter_dimension = 0 : i64, {common}, use_global_device_ids}}> {add} : ({LOCAL}) -> {shape}',
            f"{wide} = stablehlo.broadcast_in_dim {part}, dims = [1, 2] : ({shape}) -> {full}",
            f"{out} = stablehlo.reshape {wide} : ({full}) -> {LOCAL}",
        ], out

    def steps(self, x, count, depth):
        lines = []
        for _ in range(count):
            kind = self.rng.choice(["collective"] * 3 + (["loop", "branch", "call"] if depth else ["collective"]))
            more, x = getattr(self, kind)(x) if kind == "collective" else getattr(self, kind)(x, depth - 1)
            lines += more
        out = self.name()
        half = self.name()
        return [
            *lines,
            f"{half} = stablehlo.constant dense<0.5> : {LOCAL}",
            f"{out} = stablehlo.multiply {x}, {half} : {LOCAL}",
        ], out

    def loop(self, x, depth):
        i, y, p, one, next_ = (self.name() for _ in range(5))
        inner, result = self.steps(y, self.rng.randint(1, 2), depth)
        zero, two, out = self.name(), self.name(), self.name()
        return [
            f"{zero} = stablehlo.constant dense<0> : tensor<i32>",
            f"{two} = stablehlo.constant dense<2> : tensor<i32>",
            f"{out}:2 = stablehlo.while({i} = {zero}, {y} = {x}) : tensor<i32>, {LOCAL} cond {{",
            f"{p} = stablehlo.compare LT, {i}, {two} : (tensor<i32>, tensor<i32>) -> tensor<i1>",
            f"stablehlo.return {p} : tensor<i1>\n}} do {{",
            *inner,
            f"{one} = stablehlo.constant dense<1> : tensor<i32>",
            f"{next_} = stablehlo.add {i}, {one} : tensor<i32>",
            f"stablehlo.return {next_}, {result} : tensor<i32>, {LOCAL}\n}}",
        ], f"{out}#1"

    def branch(self, x, depth):
        out = self.name()
        sides = [self.steps(x, self.rng.randint(1, 2), depth) for _ in range(2)]
        text = [[*inner, f"stablehlo.return {result} : {LOCAL}"] for inner, result in sides]
        return [f'{out} = "stablehlo.if"(%choice) ({{', *text[0], "}, {", *text[1], f"}}) : (tensor<i1>) -> {LOCAL}"], out

    def call(self, x, depth):
        inner, result = self.steps("%b", self.rng.randint(1, 2), depth)
        inner = [line.replace("%choice", "%chosen") for line in inner]
        name, out = f"@f{len(self.functions)}", self.name()
        self.functions.append(
            f"func.func private {name}(%b: {LOCAL}, %chosen: tensor<i1>) -> {LOCAL} {{\n"
            + "\n".join(inner) + f"\nreturn {result} : {LOCAL}\n}}"
        )  # fmt: skip
        return [f"{out} = func.call {name}({x}, %choice) : ({LOCAL}, tensor<i1>) -> {LOCAL}"], out

    def text(self, dense):
        lines, result = self.body
        axes = ", ".join(f'"{a}"' for a in self.axes)
        pairs = ", ".join(f'"{a}"={s}' for a, s in zip(self.axes, self.sizes))
        ids = f", device_ids={self.ids}" if self.ids else ""
        whole = f"tensor<{24 * self.devices}x4xf32>"
        rows, choice = f"<@mesh, [{{{axes}}}, {{}}]>", "<@mesh, []>"
        body = "\n".join(lines)
        if len(self.axes) > 1:  # one manual computation in another, for one axis and for the others
            first, rest = f'"{self.axes[0]}"', ", ".join(f'"{a}"' for a in self.axes[1:])
            middle = f"tensor<{24 * self.devices // self.sizes[0]}x4xf32>"
            body = (
                f"%n = sdy.manual_computation(%o, %c) in_shardings=[<@mesh, [{{{rest}}}, {{}}]>, {choice}] "
                f"out_shardings=[<@mesh, [{{{rest}}}, {{}}]>] manual_axes={{{rest}}} (%a: {LOCAL}, %choice: tensor<i1>) {{\n"
                f"{body}\nsdy.return {result} : {LOCAL}\n}} : ({middle}, tensor<i1>) -> {middle}"
            )
            entry, result_of, axes = f"%o: {middle}, %c: tensor<i1>", ("%n", middle), first
        else:
            entry, result_of = f"%a: {LOCAL}, %choice: tensor<i1>", (result, LOCAL)
        inside = f"<@mesh, [{{{axes}}}, {{}}]>"
        program = f"""module {{
sdy.mesh @mesh = <[{pairs}]{ids}>
sdy.mesh @mesh_0 = <[{pairs}]{ids}>
func.func public @main(%x: {whole} {{sdy.sharding = #sdy.sharding{rows}}}, %y: tensor<i32>) -> {whole} {{
%zero = stablehlo.constant dense<0> : tensor<i32>
%first = stablehlo.compare GT, %y, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
%r = sdy.manual_computation(%x, %first) in_shardings=[{inside}, {choice}] out_shardings=[{inside}] manual_axes={{{axes}}} ({entry}) {{
{body}
sdy.return {result_of[0]} : {result_of[1]}
}} : ({whole}, tensor<i1>) -> {whole}
return %r : {whole}
}}
""" + "\n".join(self.functions) + "\n}\n"  # fmt: skip
        out = []
        for piece in program.split("\x01"):
            both, bar, after = piece.partition("\x03")
            out.append(both.split("\x02")[dense] + after if bar else piece)
        return "".join(out)


def tool(*arguments):
    done = subprocess.run([oracle.TOOL, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"shardwright {arguments[0]}: exit code {done.returncode}\n{done.stderr[:2000]}")
    return done.stdout


def measure(text, folder, name):
    """Returns (program of one device, what a run counts, results)."""
    module, out, stats = (os.path.join(folder, name + end) for end in (".mlir", ".npz", ".json"))
    with open(module, "w") as file:
        file.write(text)
    printed = tool("partition", module)
    tool("run", module, "--random", "0", "--out", out, f"--stats=json={stats}")
    with open(stats) as file:
        counted = json.loads(file.read().replace(module, "the module"))
    with np.load(out) as arrays:
        results = {key: arrays[key].tobytes() for key in arrays.files}
    del counted["run_seconds"], counted["stages"]
    return printed, counted, results


def why_different(made, folder):
    """Returns what differs between the two notations, or nothing."""
    axes = measure(made.text(False), folder, "axes")
    ids = measure(made.text(True), folder, "ids")
    if "replica_group_mesh_axes" in axes[0]:
        return "the printed program has mesh axes in its replica groups"
    for what, mine, theirs in zip(("the printed program", "the statistics", "a result"), axes, ids):
        if mine != theirs:
            return f"{what} is not that of the same groups as ids\n{mine}\n{theirs}"
    return ""


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--cases", type=int)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--long", action="store_true", help="400 cases")
args = parser.parse_args()
tally = oracle.Tally("mesh_axes_groups")
for seed in range(args.seed, args.seed + (args.cases or (400 if args.long else 20))):
    made = Maker(random.Random(seed))
    with tempfile.TemporaryDirectory() as folder:
        try:
            why = why_different(made, folder)
        except RuntimeError as error:
            why = str(error)
    tally.check(f"--seed {seed} --cases 1", not why, f"{why[:4000]}\n{made.text(False)}")
tally.finish()
