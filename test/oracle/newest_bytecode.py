#===- newest_bytecode.py - plain bytecode of the newest jaxlib ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Ops whose properties have more values in the plain bytecode of newer writers: what this jaxlib and
the newest one (.venv-newest, or the Python that SHARDWRIGHT_NEWEST_PYTHON names) write reads as the
same op, and so does what we write. The newest reads what we write, 0.10.2 custom calls, and the
other ops with --old-bytecode: its encoding of them cannot be told from the newer by its readers.
Reductions that are not sums have no bytecode for 0.10.2."""

import os
import subprocess
import sys
import tempfile

import oracle

NEWEST = os.environ.get("SHARDWRIGHT_NEWEST_PYTHON") or os.path.join(oracle.ROOT, ".venv-newest", "bin", "python")
ARRAY, GROUPS = "tensor<4xf32>", "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
LAYOUTS = ", ".join(f"{side}_layouts = [dense<0> : tensor<1xindex>]" for side in ("operand", "result"))
TOP = f"({ARRAY}) -> (tensor<2xf32>, tensor<2xi32>)"
# (op, is it of versions that 0.10.2 does not know)
OPS = {
    "top_k": (f'%0:2 = "chlo.top_k"(%a) <{{k = 2 : i64}}> : {TOP}', False),
    "unstable top_k": (f'%0:2 = "chlo.top_k"(%a) <{{is_stable = false, k = 2 : i64}}> : {TOP}', True),
    "stable top_k": (f'%0:2 = "chlo.top_k"(%a) <{{is_stable = true, k = 2 : i64}}> : {TOP}', True),
    "call": (f"%0 = stablehlo.custom_call @f(%a) : ({ARRAY}) -> {ARRAY}", False),
    "call with layouts": (f"%0 = stablehlo.custom_call @f(%a) {{{LAYOUTS}}} : ({ARRAY}) -> {ARRAY}", False),
    "call with tilings": (
        f"%0 = stablehlo.custom_call @f(%a) {{{LAYOUTS}, result_tilings = [[]]}} : ({ARRAY}) -> {ARRAY}", True
    ),
    "broadcast": (f'%0 = "stablehlo.collective_broadcast"(%a) <{{{GROUPS}}}> : ({ARRAY}) -> {ARRAY}', False),
    "broadcast with a channel": (
        f'%0 = "stablehlo.collective_broadcast"(%a) <{{{CHANNEL}, {GROUPS}}}> : ({ARRAY}) -> {ARRAY}', False
    ),
    "collective_reduce": (
        f'%0 = "stablehlo.collective_reduce"(%a) <{{{GROUPS}}}> ({{\n^bb0(%b: tensor<f32>, %c: tensor<f32>):\n'
        "%s = stablehlo.add %b, %c : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : "
        f"({ARRAY}) -> {ARRAY}",
        True,
    ),
    "all_reduce": (f'%0 = sdy.all_reduce {{"x"}} %a out_sharding=<@m, [{{}}]> : {ARRAY}', False),
    "maximum": (f'%0 = sdy.all_reduce max {{"x"}} %a out_sharding=<@m, [{{}}]> : {ARRAY}', True),
    "reduce_scatter": (f'%0 = sdy.reduce_scatter [{{"x"}}] %a out_sharding=<@m, [{{"x"}}]> : {ARRAY}', False),
    "scattered minimum": (f'%0 = sdy.reduce_scatter min [{{"x"}}] %a out_sharding=<@m, [{{"x"}}]> : {ARRAY}', True),
}  # fmt: skip


KINDS = ("maximum", "scattered minimum")  # 0.10.2 would read sums


def module(op):
    mesh = 'sdy.mesh @m = <["x"=2]>\n' if "sdy." in op else ""
    return f"{mesh}func.func @f(%a: {ARRAY}) {{\n{op}\nreturn\n}}"


def write(folder, old):
    """Writes the ops as this Python's jaxlib does, and the text of ours as it reads them."""
    for name, (op, is_new) in OPS.items():
        if is_new and old:
            continue
        with open(os.path.join(folder, name), "wb") as file:
            oracle.parse(module(op)).operation.write_bytecode(file)
        ours = os.path.join(folder, "ours " + name)
        if os.path.exists(ours):
            with open(ours, "rb") as file, open(ours + ".mlir", "w") as text:
                text.write(oracle.text(oracle.parse(file.read())))


def ours(*arguments, given):
    done = subprocess.run([oracle.OPT, "-", *arguments], input=given, capture_output=True)
    return done.stdout if done.returncode == 0 else b"refused: " + done.stderr


if sys.argv[1:2] == ["--write"]:
    write(sys.argv[2], old=False)
    sys.exit()
oracle.require()
tally = oracle.Tally("newest_bytecode")
texts, written = {}, {}
for name, (op, _) in OPS.items():
    texts[name] = ours(given=module(op).encode())
    for way in ([], ["--old-bytecode"]):
        data = ours("--emit-bytecode", *way, given=module(op).encode())
        if way and name in KINDS:
            tally.check(f"{name}, ours {way}", b"cannot be written for jaxlib 0.10" in data, data.decode(errors="replace"))
            continue
        written[name, bool(way)] = data
        tally.equal(f"{name}, ours {way}", texts[name].decode(), ours(given=data).decode())
for version, run in (("this jaxlib", lambda f: write(f, old=True)), ("the newest", None)):
    if run is None and not os.path.exists(NEWEST):
        tally.skip(version, f"no {os.path.relpath(NEWEST, oracle.ROOT)}; scripts/bootstrap.sh makes it")
        continue
    with tempfile.TemporaryDirectory() as folder:
        for (name, old), data in written.items():
            if old != bool(run):
                continue
            with open(os.path.join(folder, "ours " + name), "wb") as file:
                file.write(data)
        try:
            run(folder) if run else subprocess.run(
                [NEWEST, __file__, "--write", folder], check=True, capture_output=True, text=True
            )
        except (subprocess.CalledProcessError, oracle.OracleError) as error:
            tally.fail(version, getattr(error, "stderr", "") or str(error))
            continue
        for name in OPS:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    tally.equal(f"{name}, {version}", texts[name].decode(), ours(given=file.read()).decode())
            path = os.path.join(folder, f"ours {name}.mlir")
            if os.path.exists(path):
                with open(path, "rb") as file:
                    tally.equal(f"ours {name}, read by {version}", texts[name].decode(), ours(given=file.read()).decode())
tally.finish()
