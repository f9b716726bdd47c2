#===- overlap.py - overlap of communication changes no result -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random chains of products, elementwise operations and loops with random shardings, through
`shardwright run --overlap` and on one device: integers are equal, floats close. `force` makes rings
and async pairs wherever they are possible, `on` where the model of a machine with slow links
predicts a gain. The predicted step of `on` is not longer than that of `off`. Rings of integers are
also run in XLA."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import oracle

oracle.require()
import numpy as np
import replicas

MESHES = ([("x", 2)], [("x", 4)], [("x", 3)], [("x", 2), ("y", 2)], [("x", 4), ("y", 2)], [("x", 8)])
TYPES = {"f32": 1e-4, "f64": 1e-10, "i32": 0, "bf16": 0.1}
MACHINE = {
    "flops_per_second": 1e9,
    "memory": {"bytes_per_second": 1e12},
    "link": {"bytes_per_second": 1e9, "latency_seconds": 1e-9, "directions": 2},
}


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.mesh = rng.choice(MESHES)
        self.type = rng.choice(list(TYPES))
        self.lines, self.arguments, self.shapes = [], [], []
        self.names = 0
        n = rng.choice((24, 48))
        value, shape = self.argument((n, n)), [n, n]
        for _ in range(rng.randrange(1, 4)):
            value, shape = self.step(value, shape)
        self.result, self.shape = value, shape

    def tensor(self, shape):
        return f"tensor<{'x'.join(map(str, shape))}x{self.type}>"

    def sharding(self, rank):
        dims = [[] for _ in range(rank)]
        for name, _ in self.mesh:
            if self.rng.random() < 0.8:
                self.rng.choice(dims).append(f'"{name}"')
        return "<@mesh, [" + ", ".join("{" + ", ".join(d) + "}" for d in dims) + "]>"

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def argument(self, shape):
        name = f"%arg{len(self.arguments)}"
        self.shapes.append(tuple(shape))
        self.arguments.append(f"{name}: {self.tensor(shape)} {{sdy.sharding = #sdy.sharding{self.sharding(len(shape))}}}")
        return name

    def emit(self, text, shape):
        """Emits a value, sometimes with a sharding constraint."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        if self.rng.random() < 0.6:
            other = self.name()
            self.lines.append(f"{other} = sdy.sharding_constraint {name} {self.sharding(len(shape))} : {self.tensor(shape)}")
            return other
        return name

    def product(self, value, shape):
        rng = self.rng
        other_shape = [rng.choice((24, 48)) for _ in shape]
        i, j = rng.randrange(2), rng.randrange(2)
        other_shape[j] = shape[i]
        batch = ""
        if rng.random() < 0.2:
            other_shape[1 - j] = shape[1 - i]
            batch = f"batching_dims = [{i}] x [{j}], "
            i, j = 1 - i, 1 - j
        other = self.argument(other_shape)
        if batch:
            result = [shape[1 - i]]
        else:
            result = [shape[1 - i], other_shape[1 - j]]
        if rng.random() < 0.5:
            text = f"stablehlo.dot_general {value}, {other}, {batch}contracting_dims = [{i}] x [{j}] : ({self.tensor(shape)}, {self.tensor(other_shape)}) -> {self.tensor(result)}"
        else:
            if batch:
                batch = f"batching_dims = [{1 - j}] x [{1 - i}], "
            text = f"stablehlo.dot_general {other}, {value}, {batch}contracting_dims = [{j}] x [{i}] : ({self.tensor(other_shape)}, {self.tensor(shape)}) -> {self.tensor(result[::-1])}"
            result = result[::-1]
        value = self.emit(text, result)
        if len(result) == 1:
            n = rng.choice((24, 48))
            shape = [result[0], n]
            value = self.emit(f"stablehlo.broadcast_in_dim {value}, dims = [0] : ({self.tensor(result)}) -> {self.tensor(shape)}", shape)
            result = shape
        return value, result

    def chain(self, value, shape):
        """Emits ops through which rings can be made: elementwise operations, conversions and
        transposes."""
        for _ in range(self.rng.randrange(3)):
            name, t = self.name(), self.tensor(shape)
            kind = self.rng.choice(("negate", "add", "scale", "transpose", "convert"))
            if kind == "negate":
                self.lines.append(f"{name} = stablehlo.negate {value} : {t}")
            elif kind == "add":
                self.lines.append(f"{name} = stablehlo.add {self.argument(shape)}, {value} : {t}")
            elif kind == "scale":
                dense = "3" if self.type == "i32" else "3.0"
                self.lines.append(f"{name}c = stablehlo.constant dense<{dense}> : {t}")
                self.lines.append(f"{name} = stablehlo.multiply {value}, {name}c : {t}")
            elif kind == "transpose":
                shape = shape[::-1]
                self.lines.append(f"{name} = stablehlo.transpose {value}, dims = [1, 0] : ({t}) -> {self.tensor(shape)}")
            else:
                wide = t.replace(self.type, {"i32": "i64"}.get(self.type, "f64"))
                self.lines.append(f"{name}w = stablehlo.convert {value} : ({t}) -> {wide}")
                self.lines.append(f"{name} = stablehlo.convert {name}w : ({wide}) -> {t}")
            value = name
        return value, shape

    def step(self, value, shape):
        if self.rng.random() < 0.2:
            return self.loop(value, shape), shape
        if self.rng.random() < 0.5:
            value, shape = self.chain(value, shape)
        value, shape = self.product(value, shape)
        if self.rng.random() < 0.3:
            value, shape = self.chain(value, shape)
        if self.rng.random() < 0.5:
            scale = self.argument(shape)
            op = self.rng.choice(("add", "subtract", "maximum"))
            value = self.emit(f"stablehlo.{op} {value}, {scale} : {self.tensor(shape)}", shape)
        return value, shape

    def loop(self, value, shape):
        weights = self.argument([shape[1], shape[1]])
        name, t = self.name(), self.tensor(shape)
        self.lines += [
            f"{name}zero = stablehlo.constant dense<0> : tensor<i32>",
            f"{name}one = stablehlo.constant dense<1> : tensor<i32>",
            f"{name}two = stablehlo.constant dense<2> : tensor<i32>",
            f"{name}:2 = stablehlo.while(%i = {name}zero, %c = {value}) : tensor<i32>, {t}",
            "cond {",
            f"  %p = stablehlo.compare LT, %i, {name}two : (tensor<i32>, tensor<i32>) -> tensor<i1>",
            "  stablehlo.return %p : tensor<i1>",
            "} do {",
            f"  %d = stablehlo.dot_general %c, {weights}, contracting_dims = [1] x [0] : ({t}, {self.tensor([shape[1]] * 2)}) -> {t}",
            f"  %s = sdy.sharding_constraint %d {self.sharding(2)} : {t}",
            f"  %n = stablehlo.add %i, {name}one : tensor<i32>",
            f"  stablehlo.return %n, %s : tensor<i32>, {t}",
            "}",
        ]
        return f"{name}#1"

    def value(self, rng, shape):
        if self.type == "i32":
            return rng.integers(-9, 10, shape).astype(np.int32)
        value = rng.standard_normal(shape)
        if self.type == "bf16":
            return (value.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return value.astype({"f32": np.float32, "f64": np.float64}[self.type])

    def text(self):
        mesh = ", ".join(f'"{n}"={s}' for n, s in self.mesh)
        body = "\n    ".join(self.lines)
        t = self.tensor(self.shape)
        return f"""module {{
  sdy.mesh @mesh = <[{mesh}]>
  func.func public @main({', '.join(self.arguments)}) -> ({t} {{sdy.sharding = #sdy.sharding{self.sharding(2)}}}) {{
    {body}
    return {self.result} : {t}
  }}
}}
"""


def close(a, b, type):
    if type == "i32":
        return np.array_equal(a, b)
    if type == "bf16":
        a, b = ((v.astype(np.uint32) << 16).view(np.float32) for v in (a, b))
    scale = float(np.max(np.abs(a), initial=0))
    return np.allclose(a, b, rtol=TYPES[type], atol=TYPES[type] * scale, equal_nan=True)


def check_xla(program, seed, expected, counts):
    """Checks that XLA accepts rings, and computes the same results with them."""
    reshard = oracle.ours(program.text(), "--sdy-propagation-pipeline", "--sw-insert-collectives")
    local = oracle.ours(reshard, "--sw-localize", "--sw-ring-dots=force")
    oracle.parse(local)
    mesh = replicas.DeviceMesh(program.mesh)
    ins, outs = replicas.signature(reshard, mesh)
    found = replicas.run_partitioned(local, expected["arguments"], ins, outs, mesh, [expected["result"].shape])
    counts["xla"] = counts.get("xla", 0) + local.count("collective_permute")
    return np.array_equal(found[0], expected["result"])


def check(program, seed, folder, counts):
    path, machine = os.path.join(folder, "program.mlir"), os.path.join(folder, "machine.json")
    out = os.path.join(folder, "out.npz")
    with open(path, "w") as file:
        file.write(program.text())

    rng = np.random.default_rng(seed)
    values = [program.value(rng, shape) for shape in program.shapes]
    given = os.path.join(folder, "arguments.npz")
    np.savez(given, **{f"arg{i}": value for i, value in enumerate(values)})

    def run(*flags):
        done = oracle.process([oracle.TOOL, "run", path, given, "--out", out, "--stats=json", *flags])
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(flags)}: exit code {done.returncode}\n{done.stderr}")
        return np.load(out)["out0"], json.loads(done.stdout)

    one, _ = run("--mesh", ",".join(f"{name}=1" for name, _ in program.mesh))
    steps = {}
    for mode in ("off", "force", "on"):
        found, stats = run(f"--overlap={mode}", *(["--machine", machine] if mode != "force" else []))
        if not close(one, found, program.type):
            return f"--overlap={mode} differs: {one} on one device, {found}"
        steps[mode] = stats["predicted_step"]["step_seconds"]
        counts[mode] = counts.get(mode, 0) + stats["collectives"]["collective_permute"]["count"]
    if program.type == "i32" and not check_xla(program, seed, {"arguments": values, "result": one}, counts):
        return "rings differ in XLA"
    if steps["on"] > steps["off"] * (1 + 1e-9):
        return f"--overlap=on is predicted to take {steps['on']}, off {steps['off']}"
    counts["faster"] = counts.get("faster", 0) + (steps["on"] < steps["off"] * 0.999)
    return None


def main():
    args = oracle.arguments(__doc__, cases=12, long_cases=300)
    tally = oracle.Tally("overlap")
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "machine.json"), "w") as file:
            json.dump(MACHINE, file)
        for rng in oracle.generators(args):
            program = Program(rng)
            try:
                message = check(program, rng.seed_value, folder, counts)
            except (RuntimeError, oracle.OurError, oracle.OracleError) as error:
                message = str(error)
            if message:
                tally.fail(rng.name, f"{message}\n--- program\n{program.text()}")
            else:
                tally.ok()
    print(f"permutes without {counts.get('off', 0)}, on {counts.get('on', 0)}, force {counts.get('force', 0)}, "
          f"in XLA {counts.get('xla', 0)}; "
          f"predicted faster: {counts.get('faster', 0)}")
    # A run in which nothing becomes a ring tests nothing.
    tally.check("rings", args.cases < 10 or counts.get("force", 0) > counts.get("off", 0), "no rings were made")
    tally.finish()


if __name__ == "__main__":
    main()
