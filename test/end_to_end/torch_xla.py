#===- torch_xla.py - programs with PyTorch/XLA's shardings ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs in the form that PyTorch/XLA emits: device lists (V1) or iotas on arguments and
@Sharding calls, of meshes in any device order, including orders that no iota expresses; partial
replication, reshards, sizes that do not divide, and manual regions without a call
(enable_manual_sharding). On 8 devices, after `convert`, and as the HLO protos that jaxlib makes of them
(PyTorch/XLA sends protos unless XLA_STABLEHLO_COMPILE=1), they give the same results as without
shardings. Also with padded shards of arguments and results (--pad-shards): of any rank, empty on the
last devices, donated."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
import oracle

args = oracle.arguments(__doc__, cases=25, long_cases=400)

import numpy as np
from jaxlib._jax import mlir as converter

from child import Child

DEVICES = 8


class Program:
    """The lines of one function, with shardings and without."""

    def __init__(self, rng):
        self.rng, self.sharded, self.plain, self.count = rng, [], [], 0
        self.mesh = rng.choice([(8,), (2, 4), (4, 2), (2, 2, 2), (1, 8)])
        order = rng.random()
        ids = np.arange(DEVICES)
        if order < 0.3:  # as a topology may order them: still an iota
            ids = ids.reshape(rng.choice([(2, 4), (4, 2)])).T.reshape(-1)
        elif order < 0.5:
            ids = np.array(rng.sample(range(DEVICES), DEVICES))
        self.ids, self.identity = ids.reshape(self.mesh), order >= 0.5
        self.values = []

    def sharding(self, shape):
        """The text of a random partition spec."""
        axes = list(range(len(self.mesh)))
        self.rng.shuffle(axes)
        spec = [[] for _ in shape]
        for axis in axes:
            if shape and self.rng.random() < 0.7:
                spec[self.rng.randrange(len(shape))].append(axis)
        return self.text(spec)

    def text(self, spec):
        used = [axis for dim in spec for axis in dim]
        rest = [axis for axis in range(len(self.mesh)) if axis not in used]
        if not used:
            return "{replicated}"
        tiles = [int(np.prod([self.mesh[a] for a in dim])) for dim in spec]
        left = int(np.prod([self.mesh[a] for a in rest]))
        tail = " last_tile_dim_replicate" if left > 1 else ""
        tiles += [left] if left > 1 else []
        join = lambda values: ",".join(map(str, values))
        if self.identity and self.rng.random() < 0.4:  # as with CONVERT_SHLO_TO_SHARDY
            turn = f"T({join(used + rest)})" if len(self.mesh) > 1 else ""
            return f"{{devices=[{join(tiles)}]<=[{join(self.mesh)}]{turn}{tail}}}"
        return f"{{devices=[{join(tiles)}]{join(self.ids.transpose(used + rest).reshape(-1))}{tail}}}"

    def add(self, shape, sharded, plain=None):
        name = f"%{self.count}"
        self.count += 1
        self.sharded.append(f"{name} = {sharded}")
        self.plain.append(f"{name} = {plain or sharded}")
        if shape is not None:
            self.values.append((name, shape))
        return name

    def step(self):
        rng = self.rng
        value, shape = rng.choice(self.values)
        kind, t = rng.random(), type_of(shape)
        if kind < 0.3:
            self.mark(value, shape)
        elif kind < 0.45:
            same = [v for v, s in self.values if s == shape]
            self.add(shape, f"stablehlo.{rng.choice(['add', 'multiply', 'maximum'])} {value}, {rng.choice(same)} : {t}")
        elif kind < 0.55:
            self.add(shape, f"stablehlo.custom_call @mhlo.erf({value}) {{mhlo.attributes = {{}}, mhlo.version = 1 : i64}} : ({t}) -> {t}")
        elif kind < 0.65 and len(shape) > 1:
            perm = rng.sample(range(len(shape)), len(shape))
            result = [shape[p] for p in perm]
            self.add(result, f"stablehlo.transpose {value}, dims = {perm} : ({t}) -> {type_of(result)}")
        elif kind < 0.75 and len(shape) == 2:
            others = [(v, s) for v, s in self.values if len(s) == 2 and s[0] == shape[1]]
            if others:
                other, s = rng.choice(others)
                result = [shape[0], s[1]]
                self.add(result, f"stablehlo.dot_general {value}, {other}, contracting_dims = [1] x [0] : ({t}, {type_of(s)}) -> {type_of(result)}")
        elif kind < 0.85 and len(shape) > 1:
            dim = rng.randrange(len(shape))
            result = shape[:dim] + shape[dim + 1 :]
            zero = self.add(None, "stablehlo.constant dense<0.0> : tensor<f32>")
            self.add(result, f"stablehlo.reduce({value} init: {zero}) applies stablehlo.add across dimensions = [{dim}] : ({t}, tensor<f32>) -> {type_of(result)}")
        else:
            self.manual(value, shape)

    def mark(self, value, shape):
        t = type_of(shape)
        return self.add(
            shape,
            f'stablehlo.custom_call @Sharding({value}) {{backend_config = "", mhlo.sharding = "{self.sharding(shape)}"}} : ({t}) -> {t}',
            f"stablehlo.optimization_barrier {value} : {t}",
        )

    def manual(self, value, shape):
        """mark, enable_manual_sharding, ops on the shard of a device, disable_manual_sharding."""
        axes = list(range(len(self.mesh)))
        self.rng.shuffle(axes)
        spec, local = [[] for _ in shape], list(shape)
        for axis in axes:
            fits = [d for d, size in enumerate(local) if size % self.mesh[axis] == 0]
            if fits:
                dim = self.rng.choice(fits)
                spec[dim].append(axis)
                local[dim] //= self.mesh[axis]
        text, t, l = self.text(spec), type_of(shape), type_of(local)
        if text == "{replicated}":
            return
        call = lambda target, v, sharding, a, b: f'stablehlo.custom_call @{target}({v}) {{backend_config = "", mhlo.sharding = "{sharding}"}} : ({a}) -> {b}'
        same = lambda v: f"stablehlo.optimization_barrier {v} : {t}"
        if self.rng.random() < 0.3:  # the sharding of an op, without a call
            value = self.add(None, f'stablehlo.negate {value} {{mhlo.sharding = "{text}"}} : {t}', f"stablehlo.negate {value} : {t}")
        else:
            value = self.add(None, call("Sharding", value, text, t, t), same(value))
        value = self.add(None, call("SPMDFullToShardShape", value, "{manual}", t, l), same(value))
        for _ in range(self.rng.randint(1, 3)):
            op = self.rng.choice(["tanh", "negate", "abs"])
            value = self.add(None, f"stablehlo.{op} {value} : {l}", f"stablehlo.{op} {value} : {t}")
        if self.rng.random() < 0.5:
            value = self.add(None, f"stablehlo.add {value}, {value} : {l}", f"stablehlo.add {value}, {value} : {t}")
        value = self.add(None, call("Sharding", value, "{manual}", l, l), same(value))
        self.add(shape, call("SPMDShardToFullShape", value, text, l, t), same(value))


def type_of(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def signature(values, alias=None):
    """Types with shardings, of (prefix, shape, sharding or ""). `alias`: the argument that result 0 reuses."""
    parts = []
    for i, (prefix, shape, sharding) in enumerate(values):
        attributes = [f'mhlo.sharding = "{sharding}"'] if sharding and sharding != "{replicated}" else []
        attributes += ["tf.aliasing_output = 0 : i32"] if i == alias else []
        parts.append(prefix + type_of(shape) + (f" {{{', '.join(attributes)}}}" if attributes else ""))
    return ", ".join(parts)


def generate(rng, padded=False):
    """Returns a program with shardings and without. `padded`: few dimensions divide, and results have shardings."""
    program, arguments = Program(rng), []
    sizes = [8, 16, 16, 24] + ([6, 10] if rng.random() < 0.3 else [])
    ranks = [1, 2, 2, 2, 3]
    if padded:
        sizes, ranks = [1, 3, 5, 6, 7, 9, 10, 16], [0, 1, 2, 2, 2, 3, 4]
    for i in range(rng.randint(1, 3)):
        shape = [rng.choice(sizes) for _ in range(rng.choice(ranks))]
        arguments.append((f"%arg{i}: ", shape, program.sharding(shape)))
        program.values.append((f"%arg{i}", shape))
    for _ in range(rng.randint(3, 9)):
        program.step()
    results = [program.values[-1]]
    alias = None
    if padded:
        results += rng.sample(program.values, rng.randint(0, min(2, len(program.values))))
        # The first result may reuse an argument, as the updated weights of a training step do.
        alias = next((i for i, a in enumerate(arguments) if a[1] == results[0][1]), None)
    same = arguments[alias][2] if alias is not None and rng.random() < 0.7 else None
    shardings = [program.sharding(s) if padded and rng.random() < 0.7 else "" for _, s in results]
    shardings[0] = same or shardings[0]
    texts = []
    for lines, with_shardings in ((program.sharded, True), (program.plain, False)):
        ins = signature([(p, s, t if with_shardings else "") for p, s, t in arguments], alias if with_shardings else None)
        outs = signature([("", s, t if with_shardings else "") for (_, s), t in zip(results, shardings)])
        body = "\n".join("    " + line for line in lines)
        values, types = ", ".join(v for v, _ in results), ", ".join(type_of(s) for _, s in results)
        texts.append(
            f"module @IrToHlo.{rng.seed_value} attributes {{mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false}} {{\n"
            f"  func.func @main({ins}) -> ({outs}) {{\n{body}\n    return {values} : {types}\n  }}\n}}\n"
        )
    return texts


def tool(*command):
    done = subprocess.run([oracle.TOOL, *command], capture_output=True, text=True)
    return done.returncode == 0, done.stderr.strip()


def to_proto(text):
    return converter.mlir_module_to_xla_computation(text).as_serialized_hlo_module_proto()


def main():
    tally, child = oracle.Tally("torch_xla"), Child(to_proto)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        for rng in oracle.generators(args):
            sharded, plain = generate(rng)
            for name, text in (("sharded.mlir", sharded), ("plain.mlir", plain)):
                with open(path(name), "w") as file:
                    file.write(text)
            ok, message = tool("run", path("plain.mlir"), "--random", "1", "--out", path("expected.npz"))
            if not tally.check(f"{rng.name} without shardings", ok, f"{message}\n{plain}"):
                continue
            same = ("--random", "1", "--devices", "8", "--expect", path("expected.npz"), "--rtol", "1e-4")
            ok, message = tool("run", path("sharded.mlir"), *same)
            tally.check(f"{rng.name} on 8 devices", ok, f"{message}\n{sharded}")
            kind, proto = child.ask(sharded)
            if tally.check(f"{rng.name} to a proto", kind == "ok", f"{proto}\n{sharded}"):
                with open(path("sharded.pb"), "wb") as file:
                    file.write(proto)
                ok, message = tool("run", path("sharded.pb"), *same)
                tally.check(f"{rng.name} as a proto", ok, f"{message}\n{sharded}")
            for to in ("sdy", "gspmd", "gspmd-v1"):
                ok, message = tool("convert", path("sharded.mlir"), "--to=" + to, "--devices=8", "-o", path(to + ".mlir"))
                if tally.check(f"{rng.name} to {to}", ok, f"{message}\n{sharded}"):
                    ok, message = tool("run", path(to + ".mlir"), *same)
                    tally.check(f"{rng.name} as {to}", ok, f"{message}\n{sharded}")
        for rng in oracle.generators(args):
            sharded, plain = generate(rng, padded=True)
            for name, text in (("sharded.mlir", sharded), ("plain.mlir", plain)):
                with open(path(name), "w") as file:
                    file.write(text)
            ok, message = tool("run", path("plain.mlir"), "--random", "1", "--out", path("expected.npz"))
            if tally.check(f"{rng.name} padded, without shardings", ok, f"{message}\n{plain}"):
                same = ("--random", "1", "--devices", "8", "--expect", path("expected.npz"), "--rtol", "1e-4")
                ok, message = tool("run", path("sharded.mlir"), "--pad-shards", *same)
                tally.check(f"{rng.name} padded", ok, f"{message}\n{sharded}")
    tally.finish()


main()
