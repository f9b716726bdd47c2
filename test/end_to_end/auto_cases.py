#===- auto_cases.py - hard programs for automatic sharding ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright auto` on programs and requests with something special: sizes that no axis divides, scalars, empty tensors and
narrow types, donated arguments, loops and branches, manual computations, custom calls without rules, one argument with two
uses, experts, decoding with a cache, memory that only one layout meets, contradictory requests, machines with levels of links.
Each plan that is found fits, is not slower than a layout that needs no search, and gives the results of one device."""

import json
import os
import subprocess
import tempfile

import auto as patterns
import oracle

import jax
import jax.numpy as jnp
from jax import lax

f32, i32, specs = patterns.f32, patterns.i32, patterns.specs
LEVELS = [
    {"name": "host", "size": 4, "link": {"bytes_per_second": 1e10}},
    {"name": "pod", "size": 8, "link": {"bytes_per_second": 1e7}},
]


def found(tally, auto, name, function, *args, flags=("--verify",), **options):
    """Runs a program that has a plan; returns the answer."""
    code, answer, error = auto.run(function, *args, flags=flags, **options)
    if not tally.check(f"{name}: runs", code == 0, error):
        return None
    step = answer["found"]["step_seconds"]
    tally.check(f"{name}: fits", answer["found"]["fits"] and answer["found"]["peak_bytes"] <= answer["memory_limit"], answer["found"])
    tally.check(f"{name}: not above what needs no search", all(step <= c["step_seconds"] for c in answer["compared"] if c["fits"]), answer)
    check_frontier(tally, name, answer)
    return answer


def check_frontier(tally, name, answer):
    """More memory never takes longer, and within the limit is what was found."""
    least = None
    for point in answer["planner"].get("frontier", []):
        if not point["fits"]:
            tally.check(f"{name}: more memory fits too", least is None, answer["planner"])
            continue
        limit = point["share"] * answer["memory_limit"]
        within = point["peak_bytes"] <= limit and (least is None or point["step_seconds"] <= least)
        tally.check(f"{name}: frontier at {point['share']}", within, answer["planner"])
        least = point["step_seconds"]
        if point["share"] >= 1:
            tally.check(f"{name}: frontier and found", least <= answer["found"]["step_seconds"], answer["planner"])


def heads(params, x):
    q, k, v = (jnp.einsum("bsd,dhk->bshk", x, params[n]) for n in "qkv")
    weights = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k))
    return jnp.einsum("bhst,bthk->bshk", weights, v)


def sizes(tally, auto):
    answer = found(tally, auto, "sizes that nothing divides", heads, {n: f32(15, 3, 5) for n in "qkv"}, f32(6, 7, 15))
    chosen = answer["shardings"] if answer else []
    tally.check("sizes that nothing divides: replicated", all("x" not in s["partition_spec"] for s in chosen), chosen)
    reasons = [" ".join(s.get("reasons", [])) for s in chosen if s["kind"] == "argument"]
    tally.check("sizes that nothing divides: the report says so", all("does not divide" in r for r in reasons), reasons)
    found(tally, auto, "a vocabulary of 1001", lambda e, t: jnp.max(jnp.take(e, t, axis=0) @ e.T, axis=-1), f32(1001, 64), i32(8, 4))
    tally.check("a scalar", found(tally, auto, "a scalar", lambda x, s: jnp.tanh(x) * s, f32(64, 64), f32()) is not None, "")
    found(tally, auto, "an empty tensor", lambda x, e: (x @ x, jnp.concatenate([e, e])), f32(64, 64), f32(0, 8))
    bf16, i1 = jax.ShapeDtypeStruct((64, 256), jnp.bfloat16), jax.ShapeDtypeStruct((64, 256), jnp.bool_)
    found(tally, auto, "bf16 and i1", lambda x, m: (jnp.where(m, x, 0) @ x.T, m ^ True), bf16, i1)
    found(tally, auto, "all axes of size 1", lambda x: x @ x, f32(64, 64), mesh="x=1,y=1")


def donation(tally, auto):
    step = lambda p, x: (jax.tree.map(lambda w: w - 0.1 * jnp.tanh(x.T @ x), p), jnp.sum(x))  # noqa: E731
    for donate in ((), (0,)):
        answer = found(tally, auto, f"state, donated {donate}", step, {"w": f32(64, 64)}, f32(512, 64), donate=donate)
        if answer:
            s = specs(answer)
            tally.check(f"state, donated {donate}: one layout", s["p['w']"] == s["result[0]['w']"], s)
            told = " ".join(answer["assumptions"])
            tally.check(f"state, donated {donate}: told", "result 0 that of p['w']" in told, told)


def control_flow(tally, auto):
    scan = lambda w, x: lax.scan(lambda c, t: (jnp.tanh(c @ w) + t, c.sum()), x[0], x)  # noqa: E731
    answer = found(tally, auto, "scan", scan, f32(64, 64), f32(5, 64, 64))
    tally.check("scan: nothing is assumed", answer and not answer["assumptions"], answer)
    loop = lambda w, x, n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, jnp.tanh(s[1] @ w)), (0, x))[1]  # noqa: E731
    answer = found(tally, auto, "a loop of unknown trip count", loop, f32(64, 64), f32(64, 64), i32())
    told = " ".join(answer["assumptions"]) if answer else ""
    tally.check("a loop of unknown trip count: told", "unknown trip count" in told, told)
    branch = lambda p, w, x: lax.cond(p, lambda v: jnp.tanh(v @ w), lambda v: v + 1, x)  # noqa: E731
    found(tally, auto, "cond", branch, jax.ShapeDtypeStruct((), jnp.bool_), f32(64, 64), f32(64, 64))


def layers(tally, auto):
    tied = lambda e, w, t: jnp.tanh(jnp.take(e, t, axis=0) @ w) @ e.T  # noqa: E731
    found(tally, auto, "tied embeddings", tied, f32(512, 64), f32(64, 64), i32(16))

    def one_hot(p, x):
        gates = jax.nn.softmax(x @ p["gate"])
        chosen = jax.nn.one_hot(jnp.argmax(gates, -1), 8)
        return jnp.einsum("ne,nd,edf->nf", chosen, x, p["w"])

    found(tally, auto, "experts by one-hot", one_hot, {"gate": f32(32, 8), "w": f32(8, 32, 64)}, f32(64, 32))
    gather = lambda p, x, e: jnp.einsum("nd,ndf->nf", x, jnp.take(p, e, axis=0))  # noqa: E731
    found(tally, auto, "experts by gather", gather, f32(8, 32, 64), f32(64, 32), i32(64))

    def decode(cache, w, x, position):
        cache = lax.dynamic_update_slice(cache, (x @ w)[:, None], (0, position, 0))
        return cache, jnp.einsum("bs,bsd->bd", jax.nn.softmax(jnp.einsum("bsd,bd->bs", cache, x)), cache)

    found(tally, auto, "decoding with a cache", decode, f32(8, 64, 32), f32(32, 32), f32(8, 32), i32(), donate=(0,))


MANUAL = """
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%w: tensor<64x64xf32> loc("w"), %x: tensor<64x64xf32> loc("x")) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%a: tensor<16x64xf32>) {
    %t = stablehlo.tanh %a : tensor<16x64xf32>
    sdy.return %t : tensor<16x64xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
"""

CUSTOM = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%w: tensor<64x64xf32> loc("w"), %x: tensor<64x64xf32> loc("x")) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.custom_call @opaque(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
"""


ONE_DEVICE = """
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%x: tensor<64x64xf32> loc("x")) -> tensor<64x64xf32> {
  %0 = stablehlo.tanh %x : tensor<64x64xf32>
  %1 = stablehlo.custom_call @log(%0) {api_version = 4 : i32, backend_config = {}, has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""


def texts(tally, auto):
    out = os.path.join(auto.folder, "out.mlir")
    for flags in (["--drop=all"], ["--drop=constraints"], ["--drop=all", "--devices=4"]):
        code, _, error = auto.run_text(ONE_DEVICE, flags=[*flags, "-o", out])
        if tally.check(f"an op for one device, {flags}", code == 0, error):
            with open(out) as file:
                text = file.read()
            tally.check(f"an op for one device stays, {flags}", "<@one, []>" in text, text)
    code, answer, error = auto.run_text(MANUAL)
    tally.check("a manual computation", code == 0, error)
    code, answer, error = auto.run_text(CUSTOM)
    if tally.check("a custom call without a rule", code == 0, error):
        told = " ".join(answer["assumptions"])
        tally.check("a custom call without a rule: told", "custom call @opaque has no sharding rule" in told, told)


def requests(tally, auto):
    mlp = lambda p, x: jnp.tanh(x @ p["w1"]) @ p["w2"]  # noqa: E731
    weights = {"w1": f32(64, 256), "w2": f32(256, 64)}
    code, free, error = auto.run(mlp, weights, f32(64, 64))
    if not tally.check("requests: runs", code == 0, error):
        return
    least = min([free["found"], *free["compared"]], key=lambda c: c["peak_bytes"])["peak_bytes"]
    code, answer, error = auto.run(mlp, weights, f32(64, 64), flags=[f"--memory={int(least)}"])
    tally.check("memory of the smallest layout", code == 0 and answer["found"]["peak_bytes"] <= least, answer or error)
    code, answer, error = auto.run(mlp, weights, f32(64, 64), flags=["--memory=64B"])
    if tally.check("memory below the smallest possible", code == 1 and not answer["found"]["fits"] and "remedy" in error, error):
        tally.check("memory below the smallest possible: what it is", answer["peak"]["bytes"] == answer["found"]["peak_bytes"], answer["peak"])
    every = ["--fix", "params['w1']=P('x', None)", "--fix", "params['w2']=P(None, 'x')", "--fix", "x=P(None, None)"]
    named = lambda params, x: mlp(params, x)  # noqa: E731
    code, answer, error = auto.run(named, weights, f32(64, 64), flags=every)
    if tally.check("all is fixed", code == 0, error):
        given = [s["given"] for s in answer["shardings"] if s["kind"] == "argument"]
        tally.check("all is fixed: given", all(given), answer["shardings"])
    twice = ["--fix", "x=P('x', None)", "--fix", "x=P(None, 'x')"]
    code, _, error = auto.run(named, weights, f32(64, 64), flags=twice)
    tally.check("fixed twice", code == 2 and 'is fixed twice, as P("x", None) and as P(None, "x")' in error.replace("'", '"'), error)
    given = MANUAL.replace('%x: tensor<64x64xf32>', '%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}', 1)
    code, _, error = auto.run_text(given, flags=["--fix", "x=P('x', None)"])
    tally.check("fixed against the module", code == 2 and "but the module says" in error, error)
    code, answer, error = auto.run_text(given, flags=["--fix", "x=P('y', None)"])
    tally.check("fixed as in the module", code == 0, error)


def purposes(tally, auto):
    """What the collectives of known layouts are for."""
    loss = lambda p, x, y: jnp.mean((jnp.tanh(x @ p["w1"]) @ p["w2"] - y) ** 2)  # noqa: E731

    def step(params, x, y):
        value, gradients = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value

    weights, batch = {"w1": f32(64, 256), "w2": f32(256, 64)}, f32(512, 64)
    fixed = lambda w1, w2, x: [  # noqa: E731
        flag for name, spec in (("params['w1']", w1), ("params['w2']", w2), ("x", x), ("y", x)) for flag in ("--fix", f"{name}={spec}")
    ]
    for name, specs_of, expected in (
        ("data parallel", ("P(None, None)", "P(None, None)", "P('x', None)"), {"gradients"}),
        ("parameters sharded", ("P('x', None)", "P(None, 'x')", "P('x', None)"), {"gradients", "parameters"}),
        ("tensor parallel", ("P(None, 'x')", "P('x', None)", "P(None, None)"), {"activations"}),
    ):
        code, answer, error = auto.run(step, weights, batch, batch, flags=["--specs-only", *fixed(*specs_of)])
        if not tally.check(f"purposes, {name}: runs", code == 0, error):
            continue
        # The sum of the loss is a scalar.
        sent = {c["purpose"] for c in answer["communication"] if c["bytes"] > 64}
        tally.check(f"purposes, {name}", sent == expected, answer["communication"])
        total = sum(c["bytes"] for c in answer["communication"])
        tally.check(f"purposes, {name}: all bytes", total == answer["found"]["bytes_sent"], (total, answer["found"]))


def levels(tally, auto):
    mlp = lambda p, x: jnp.tanh(x @ p["w1"]) @ p["w2"]  # noqa: E731
    weights, x = {"w1": f32(64, 256), "w2": f32(256, 64)}, f32(64, 64)
    machine = dict(levels=LEVELS)
    code, answer, error = auto.run(mlp, weights, x, mesh=None, flags=["--devices=8"], **machine)
    if tally.check("levels: a mesh is chosen", code == 0, error):
        sizes = [axis["size"] for axis in answer["mesh"]]
        tally.check("levels: each axis lies in one", sizes in ([2, 4], [2, 2, 2]), answer["mesh"])
        names = [axis["name"] for axis in answer["mesh"]]
        tally.check("levels: names", len(set(names)) == len(names) and "<axis" not in json.dumps(answer), answer)
        tally.check("levels: one device", answer["one_device"]["fits"], answer["one_device"])
    code, _, error = auto.run(mlp, weights, x, mesh=None, flags=["--devices=6"], **machine)
    tally.check("levels: devices that fill none", code == 2 and "numbers that do: up to 4, or a multiple of 4 up to 32" in error, error)
    code, _, error = auto.run(mlp, weights, x, mesh="data=2,model=8", **machine)
    tally.check("levels: an axis of two", code == 2 and "sizes that fit: 1, 2, 4" in error, error)
    code, one, error = auto.run(mlp, weights, x, mesh="data=2,model=4", **machine)
    links = {"data": LEVELS[1]["link"], "model": LEVELS[0]["link"]}
    code, other, error = auto.run(mlp, weights, x, mesh="data=2,model=4", links=links)
    costs = lambda answer: [answer["found"], *answer["compared"]]  # noqa: E731
    tally.check("levels: the links of named axes", costs(one) == costs(other), (one, other))
    tally.check("levels: some layouts send", any(c["bytes_sent"] > 0 for c in one["compared"]), one["compared"])
    tiny = lambda x: jnp.tanh(x)  # noqa: E731
    code, answer, error = auto.run(tiny, f32(3), mesh=None, flags=["--devices=8"])
    tally.check("one device is enough", code == 0 and answer["one_device"]["step_seconds"] <= answer["found"]["step_seconds"], answer or error)


class Auto(patterns.Auto):
    def run_text(self, text, flags=()):
        path = os.path.join(self.folder, "text.mlir")
        with open(path, "w") as file:
            file.write(text)
        command = [oracle.TOOL, "auto", path, f"--machine={self.machine()}", "--report=json", *flags]
        return self.answer(subprocess.run(command, capture_output=True, text=True))


def main():
    tally = oracle.Tally("auto_cases", show=10)
    with tempfile.TemporaryDirectory() as folder:
        for case in (sizes, donation, control_flow, layers, texts, requests, purposes, levels):
            case(tally, Auto(folder))
    tally.finish()


if __name__ == "__main__":
    main()
