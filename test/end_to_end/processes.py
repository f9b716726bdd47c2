#===- processes.py - programs on several processes ------------------------===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Several processes do what one does, bit for bit: `shardwright run` on the examples, and random programs
of partition.py (--cases), over TCP and, where they are installed, MPI and Gloo. With --long also the 88 programs of
benchmarks/collective_bytes. Input from a pipe, compressed arrays, reports, traces, exit codes, and errors,
which process 0 alone prints.

    processes.py --engine tcp        only this transport
"""

import argparse
import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--engine", choices=("tcp", "mpi", "gloo"), help="only this transport")
args = oracle.arguments(__doc__, cases=60, long_cases=1000, parser=parser)

import numpy as np
import partition_engines
import partition_programs
from ops import engines as op_engines

tally = oracle.Tally("processes")
SERVER = os.path.join(oracle.BUILD, "bin", "job_server")
LIMIT = 300


def available():
    """The transports that can run here."""
    found = []
    for name in ("tcp", "mpi", "gloo"):
        built = name == "tcp" or os.path.exists(os.path.join(oracle.BUILD, "lib", f"libshardwright_{name}.so"))
        if args.engine not in (None, name):
            continue
        if not built or name == "mpi" and not shutil.which("mpirun"):
            tally.skip(name, "not installed here")
        else:
            found.append(name)
    return found


def environment(**more):
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more}


def commands(engine, count, command, folder):
    """What starts the processes of a job: the command and the environment of each."""
    if engine == "mpi":
        yield [*oracle.mpirun(count)[0], *command], environment()
        return
    rendezvous = tempfile.mkdtemp(dir=folder)
    for process in range(count):
        yield command, environment(SHARDWRIGHT_PROCESSES=str(count), SHARDWRIGHT_PROCESS=str(process),
                                   SHARDWRIGHT_RENDEZVOUS=rendezvous, SHARDWRIGHT_TRANSPORT=engine)  # fmt: skip


class Done:
    """What the processes of a job have said: `code` is the largest exit code."""

    def __init__(self, parts):
        self.codes = [code for code, _, _ in parts]
        self.code = max(self.codes, key=abs)
        self.out = "".join(out for _, out, _ in parts)
        self.err = "".join(err for _, _, err in parts)

    def __str__(self):
        return f"exit codes {self.codes}\n{self.out}\n{self.err}"


def together(engine, count, folder, *flags, stdin="", others=()):
    """Runs `shardwright run` on several processes; process 0 gets the input. `others`: more flags of the other processes, which
    mpirun starts as process 0."""
    started = [
        subprocess.Popen([*command, *(others if number else ())], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
        for number, (command, env) in enumerate(commands(engine, count, [oracle.TOOL, "run", *flags], folder))
    ]  # fmt: skip
    parts = []
    for number, process in enumerate(started):
        try:
            out, err = process.communicate(stdin if number == 0 else "", timeout=LIMIT)
            parts.append((process.returncode, out, err))
        except subprocess.TimeoutExpired:
            for other in started:
                other.kill()
            out, err = process.communicate()
            parts.append((-9, out, err + f"\nno end within {LIMIT} s"))
    return Done(parts)


def alone(*flags, stdin=""):
    return oracle.process([oracle.TOOL, "run", *flags], source=stdin)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def compare(case, folder, *flags, engines, counts=(2, 4), stdin=""):
    """Writes the results with one process and with several: equal files."""
    one = os.path.join(folder, "one.npz")
    done = alone(*flags, f"--out={one}", stdin=stdin)
    if not tally.check(f"{case}: one process", done.returncode == 0, done.stderr):
        return
    for engine in engines:
        for count in counts:
            many = os.path.join(folder, "many.npz")
            if os.path.exists(many):
                os.remove(many)
            done = together(engine, count, folder, *flags, f"--out={many}", stdin=stdin)
            name = f"{case}: {count} processes over {engine}"
            if tally.check(name, done.code == 0 and done.err == "", str(done)):
                tally.check(f"{name}: bits", contents(one) == contents(many), "other results than one process")


def examples(folder, engines):
    for name in oracle.EXAMPLES:
        flags = (oracle.example(name), oracle.example(name, "inputs.npz"), "--expect", oracle.example(name, "expected.npz"))
        compare(name, folder, *flags, "--rtol=1e-4", engines=engines, counts=(2,))
        if name != "double":
            compare(name, folder, *flags, "--rtol=1e-4", engines=engines[:2], counts=(4,))
    mlp = oracle.example("mlp_train")
    for flags in (["--mesh=data=8,model=1"], ["--partition-effort=2"], ["--overlap=force"], ["--mesh=data=3,model=2"]):
        compare(f"mlp_train {flags[0]}", folder, mlp, "--random=3", *flags, engines=engines[:1], counts=(2, 3))
    with open(mlp) as file:
        compare("standard input", folder, "-", "--random=4", engines=engines, counts=(2,), stdin=file.read())
    packed = os.path.join(folder, "packed.npz")
    with np.load(oracle.example("mlp_train", "inputs.npz")) as arrays:
        np.savez_compressed(packed, **arrays)
    compare("compressed arrays", folder, mlp, packed, engines=engines[:1], counts=(2,))
    with np.load(oracle.example("mlp_train", "inputs.npz")) as arrays:
        columns = {name: np.asarray(array, order="F") for name, array in arrays.items()}
    for name, save in [("stored", np.savez), ("compressed", np.savez_compressed)]:
        save(packed, **columns)
        compare(f"{name} arrays in Fortran order", folder, mlp, packed, engines=engines[:1], counts=(2,))


def benchmark_programs(folder, engines):
    sys.path[:0] = [os.path.join(ROOT, "benchmarks", "collective_bytes"), os.path.join(ROOT, "benchmarks")]
    import run as listing

    lists = [listing.programs(), listing.later_programs(listing.suite.SECOND),
             listing.later_programs(listing.suite.THIRD)]  # fmt: skip
    programs = [program for programs in lists for program in programs]
    for _, (name, make) in oracle.part(args, programs):
        program = make()
        compare(name, folder, program.module, program.inputs, "--expect", program.outputs, "--rtol=5e-4",
                engines=engines)  # fmt: skip


class Server(op_engines.Ours):
    """job_server on several processes."""

    def __init__(self, engine, count, folder):
        super().__init__()
        self.engine, self.count, self.folder, self.others = engine, count, folder, []

    def start(self):
        first, *rest = [
            subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for command, env in commands(self.engine, self.count, [SERVER], self.folder)
        ]
        self.process, self.others = first, rest

    def stop(self):
        super().stop()
        for process in self.others:
            process.kill()
            process.wait()
        self.others = []


def random_programs(folder, engines):
    """Each program on one process, and on 2 to 4 whose devices are dealt in several ways."""
    one = partition_engines.Ours()
    servers = {}
    skipped = 0
    for number, rng in enumerate(oracle.generators(args)):
        program = partition_programs.random_program(rng)
        program.options["partition-effort"] = 1
        values = program.inputs()
        text = program.text(sharded=True)
        try:
            expected = one.run(text, values, program.results, 0)
        except partition_engines.Failed:
            skipped += 1
            continue
        engine = engines[number % len(engines)]
        count = 2 + number % 3
        key = (engine, count)
        if key not in servers:
            servers[key] = partition_engines.Ours()
            servers[key].server = Server(engine, count, folder)
        case = f"program {program.seed} on {count} processes over {engine}"
        try:
            found = servers[key].run(text, values, program.results, 0)
        except partition_engines.Failed as failed:
            if "the cpu has no target of this name" in failed.message:
                skipped += 1  # a function of run_server.cc
            else:
                tally.fail(case, f"{failed.kind}: {failed.message}")
            continue
        equal = all(a.tobytes() == b.tobytes() for a, b in zip(expected, found))
        tally.check(case, equal, f"other results than one process\n{text}")
    for server in [one, *servers.values()]:
        server.stop()
    tally.check("refused programs", skipped < args.cases / 4, f"{skipped} of {args.cases} programs do not run at all")


def refused(case, done, *texts):
    """One error of process 0, a remedy, exit code 2 of all."""
    tally.check(case, done.code == 2 and all(code == 2 for code in done.codes) and all(t in done.err for t in texts)
                and done.err.count("error: ") == 1 and done.out == "", str(done))  # fmt: skip


def job_page(folder, engine):
    """The page of a job has the trace of all devices: as many events and the same bytes of each as in one process."""
    program = oracle.example("gpt"), oracle.example("gpt", "inputs.npz")
    page = os.path.join(folder, "page.html")

    def timeline():
        with open(page, encoding="utf-8") as file:
            document = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', file.read(), re.S).group(1))
        return document["timeline"], document["strings"]

    def work(timeline, strings):
        """Events of each device that are not waiting, and the bytes that it sends."""
        waits = [strings[e[3]].startswith("waiting") for e in timeline["events"]]
        lanes = range(len(timeline["lanes"]))
        events = [e for e, waits in zip(timeline["events"], waits) if not waits]
        return [(sum(e[0] == lane for e in events), sum(e[5] or 0 for e in events if e[0] == lane)) for lane in lanes]

    done = alone(*program, f"--report=html={page}")
    if not tally.check("page of one process", done.returncode == 0, str(done)):
        return
    one, strings = timeline()
    expected = work(one, strings)
    for count in 2, 3:
        done = together(engine, count, folder, *program, f"--report=html={page}")
        if not tally.check(f"page of {count} processes", done.code == 0, str(done)):
            continue
        found, strings = timeline()
        tally.equal(f"page of {count} processes: events and bytes", expected, work(found, strings))
        share = [8 // count + (i < 8 % count) for i in range(count)]
        owners = [i for i, devices in enumerate(share) for _ in range(devices)]
        tally.equal(f"page of {count} processes: lanes", [f"device {d}, process {p}" for d, p in enumerate(owners)], found["lanes"])
        # Process 0 alone says whether there is a trace.
        unasked = os.path.join(folder, "unasked.json")
        done = together("tcp", count, folder, *program, others=(f"--trace={unasked}",))
        tally.check(f"{count} processes, one of which asks for a trace", done.code == 0 and not os.path.exists(unasked), str(done))
        tally.equal(f"page of {count} processes: number, loops", (count, len(one["loops"])), (found["processes"], len(found["loops"])))


def reports(folder, engine):
    mlp, data = oracle.example("mlp_train"), oracle.example("mlp_train", "inputs.npz")
    trace = os.path.join(folder, "trace.json")
    done = together(engine, 2, folder, mlp, data, "--stats=json", f"--trace={trace}")
    if tally.check("statistics", done.code == 0, str(done)):
        stats = json.loads(done.out)
        tally.equal("statistics: processes", (2, [4, 4], engine),
                    (stats["processes"], stats["devices_per_process"], stats["transport"]))  # fmt: skip
        tally.check("statistics: bytes", stats["sent_between_processes"] > 0, stats)
        tally.equal("statistics: predicted bytes", stats["sent_between_processes"], stats["predicted_sent_between_processes"])
        done = together(engine, 3, folder, mlp, data, "--stats=json")
        stats = json.loads(done.out)
        tally.equal("statistics: predicted bytes of shares 3, 3, 2", stats["sent_between_processes"], stats["predicted_sent_between_processes"])
        done = together(engine, 5, folder, mlp, data, "--stats=json")
        tally.equal("statistics: no prediction for shares 2, 2, 2, 1, 1", None, json.loads(done.out)["predicted_sent_between_processes"])
        with open(trace) as file:
            events = json.load(file)["traceEvents"]
        rows = {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}
        tally.equal("trace: devices by process", {(0, d) for d in range(4)} | {(1, d) for d in range(4, 8)}, rows)
    done = together(engine, 2, folder, oracle.example("gpt"), oracle.example("gpt", "inputs.npz"), f"--trace={trace}")
    if tally.check("trace of loops", done.code == 0, str(done)):
        with open(trace) as file:
            loops = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "loop"]
        tally.equal("trace of loops: iterations of each device", {d: 4 for d in range(8)}, {e["tid"]: e["args"]["iterations"] for e in loops})
    job_page(folder, engine)
    done = together(engine, 2, folder, mlp, data, "--stats=json", "--repeat=3", "--warm-up=2", "--expect", oracle.example("mlp_train", "expected.npz"))
    if tally.check("repeated runs", done.code == 0, str(done)):
        stats = json.loads(done.out)
        tally.equal("repeated runs: numbers", (3, 2), (len(stats["runs"]["seconds"]), stats["runs"]["warm_ups"]))
        tally.equal("repeated runs: median", stats["run_seconds"], stats["runs"]["median_seconds"])
    done = together(engine, 2, folder, mlp, data, "--report=text")
    tally.check("report", done.code == 0 and " ".join(done.out.split()).count("devices of each 4, 4") == 1 and done.out.count("stages") == 1, str(done))


def exits(folder, engine):
    mlp, data = oracle.example("mlp_train"), oracle.example("mlp_train", "inputs.npz")
    done = together(engine, 2, folder, mlp, "--random=9", "--expect", oracle.example("mlp_train", "expected.npz"))
    tally.check("differing results", done.codes in ([1, 1], [1]) and "differs" in done.err, str(done))
    refused("no module", together(engine, 2, folder, os.path.join(folder, "none.mlir"), data), "none.mlir")
    refused("no arguments", together(engine, 2, folder, mlp), "takes")
    refused("no file", together(engine, 2, folder, mlp, os.path.join(folder, "none.npz")), "none.npz")
    refused("too few devices", together(engine, 3, folder, oracle.example("double"), "--random=1", "--mesh=x=2,y=1"),
            "too few for 3 processes")  # fmt: skip
    refused("devices per process", together(engine, 2, folder, mlp, data, "--devices-per-process=3"), "have 6")
    refused("profile", together(engine, 2, folder, mlp, data, "--profile"), "--profile in a job")
    refused("disk", together(engine, 2, folder, mlp, data, f"--out={folder}/no/out.npz"), "out.npz")
    done = together(engine, 2, folder, mlp, data, "--devices-per-process=4")
    tally.check("devices per process: right", done.code == 0, str(done))


def peaks(count, folder, *flags, elsewhere=False):
    """Runs `shardwright run` on processes over TCP. The exit codes, what they wrote, and their peak memory in MiB.
    `elsewhere`: relative paths name files of process 0 only."""
    with open(os.path.join(folder, "said"), "w+") as said:
        started = [
            subprocess.Popen(command, env=env, cwd="/" if elsewhere and process > 0 else folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=said)
            for process, (command, env) in enumerate(commands("tcp", count, [oracle.TOOL, "run", *flags], folder))
        ]  # fmt: skip
        codes, memory = [], []
        for process in started:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            codes.append(process.returncode)
            memory.append(usage.ru_maxrss / 1024)
        said.seek(0)
        return codes, said.read(), memory


# Arrays of 512 MiB, whose windows of 64 MiB are on all devices.
LARGE = """
sdy.mesh @mesh = <["x"=4]>
func.func @result() -> (tensor<8x4x4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
  %0 = stablehlo.iota dim = 2 : tensor<8x4x4096x1024xf32>
  %1 = stablehlo.iota dim = 1 : tensor<8x4x4096x1024xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x4x4096x1024xf32>
  return %2 : tensor<8x4x4096x1024xf32>
}
-----
sdy.mesh @mesh = <["x"=4]>
func.func @argument(%x: tensor<8x4x4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) -> tensor<4xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0, 2, 3]
    : (tensor<8x4x4096x1024xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
SHARD = 128  # MiB


def bounded_memory(folder):
    """No process holds a whole array. Nor does this one: a process that it starts begins with its peak."""
    module, taker = (os.path.join(folder, name) for name in ("large_result.mlir", "large_argument.mlir"))
    for path, text in zip((module, taker), LARGE.split("-----")):
        with open(path, "w") as file:
            file.write(text)
    one, many = os.path.join(folder, "one.npz"), os.path.join(folder, "many.npz")
    alone(module, f"--out={one}")
    _, _, before = peaks(4, folder, module)

    def check(case, limit, *flags, **more):
        """`limit`: MiB that a process may take, beside what it takes without large arrays."""
        codes, said, after = peaks(4, folder, *flags, **more)
        said = "".join(line for line in said.splitlines() if "has waited" not in line)  # on a busy machine
        if tally.check(case, codes == [0] * 4 and said == "", f"{codes}\n{said}"):
            without = [peak - SHARD for peak in before]  # that of the result
            tally.check(f"{case}: memory", all(a - b < limit for a, b in zip(after, without)), f"{without} MiB without, {after} MiB")

    check("large result, --out", SHARD + 250, module, f"--out={many}")
    tally.check("large result: bits", filecmp.cmp(one, many, shallow=False), "other results than one process")
    os.remove(many)
    check("large result, --expect", SHARD + 250, module, "--expect", one)
    os.remove(one)

    stored, packed = os.path.join(folder, "stored.npz"), os.path.join(folder, "packed.npz")
    columns = np.arange(4096 * 1024, dtype=np.float32) % 3
    for path, method in [(stored, zipfile.ZIP_STORED), (packed, zipfile.ZIP_DEFLATED)]:
        with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive, archive.open("arg0.npy", "w", force_zip64=True) as member:
            header = {"descr": "<f4", "fortran_order": False, "shape": (8, 4, 4096, 1024)}
            np.lib.format.write_array_header_1_0(member, header)
            for i in range(8 * 4):
                member.write((columns + i % 4).tobytes())
    for case, flags in [("random", ["--random=1"]), ("stored", [stored]), ("packed", [packed]), ("elsewhere", ["packed.npz"])]:
        alone(taker, *(os.path.join(folder, f) if f == "packed.npz" else f for f in flags), f"--out={one}")
        check(f"large argument, {case}", SHARD + 250, taker, *flags, f"--out={many}", elsewhere=case == "elsewhere")
        tally.check(f"large argument, {case}: bits", contents(one) == contents(many), "other results than one process")
    for path in (stored, packed):
        os.remove(path)


def started_by_srun(folder):
    """The variables of srun: with a rendezvous the processes are a job; without one, or MPI, they are refused. A
    batch script is one process."""
    mlp, data = oracle.example("mlp_train"), oracle.example("mlp_train", "inputs.npz")
    one, many = os.path.join(folder, "one.npz"), os.path.join(folder, "many.npz")
    alone(mlp, data, f"--out={one}")

    def run(**more):
        variables = {"SLURM_JOB_ID": "1", "SLURM_NTASKS": "2", **more}
        started = [
            subprocess.Popen([oracle.TOOL, "run", mlp, data, f"--out={many}"], env={**os.environ, **variables, "SLURM_PROCID": str(i)},
                             text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for i in range(2 if "SLURM_STEP_NUM_TASKS" in more else 1)
        ]  # fmt: skip
        parts = [(*process.communicate(timeout=LIMIT), process.returncode) for process in started]
        return Done([(code, out, err) for out, err, code in parts])

    done = run(SLURM_STEP_NUM_TASKS="2", SHARDWRIGHT_RENDEZVOUS=tempfile.mkdtemp(dir=folder))
    tally.check("srun: a job", done.codes == [0, 0] and "devices of each 4, 4" in " ".join(done.out.split()) and contents(one) == contents(many), str(done))
    done = run(SLURM_STEP_NUM_TASKS="2")
    tally.check("srun: no rendezvous", done.codes == [2, 2] and done.err.count("srun --mpi=pmix") == 2, str(done))
    done = run()
    tally.check("srun: a batch script", done.codes == [0] and contents(one) == contents(many), str(done))


def own_files(folder, engine):
    """Each process writes its parts; together they are the results."""
    mlp, data = oracle.example("mlp_train"), oracle.example("mlp_train", "inputs.npz")
    whole = os.path.join(folder, "whole.npz")
    alone(mlp, data, f"--out={whole}")
    done = together(engine, 3, folder, mlp, data, f"--out={folder}/own{{process}}.npz")
    if not tally.check("own files", done.code == 0, str(done)):
        return
    with np.load(whole) as expected:
        found = {name: np.full_like(array, -1) for name, array in expected.items()}
        for process in range(3):
            with np.load(f"{folder}/own{process}.npz") as own:
                for name in own.files:
                    if name.endswith(".begin"):
                        continue
                    part, begin = own[name], own[name + ".begin"]
                    found[name.split(".")[0]][tuple(slice(b, b + n) for b, n in zip(begin, part.shape))] = part
        for name in found:
            tally.check(f"own files: {name}", found[name].tobytes() == expected[name].tobytes(), "other elements")


LOOP = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<LIMIT> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.constant dense<0.0> : tensor<16xf32>
  %r:3 = stablehlo.while(%i = %zero, %y = %x, %s = %start) : tensor<i32>, tensor<8x16xf32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %sum = stablehlo.reduce(%y init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %b = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
    %t = stablehlo.tanh %b : tensor<8x16xf32>
    %n = stablehlo.add %y, %t : tensor<8x16xf32>
    %next = stablehlo.tanh %n : tensor<8x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %sum : tensor<i32>, tensor<8x16xf32>, tensor<16xf32>
  }
  return %r#2 : tensor<16xf32>
}
"""


def wait_until_busy(processes, seconds=1.0):
    """Waits until each process has used so much time of a core that it runs the loop: on a busy machine starting takes long."""
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.2)
        used = []
        for process in processes:
            with open(f"/proc/{process.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            used.append(int(fields[11]) + int(fields[12]))
        if min(used) >= ticks:
            return


def faults(folder, engine):
    """Processes that die, stop or are late: MPI's launcher ends all processes itself."""
    loop = os.path.join(folder, "loop.mlir")
    with open(loop, "w") as file:
        file.write(LOOP.replace("LIMIT", "2000000000"))

    def start(count, module=loop, **more):
        command = [oracle.TOOL, "run", module, "--random=1"]
        return [subprocess.Popen(command, env={**env, **more}, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for command, env in commands(engine, count, command, folder)]  # fmt: skip

    def finish(case, processes, limit, *texts, victim):
        began = time.monotonic()
        errors = []
        for number, process in enumerate(processes):
            if number == victim:
                continue
            try:
                out, err = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                tally.fail(case, f"process {number} still runs after {limit} s")
                process.kill()
                process.communicate()
                continue
            errors.append(err)
            tally.check(f"{case}: process {number}", process.returncode == 2 and all(t in err for t in texts),
                        f"exit code {process.returncode} after {time.monotonic() - began:.1f} s\n{out}\n{err}")  # fmt: skip
        processes[victim].kill()
        processes[victim].communicate()
        return errors

    for victim in (1, 0):
        processes = start(3)
        wait_until_busy(processes)
        processes[victim].kill()
        case = f"{engine}: kill -9 of process {victim}"
        errors = finish(case, processes, 5, f"process {victim} (", "has gone", "; ", victim=victim)
        # Each says what waited for the process, or that nothing did at that moment.
        tally.check(f"{case}: what waited", all("all_reduce" in error or "the program, which needs it, was not waiting" in error for error in errors),
                    "\n".join(errors))
    processes = start(2, SHARDWRIGHT_PEER_TIMEOUT="2")
    wait_until_busy(processes)
    processes[1].send_signal(signal.SIGSTOP)
    finish(f"{engine}: a stopped process", processes, 10, "process 1 (", victim=1)
    # One that comes late is waited for.
    with open(loop, "w") as file:
        file.write(LOOP.replace("LIMIT", "1000"))
    rendezvous = list(commands(engine, 2, [oracle.TOOL, "run", loop, "--random=1", "--stats=json"], folder))
    first = subprocess.Popen(rendezvous[0][0], env=rendezvous[0][1], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2)
    second = subprocess.Popen(rendezvous[1][0], env=rendezvous[1][1], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for number, process in enumerate((first, second)):
        out, err = process.communicate(timeout=60)
        tally.check(f"{engine}, a late process: {number}", process.returncode == 0 and err == "", f"{process.returncode}\n{err}")
    # One that never comes is named.
    command, env = next(commands(engine, 2, [oracle.TOOL, "run", loop, "--random=1"], folder))
    done = subprocess.run(command, env={**env, "SHARDWRIGHT_START_TIMEOUT": "1"}, capture_output=True, text=True, timeout=60)
    tally.check(f"{engine}: a process that never starts", done.returncode == 2 and "process 1 of 2 has not started within 1 s" in done.stderr,
                done.stderr)  # fmt: skip


class Hosts:
    """Two network namespaces joined by a pair of devices: as two machines that share their disks."""

    def __init__(self):
        self.names = [f"sw{os.getpid()}{end}" for end in "ab"]
        self.addresses = ["10.251.77.1", "10.251.77.2"]

    def ip(self, *words):
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

    def __enter__(self):
        for name in self.names:
            self.ip("netns", "add", name)
        first, second = self.names
        self.ip("link", "add", first, "type", "veth", "peer", "name", second)
        for name, address in zip(self.names, self.addresses):
            self.ip("link", "set", name, "netns", name)
            self.ip("-n", name, "addr", "add", f"{address}/24", "dev", name)
            for device in (name, "lo"):
                self.ip("-n", name, "link", "set", device, "up")
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def two_hosts(folder, engines):
    """The same over a network: each host has half of the processes."""
    try:
        hosts = Hosts().__enter__()
    except (OSError, subprocess.CalledProcessError) as error:
        return tally.skip("two hosts", f"network namespaces are not allowed here: {getattr(error, 'stderr', None) or error}".strip())
    try:
        mlp, data = oracle.example("mlp_train"), oracle.example("mlp_train", "inputs.npz")
        one, many = os.path.join(folder, "one.npz"), os.path.join(folder, "many.npz")
        alone(mlp, data, f"--out={one}")
        for engine in engines:
            count = 4
            command = [oracle.TOOL, "run", mlp, data, f"--out={many}"]
            if os.path.exists(many):
                os.remove(many)
            started = []
            if engine == "mpi" and not oracle.mpirun(count)[1]:
                tally.skip("two hosts over mpi", "written for Open MPI's mpirun")
                continue
            if engine == "mpi":
                agent, hostfile = os.path.join(folder, "agent"), os.path.join(folder, "hosts")
                with open(agent, "w") as file:  # in place of ssh: HOST COMMAND...
                    file.write('#!/bin/bash\ncase "$1" in\n' + "".join(
                        f"{address}) name={name};;\n" for name, address in zip(hosts.names, hosts.addresses)
                    ) + 'esac\nshift\nexec ip netns exec $name bash -c "$*"\n')  # fmt: skip
                os.chmod(agent, 0o755)
                with open(hostfile, "w") as file:
                    file.write("".join(f"{address} slots=2\n" for address in hosts.addresses))
                network = [f"--mca {layer}_if_include 10.251.77.0/24" for layer in ("btl_tcp", "oob_tcp")]
                words = ["ip", "netns", "exec", hosts.names[0], "mpirun", "-n", str(count), "--hostfile", hostfile, "--mca",
                         "plm_rsh_agent", agent, "--mca", "btl", "tcp,self", *" ".join(network).split(), *command]  # fmt: skip
                started.append((words, environment()))
            else:
                for i, (_, env) in enumerate(commands(engine, count, command, folder)):
                    host = i * 2 // count
                    started.append((["ip", "netns", "exec", hosts.names[host], *command],
                                    {**env, "SHARDWRIGHT_HOST_ADDRESS": hosts.addresses[host]}))  # fmt: skip
            processes = [subprocess.Popen(words, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE) for words, env in started]  # fmt: skip
            parts = [(*process.communicate(timeout=LIMIT), process.returncode) for process in processes]
            done = Done([(code, out, err) for out, err, code in parts])
            if tally.check(f"two hosts over {engine}", done.code == 0, str(done)):
                tally.check(f"two hosts over {engine}: bits", contents(one) == contents(many), "other results than one process")
    finally:
        hosts.__exit__()


with tempfile.TemporaryDirectory() as folder:
    usable = available()
    if usable:
        examples(folder, usable)
        reports(folder, usable[0])
        exits(folder, usable[0])
        own_files(folder, usable[0])
        bounded_memory(folder)
        started_by_srun(folder)
        two_hosts(folder, usable)
        for engine in usable:
            if engine != "mpi":
                faults(folder, engine)
        random_programs(folder, usable)
        if args.long:
            benchmark_programs(folder, usable)
tally.finish()
