#===- plugins.py - programs through other PJRT plugins --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright run --plugin`: our own plugin plays another vendor's, as it is (PJRT 0.116) and behind a
table of PJRT 0.70 (test/pjrt_client/lying_plugin.cc). Results equal those of a run without a plugin,
bit for bit; saved executables, options, and errors. With --long also the 88 programs of
benchmarks/collective_bytes."""

import json
import os
import re
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle

args = oracle.arguments(__doc__, cases=1, long_cases=88)

import numpy as np

LIB = os.path.join(oracle.BUILD, "lib")
OWN = os.path.join(LIB, "libshardwright_pjrt.so")
OLDER = os.path.join(LIB, "liblying_plugin.so")
DEVICES = "num_devices=8"

tally = oracle.Tally("plugins")


def run(*flags, env=None, command="run"):
    return oracle.process([oracle.TOOL, command, *flags], env=env)


def through(plugin, *flags, option=DEVICES, **more):
    return run(*flags, f"--plugin={plugin}", f"--plugin-option={option}", **more)


def passes(case, done):
    tally.check(case, done.returncode == 0 and done.stderr == "",
                f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")  # fmt: skip
    return done.returncode == 0


def refused(case, done, *texts):
    """One error, a remedy, exit code 2."""
    tally.check(case, done.returncode == 2 and all(t in done.stderr for t in texts)
                and done.stderr.count("error: ") == 1 and done.stdout == "",
                f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")  # fmt: skip


def same(case, one, other):
    with np.load(one) as a, np.load(other) as b:
        equal = a.files == b.files and all(
            a[n].dtype == b[n].dtype and a[n].tobytes() == b[n].tobytes() for n in a.files
        )
    tally.check(case, equal, "results differ from those of a run without a plugin")


def compare(case, folder, *flags, plugins=(OWN, OLDER)):
    """The same program without a plugin and through plugins."""
    direct = os.path.join(folder, "direct.npz")
    if not passes(f"{case}, no plugin", run(*flags, f"--out={direct}")):
        return
    for plugin in plugins:
        name = f"{case}, {os.path.basename(plugin)}"
        found = os.path.join(folder, "found.npz")
        if passes(name, through(plugin, *flags, f"--out={found}")):
            same(f"{name}: bits", found, direct)


def examples(folder):
    for name in oracle.EXAMPLES:
        flags = (oracle.example(name), oracle.example(name, "inputs.npz"),
                 "--expect", oracle.example(name, "expected.npz"), "--rtol=1e-4")  # fmt: skip
        compare(name, folder, *flags)
    mlp = oracle.example("mlp_train")
    for flags in (["--mesh=data=8,model=1"], ["--mesh=data=1,model=2"], ["--partition-effort=2"], ["--overlap=rings"],
                  ["--overlap=force"]):  # fmt: skip
        compare(f"mlp_train {' '.join(flags)}", folder, mlp, "--random=3", *flags, plugins=(OLDER,))


def saved(folder):
    file = os.path.join(folder, "saved")
    data = (oracle.example("mlp_train", "inputs.npz"), "--expect", oracle.example("mlp_train", "expected.npz"))
    if passes("saved", through(OWN, oracle.example("mlp_train"), *data, f"--save={file}")):
        passes("loaded", through(OWN, file, *data, command="run-saved"))
        refused("loaded without the plugin", run(file, *data, command="run-saved"), "pjrt")
        with open(file, "r+b") as stream:
            stream.seek(-200, os.SEEK_END)
            byte = stream.read(1)
            stream.seek(-1, os.SEEK_CUR)
            stream.write(bytes([byte[0] ^ 1]))
        refused("damaged", through(OWN, file, *data, command="run-saved"), "damaged")


def profiles(folder):
    """--trace: the plugin's own profile, as events and as XSpace."""
    gpt, data = oracle.example("gpt"), oracle.example("gpt", "inputs.npz")
    trace = os.path.join(folder, "t.json")
    for case, plugin, settings in (("own", OWN, ""), ("older", OLDER, ""), ("size first", OLDER, "profiler=query")):
        if not passes(f"profile, {case}", through(plugin, gpt, data, f"--trace={trace}", env={"LYING_PLUGIN": settings})):
            continue
        with open(trace) as file:
            events = json.load(file)["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        tally.equal(f"profile, {case}: devices",
                    [f"/device:CUSTOM:shardwright:{d}" for d in range(8)], sorted(names.values()))  # fmt: skip
        for process in names:
            spans = [e for e in events if e["ph"] == "X" and e["pid"] == process]
            tally.check(f"profile, {case}: operations of {process}",
                        {"stablehlo.dot_general", "stablehlo.all_reduce"} <= {e["name"] for e in spans}
                        and all(e["ts"] >= 0 and e["dur"] >= 0 for e in spans), spans)  # fmt: skip
        space = f"{trace}.profile/plugins/profile/run/host.xplane.pb"
        with open(space, "rb") as file:
            tally.check(f"profile, {case}: XSpace", b"/device:CUSTOM:shardwright:7" in file.read())
    for setting, text in (("none", "no profiler"), ("create", "PLUGIN_Profiler_Create"), ("null-start", "PLUGIN_Profiler_Start"),
                          ("stop", "PLUGIN_Profiler_Stop"), ("collect_data", "PLUGIN_Profiler_CollectData"),
                          ("noise", "not a tensorflow.profiler.XSpace"), ("huge", "bytes")):  # fmt: skip
        refused(f"profiler={setting}",
                through(OLDER, oracle.example("double"), "--random=1", f"--trace={trace}",
                        env={"LYING_PLUGIN": f"profiler={setting}"}), "--trace: ", text)  # fmt: skip
    refused("profile in no directory",
            through(OWN, oracle.example("double"), "--random=1", f"--trace={folder}/no/t.json"), "cannot write")  # fmt: skip


LAYOUTS = """
module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x6xf32> {ARG sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %b: tensor<4x6xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
      -> (tensor<4x6xf32> {RESULT sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<6x4xf32> {OTHER}) {
    %0 = stablehlo.add %a, %b : tensor<4x6xf32>
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    return %0, %1 : tensor<4x6xf32>, tensor<6x4xf32>
  }
}
"""


def placements(folder):
    """Layouts and memories that a program asks for, with plugins that have them and that do not."""

    def module(arg="", result="", other=""):
        path = os.path.join(folder, "layouts.mlir")
        with open(path, "w") as file:
            file.write(LAYOUTS.replace("ARG", f"{arg}," if arg else "").replace("RESULT", f"{result}," if result else "")
                       .replace("OTHER", other))  # fmt: skip
        return path

    def layout(text):
        return f'mhlo.layout_mode = "{text}"'

    def memory(text):
        return f'mhlo.memory_kind = "{text}"'

    def runs(case, path, settings):
        direct, found = os.path.join(folder, "direct.npz"), os.path.join(folder, "found.npz")
        if passes(f"{case}, no plugin", run(path, "--random=5", f"--out={direct}")) and passes(
            f"{case}, {settings}",
            through(OLDER, path, "--random=5", f"--out={found}", option="num_devices=2", env={"LYING_PLUGIN": settings}),
        ):
            same(f"{case}, {settings}: bits", found, direct)

    def fails(case, path, settings, *texts):
        refused(f"{case}, {settings}", through(OLDER, path, "--random=5", option="num_devices=2",
                                               env={"LYING_PLUGIN": settings}), *texts)  # fmt: skip

    both = layout("{0,1}") + ", " + memory("pinned_host")
    for settings in ("layouts=strict", "layouts=tiled", "minor=116,size=1144,layouts=tiled"):
        runs("no layouts", module(), settings)
        runs("default", module(layout("default"), layout("default"), layout("default")), settings)
        runs("auto", module(layout("auto"), layout("auto"), layout("auto")), settings)
        runs("argument", module(layout("{0,1}")), settings)
        runs("results", module("", layout("{0,1}"), layout("{0,1}")), settings)
        runs("all", module(both, both, both), settings)
        runs("memories", module(memory("pinned_host"), memory("unpinned_host"), memory("device")), settings)
    for settings in ("layouts=none", "layouts=ignored"):
        runs("default", module(layout("default"), "", layout("default")), settings)
        fails("argument", module(layout("{0,1}")), settings, "layout {0,1} of argument 0", "mhlo.layout_mode")
        fails("result", module("", "", layout("{0,1}")), settings, "layout {0,1} of result 1", "mhlo.layout_mode")
    fails("auto", module("", layout("auto")), "layouts=none", "layout auto of result 0", "mhlo.layout_mode")
    for text in ("{0,0}", "{0}", "{0,1", "{0,2}", "column-major", "{0,1:T}", "{0,1:T(8,128}", "{0,1:X(1)}"):
        fails(f"wrong layout {text}", module(layout(text)), "", "is no layout of an array of rank 2")
    no_memories = "null=PJRT_Device_AddressableMemories"
    runs("no memories", module(), no_memories)
    fails("argument", module(memory("pinned_host")), no_memories, "argument 0 in memory of kind pinned_host", "does not have")
    fails("result", module("", memory("pinned_host")), no_memories, "result 0 in memory of kind pinned_host", "does not have")
    fails("result", module("", memory("pinned_host")), "null=PJRT_Executable_OutputMemoryKinds", "PJRT_Executable_OutputMemoryKinds")
    saved_file = os.path.join(folder, "saved")
    asked = module(both, layout("{0,1}"), both)
    settings = {"LYING_PLUGIN": "layouts=tiled"}
    if passes("save layouts", through(OLDER, asked, "--random=5", f"--save={saved_file}", f"--out={folder}/direct.npz",
                                      option="num_devices=2", env=settings)):  # fmt: skip
        if passes("load layouts", through(OLDER, saved_file, "--random=5", f"--out={folder}/found.npz",
                                          option="num_devices=2", env=settings, command="run-saved")):  # fmt: skip
            same("saved layouts: bits", f"{folder}/found.npz", f"{folder}/direct.npz")


def hangs(folder):
    """--plugin-timeout: events that are never set, and calls that do not return, end the command."""
    double = oracle.example("double")
    passes("no hang", through(OLDER, double, "--random=1", "--plugin-timeout=60"))
    found = {"events": set(), "calls": set()}
    for kind, what in (("hang", "events"), ("stuck", "calls")):
        for number in range(1, 400, 5 if kind == "hang" else 40):
            done = through(OLDER, double, "--random=1", "--plugin-timeout=0.4", env={"LYING_PLUGIN": f"{kind}={number}"})
            if done.returncode == 0:
                continue
            refused(f"{kind}={number}", done, "has not ended after 0.", "PJRT_")
            found[what].update(re.findall(r"PJRT_\w+", done.stderr))
    tally.check("some were waited for", "PJRT_Buffer_ToHostBuffer" in found["events"] and len(found["calls"]) > 3, found)
    refused("no number", through(OWN, double, "--random=1", "--plugin-timeout=soon"), "--plugin-timeout")


def measures(folder):
    """`shardwright measure` with a plugin: a machine that `run --machine` reads, and errors of every kind."""
    machine = os.path.join(folder, "machine.json")
    flags = ("--seconds=0.002", "-o", machine)

    def measure(plugin, *more, option="num_devices=2", **settings):
        return through(plugin, *flags, *more, option=option, command="measure", **settings)

    if passes("measure", measure(OWN)):
        with open(machine) as file:
            made = json.load(file)
        tally.check("measured", made["flops_per_second"]["f32"] > 0 and made["link"]["bytes_per_second"] > 0, made)
        passes("measured machine", through(OWN, oracle.example("double"), "--random=1", f"--machine={machine}"))
    for case, more in (("devices", "--devices=3"), ("mesh", "--mesh=a=2,b=2")):
        refused(f"measure: too many {case}", measure(OWN, more), "devices, but", "has 2", "--devices or --mesh")
    refused("measure: no plugin", measure("/no/such/plugin.so"), "cannot load the plugin")
    refused("measure: option", measure(OWN, option="bogus=1"), "INVALID_ARGUMENT")
    refused("measure: no compiler", measure(OLDER, env={"LYING_PLUGIN": "null=PJRT_Client_Compile"}),
            "does not have PJRT_Client_Compile", "docs/plugins.md")  # fmt: skip
    refused("measure: no runs", measure(OLDER, env={"LYING_PLUGIN": "null=PJRT_LoadedExecutable_Execute"}),
            "does not have PJRT_LoadedExecutable_Execute", "docs/plugins.md")  # fmt: skip
    refused("measure: hangs", measure(OLDER, "--plugin-timeout=1", env={"LYING_PLUGIN": "stuck=200"}), "has not ended after")
    refused("measure: no file",
            through(OWN, "--seconds=0.002", "-o", f"{folder}/no/machine.json", option="num_devices=2", command="measure"),
            "cannot write")  # fmt: skip


def errors(folder):
    double = oracle.example("double")
    refused("no file", through("/no/such/plugin.so", double, "--random=1"), "cannot load the plugin /no/such/plugin.so")
    refused("not a plugin", through("libm.so.6", double, "--random=1"), "does not export GetPjrtApi")
    refused("too few devices", through(OWN, double, "--random=1", option="num_devices=4"),
            "runs on 8 devices", "has 4")  # fmt: skip
    refused("unknown option", through(OWN, double, "--random=1", option="bogus=1"), "INVALID_ARGUMENT", "bogus")
    refused("wrong option", through(OWN, double, "--random=1", option="bogus"), "expected name=value")
    refused("option without a plugin", run(double, "--random=1", "--plugin-option=a=1"), "without a plugin")
    for settings, text in (("minor=40", "expected 0.54 or later"), ("size=100", "does not have"),
                           ("null=PJRT_Client_Compile", "does not have PJRT_Client_Compile"),
                           ("fail=30", "PJRT_")):  # fmt: skip
        refused(f"LYING_PLUGIN={settings}",
                through(OLDER, double, "--random=1", env={"LYING_PLUGIN": settings}), text)  # fmt: skip


def benchmark_programs(folder):
    """The programs of benchmarks/collective_bytes."""
    sys.path[:0] = [os.path.join(ROOT, "benchmarks", "collective_bytes"), os.path.join(ROOT, "benchmarks")]
    import run as listing

    lists = [listing.programs(), listing.later_programs(listing.suite.SECOND),
             listing.later_programs(listing.suite.THIRD)]  # fmt: skip
    for programs in lists:
        for name, make in programs:
            program = make()
            compare(name, folder, program.module, program.inputs, "--expect", program.outputs,
                    "--rtol=5e-4", plugins=(OLDER,))  # fmt: skip


with tempfile.TemporaryDirectory() as folder:
    examples(folder)
    saved(folder)
    profiles(folder)
    placements(folder)
    hangs(folder)
    measures(folder)
    errors(folder)
    if args.long:
        benchmark_programs(folder)
tally.finish()
