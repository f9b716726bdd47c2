#===- rule_strings.py - rule strings of JAX's custom_partitioning ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random rule strings, valid and mutated: `shardwright rule` must convert them to the attribute that
JAX makes, or refuse those that JAX, or the verifier of the attribute, refuses. Also programs that
JAX exports with custom_partitioning: the rule in them must be that of the string."""

import concurrent.futures
import os
import random
import re

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import oracle

args = oracle.arguments(__doc__, cases=150, long_cases=3000)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax._src.custom_partitioning_sharding_rule import sdy_sharding_rule_to_mlir, str_to_sdy_sharding_rule  # noqa: E402
from jax.experimental.custom_partitioning import custom_partitioning  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

KINDS = ("reduction_factors", "need_replication_factors", "permutation_factors")
FLAGS = ("--reduction", "--need-replication", "--permutation")


def random_rule(rng):
    """(text, shapes of operands, shapes of results, sizes, groups); mostly consistent."""
    names = rng.sample(["i", "j", "k", "batch", "q_1", "Head", "d2", "n"], rng.randint(1, 6))
    size = {n: rng.choice([2, 3, 4, 6, 8]) for n in names}
    leading = {"...": [rng.choice([2, 3, 5]) for _ in range(rng.randint(0, 2))],
               "...1": [rng.choice([2, 3, 5]) for _ in range(rng.randint(0, 2))]}
    compound_only = set(names)

    def value():
        dims, shape, left = [], [], rng.sample(names, rng.randint(0, len(names)))
        group = rng.choice(["", "", "", "...", "...1"])
        if group:
            dims.append(group)
            shape += leading[group]
        while left:
            take = left[:rng.choice([1, 1, 1, 2, 3])]
            left = left[len(take):]
            product = 1
            for n in take:
                product *= size[n]
            if len(take) == 1:
                compound_only.discard(take[0])
            dims.append(take[0] if len(take) == 1 else "(" + " ".join(take) + ")")
            shape.append(product)
        return " ".join(dims), shape

    operands = [value() for _ in range(rng.randint(1, 3))]
    results = [value() for _ in range(rng.randint(1, 2))]
    text = ", ".join(v for v, _ in operands) + " -> " + ", ".join(v for v, _ in results)
    sizes = {n: size[n] for n in names if n in compound_only and n in re.findall(r"\w+", text)}
    groups = [[], [], []]
    for n in names:
        if rng.random() < 0.3 and n in re.findall(r"\w+", text):
            groups[rng.randrange(3)].append(n)
    shapes = [s for _, s in operands], [s for _, s in results]
    # Sometimes make an error.
    if rng.random() < 0.4:
        kind = rng.randrange(6)
        at = rng.randrange(len(text))
        if kind == 0:
            text = text[:at] + rng.choice(["(", ")", ".", ",", "->", "1", "$", "...", " i"]) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1:]
        elif kind == 2 and shapes[0][0]:
            shapes[0][0][rng.randrange(len(shapes[0][0]))] += 1
        elif kind == 3:
            sizes[rng.choice(names + ["unused"])] = rng.choice([2, 3])
        elif kind == 4:
            groups[rng.randrange(3)].append(rng.choice(names + ["unused"]))
        else:
            shapes[rng.randrange(2)].append([2])
    return text, *shapes, sizes, groups


def theirs(text, operands, results, sizes, groups):
    """The attribute's text, or an exception."""
    with oracle.context() as context, ir.Location.unknown(context):
        tensor = lambda shape: ir.RankedTensorType.get(shape, ir.F32Type.get())
        rule = str_to_sdy_sharding_rule(text, **{k: tuple(g) for k, g in zip(KINDS, groups) if g}, **sizes)
        attr = str(sdy_sharding_rule_to_mlir(rule, [tensor(s) for s in operands], [tensor(s) for s in results]))
        # The attribute is verified as part of an op. The order of factors within a kind has no
        # meaning; ours sorts them.
        attr = re.sub(r"(reduction|need_replication|permutation)=\{([^}]*)\}",
                      lambda m: f"{m[1]}={{{', '.join(sorted(m[2].split(', '), key=order))}}}", attr)
        types = lambda shapes: ", ".join(str(tensor(s)) for s in shapes)
        ir.Module.parse(f"""func.func @f({', '.join(f'%a{i}: {tensor(s)}' for i, s in enumerate(operands))}) {{
  %r{":" + str(len(results)) if len(results) > 1 else ""} = "stablehlo.custom_call"({', '.join(f'%a{i}' for i in range(len(operands)))}) <{{call_target_name = "x"}}> {{sdy.sharding_rule = {attr}}} : ({types(operands)}) -> ({types(results)})
  return
}}""")
        return attr


def order(symbol):
    return int(symbol[2:]) + 17 if symbol.startswith("z_") else ord(symbol) - ord("i")


def ours(text, operands, results, sizes, groups):
    join = lambda shapes: ",".join("x".join([*map(str, s), "f32"]) for s in shapes)
    command = [oracle.TOOL, "rule", "--operands", join(operands), "--results", join(results)]
    if sizes:
        command += ["--sizes", ",".join(f"{k}={v}" for k, v in sizes.items())]
    for flag, group in zip(FLAGS, groups):
        if group:
            command += [flag, ",".join(group)]
    done = oracle.process([*command, "--", text])
    if done.returncode == 0:
        return done.stdout.splitlines()[0]
    return None if done.returncode == 2 and "\nremedy:" in done.stderr else f"exit code {done.returncode}: {done.stderr}"


def strings(tally):
    cases = [(rng.name, random_rule(rng)) for rng in oracle.generators(args)]
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, case), have in zip(cases, pool.map(lambda c: ours(*c[1]), cases)):
            try:
                want = theirs(*case)
            except (ValueError, ir.MLIRError):
                want, refused = None, refused + 1
            tally.equal(name, str(want), str(have), repr(case))
    print(f"rule_strings: JAX refuses {refused} of {len(cases)}")


def exported(tally):
    """Uses JAX itself: a function with a rule in a sharded program."""
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    programs = [
        ("...i, ...j -> ...i", lambda a, b: a * b.sum(-1, keepdims=True), [(4, 6, 8), (4, 6, 2)], {}),
        ("i k, k j -> i j", lambda a, b: a @ b, [(8, 16), (16, 4)], {"reduction_factors": ("k",)}),
        ("b (h d) -> b h d", lambda a: a.reshape(a.shape[0], 4, -1), [(8, 32)], {}),
        ("b s d, d -> b s d", lambda a, g: a * g, [(8, 4, 16), (16,)], {"need_replication_factors": ("d",)}),
        ("n c -> n c", lambda a: jnp.flip(a, 0), [(8, 4)], {"permutation_factors": ("n",)}),
        ("q k, k -> ", lambda a, b: (a @ b).sum(), [(8, 4), (4,)], {"reduction_factors": ("q", "k")}),
    ]
    for text, function, shapes, kinds in programs:
        call = custom_partitioning(function)
        call.def_partition(
            infer_sharding_from_operands=None,
            partition=lambda mesh, arg_shapes, result_shape: None,
            sharding_rule=text, **kinds,
        )
        first = NamedSharding(mesh, P("x"))
        structs = [jax.ShapeDtypeStruct(s, jnp.float32, sharding=first if i == 0 else None) for i, s in enumerate(shapes)]
        module = jax.jit(lambda *a: call(*a)).lower(*structs).as_text()
        want = re.search(r"sdy\.sharding_rule = (#sdy\.op_sharding_rule<.*?>)[,}]", module).group(1)
        result = jax.eval_shape(function, *structs)
        groups = [list(kinds.get(k, ())) for k in KINDS]
        tally.equal(f"exported {text}", want, str(ours(text, shapes, [result.shape], {}, groups)))
        # The rule stays on the op, and propagation uses it.
        tally.equal(f"propagated {text}", oracle.run(module, "sdy-propagation-pipeline"),
                    oracle.ours_normal(module, oracle.as_oracle("--pass-pipeline=builtin.module(sdy-propagation-pipeline)")),
                    module)


tally = oracle.Tally("rule_strings")
strings(tally)
exported(tally)
tally.finish()
