#===- auto.py - patterns of parallelism that are found --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright auto` finds what experts write, from programs without annotations, each on a machine on which it is the
right answer: data parallelism of a conv net, Megatron's split of an MLP and of attention, fully sharded parameters where
memory is short, experts on devices, long sequences, a sharded vocabulary. `--verify` compares the results with those of
one device. Also: fixed shardings, state without donation, the shape of the mesh, nothing that fits."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))
import oracle

oracle.require()

import jax
import jax.numpy as jnp
from jax import lax

f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)  # noqa: E731
i32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)  # noqa: E731


class Auto:
    def __init__(self, folder):
        self.folder = folder

    def machine(self, **changes):
        made = {
            "name": "test",
            "flops_per_second": {"default": 5e10},
            "memory": {"bytes": 1e12, "bytes_per_second": 2e11},
            "link": {"bytes_per_second": 1e10, "latency_seconds": 2e-7, "directions": 2},
        } | changes
        path = os.path.join(self.folder, "machine.json")
        with open(path, "w") as file:
            json.dump(made, file)
        return path

    def run(self, function, *args, flags=(), mesh="x=8", donate=(), **changes):
        """Returns (exit code, answer, standard error)."""
        text = jax.jit(function, donate_argnums=donate).lower(*args).as_text("stablehlo", debug_info=True)
        path = os.path.join(self.folder, "module.mlir")
        with open(path, "w") as file:
            file.write(text)
        command = [oracle.TOOL, "auto", path, f"--machine={self.machine(**changes)}", "--report=json"]
        return self.answer(subprocess.run([*command, *([f"--mesh={mesh}"] if mesh else []), *flags], capture_output=True, text=True))

    @staticmethod
    def answer(done):
        """(exit code, answer or None, standard error) of a command."""
        start = done.stdout.find("{")
        answer = json.JSONDecoder().raw_decode(done.stdout[start:])[0] if start >= 0 else None
        return done.returncode, answer, done.stderr


def specs(answer):
    return {s["name"]: s["partition_spec"] for s in answer["shardings"]}


def sgd(loss):
    def step(params, *data):
        value, gradients = jax.value_and_grad(loss)(params, *data)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value

    return step


def conv_loss(params, images, labels):
    y = lax.conv_general_dilated(images, params["k1"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = lax.conv_general_dilated(jax.nn.relu(y), params["k2"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jnp.mean((jnp.mean(jax.nn.relu(y), axis=(1, 2)) @ params["w"] - labels) ** 2)


def mlp(params, x):
    return jnp.tanh(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]


def attention(params, x):
    split = lambda w: jnp.einsum("bsd,dhk->bshk", x, w)  # noqa: E731
    q, k, v = split(params["q"]), split(params["k"]), split(params["v"])
    weights = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k))
    y = x + jnp.einsum("bshk,hkd->bsd", jnp.einsum("bhst,bthk->bshk", weights, v), params["o"])
    return y * lax.rsqrt(jnp.mean(y**2, -1, keepdims=True))


def experts(params, x):
    """x[e, n, d]: the rows of each expert."""
    return jnp.einsum("enf,efd->end", jnp.tanh(jnp.einsum("end,edf->enf", x, params["w1"])), params["w2"])


def sequence(params, x):
    h = jnp.tanh(x @ params["w1"])
    return jax.nn.softmax(h @ params["w2"]) - jnp.mean(h, -1, keepdims=True)


def vocabulary(params, tokens):
    h = jnp.take(params["embed"], tokens, axis=0)
    return jnp.max(h @ params["unembed"], axis=-1)


def patterns(tally, auto):
    def found(name, function, *args, **options):
        code, answer, error = auto.run(function, *args, **options)
        tally.check(f"{name}: runs", code == 0, error)
        if code:
            return {}
        best = min(c["step_seconds"] for c in answer["compared"] if c["fits"])
        tally.check(f"{name}: not above the best recipe", answer["found"]["step_seconds"] <= best, answer)
        return specs(answer)

    kernels = {"k1": f32(3, 3, 8, 16), "k2": f32(3, 3, 16, 16), "w": f32(16, 8)}
    s = found("conv net", sgd(conv_loss), kernels, f32(64, 16, 16, 8), f32(64, 8), flags=["--verify"])
    tally.check("conv net: data parallel", s.get("data[0]", "").startswith('P("x"'), s)

    # Weights dominate: a batch of 8 rows on devices that wait for memory.
    weights = {"w1": f32(512, 2048), "b1": f32(2048), "w2": f32(2048, 512), "b2": f32(512)}
    s = found("MLP", mlp, weights, f32(8, 512), flags=["--verify"], flops_per_second={"default": 1e13})
    tally.check("MLP: Megatron", s.get("params['w1']") == 'P(None, "x")' and s.get("params['w2']") == 'P("x", None)', s)

    heads = {name: f32(256, 8, 32) for name in "qkv"} | {"o": f32(8, 32, 256)}
    s = found("attention", attention, heads, f32(1, 16, 256), flags=["--verify"], flops_per_second={"default": 1e13})
    tally.check("attention: heads", all(s.get(f"params['{n}']") == 'P(None, "x", None)' for n in "qkv"), s)
    tally.check("attention: rows of the output", s.get("params['o']") == 'P("x", None, None)', s)

    # A large batch wants data parallelism, and parameters with moments do not fit whole.
    def adam(params, m, x):
        gradients = jax.grad(lambda p: jnp.mean(mlp(p, x) ** 2))(params)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradients)
        return jax.tree.map(lambda p, m: p - 0.1 * m, params, m), m

    size = 4 * sum(int(jnp.prod(jnp.array(w.shape))) for w in weights.values())
    code, answer, error = auto.run(adam, weights, weights, f32(4096, 512), donate=(0, 1), flags=[f"--memory={int(2.2 * size)}"])
    tally.check("short memory: runs", code == 0, error)
    if code == 0:
        s = specs(answer)
        tally.check("short memory: fits", answer["found"]["fits"], answer["found"])
        state = [s[f"{tree}['{w}']"] for tree in ("params", "m") for w in ("w1", "w2")]
        tally.check("short memory: state is sharded", all("x" in spec for spec in state[2:]), s)
        tally.check("short memory: the batch is sharded", s["x"] == 'P("x", None)', s)

    moe = {"w1": f32(8, 128, 512), "w2": f32(8, 512, 128)}
    s = found("experts", experts, moe, f32(8, 16, 128), flags=["--verify"])
    tally.check("experts: on devices", all(s.get(n, "").startswith('P("x"') for n in ("params['w1']", "params['w2']", "x")), s)

    # One sequence: the batch has nothing to shard.
    s = found("sequence", sequence, {"w1": f32(32, 64), "w2": f32(64, 64)}, f32(1, 8192, 32), flags=["--verify"])
    tally.check("sequence: sharded", s.get("x") == 'P(None, "x", None)', s)

    s = found("vocabulary", vocabulary, {"embed": f32(65536, 64), "unembed": f32(64, 65536)}, i32(2, 4), flags=["--verify"])
    tally.check("vocabulary: sharded", s.get("params['unembed']") == 'P(None, "x")', s)


def requests(tally, auto):
    weights = {"w1": f32(512, 2048), "b1": f32(2048), "w2": f32(2048, 512), "b2": f32(512)}
    code, answer, error = auto.run(mlp, weights, f32(64, 512), flags=["--fix", "params['w1']=P('x', None)"])
    tally.check("fixed: stays", code == 0 and specs(answer)["params['w1']"] == 'P("x", None)', answer or error)
    code, _, error = auto.run(mlp, weights, f32(64, 512), flags=["--fix", "w9=P('x', None)"])
    tally.check("fixed: no such argument", code == 2 and "no argument 'w9'" in error, error)
    code, _, error = auto.run(mlp, weights, f32(63, 512), flags=["--fix", "x=P('x', None)"])
    tally.check("fixed: does not divide", code == 2 and "does not divide" in error, error)
    code, _, error = auto.run(mlp, weights, f32(64, 512), mesh=None)
    tally.check("no mesh", code == 2 and "no mesh" in error and "remedy" in error, error)
    code, _, error = auto.run(mlp, weights, f32(64, 512), flags=["--memory=1KiB"])
    tally.check("nothing fits", code == 1 and "nothing fits" in error and "remedy" in error, error)

    step = sgd(lambda p, x: jnp.mean(mlp(p, x) ** 2))
    code, answer, error = auto.run(step, weights, f32(8, 512))
    s = specs(answer) if code == 0 else {}
    same = [s.get(f"result[0]['{w}']") == s.get(f"params['{w}']") for w in weights]
    tally.check("state without donation keeps its layout", code == 0 and all(same), s or error)
    code, answer, error = auto.run(step, weights, f32(8, 512), flags=["--state=none"])
    tally.check("no state", code == 0, error)

    code, answer, error = auto.run(mlp, weights, f32(64, 512), mesh=None, flags=["--devices=12"])
    sizes = [axis["size"] for axis in answer["mesh"]] if answer else []
    devices = 1
    for size in sizes:
        devices *= size
    tally.check("the mesh is chosen", code == 0 and devices == 12, answer["mesh"] if answer else error)
    code, answer, error = auto.run(mlp, weights, f32(64, 512), mesh="x=1")
    tally.check("a mesh of one device", code == 0, error)
    code, answer, error = auto.run(mlp, weights, f32(64, 512), mesh="x=1024,y=1024")
    tally.check("a mesh of 1,048,576 devices", code == 0 and answer["found"]["fits"], error)
    code, answer, error = auto.run(lambda: jnp.zeros((8, 8)))
    tally.check("no arguments", code == 0, error)


# As if the processor had no fused multiply-add, or no vectors beyond SSE: other kernels of OpenBLAS, which CBC uses,
# and other functions of the C library. Where a processor has fewer features, some of these are equal.
PROCESSORS = [
    {},
    {"OPENBLAS_CORETYPE": "Haswell", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F"},
    {"OPENBLAS_CORETYPE": "Nehalem", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4"},
]


def processors(tally, auto):
    """Two layers alike, whose plans tie: rounding decides where costs do not."""

    def loss(p, x):
        for w in ("1", "2"):
            x = x + jax.nn.gelu(x @ p["a" + w]) @ p["b" + w]
        return jnp.mean(x * x)

    weights = {"a1": f32(64, 256), "b1": f32(256, 64), "a2": f32(64, 256), "b2": f32(256, 64)}
    for memory in ("1GiB", "200KB"):
        answers = []
        for processor in PROCESSORS:
            os.environ |= processor
            flags = ["--effort=0", f"--memory={memory}"]
            answers.append(auto.run(sgd(loss), weights, f32(64, 64), mesh="x=2,y=4", flags=flags))
            for name in processor:
                del os.environ[name]
        same = all(answer == answers[0] for answer in answers)
        tally.check(f"any processor, {memory}", answers[0][0] in (0, 1) and answers[0][1] and same, answers[0][2])


def main():
    tally = oracle.Tally("auto", show=10)
    with tempfile.TemporaryDirectory() as folder:
        patterns(tally, Auto(folder))
        requests(tally, Auto(folder))
        processors(tally, Auto(folder))
    tally.finish()


if __name__ == "__main__":
    main()
