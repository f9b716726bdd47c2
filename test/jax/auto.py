#===- auto.py - shardings that are found, from JAX ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""shardwright.auto: PartitionSpecs as pytrees, jitted functions that use them and give the results of one device, meshes that
are given, abstract or chosen, fixed shardings, wrong requests; and `shardwright_auto` among the compiler_options of
jax.jit."""

import functools
import os
import sys

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


@functools.partial(jax.jit, donate_argnums=0)
def train_step(params, x, y, unused):
    def loss(p):
        return jnp.mean((jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] - y) ** 2)

    value, gradients = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value


#: Arithmetic is slow, so that sharding saves time on small programs.
SLOW = os.path.join(HERE, "slow_machine.json")


def values():
    rng = np.random.default_rng(0)
    make = lambda *shape: jnp.asarray(rng.normal(size=shape) / 16, jnp.float32)  # noqa: E731
    return {"w1": make(64, 256), "b1": make(256), "w2": make(256, 64)}, make(32, 64), make(32, 64), 3.0


def raises(kind, text, function):
    try:
        function()
    except kind as error:
        return text in str(error)
    return False


def close(found, expected):
    return all(np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True))


def shardings(tally):
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    expected = train_step(*values())
    found = shardwright.auto(train_step, *values(), mesh=mesh, memory="1GiB")
    params, *others = found.in_specs
    tally.check("in_specs are like the arguments", set(params) == {"w1", "b1", "w2"} and len(others) == 3, found.in_specs)
    new, value = found.out_specs
    tally.check("state keeps its layout", all(new[k] == params[k] for k in params), (new, params))
    pasted = jax.jit(train_step.__wrapped__, in_shardings=found.in_shardings, out_shardings=found.out_shardings)
    tally.check("in_shardings and out_shardings are pasted", close(pasted(*values()), expected), found.in_shardings)
    step = found.jit()
    arguments = values()
    results = step(*arguments)
    tally.check("results of the jitted function", close(results, expected), results)
    tally.check("donation is kept", arguments[0]["w1"].is_deleted(), arguments[0]["w1"].sharding)
    shardings = {k: v.sharding for k, v in results[0].items()}
    same = all(shardings[k].is_equivalent_to(NamedSharding(mesh, params[k]), results[0][k].ndim) for k in params)
    tally.check("results have the shardings", same, shardings)
    again = step(results[0], *arguments[1:])
    tally.check("a second step takes the first one's results", close(again, train_step(*train_step(*values())[:1], *values()[1:])), again)
    tally.check("str is the report", "partitionings tried" in str(found) and "params['w1']" in str(found), str(found))
    tally.check("explain", "of type 64x256xf32" in found.explain("params['w1']"), found.explain("params['w1']"))
    tally.check("explain the end of a name", found.explain("['w1']") == found.explain("params['w1']"), found.explain("['w1']"))
    tally.check("explain an ambiguous end", raises(ValueError, "several things are called", lambda: found.explain("']")), "")
    tally.check("explain an unknown name", raises(ValueError, "nothing is called 'w9'", lambda: found.explain("w9")), "")
    tally.check("figures", found.predicted_seconds > 0 and found.peak_bytes > 0 and found.fits, found.data["found"])
    best = min(c["step_seconds"] for c in found.compared if c["fits"])
    tally.check("not above what needs no search", found.predicted_seconds <= best, found.compared)


def meshes(tally):
    abstract = AbstractMesh((16, 8), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    found = shardwright.auto(train_step, *values(), mesh=abstract, effort=0)
    tally.check("an abstract mesh of 128 devices", found.mesh == abstract, found.mesh)
    found = shardwright.auto(train_step, *values(), devices=8, effort=0)
    tally.check("a mesh that is chosen", int(np.prod(found.mesh.axis_sizes)) == 8, found.mesh)
    tally.check("its function", close(found.jit()(*values()), train_step(*values())), found.mesh)
    plain = lambda x: jnp.sin(x) @ x  # noqa: E731
    shape = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    found = shardwright.auto(plain, shape, mesh=abstract, fixed={"x": P("data", None)})
    tally.check("fixed", found.in_specs == (P("data", None),), found.in_specs)
    lowered = jax.jit(plain).lower(shape)
    found = shardwright.auto(lowered, devices=4, effort=0)
    tally.check("a Lowered", len(found.in_specs) == 1, found.in_specs)
    tally.check("a Lowered has no function", raises(TypeError, "only a function", found.jit), "")
    found = shardwright.auto(lowered.as_text(), devices=4, effort=0)
    tally.check("a text", found.specs and raises(TypeError, "no pytree", lambda: found.in_specs), found.specs)

    def constrained(x):
        return jax.lax.with_sharding_constraint(jnp.sin(x), P("data", None)) @ x

    found = shardwright.auto(constrained, shape, mesh=jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,)), inside=True)
    tally.check("a constraint that names the mesh's axes", found.fits and found.compared[0]["name"], found.compared)


def mistakes(tally):
    mesh = jax.make_mesh((8,), ("x",))
    wrong = [
        ("both a mesh and devices", TypeError, "either mesh or devices", dict(mesh=mesh, devices=8)),
        ("neither", ValueError, "no mesh", dict()),
        ("no mesh", TypeError, "expected a jax.sharding.Mesh", dict(mesh=(8,))),
        ("memory", ValueError, "expected a number of bytes", dict(mesh=mesh, memory="much")),
        ("a fixed name", ValueError, "no argument 'w9'", dict(mesh=mesh, fixed={"w9": P("x")})),
        ("a fixed axis", ValueError, "z", dict(mesh=mesh, fixed={"x": P("z")})),
    ]
    for name, kind, text, options in wrong:
        ask = lambda options=options: shardwright.auto(train_step, *values(), **options)  # noqa: E731
        tally.check(f"mistake: {name}", raises(kind, text, ask), options)
    found = shardwright.auto(train_step, *values(), mesh=mesh, memory=1000)
    tally.check("nothing fits", not found.fits and "does not fit" in str(found), str(found))


def compiler_options(tally):
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    auto = {"shardwright_auto": True, "shardwright_memory": "1GiB", "shardwright_auto_mesh": "data=4,model=2"}
    w1, w2, x = (np.asarray(v) for v in (values()[0]["w1"], values()[0]["w2"], values()[1]))
    function = lambda x, w1, w2: jnp.tanh(x @ w1) @ w2  # noqa: E731
    expected = function(x, w1, w2)
    with jax.set_mesh(mesh):
        compiled = jax.jit(function, compiler_options=auto).lower(x, w1, w2).compile()
        tally.check("jit: shardings are chosen", not all(s.is_fully_replicated for s in compiled.input_shardings[0]), compiled.input_shardings)
        tally.check("jit: results", close(compiled(x, w1, w2), expected), compiled.input_shardings)
        tally.check("jit: a call", close(jax.jit(function, compiler_options=auto)(x, w1, w2), expected), "")
        few = {**auto, "shardwright_memory": "1KiB"}
        refused = lambda options: lambda: jax.jit(function, compiler_options=options).lower(x, w1, w2).compile()  # noqa: E731
        tally.check("jit: nothing fits", raises(Exception, "no shardings fit", refused(few)), few)
        for name, value in (("shardwright_memory", "much"), ("shardwright_auto_mesh", "x8"), ("shardwright_auto_effort", "9"), ("shardwright_machine", "/none")):
            tally.check(f"jit: a wrong {name}", raises(Exception, name, refused({**auto, name: value})), value)
    given = jax.jit(function, in_shardings=(NamedSharding(mesh, P("data")), None, None), compiler_options=auto)
    compiled = given.lower(x, w1, w2).compile()
    first = compiled.input_shardings[0][0]
    tally.check("jit: given shardings stay", first.is_equivalent_to(NamedSharding(mesh, P("data")), 2), first)


def inside(tally):
    """Constraints of inner values: found, listed, and put into the function."""
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

    def masked(w, v, xs):
        # Nothing of what the products of w and v are made from is sharded by the fixed arguments.
        w = w @ v

        def body(carry, x):
            carry = jnp.tanh(carry @ (w @ v)) + x
            return carry, carry.sum()

        return jax.lax.scan(body, v, xs)

    make = lambda *shape: jnp.asarray(np.random.default_rng(1).normal(size=shape) / 16, jnp.float32)  # noqa: E731
    arguments = make(64, 64), make(64, 64), make(3, 64, 64)
    machine = os.path.join(HERE, "..", "..", "examples", "machines", "accelerator.json")
    fixed = {name: P() for name in ("w", "v", "xs")}
    slow = dict(machine=SLOW, mesh=mesh, fixed=fixed)
    found = shardwright.auto(masked, *arguments, inside=True, **slow)
    outside = shardwright.auto(masked, *arguments, **slow)
    tally.check("inside: faster than arguments alone", found.predicted_seconds < outside.predicted_seconds, (found.text, outside.text))
    tally.check("inside: constraints", found.constraints and not outside.constraints, found.text)
    tally.check("inside: no names of ours in the report", "swauto" not in str(found), str(found))
    for where, spec, text in found.constraints:
        tally.check("inside: where, spec and text", where.rsplit(":")[0].endswith("auto.py") and isinstance(spec, P) and "jax.lax.with_sharding_constraint(" in text, (where, spec, text))
    step = found.jit()
    tally.check("inside: results", close(step(*arguments), masked(*arguments)), found.constraints)
    lowered = step.lower(*arguments)
    count = lowered.as_text().count("sdy.sharding_constraint")
    tally.check("inside: the function has constraints", 0 < count <= len(found.constraints), (count, found.constraints))
    again = shardwright.partition(lowered, machine=SLOW).predicted_seconds
    tally.check("inside: the function's predicted step", again < outside.predicted_seconds, (again, found.predicted_seconds, outside.predicted_seconds))
    tally.check("a machine file of the examples", shardwright.auto(masked, *arguments, mesh=mesh, machine=machine, effort=0).fits, "")


@functools.partial(jax.jit, static_argnums=1, static_argnames="mode", donate_argnums=0)
def with_options(state, times, x, *, mode="sum", scale=1.0):
    for _ in range(times):
        state = jnp.tanh(state @ x)
    return state * scale if mode == "scale" else state


def functions(tally):
    """Static, donated and keyword arguments stay what they are."""
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    values = lambda: (jnp.full((64, 64), 0.1), 2, jnp.full((64, 64), 0.2))  # noqa: E731
    for inside in (False, True):
        for keywords in ({}, {"mode": "scale", "scale": 3.0}):
            name = f"functions: {sorted(keywords)}, inside {inside}"
            found = shardwright.auto(with_options, *values(), mesh=mesh, inside=inside, **keywords)
            step = found.jit()
            arguments = values()
            # JAX donates arguments that are where the function wants them.
            state = jax.device_put(arguments[0], NamedSharding(found.mesh, found._in()[0][0]))
            arguments = state, *arguments[1:]
            tally.check(name, close(step(*arguments, **keywords), with_options(*values(), **keywords)), found.text)
            tally.check(f"{name}: donation", arguments[0].is_deleted() and not arguments[2].is_deleted(), "")
            other = (values()[0], 3, values()[2])
            expected = with_options(values()[0], *other[1:], **keywords)
            tally.check(f"{name}: another static argument", close(step(*other, **keywords), expected), "")
    found = shardwright.auto(with_options, *values(), mesh=mesh, scale=2.0)
    tally.check("functions: other keywords", raises(TypeError, "keyword arguments", lambda: found.jit()(*values())), "")


def one_device(found):
    """The step of the program that is replicated."""
    return next(c["step_seconds"] for c in found.compared if c["name"] == "replicated")


def custom_partitionings(tally):
    """Trials partition calls of custom partitionings as compilation does: with their Python functions."""
    from jax.experimental.custom_partitioning import custom_partitioning

    calls = []

    @custom_partitioning
    def scaled(x, w):
        return jnp.tanh(x @ w)

    def partition(mesh, argument_shapes, result_shape):
        calls.append(1)
        shardings = tuple(s.sharding for s in argument_shapes)
        return mesh, lambda x, w: jnp.tanh(x @ w), result_shape.sharding, shardings

    scaled.def_partition(partition=partition, sharding_rule="i k, k j -> i j", need_replication_factors=("k",))
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    x, w = (np.asarray(v) for v in (values()[1], values()[0]["w1"]))
    function = lambda x, w: scaled(x, w) * 2  # noqa: E731
    options = {"shardwright_auto": True, "shardwright_auto_mesh": "data=8", "shardwright_machine": SLOW}
    with jax.set_mesh(mesh):
        compiled = jax.jit(function, compiler_options=options).lower(x, w).compile()
    tally.check("custom partitioning: called in trials", len(calls) > 1, calls)
    tally.check("custom partitioning: shardings are chosen", not all(s.is_fully_replicated for s in compiled.input_shardings[0]), compiled.input_shardings)
    tally.check("custom partitioning: results", close(compiled(x, w), jnp.tanh(x @ w) * 2), "")
    for shape in (dict(mesh=mesh), dict(devices=8)):
        found = shardwright.auto(function, x, w, machine=SLOW, **shape)
        tally.check("custom partitioning: analysed", found.predicted_seconds < 0.5 * one_device(found), found.text)
        tally.check("custom partitioning: its function", close(found.jit()(x, w), jnp.tanh(x @ w) * 2), found.text)
    options = {"shardwright_partition_effort": 3}
    given = NamedSharding(mesh, P("data", None)), NamedSharding(mesh, P())
    found = jax.jit(function, in_shardings=given, compiler_options=options)(x, w)
    tally.check("custom partitioning: effort 3", close(found, jnp.tanh(x @ w) * 2), "")


def older_auto(tally):
    """What AUTO of JAX up to 0.10.0 asks for: build options 7, 16 and 17, and open shardings."""
    import jax._src.compiler as compiler

    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    w1, w2, x = (np.asarray(v) for v in (values()[0]["w1"], values()[0]["w2"], values()[1]))
    function = lambda x, w1, w2: jnp.tanh(x @ w1) @ w2  # noqa: E731
    make = compiler.get_compile_options

    def asking(shape, ids):
        def options(*args, **kwargs):
            made = make(*args, **kwargs)
            build = made.executable_build_options
            build.use_auto_spmd_partitioning = True
            build.auto_spmd_partitioning_mesh_shape = shape
            build.auto_spmd_partitioning_mesh_ids = ids
            return made

        return options

    def compiled(shape, ids, **options):
        compiler.get_compile_options = asking(shape, ids)
        try:
            with jax.set_mesh(mesh):
                return jax.jit(lambda *a: function(*a), **options).lower(x, w1, w2).compile()
        finally:
            compiler.get_compile_options = make

    expected = function(x, w1, w2)
    auto = {"shardwright_auto": True, "shardwright_auto_mesh": "data=4,model=2"}
    with jax.set_mesh(mesh):
        ours = jax.jit(function, compiler_options=auto).lower(x, w1, w2).compile()
    found = compiled([4, 2], list(range(8)))
    same = [a.is_equivalent_to(b, 2) for a, b in zip(found.input_shardings[0], ours.input_shardings[0], strict=True)]
    tally.check("older AUTO: the shardings of shardwright_auto", all(same), (found.input_shardings, ours.input_shardings))
    tally.check("older AUTO: results", close(found(x, w1, w2), expected), "")
    # JAX refuses unconstrained dimensions here, which AUTO made.
    given = tuple(NamedSharding(mesh, P(None, None)) for _ in range(3))
    lowered = jax.jit(lambda *a: function(*a), in_shardings=given).lower(x, w1, w2)
    text = lowered.as_text().replace("[{}, {}]", "[{?}, {?}]")
    tally.check("older AUTO: the module has open shardings", text.count("[{?}, {?}]") >= 3, text)
    options = make(num_replicas=1, num_partitions=8, device_assignment=np.arange(8).reshape(1, 8))
    options.executable_build_options.use_auto_spmd_partitioning = True
    program = jax.devices()[0].client.compile_and_load(text, jax._src.lib._jax.DeviceList(tuple(jax.devices())), options)
    shardings = [str(s) for s in program.get_parameter_shardings()]
    tally.check("older AUTO: open shardings", any("replicated" not in s for s in shardings), shardings)
    for name, shape, ids, text in (
        ("a mesh of other devices", [4, 4], list(range(16)), "expected axes of 8 partitions"),
        ("a device twice", [4, 2], [0] * 8, "once"),
        ("too few devices", [4, 2], [0, 1], "lists 2 of 8 devices"),
    ):
        tally.check(f"older AUTO: {name}", raises(Exception, text, lambda shape=shape, ids=ids: compiled(shape, ids)), shape)


def stored(tally):
    """Executables keep their choice, and options are part of what identifies them."""
    from jax.experimental import serialize_executable

    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    x = np.asarray(np.random.default_rng(2).normal(size=(64, 64)), np.float32)
    function = lambda x, w: jnp.tanh(x @ w)  # noqa: E731

    def compiled(**options):
        with jax.set_mesh(mesh):
            return jax.jit(lambda *a: function(*a), compiler_options=options).lower(x, x).compile()

    auto = {"shardwright_auto": True, "shardwright_auto_mesh": "data=8"}
    first = compiled(**auto)
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(first))
    same = all(a.is_equivalent_to(b, 2) for a, b in zip(first.input_shardings[0], loaded.input_shardings[0], strict=True))
    tally.check("stored: shardings", same and not all(s.is_fully_replicated for s in first.input_shardings[0]), loaded.input_shardings)
    tally.check("stored: results", close(loaded(x, x), function(x, x)), "")
    prints = {compiled(**options).runtime_executable().fingerprint for options in (
        {}, auto, {**auto, "shardwright_memory": "1GiB"}, {**auto, "shardwright_auto_effort": 0},
        {"shardwright_partition_effort": 3})}  # fmt: skip
    tally.check("stored: fingerprints differ with the options", len(prints) == 5, prints)
    tally.check("effort 3: results", close(compiled(shardwright_partition_effort=3)(x, x), function(x, x)), "")
    analysed = [shardwright.partition(jax.jit(function), x, x, effort=effort) for effort in (2, 3)]
    tally.check("effort 3: analysed", analysed[1].predicted_seconds <= analysed[0].predicted_seconds, analysed)
    for call, text in (
        (lambda: shardwright.partition(jax.jit(function), x, x, effort=4), "expected 0, 1, 2 or 3"),
        (lambda: shardwright.auto(function, x, x, devices=8, effort=3), "expected 0, 1 or 2"),
    ):
        tally.check("effort: too much", raises(ValueError, text, call), text)
    wrong = lambda: compiled(shardwright_partition_effort=4)  # noqa: E731
    tally.check("effort 4 is refused", raises(Exception, "expected 0, 1, 2 or 3", wrong), "")


def main():
    tally = oracle.Tally("auto", show=10)
    inside(tally)
    functions(tally)
    custom_partitionings(tally)
    older_auto(tally)
    stored(tally)
    shardings(tally)
    meshes(tally)
    mistakes(tally)
    compiler_options(tally)
    tally.finish()


if __name__ == "__main__":
    main()
