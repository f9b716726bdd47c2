#===- frontend_custom_partitioning.py - functions that users partition ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Functions with custom partitioning in the front end (frontend_custom_partitioning.cc) and in JAX, on random shapes,
shardings and meshes: what the partition functions are given, the results, which are also those without partitioning,
jaxprs, modules, and sharding rules with their error texts."""

# Feature: custom-partitioning
import os
import random
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.custom_partitioning_sharding_rule import sdy_sharding_rule_to_mlir, str_to_sdy_sharding_rule
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import ffi_library
import oracle
from frontend.jaxpr_text import jaxpr_difference
from frontend.module_values import difference

args = oracle.arguments(__doc__, cases=60, long_cases=1000)
tally = oracle.Tally("frontend_custom_partitioning", show=int(os.environ.get("SHOW", 5)))
server = ffi_library.Server()
F32 = np.float32
calls = []


def record(kind, values):
    for x in values:
        calls.append(f"{kind} {x.dtype.name}{tuple(x.shape)} {x.sharding.spec}")


def axes(x, dim):
    entry = x.sharding.spec[dim] if dim < len(x.sharding.spec) else None
    return () if entry is None else (entry,) if isinstance(entry, str) else tuple(entry)


def over(mesh, *dims):
    return NamedSharding(mesh, P(*(d or None for d in dims)))


def without(a, taken):
    return tuple(x for x in a if x not in taken)


def sum_over(x, names):
    return jax.lax.psum(x, names) if names else x


def normalized(x):
    return x / x.sum(-1, keepdims=True)


def shifted(x):
    n = x.shape[0]
    return jnp.concatenate([jax.lax.slice_in_dim(x, n - 1, n), jax.lax.slice_in_dim(x, 0, n - 1)])


def matmul(mesh, arg, result):
    i, j = axes(arg[0], 0), axes(arg[0], 1)
    k = without(without(axes(arg[1], 1), i), j)
    return mesh, lambda x, y: sum_over(x @ y, j), over(mesh, i, k), (over(mesh, i, j), over(mesh, j, k))


def rows(mesh, arg, result):
    s = over(mesh, *(axes(arg[0], d) for d in range(len(arg[0].shape) - 1)), ())
    return mesh, normalized, s, (s,)


def pair(mesh, arg, result):
    i, j = axes(arg[0], 0), axes(arg[0], 1)
    lower = lambda x: (x.T, sum_over(x.sum(1), j))
    return mesh, lower, (over(mesh, j, i), over(mesh, i)), (over(mesh, i, j),)


def chosen(mesh, arg, result):
    lower = lambda x: jax.lax.psum((x * (1 + jax.lax.axis_index("x") * 0)).sum(), "x")
    return mesh, lower, NamedSharding(mesh, P()), (over(mesh, ("x",), *((),) * (len(arg[0].shape) - 1)),)


def shift(mesh, arg, result):
    j, n = without(axes(arg[0], 1), ("x",)), mesh.shape["x"]
    ring = [(i, (i + 1) % n) for i in range(n)]

    def lower(x):
        last = x.shape[0] - 1
        received = jax.lax.ppermute(jax.lax.slice_in_dim(x, last, last + 1), "x", ring)
        return jnp.concatenate([received, jax.lax.slice_in_dim(x, 0, last)])

    return mesh, lower, over(mesh, ("x",), j), (over(mesh, ("x",), j),)


# The partition function, the function, the rule.
KINDS = {
    "matmul": (matmul, lambda x, y: x @ y, dict(sharding_rule="i j, j k -> i k", reduction_factors=("j",))),
    "rows": (rows, normalized, dict(sharding_rule="... i -> ... i", need_replication_factors=("i",))),
    "pair": (pair, lambda x: (x.T, x.sum(1)), dict(sharding_rule="i j -> j i, i")),
    "chosen": (chosen, lambda x: x.sum(), {}),
    "shift": (shift, shifted, dict(sharding_rule="i j -> i j")),
}


def inferred(kind, mesh, arg):
    """The shardings of the results that follow from those of the arguments."""
    i, j = axes(arg[0], 0), axes(arg[0], 1)
    if kind == "matmul":
        return over(mesh, i, without(without(axes(arg[1], 1), i), j))
    if kind == "pair":
        return over(mesh, j, i), over(mesh, i)
    if kind == "chosen":
        return NamedSharding(mesh, P())
    if kind == "shift":
        return over(mesh, ("x",), without(j, ("x",)))
    return over(mesh, *(axes(arg[0], d) for d in range(len(arg[0].shape) - 1)))


def partitioned(kind, gspmd):
    partition, function, rule = KINDS[kind]

    def whole(x):
        return function(x)

    def both(x, y):
        return function(x, y)

    f = custom_partitioning(both if kind == "matmul" else whole)

    def logged(mesh, arg, result):
        record("arg", arg)
        record("result", result if isinstance(result, tuple) else (result,))
        return partition(mesh, arg, result)

    if gspmd:
        f.def_partition(logged, infer_sharding_from_operands=lambda mesh, arg, result: inferred(kind, mesh, arg),
                        propagate_user_sharding=lambda mesh, user: jax.tree.map(lambda x: x.sharding, user))
    else:
        f.def_partition(logged, **rule)

    def listed(values):
        out = f(*values)
        return list(out) if isinstance(out, tuple) else [out]

    return listed


def around(f, how):
    if how == "scan":
        return lambda values: jax.lax.scan(lambda c, _: (f(c), np.float32(1)), values, jnp.arange(2))[0]
    if how == "jit":

        def inner(values):
            return f(values)

        return lambda values: jax.jit(inner)(values)
    return f


def numbers(request):
    return np.frombuffer(bytes.fromhex(request["hex"]), request["dtype"]).reshape(request["shape"])


def run(name, kind, sizes, values, specs, how, gspmd=False):
    """`gspmd`: functions propagate shardings, in place of rules; modules are in GSPMD's notation."""
    jax.config.update("jax_use_shardy_partitioner", not gspmd)
    names = ("x", "y")[: len(sizes)]
    mesh = Mesh(np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes), names)
    entry = lambda dim: None if dim == "-" else tuple(dim.split(","))
    placed = [jax.device_put(v, NamedSharding(mesh, P(*map(entry, s.split("|"))))) for v, s in zip(values, specs)]
    calls.clear()
    f = around(partitioned(kind, gspmd), how)
    lowered = jax.jit(f).trace(placed)
    jaxpr, module = str(lowered.jaxpr), lowered.lower().as_text()
    try:
        theirs = [np.asarray(x) for x in jax.jit(f)(placed)]
    except Exception as error:
        theirs = f"{type(error).__name__}: {error}"
    ours = server.ask(do="partition", kind=kind, around=how, how="sharded", mesh=sizes, specs=specs, gspmd=gspmd,
                      args=[ffi_library.array_request(v) for v in values])
    jax.config.update("jax_use_shardy_partitioner", True)
    source = f"{kind} {how}{' gspmd' if gspmd else ''} {sizes} {[v.shape for v in values]} {specs}"
    if isinstance(theirs, str) or "error" in ours:
        return tally.fail(name, f"{source}\nours: {ours.get('error')}\nJAX's: {theirs if isinstance(theirs, str) else 'no error'}")
    # In a function that the module calls, operands have the shardings of its arguments, in XLA those of the call's.
    seen = (lambda lines: [line.split(" P")[0] for line in lines]) if how == "jit" else list
    tally.equal(f"{name}: what partition gets", "\n".join(seen(calls)), "\n".join(seen(ours["log"])), source)
    alone = around(lambda v: [*jax.tree.leaves(KINDS[kind][1](*v))], how)(list(map(jnp.asarray, values)))
    for found, wanted, single in zip(map(numbers, ours["results"]), theirs, alone):
        for what, other in (("JAX", wanted), ("without partitioning", single)):
            same = found.shape == other.shape and np.allclose(found, other, rtol=1e-5, atol=1e-5)
            tally.check(f"{name}: values, {what}", same, f"{source}\n{found}\n{other}")
    problem = jaxpr_difference(ours["jaxpr"], re.sub(r"(partition|infer_sharding_from_operands|propagate_user_sharding)=<function .*", r"\1=<function \1>", jaxpr))
    tally.check(f"{name}: jaxpr", not problem, f"{source}\n{problem}")
    # The call's number is an address in JAX.
    plain = lambda text: re.sub(r'(@CustomSPMDPartitioning\(.*backend_config = )"\d+"', r'\1"0"', text)
    problem = difference(plain(ours["module"]), plain(module))
    tally.check(f"{name}: module", not problem, f"{source}\n{problem}")


def random_spec(rng, shape, sizes):
    names = ["x", "y"][: len(sizes)]
    rng.shuffle(names)
    dims = []
    for size in shape:
        own = []
        while names and rng.random() < 0.5:
            axis = names.pop()
            parts = int(np.prod([sizes["xy".index(a)] for a in own + [axis]]))
            if size % parts == 0:
                own.append(axis)
        dims.append(",".join(own) or "-")
    return "|".join(dims)


def random_case(name, rng):
    kind, sizes = rng.choice(list(KINDS)), rng.choice(([8], [4, 2], [2, 4], [2, 2]))
    size = lambda: rng.choice((8, 16))
    how = rng.choice(("", "", "jit", "scan"))
    if kind == "matmul":
        n = size()
        shapes = [(size(), n), (n, size())]
        how = how.replace("scan", "")
    elif kind == "rows":
        shapes = [tuple(size() for _ in range(rng.randint(1, 3)))]
    elif kind == "chosen":
        shapes = [(rng.choice((5, 6, 8)), 8)]  # uneven on purpose
    else:
        shapes = [(size(), size())]
    if kind in ("pair", "chosen"):
        how = how.replace("scan", "")
    values = [np.asarray(1 + np.array([rng.random() for _ in range(int(np.prod(s)))]), F32).reshape(s) for s in shapes]
    run(name, kind, sizes, values, [random_spec(rng, s, sizes) for s in shapes], how, rng.random() < 0.35)


# --- rules --------------------------------------------------------------------------------

RULES = [
    ("i j, j k -> i k", [(8, 4), (4, 6)], [(8, 6)], dict(reduction_factors=("j",))),
    ("i->i", [(8,)], [(8,)], {}),
    (" i   j ->j i ", [(8, 2)], [(2, 8)], {}),
    ("->", [()], [()], {}),
    ("i ->", [(8,)], [()], dict(reduction_factors=("i",))),
    ("... i -> ... i", [(2, 3, 4)], [(2, 3, 4)], dict(need_replication_factors=("i",))),
    ("...1 i, ...2 i -> ...1 ...2 i", [(2, 4), (3, 4)], [(2, 4)], {}),
    ("...01 i, ...1 i -> i", [(2, 4), (2, 4)], [(4,)], {}),
    ("... i, ... i -> i", [(2, 4), (4,)], [(4,)], {}),
    ("... i, ... i -> i", [(2, 4), (3, 4)], [(4,)], {}),
    ("i (j k) -> (i j) k", [(4, 6)], [(8, 3)], dict(j=2)),
    ("i (j k) -> (i j) k", [(4, 6)], [(8, 3)], dict(j=2, k=3)),
    ("i (j k) -> i j k", [(4, 6)], [(4, 2, 3)], {}),
    ("i (j k) -> i j k", [(4, 7)], [(4, 2, 3)], {}),
    ("(i j) -> (i j)", [(6,)], [(6,)], {}),
    ("(i j) -> (i j)", [(6,)], [(6,)], dict(i=2, j=3)),
    ("i -> i", [(6,)], [(6,)], dict(i=6)),
    ("i -> i", [(6,)], [(6,)], dict(q=6)),
    ("i -> i", [(6,)], [(3,)], {}),
    ("i j -> i", [(6,)], [(6,)], {}),
    ("i -> i, j", [(6,)], [(6,)], {}),
    ("i, j -> i", [(6,)], [(6,)], {}),
    ("i -> i", [(6,)], [(6,)], dict(reduction_factors=("k",))),
    ("i -> i", [(6,)], [(6,)], dict(reduction_factors=("i", "i"))),
    ("i -> i", [(6,)], [(6,)], dict(reduction_factors=("i",), permutation_factors=("i",))),
    ("i j -> i j", [(6, 2)], [(6, 2)], dict(permutation_factors=("j", "i"))),
    ("i", [(6,)], [(6,)], {}),
    ("i -> i -> i", [(6,)], [(6,)], {}),
    ("i . -> i", [(6,)], [(6,)], {}),
    ("i ... -> i", [(6,)], [(6,)], {}),
    ("(i ...) -> i", [(6,)], [(6,)], {}),
    ("(i (j k)) -> i", [(6,)], [(6,)], {}),
    ("i j) -> i", [(6,)], [(6,)], {}),
    ("(i j -> i", [(6,)], [(6,)], {}),
    ("(i) -> i", [(6,)], [(6,)], {}),
    ("() -> i", [(6,)], [(6,)], {}),
    ("1i -> i", [(6,)], [(6,)], {}),
    ("i+j -> i", [(6,)], [(6,)], {}),
    ("_i -> _i", [(6,)], [(6,)], {}),
    ("a_1 b2 -> b2 a_1", [(6, 4)], [(4, 6)], {}),
    ("é ü -> ü é", [(6, 4)], [(4, 6)], {}),
    ("i → i -> i", [(6,)], [(6,)], {}),
    ("… -> i", [(6,)], [(6,)], {}),
    (" ".join(f"f{n}" for n in range(20)) + " -> f19 f0", [(2,) * 20], [(2, 2)], {}),
]


def rule_case(name, rule, operands, results, options):
    kinds = {k: options.get(k + "_factors", ()) for k in ("reduction", "need_replication", "permutation")}
    sizes = {k: v for k, v in options.items() if not k.endswith("_factors")}
    theirs = {}
    try:
        parsed = str_to_sdy_sharding_rule(rule, **options)
        theirs["text"] = str(parsed)
        with oracle.context() as context, oracle.ir.Location.unknown(context):
            types = [[oracle.ir.RankedTensorType.get(s, oracle.ir.F32Type.get()) for s in shapes] for shapes in (operands, results)]
            theirs["attribute"] = str(sdy_sharding_rule_to_mlir(parsed, *types))
    except Exception as error:
        theirs["error"] = f"{type(error).__name__}: {error}"
    ours = server.ask(do="rule", rule=rule, operands=operands, results=results, sizes=list(map(list, sizes.items())), **{
        k: list(v) for k, v in kinds.items()})
    tally.equal(f"{name}: {rule}", str(theirs), str({k: ours[k] for k in ("text", "attribute", "error") if k in ours}))


def random_rule(rng):
    """A rule of random tokens, most of them wrong."""
    tokens = "i j k ( ) , ... ...1 -> i1 . _ 2 +".split()
    good = "i j k ( j k ) , -> i j".split()
    text = " ".join(rng.choice(good if rng.random() < 0.8 else tokens) for _ in range(rng.randint(1, 9)))
    if "->" not in text and rng.random() < 0.8:
        text += " -> " + " ".join(rng.sample("ijk", rng.randint(0, 3)))
    options = {}
    for kind in ("reduction_factors", "need_replication_factors", "permutation_factors"):
        if rng.random() < 0.3:
            options[kind] = tuple(rng.choice("ijk") for _ in range(rng.randint(1, 2)))
    for factor in "ijk":
        if rng.random() < 0.3:
            options[factor] = rng.choice((2, 3))
    left, _, right = text.partition("->")
    shape = lambda value: tuple(rng.choice((2, 4, 6)) for _ in re.sub(r"\(.*?\)", "q", value).split())
    return text, [shape(v) for v in left.split(",")], [shape(v) for v in right.split(",")], options


for number, (rule, operands, results, options) in enumerate(RULES):
    rule_case(f"rule {number}", rule, operands, results, options)
for seed in range(args.seed, args.seed + 5 * args.cases):
    rule_case(f"random rule {seed}", *random_rule(random.Random(seed)))
for rng in oracle.generators(args):
    random_case(rng.name, rng)
tally.finish()
