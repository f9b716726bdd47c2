#===- simulated_bytes.py - predicted bytes between processes --------------===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright simulate` predicts the bytes that processes send to each other. Runs of 2, 3 and 4 processes, of the
examples, of a program of several replicas, and of generated reductions and reshards, count exactly those. With --long also the
88 programs of benchmarks/collective_bytes on 2 processes."""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

args = oracle.arguments(__doc__, cases=12, long_cases=150)
tally = oracle.Tally("simulated_bytes")
COMMAND = os.path.join(oracle.BUILD, "bin", "shardwright")
LIMIT = 300


def counted(module, machine, mesh, processes, devices, folder):
    """The bytes that the process that sent most sent in a run."""
    rendezvous = tempfile.mkdtemp(dir=folder)
    command = [COMMAND, "run", module, "--random=1", "--stats=json", f"--machine={machine}", f"--mesh={mesh}",
               f"--devices-per-process={devices}"]  # fmt: skip
    running = []
    for process in range(processes):
        env = os.environ | {"SHARDWRIGHT_PROCESSES": str(processes), "SHARDWRIGHT_PROCESS": str(process),
                            "SHARDWRIGHT_RENDEZVOUS": rendezvous}  # fmt: skip
        running.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    texts = [process.communicate(timeout=LIMIT) for process in running]
    if running[0].returncode != 0:
        return texts[0][1].strip()
    return json.loads(texts[0][0])["sent_between_processes"]


def compare(name, module, processes, devices, folder):
    machine = os.path.join(folder, f"machine{devices}.json")
    with open(machine, "w") as file:
        json.dump({"processes": {"devices_per_process": devices}}, file)
    command = [COMMAND, "simulate", module, f"--machine={machine}", f"--processes={processes}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    if not tally.check(f"{name}: simulated", done.returncode == 0, done.stderr):
        return
    job = json.loads(done.stdout)["jobs"][0]
    mesh = ",".join(f"{axis}={size}" for axis, size in sorted(job["mesh"].items()) if axis != "replica")
    found = counted(module, machine, mesh, processes, devices, folder)
    tally.equal(f"{name} on {processes} processes of {devices}, {mesh}", found, job["bytes_between_processes"])


def generated(choose):
    """A sum over rows, or the same values in another sharding."""
    element = choose.choice(["f32", "f64", "bf16", "f16", "i32", "i8"])
    rows, columns = 24 * choose.randint(1, 3), 24 * choose.choice([1, 7, 40, 333])
    kind = choose.choice(["sum", "sum", "scatter", "move"])
    shardings = ["{}", '{"a"}', '{"b"}', '{"a", "b"}', '{"b", "a"}']
    value = f"tensor<{rows}x{columns}x{element}>"
    lines = ['sdy.mesh @mesh = <["a"=2, "b"=2]>']
    if kind == "move":
        places = [choose.choice(["[{}, %s]" % s, "[%s, {}]" % s]) for s in choose.sample(shardings, 2)]
        lines.append(f"func.func @main(%x: {value} {{sdy.sharding = #sdy.sharding<@mesh, {places[0]}>}}) ->"
                     f" ({value} {{sdy.sharding = #sdy.sharding<@mesh, {places[1]}>}}) {{")  # fmt: skip
        lines += [f"  %0 = stablehlo.add %x, %x : {value}", f"  return %0 : {value}", "}"]
        return "\n".join(lines)
    result = f"tensor<{columns}x{element}>"
    zero = "0" if element[0] == "i" else "0.0"
    rows_axes, out = choose.choice([('{"a"}', '{"b"}'), ('{"a", "b"}', "{}"), ('{"b"}', "{}")])
    if kind == "scatter":
        out = rows_axes
    lines.append(f"func.func @main(%x: {value} {{sdy.sharding = #sdy.sharding<@mesh, [{rows_axes}, {{}}]>}}) ->"
                 f" ({result} {{sdy.sharding = #sdy.sharding<@mesh, [{out}]>}}) {{")  # fmt: skip
    lines += [f"  %zero = stablehlo.constant dense<{zero}> : tensor<{element}>",
              f"  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]"
              f" : ({value}, tensor<{element}>) -> {result}",
              f"  return %0 : {result}", "}"]  # fmt: skip
    return "\n".join(lines)


REPLICAS = """
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : (tensor<24x16xf32>, tensor<f32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
"""


def replicas(folder):
    module = os.path.join(folder, "replicas.mlir")
    with open(module, "w") as file:
        file.write(REPLICAS)
    for processes, devices in ((4, 2), (2, 4), (8, 1)):
        compare("replicas", module, processes, devices, folder)
    command = [COMMAND, "simulate", module, "--processes=4", "--devices-per-process=2", "--axis=replica"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    tally.check("replicas do not grow", done.returncode == 2 and "axis 'replica' is that of the replicas" in done.stderr, done.stderr)


def benchmark_programs(folder):
    root = oracle.ROOT
    sys.path[:0] = [os.path.join(root, "benchmarks", "collective_bytes"), os.path.join(root, "benchmarks")]
    import run as listing

    lists = [listing.programs(), listing.later_programs(listing.suite.SECOND), listing.later_programs(listing.suite.THIRD)]
    for _, (name, make) in oracle.part(args, [program for programs in lists for program in programs]):
        program = make()  # owns the file
        compare(name, program.module, 2, 4, folder)


with tempfile.TemporaryDirectory() as folder:
    for example in ("mlp_train", "gpt", "transformer_block"):
        compare(example, oracle.example(example), 2, 4, folder)
        compare(example, oracle.example(example), 4, 2, folder)
    replicas(folder)
    if args.long:
        benchmark_programs(folder)
    for case in range(args.seed, args.seed + args.cases):
        choose = random.Random(case)
        module = os.path.join(folder, f"case{case}.mlir")
        with open(module, "w") as file:
            file.write(generated(choose))
        compare(f"case {case}", module, choose.choice([2, 3, 4]), choose.choice([2, 4, 6]), folder)
tally.finish()
