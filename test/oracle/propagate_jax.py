#===- propagate_jax.py - propagates JAX programs in Shardy and ours -------===#
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""More than 80 programs in typical JAX style (the examples, the models of this file and of
jax_models.py: networks, their gradients, loops, shard_map, linear algebra, ...), and programs of
the corpus (calls of JAX's functions, gradients, vmaps, control flow) with random shardings on their
arguments, through sdy-propagation-pipeline and other passes in jaxlib and in shardwright-opt.
jaxlib expands CHLO first, so that both get the same text."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import random

import oracle

EDGES = "debug-propagation-edge-sharding=true"
PIPELINES = (
    "sdy-propagation-pipeline",
    "sdy-propagation-pipeline{dedup-functions-fully=true}",
    "sdy-import-pipeline",
    "sdy-import-pipeline,sdy-user-priority-propagate",
    "sdy-import-pipeline,sdy-user-priority-propagate{" + EDGES + "}",
    # Without the import passes, Shardy crashes on manual computations.
    "sdy-import-pipeline,sdy-apply-sharding-constraints{debug-sharding-origins=true " + EDGES + "}",
)


def readable(text):
    """Removes attributes of loops: Shardy's own verifier refuses the edges that it records there."""
    rename = lambda line: line.replace("sdy.propagation_edges =", "propagation_edges =") if "sdy.data_flow_edge" in line else line
    return "\n".join(map(rename, text.split("\n")))


def shardy(text, pipeline):
    if EDGES not in pipeline:
        return oracle.run(text, pipeline)
    module = oracle.parse(text)
    try:
        with module.context:
            manager = oracle.passmanager.PassManager.parse(f"builtin.module({pipeline})")
            manager.enable_verifier(False)
            manager.run(module.operation)
    except oracle.ir.MLIRError as error:
        raise oracle.OracleError(str(error)) from None
    return oracle.normal(readable(module.operation.get_asm(assume_verified=True)))


def ours(text, pipeline):
    pipeline = f"builtin.module({oracle.as_oracle(pipeline)})"
    return oracle.normal(readable(oracle.ours(text, f"--pass-pipeline={pipeline}")))


def models():
    """Yields (name, text) of programs with gradients, scans, calls, gathers, shard_map, ..."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    cube = jax.make_mesh((2, 2, 2), ("data", "fsdp", "tensor"), axis_types=(AxisType.Auto,) * 3)

    def named(m, *spec):
        return NamedSharding(m, P(*spec))

    def lower(f, *args):
        """args: (shape, sharding or None)"""
        structs = jax.tree.map(
            lambda a: jax.ShapeDtypeStruct(a[0], a[2] if len(a) > 2 else jnp.float32, sharding=a[1]),
            args,
            is_leaf=lambda a: isinstance(a, tuple) and len(a) >= 2 and isinstance(a[0], tuple) and (a[1] is None or isinstance(a[1], NamedSharding)),
        )
        return jax.jit(f).lower(*structs).as_text()

    def constrain(x, m, *spec):
        return jax.lax.with_sharding_constraint(x, named(m, *spec))

    # An MLP's training step with Adam.
    def mlp(params, x):
        for w, b in params[:-1]:
            x = jnp.tanh(x @ w + b)
        w, b = params[-1]
        return x @ w + b

    def adam(params, m, v, x, y):
        def loss(p):
            return jnp.mean((mlp(p, x) - y) ** 2)

        value, g = jax.value_and_grad(loss)(params)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, v, g)
        params = jax.tree.map(lambda p, a, b: p - 0.01 * a / (jnp.sqrt(b) + 1e-8), params, m, v)
        return params, m, v, value

    weights = [
        (((32, 64), named(mesh, None, "y")), ((64,), named(mesh, "y"))),
        (((64, 64), named(mesh, "y", None)), ((64,), None)),
        (((64, 8), None), ((8,), None)),
    ]
    yield "mlp_adam", lower(adam, weights, weights, weights, ((16, 32), named(mesh, "x")), ((16, 8), named(mesh, "x")))

    # A transformer whose layers are scanned, with its gradient.
    def layer(x, p):
        def norm(x, g):
            x = x - x.mean(-1, keepdims=True)
            return g * x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)

        h = norm(x, p["g1"])
        q, k, v = (jnp.einsum("bse,ehd->bhsd", h, p[n]) for n in ("q", "k", "v"))
        a = jax.nn.softmax(jnp.einsum("bhsd,bhtd->bhst", q, k) / 4.0, axis=-1)
        mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
        a = jnp.where(mask, a, 0.0)
        x = x + jnp.einsum("bhst,bhtd,hde->bse", a, v, p["o"])
        h = norm(x, p["g2"])
        x = x + jax.nn.gelu(h @ p["w1"], approximate=False) @ p["w2"]
        return constrain(x, cube, "data", None, "tensor"), None

    def transformer(params, emb, tokens):
        x = emb[tokens]
        x = constrain(x, cube, "data")
        x, _ = jax.lax.scan(layer, x, params)
        logits = x @ emb.T
        return -jax.nn.log_softmax(logits)[..., 0].mean()

    L, E, H, D, F = 4, 32, 4, 8, 64
    shapes = {
        "g1": ((L, E), None), "g2": ((L, E), None),
        "q": ((L, E, H, D), named(cube, None, "fsdp", "tensor")),
        "k": ((L, E, H, D), named(cube, None, "fsdp", "tensor")),
        "v": ((L, E, H, D), named(cube, None, "fsdp", "tensor")),
        "o": ((L, H, D, E), named(cube, None, "tensor", None, "fsdp")),
        "w1": ((L, E, F), named(cube, None, "fsdp", "tensor")),
        "w2": ((L, F, E), named(cube, None, "tensor", "fsdp")),
    }
    tokens = ((8, 16), named(cube, ("data", "fsdp")), jnp.int32)
    yield "transformer_scan", lower(transformer, shapes, ((128, E), named(cube, "tensor", "fsdp")), tokens)
    yield "transformer_grad", lower(jax.grad(transformer), shapes, ((128, E), named(cube, "tensor", "fsdp")), tokens)
    remat = jax.checkpoint(layer)

    def rematerialized(params, emb, tokens):
        x, _ = jax.lax.scan(remat, emb[tokens], params)
        return (x @ emb.T).mean()

    yield "transformer_remat", lower(jax.grad(rematerialized), shapes, ((128, E), named(cube, "tensor", "fsdp")), tokens)

    # Convolutions and pooling.
    def cnn(ks, x):
        for k in ks:
            x = jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x)
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return x.mean((1, 2)).sum()

    kernels = [((3, 3, 4, 16), named(mesh, None, None, None, "y")), ((3, 3, 16, 8), None)]
    yield "cnn", lower(jax.grad(cnn), kernels, ((8, 16, 16, 4), named(mesh, "x")))

    # Control flow and sorting.
    def control(x, n):
        x = jax.lax.fori_loop(0, n, lambda i, c: c @ c.T @ c, x)
        x = jax.lax.cond(n > 3, lambda a: a + 1, lambda a: jnp.sort(a, axis=0), x)
        y = jax.lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, jnp.cumsum(c[1], axis=1)), (0, x))[1]
        return y, jax.lax.top_k(x, 2), jnp.argmax(y, axis=0)

    yield "control", lower(control, ((16, 16), named(mesh, "x", "y")), ((), None, jnp.int32))

    # Slices, updates, concatenation, padding, random numbers.
    def shapes_(x, cache, i, key):
        cache = jax.lax.dynamic_update_slice(cache, x[:, None], (0, i, 0))
        half = x.shape[-1] // 2
        rotated = jnp.concatenate([-x[..., half:], x[..., :half]], axis=-1)
        noise = jax.random.normal(key, x.shape)
        padded = jnp.pad(x, ((1, 1), (0, 0)))[1:-1]
        return cache, rotated + noise + padded, jnp.roll(x, 3, axis=0), x.reshape(4, -1), x[::-1]

    yield "shapes", lower(
        shapes_, ((8, 32), named(mesh, "x", "y")), ((8, 16, 32), named(mesh, "x")), ((), None, jnp.int32), ((2,), None, jnp.uint32)
    )

    # Calls that JAX keeps, and shard_map.
    inner = jax.jit(lambda a, b: jnp.tanh(a @ b))

    def calls(x, w):
        for _ in range(3):
            x = inner(x, w)
        return x, inner(w, w)

    yield "calls", lower(calls, ((32, 32), named(mesh, "x")), ((32, 32), named(mesh, None, "y")))

    yield "shard_map", lower(
        lambda x, w: jax.shard_map(
            lambda a, b: jax.lax.psum(jnp.sin(a) @ b, "y"), mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None)
        )(x * 2, w),
        ((32, 16), named(mesh, "x")),
        ((16, 8), None),
    )
    yield "shard_map_partial", lower(
        lambda x: jax.shard_map(
            lambda a: jnp.sin(a) * 2, mesh=mesh, in_specs=P("x", None), out_specs=P("x", None), axis_names={"x"}
        )(x + 1),
        ((32, 16), named(mesh, "x", "y")),
    )

    # Values that must have the same sharding; JAX 0.11 and later do not have the function.
    try:
        from jax.experimental.shard_alike import shard_alike
    except ImportError:
        return

    def alike(x, y):
        x = x * 2
        x, y = shard_alike(x, y)
        return x, y + 1

    yield "shard_alike", lower(alike, ((16, 16), named(mesh, "x", "y")), ((16, 16), None))


MESH = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4, \"z\"=3]>"


def annotated(text, rng):
    """Returns the program with shardings on some arguments and results of main. None if there are none
    to annotate."""
    from jaxlib.mlir import ir

    if "sdy.mesh @" in text:
        return text
    module = oracle.parse(text)
    main = next((f for f in module.body.operations if f.attributes["sym_name"].value == "main"), None)
    if main is None:
        return None
    count = 0

    def attributes(types, old, share):
        nonlocal count
        result = []
        for i, kind in enumerate(types):
            attrs = {a.name: a.attr for a in old[i]} if old else {}
            if isinstance(kind, ir.RankedTensorType) and rng.random() < share:
                shaped = kind
                if shaped.has_static_shape and shaped.rank:
                    axes = rng.sample(["x", "y", "z"], rng.randint(0, 3))
                    dims = [[] for _ in range(shaped.rank)]
                    for axis in axes:
                        dims[rng.randrange(shaped.rank)].append(f'"{axis}"')
                    dims = ", ".join("{" + ", ".join(d + rng.choice([[], ["?"]])) + "}" for d in dims)
                    attrs["sdy.sharding"] = ir.Attribute.parse(f"#sdy.sharding<@mesh, [{dims}]>")
                    count += 1
            result.append(ir.DictAttr.get(attrs))
        return ir.ArrayAttr.get(result)

    with module.context:
        kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
        for name, types, share in (("arg_attrs", kind.inputs, 0.8), ("res_attrs", kind.results, 0.2)):
            old = main.attributes[name] if name in main.attributes else None
            main.attributes[name] = attributes(types, old, share)
    head, tail = oracle.text(module).split("{\n", 1)
    return f"{head}{{\n  {MESH}\n{tail}" if count else None


def corpus(args):
    import jax_corpus

    for i, (name, text) in enumerate(jax_corpus.programs(seed=args.seed, count=args.cases)):
        try:
            text = annotated(text, random.Random(args.seed + i))
        except (oracle.OracleError, oracle.ir.MLIRError):
            continue
        if text:
            yield f"corpus {name}", text


def main():
    args = oracle.arguments(__doc__, cases=24, long_cases=1000)
    oracle.stablehlo.register_stablehlo_passes()
    tally = oracle.Tally("propagate_jax")
    programs = [(name, open(oracle.example(name)).read()) for name in oracle.EXAMPLES]
    import jax_models

    programs += [*models(), *jax_models.programs()]
    print(f"propagate_jax: {len(programs)} programs beside those of the corpus")
    for name, text in [*programs, *corpus(args)]:
        pipelines = PIPELINES[:1] if name.startswith("corpus") else PIPELINES
        # Original locations would differ only in their aliases.
        try:
            text = oracle.run(text, "func.func(chlo-legalize-to-stablehlo)")
        except oracle.OracleError as error:
            tally.skip(name, error)
            continue
        for pipeline in pipelines:
            try:
                want = shardy(text, pipeline)
            except oracle.OracleError as error:
                tally.skip(name, error)
                continue
            try:
                have = ours(text, pipeline)
            except (oracle.OurError, oracle.OracleError) as error:
                have = error
            tally.equal(f"{name} {pipeline}", want, have)
    tally.finish()


if __name__ == "__main__":
    main()
