#===- python_api.py - shardwright.partition and shardwright.explain ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""shardwright.partition and shardwright.explain: texts of the stages, statistics, reasons; for jitted
functions with concrete and abstract meshes, lowered and exported programs, on our platform and on
the CPU alone."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
os.environ.setdefault("JAX_PLATFORMS", "shardwright")
os.environ.setdefault("SHARDWRIGHT_NUM_DEVICES", "8")

import oracle

import jax
import jax.numpy as jnp
import numpy as np
import shardwright
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P


def raises(kind, text, function):
    try:
        function()
    except kind as error:
        return text in str(error)
    return False


def abstract(sizes, names):
    return AbstractMesh(sizes, names, axis_types=(AxisType.Auto,) * len(sizes))


def layer(x, w, v):
    return jax.nn.relu(x @ w) @ v


SHAPES = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((64, 32), (32, 128), (128, 32))]


def megatron(mesh):
    """Activations sharded by rows, weights by columns and rows: one all_reduce."""
    named = lambda *spec: NamedSharding(mesh, P(*spec))
    return jax.jit(layer, in_shardings=(named("data"), named(None, "model"), named("model")))


def libraries(tally):
    """Frames of libraries are passed over; the setting of one call is not that of the next."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "somelibrary.py")
        with open(path, "w") as file:
            file.write("def product(x, w):\n    return x @ w\n")
        sys.path.insert(0, folder)
        import somelibrary

        mesh = abstract((4, 8), ("data", "model"))
        named = lambda *spec: NamedSharding(mesh, P(*spec))
        f = jax.jit(lambda x, w: somelibrary.product(x, w), in_shardings=(named(None, "data"), named("data")))
        places = lambda **options: str(shardwright.partition(f, *SHAPES[:2], full=True, memory=False, **options))
        tally.check("libraries: the innermost frame", "somelibrary.py:2" in places(), places())
        for paths in ("somelibrary.py", ["flax/linen", folder]):
            tally.check(f"libraries: {type(paths)}", "python_api.py:" in places(library_paths=paths), places(library_paths=paths))
        tally.check("libraries: another call", "somelibrary.py:2" in places())
        reasons = shardwright.explain(f, *SHAPES[:2], collectives=True, library_paths="somelibrary.py")
        tally.check("libraries: explain", "python_api.py:" in str(reasons) and "somelibrary.py" not in str(reasons), str(reasons))
        report = shardwright.report(f, *SHAPES[:2], trials=0, library_paths="somelibrary.py")
        first = [report.document["user_frame"][i] for i in report.document["ops"]["stack"] if i >= 0]
        tally.check("libraries: report", any(frame > 0 for frame in first), first)


def full_text(tally):
    """Rows of one kind are one row, unless all are wanted."""
    mesh = abstract((4,), ("data",))

    def layers(x, ws):
        for w in ws:
            x = jnp.tanh(x @ w)
        return x

    f = jax.jit(layers, in_shardings=(NamedSharding(mesh, P("data")), NamedSharding(mesh, P())))
    args = jax.ShapeDtypeStruct((64, 64), jnp.float32), [jax.ShapeDtypeStruct((64, 64), jnp.float32)] * 12
    short, full = (str(shardwright.partition(f, *args, memory=False, full=full)) for full in (False, True))
    tally.check("full: more rows", len(full.splitlines()) > len(short.splitlines()) + 8, short)


def reports(tally):
    mesh = abstract((4, 8), ("data", "model"))
    report = shardwright.report(megatron(mesh), *SHAPES, trials=4)
    expected = shardwright.partition(megatron(mesh), *SHAPES, memory=False).statistics
    same = [key for key in report.statistics if report.statistics[key] != expected[key]]
    tally.check("report: statistics", not same, f"{same} differ")
    compiled = shardwright.report(megatron(mesh), *SHAPES, trials=0, memory=True)
    peak = shardwright.partition(megatron(mesh), *SHAPES).peak_bytes
    tally.check("report: memory", compiled.statistics["peak_bytes_per_device"] == peak)
    values = report.document["values"]
    sources = [report.document["strings"][s] for s in values["source"]]
    tally.check("report: names of arguments", {"x", "w", "v"} <= set(sources), sources)
    shown = report._repr_html_()
    tally.check("report: notebook", shown.startswith('<iframe srcdoc="&lt;!') and shown.count("<") == 2, shown[:200])
    with tempfile.TemporaryDirectory() as folder:
        for name, start in (("r.html", "<!"), ("r.json", "{")):
            path = os.path.join(folder, name)
            report.save(path)
            with open(path, encoding="utf-8") as file:
                tally.check(f"report: {name}", file.read().lstrip().startswith(start))
    tally.check("report: bad trials", raises(ValueError, "trials is -1", lambda: shardwright.report(megatron(mesh), *SHAPES, trials=-1)))
    tally.check("report: repr", "32 devices" in repr(report), repr(report))


def partitions(tally):
    mesh = abstract((4, 8), ("data", "model"))  # a mesh of 32 devices, which do not exist
    result = shardwright.partition(megatron(mesh), *SHAPES)
    tally.check("devices of an abstract mesh", result.devices == 32, result.devices)
    tally.check("collectives", {k: v["count"] for k, v in result.collectives.items()} == {"all_reduce": 1}, result.collectives)
    sent = 2 * 7 / 8 * 16 * 32 * 4  # 2(n-1)/n of a shard
    tally.check("bytes sent", result.bytes_sent == sent, (result.bytes_sent, sent))
    shards = 4 * (16 * 32 + 32 * 16 + 16 * 32 + 16 * 32)
    tally.check("peak holds arguments and results", result.peak_bytes >= shards, (result.peak_bytes, shards))
    tally.check("a step is predicted", result.predicted_seconds > 0, result.predicted_seconds)
    tally.check("all stages", set(result.stages) == {"import", "propagate", "reshard", "local"}, result.stages.keys())
    tally.check("stages differ", "sdy.all_reduce" in result.stages["reshard"] and "stablehlo.all_reduce" in result.text, result.text)
    tally.check("shards", result.arguments[1]["local"] == "32x16xf32" and result.results[0]["sharding"] == '[{"data"}, {}]', (result.arguments, result.results))
    tally.check("report", "all_reduce" in str(result) and "1 all_reduce" in repr(result), str(result))

    held = [value["value"] for value in result.statistics["predicted_peak"]["largest"]]
    explained = shardwright.explain(megatron(mesh), *SHAPES, collectives=True).data["predicted_peak"]["largest"]
    text = str(shardwright.partition(megatron(mesh), *SHAPES, memory=False))
    tally.check("names at the peak", any(name.startswith("%") for name in held) and all(name in text for name in held), (held, text))
    tally.equal("names at the peak: as explain says", [value["value"] for value in explained], held)

    less = shardwright.partition(megatron(mesh), *SHAPES, stages="local", memory=False)
    tally.check("only what was asked for", set(less.stages) == {"local"} and less.peak_bytes is None, less.stages.keys())
    located = shardwright.partition(megatron(mesh), *SHAPES, stages=["local"], locations=True)
    tally.check("locations", "python_api.py" in located.text and "sw.value" not in located.text, located.text)

    # The same program in other forms.
    traced = megatron(mesh).trace(*SHAPES).lower(lowering_platforms=("cpu",))
    for name, program, args in (
        ("lowered", traced, ()),
        ("text", traced.as_text(), ()),
        ("exported", jax.export.export(megatron(mesh), platforms=["cpu"])(*SHAPES), ()),
        ("arrays", megatron(mesh), [np.zeros(s.shape, s.dtype) for s in SHAPES]),
    ):
        same = shardwright.partition(program, *args, memory=False)
        tally.check(f"{name}: the same", same.bytes_sent == sent and same.devices == 32, repr(same))

    specs = jax.jit(layer, in_shardings=(P("data"), P(None, "model"), P("model")))
    same = shardwright.partition(specs, *SHAPES, mesh=mesh)
    tally.check("specs on an abstract mesh", same.bytes_sent == sent, repr(same))
    constrained = jax.jit(lambda x, w, v: layer(jax.lax.with_sharding_constraint(x, P("data")), w, v))
    tally.check("constraints on an abstract mesh", shardwright.partition(constrained, *SHAPES, mesh=mesh).devices == 32, "")
    sums = jax.jit(jax.shard_map(lambda t: jax.lax.psum(t, "data"), mesh=mesh, in_specs=P("data", "model"), out_specs=P(None, "model")))
    manual = shardwright.partition(sums, SHAPES[0])
    tally.check("shard_map", manual.devices == 32 and list(manual.collectives) == ["all_reduce"], repr(manual))
    plain = shardwright.partition(lambda x: jnp.sin(x) + 1, jnp.ones(4))
    tally.check("one device", plain.devices == 1 and plain.collectives == {}, repr(plain))
    called = shardwright.partition(jax.jit(lambda x, scale: x * scale), jnp.ones(4), scale=2.0)
    tally.check("keyword arguments", len(called.arguments) == 2, called.arguments)


def concrete(tally):
    """With the devices of the current platform, as jit itself would run it."""
    n = len(jax.devices())
    mesh = jax.make_mesh((n,), ("data",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.ones((2 * n, 4), np.float32), NamedSharding(mesh, P("data")))
    total = jax.jit(lambda x: x.sum(0))
    result = shardwright.partition(total, x)
    tally.check("arrays on devices", result.devices == n, repr(result))
    told = shardwright.partition(jax.jit(lambda x: x.sum(0), in_shardings=P("data")), x, mesh=mesh)
    tally.check("specs on a mesh", told.devices == n, repr(told))
    ordered = jax.jit(lambda x: jax.debug.callback(print, x.sum(), ordered=True))
    tally.check("ordered effects", shardwright.partition(ordered, np.ones(4)).devices == 1, "")


def machine_and_effort(tally):
    mesh = abstract((4, 8), ("data", "model"))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write('{"name": "slow", "link": {"bytes_per_second": 1e6, "latency_seconds": 1e-3}}')
        file.flush()
        try:
            slow = shardwright.partition(megatron(mesh), *SHAPES, machine=file.name)
            fast = shardwright.partition(megatron(mesh), *SHAPES)
            tally.check("a slow machine", slow.predicted_seconds > fast.predicted_seconds, slow.predicted_seconds)
        except ValueError as error:
            tally.fail("a machine of the user's", str(error))
    ask = lambda **options: lambda: shardwright.partition(megatron(mesh), *SHAPES, **options)
    tally.check("no such effort", raises(ValueError, "effort is 7, expected 0, 1, 2 or 3", ask(effort=7)), "")
    tally.check("no such machine", raises(ValueError, "machine: ", ask(machine="nowhere.json")), "")
    tally.check("no such overlap", raises(ValueError, "expected off, rings or on", ask(overlap="maybe")), "")
    tally.check("no such stage", raises(ValueError, "there is no stage 'end'", ask(stages="end")), "")


def errors(tally):
    partition = shardwright.partition
    tally.check("nothing to lower", raises(TypeError, "cannot lower a int", lambda: partition(3)), "")
    tally.check("bad text", raises(ValueError, "program:1:1: ", lambda: partition("no module")), "")
    tally.check("bad mesh", raises(TypeError, "expected a jax.sharding.Mesh", lambda: partition(jax.jit(layer), *SHAPES, mesh="x")), "")
    lowered = jax.jit(layer).lower(*SHAPES)
    tally.check("a compiled program", raises(TypeError, "pass the jitted function", lambda: partition(lowered.compile())), "")
    tally.check("arguments twice", raises(TypeError, "has its arguments already", lambda: partition(lowered, *SHAPES)), "")
    dynamic = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"
    tally.check("a dynamic program", raises(ValueError, "", lambda: partition(dynamic)), "")
    tally.check("unknown name", raises(AttributeError, "no attribute 'nothing'", lambda: shardwright.nothing), "")


def reasons(tally):
    mesh = abstract((4, 8), ("data", "model"))
    explain = lambda **options: shardwright.explain(megatron(mesh), *SHAPES, **options)
    overview = explain()
    tally.check("overview", '{"data"}' in str(overview) and len(overview.values) == 4, str(overview))
    result = explain(result=0)
    tally.check("a result", "annotated" in result.text and result.values[0]["sharding"] == '[{"data"}, {}]', result.text)
    tally.check("an argument by name", explain(argument="w").text == explain(argument=1).text == explain(value="w").text, explain(argument="w").text)
    several = explain(argument=[0, "v"])
    tally.check("several", len(several.values) == 2, several.data)
    line = layer.__code__.co_firstlineno + 1
    tally.check("a line", len(explain(line=f"python_api.py:{line}").values) >= 2, explain(line=line).text)
    found = explain(collectives=True)
    tally.check("collectives", len(found.collectives) == 1 and "all_reduce" in found.text, found.text)
    tally.check("no such argument", raises(ValueError, "the program has no argument 'q'", lambda: explain(argument="q")), "")
    tally.check("no such line", raises(ValueError, "line: nothing in the program comes from line 99999", lambda: explain(line=99999)), "")
    tally.check("two questions", raises(ValueError, "expected no value beside it", lambda: explain(value="w", collectives=True)), "")


def client_partitioned(tally):
    """The function that partitions a call is called, whichever partitioner propagates; so the bytes
    that it sends are known."""
    from jax.experimental.custom_partitioning import custom_partitioning

    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    on = lambda *spec: NamedSharding(mesh, P(*spec))
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((64, 32), (32, 16))]

    def partition(mesh, args, result):
        return mesh, lambda a, b: jax.lax.psum(a @ b, "y"), on("x"), (on("x", "y"), on("y"))

    for shardy in (True, False):
        product = custom_partitioning(lambda a, b: a @ b)
        if shardy:
            product.def_partition(partition, sharding_rule="i j, j k -> i k", reduction_factors=("j",))
        else:
            product.def_partition(partition, infer_sharding_from_operands=lambda mesh, args, result: on("x"))
        jax.config.update("jax_use_shardy_partitioner", shardy)
        f = jax.jit(lambda a, b: jnp.tanh(product(a, b)), in_shardings=(on("x", "y"), on("y")))
        found = shardwright.partition(f, *shapes)
        way = "with Shardy" if shardy else "without"
        tally.check(f"partitioned by the client {way}", found.bytes_sent == 16 * 16 * 4 and "all_reduce" in found.collectives, repr(found))
        tally.check(f"its result {way}", found.results[0]["local"] == "16x16xf32", found.results)
        why = shardwright.explain(f, *shapes, collectives=True)
        tally.check(f"its collective {way}", len(why.collectives) == 1 and "all_reduce" in str(why), str(why))
    jax.config.update("jax_use_shardy_partitioner", True)


def without_our_platform(tally):
    """With JAX's CPU platform alone: our devices are not created."""
    program = (
        "import jax, shardwright, jax.numpy as jnp\n"
        "from jax.sharding import *\n"
        "mesh = AbstractMesh((16,), ('x',), axis_types=(AxisType.Auto,))\n"
        "f = jax.jit(lambda a: (a @ a.T).sum(), in_shardings=NamedSharding(mesh, PartitionSpec('x')))\n"
        "p = shardwright.partition(f, jax.ShapeDtypeStruct((64, 64), jnp.float32))\n"
        "assert jax.default_backend() == 'cpu'\n"
        "g = jax.jit(lambda a: a.sum(), in_shardings=PartitionSpec('x'))\n"
        "q = shardwright.partition(g, jax.ShapeDtypeStruct((64, 64), jnp.float32), mesh=mesh)\n"
        "print(p.devices, q.devices, sorted(q.collectives))\n"
    )
    env = dict(os.environ, JAX_PLATFORMS="cpu", PYTHONPATH=os.path.join(ROOT, "python"))
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=300)
    tally.check("on the CPU's JAX", done.stdout == "16 16 ['all_reduce']\n", done.stdout + done.stderr)


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("jax/python_api")
    for part in (partitions, reports, libraries, full_text, concrete, machine_and_effort, errors, reasons, client_partitioned, without_our_platform):
        part(tally)
    tally.finish()


if __name__ == "__main__":
    main()
