#===- frontend_ffi.py - foreign functions against JAX ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Handlers of XLA's FFI (test/jax/ffi_handlers.cc, ffi_examples.cc), called by the front end in C++ and by JAX from the
same library: results, jaxprs, modules and error texts, with every kind of attribute, element type, layout, alias, state,
error and vmap_method; then random calls."""

# Feature: ffi
import os
import random
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

import ffi_library
import oracle
from ffi_library import Call
from frontend.jaxpr_text import jaxpr_difference
from frontend.module_values import difference

HERE = os.path.dirname(os.path.abspath(__file__))
TYPED = ("Axpd Attributes Numbers OwnTypes Variadic Optional Described RawBytes FromBytes Aliased Failing Throwing FailingLater "
         "Later CountedDown Pooled Device RunId Scratch Stream UserData InMemory Softly Moments Counted").split()
EXAMPLES = "RmsNorm RmsNormGrad RmsNorm64 RmsNormGrad64 ArrayAttribute DictionaryAttribute Copies".split()
METHODS = "sequential sequential_unrolled expand_dims broadcast_all legacy_vectorized".split()
ELEMENTS = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, jnp.bfloat16,
            np.float32, np.float64, np.complex64, np.complex128, jnp.int4, jnp.uint4, ml_dtypes.int2, ml_dtypes.uint2,
            jnp.float8_e5m2, jnp.float8_e4m3fn, jnp.float8_e4m3b11fnuz, jnp.float8_e5m2fnuz, jnp.float8_e4m3fnuz,
            ml_dtypes.float8_e4m3, ml_dtypes.float8_e3m4, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn]
F32, F64, S64, S32, U8 = np.float32, np.float64, np.int64, np.int32, np.uint8
X = np.arange(6, dtype=F32)
CUBE = np.arange(24, dtype=F32).reshape(2, 3, 4)

args = oracle.arguments(__doc__, cases=60, long_cases=1000)
tally = oracle.Tally("frontend_ffi", show=int(os.environ.get("SHOW", 5)))


def check(name, ok, *details):
    return tally.check(name, ok, "\n".join(map(str, details)))


def plain(error):
    """An error without what says where it happened and how it was found."""
    text = re.split(r"\s*\n\s*\n(?:Suspected Python|-----)", error)[0].strip()
    text = text.replace("JaxRuntimeError", "RuntimeError").replace("XlaRuntimeError", "RuntimeError")
    return re.sub(r" \((?!canonical)[^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)$", "", text)


def compare(name, call, texts=True):
    """One call in both."""
    try:
        theirs = call.run()
        ours = server.ask(**call.request(texts=texts))
    except Exception as error:
        return check(name, False, repr(error))
    if "error" in theirs or "error" in ours:
        a, b = plain(ours.get("error", "no error")), plain(theirs.get("error", "no error"))
        return check(name, a == b, f"ours:   {a}", f"JAX's:  {b}", ours.get("error", ""))
    check(name, ours["results"] == theirs["results"], f"ours:  {ours['results']}", f"JAX's: {theirs['results']}")
    if not texts or "jaxpr" not in ours:
        return
    jaxpr, module = call.texts()
    problem = jaxpr_difference(ours["jaxpr"], jaxpr)
    check(name + ", jaxpr", not problem, problem)
    # Unrolled loops are made of other operations (docs/compatibility.md); the counters of loops of 64-bit programs are
    # i64 in JAX's modules.
    method = call.fields.get("vmap_method")
    is_other = method == "sequential_unrolled" or (call.x64 and (call.how == "scan" or method == "sequential"))
    problem = not is_other and difference(ours["module"], module)
    check(name + ", module", not problem, problem)


def like(target, x, *more, **fields):
    return Call(target, [(x.shape, x.dtype)], x, *more, **fields)


def register():
    for name in TYPED:
        handlers.target(name)
    for name in ("Untyped1", "Untyped2", "Untyped3"):
        handlers.target(name, untyped=True)
    for name in EXAMPLES:
        examples.target(name)
    jax.devices()  # jaxlib accepts types before handlers only if its backend exists
    handlers.type("Counter", "CounterId", "CounterInfo")
    handlers.type("Secret", "SecretId")
    examples.type("Table", "TableId", "TableInfo")
    handlers.target("Counter", instantiate="CounterInstantiate", execute="CounterExecute")
    examples.target("Table", instantiate="TableInstantiate", execute="TableExecute")
    examples.target("Stages", **{s: "Stages" + s.capitalize() for s in ffi_library.STAGES})


# --- attributes ---------------------------------------------------------------------------


def attributes():
    for how in ("eager", "jit"):
        compare(f"a number and an array, {how}", like("Axpd", X, attributes=dict(k=F32(2)), how=how))
        compare(f"every kind, {how}", Call("Attributes", [((5,), S64), ((1,), F32)], how=how, x64=True, attributes=dict(
            i=7, b=True, s="four", list=np.arange(4), d={"inner": 9})))
    scalars = {f"{k}{n}": np.dtype(f"{t}{n}").type(3 * n + 1) for k, t in (("s", "int"), ("u", "uint")) for n in (8, 16, 32, 64)}
    scalars |= {"s8": np.int8(-5), "s64": S64(-(2**40)), "u32": np.uint32(2**32 - 1), "f32": F32(2.5), "f64": F64(7.25)}
    arrays = {"a" + name: np.array([[value, value]], dtype=value.dtype) for name, value in scalars.items()}
    compare("every type of number", Call("Numbers", [((21,), S64)], x64=True, attributes={**scalars, **arrays}))
    compare("no attributes", Call("Numbers", [((1,), S64)], x64=True))
    compare("an empty array", Call("Numbers", [((15,), S64)], x64=True, attributes={"as64": np.zeros(0, S64)}))
    compare("enums and structs", Call("OwnTypes", [((2,), S64)], x64=True, attributes=dict(color=S32(5), range={"high": 9, "low": 2})))
    compare("an array", Call("ArrayAttribute", [((), S32)], attributes=dict(values=np.arange(9, dtype=S32))))
    compare("a dictionary", Call("DictionaryAttribute", [((), S32)] * 2, attributes=dict(fields={"other": "text", "secret": 64})))
    compare("a dictionary without a key", Call("DictionaryAttribute", [((), S32)] * 2, attributes=dict(fields={"other": 1})))
    for label, wrong in (("type", dict(k=F64(2))), ("kind", dict(k="text")), ("none", {}), ("name", dict(other=F32(1))),
                         ("too many", dict(k=F32(1), more=F32(1))), ("f16", dict(k=np.float16(2))),
                         ("bools", dict(k=np.array([True]))), ("f16 array", dict(k=np.array([1], np.float16)))):
        compare(f"attributes that do not fit: {label}", like("Axpd", X, attributes=wrong))


# --- operands, results, layouts, vmap -----------------------------------------------------


def buffers():
    for n, m in ((1, 0), (2, 1), (3, 4)):
        compare(f"{n} results, {m} operands", Call("Variadic", [((2,), F32), ((3,), F32), ((1, 2), F32)][:n], *[X] * m))
    compare("optional", Call("Optional", [((6,), F32)], X))
    compare("optional operand", Call("Optional", [((6,), F32)], X, X))
    compare("optional result", Call("Optional", [((6,), F32), ((1,), F32)], X, X))
    compare("too many operands", Call("Axpd", [((6,), F32)], X, X, attributes=dict(k=F32(1))))
    compare("too many results", Call("Axpd", [((6,), F32)] * 2, X, attributes=dict(k=F32(1))))
    compare("wrong element type", Call("Axpd", [((6,), F32)], np.arange(6, dtype=S32), attributes=dict(k=F32(1))))
    compare("too few operands", Call("Optional", [((6,), F32)]))
    compare("wrong rank", Call("ArrayAttribute", [((1,), S32)], attributes=dict(values=np.arange(3, dtype=S32))))
    for element in ELEMENTS:
        values = np.array([1, 0, 1, 1, 0], element)
        operands = [values, values[:0], values[:4].reshape(2, 1, 2), values[0]]
        compare(f"elements of {np.dtype(element).name}", Call("Copies", [(x.shape, element) for x in operands], *operands, x64=True))
        compare(f"description of {np.dtype(element).name}", Call("Described", [((20,), S64)], *operands, x64=True))
    for dtype, values, count in ((jnp.int4, [1, -2, 3, 7, -8, 0], 3), (jnp.uint4, [1, 15, 3, 8], 2),
                                 (ml_dtypes.int2, [1, -2, 0, -1, 1, 0, -1, -2], 2), (ml_dtypes.uint2, [1, 2, 3, 0], 1)):
        x = np.array(values, dtype)
        compare(f"packed {x.dtype.name}", Call("RawBytes", [((count,), U8)], x, attributes=dict(count=count)))
    plus = dict(plus=1, x64=True)
    compare("aliased", Call("Aliased", [((6,), F32), ((1,), S64)], X, input_output_aliases={0: 0}, **plus))
    compare("aliased and donated", Call("Aliased", [((6,), F32), ((1,), S64)], X, input_output_aliases={0: 0}, donate=True, **plus))
    compare("not aliased", Call("Aliased", [((6,), F32), ((1,), S64)], X, **plus))


def layouts_and_batches():
    for n, options in enumerate((
            {}, dict(input_layouts=[(0, 1, 2)], output_layouts=[(0, 1, 2)]), dict(input_layouts=[(2, 1, 0)], output_layouts=[(0, 1, 2)]),
            dict(input_layouts=[(0, 1, 2)], output_layouts=[(1, 2, 0)]), dict(input_layouts=[(0, 2, 1)], output_layouts=[(0, 2, 1)]),
            dict(input_layouts=[(1, 0, 2)], output_layouts=[(2, 0, 1)]))):
        compare(f"layouts {n}", like("InMemory", CUBE, plus=0, **options))
    for axis in (0, 1, 2):
        shape = np.delete(CUBE.shape, axis).tolist()
        compare(f"layouts under vmap, {axis}", Call("InMemory", [(shape, F32)], CUBE, how="vmap", axes=[axis], input_layouts=[(1, 0)],
                                                    output_layouts=[(0, 1)], vmap_method="broadcast_all"))
    for method in METHODS:
        for axis in (0, 1):
            for jit in (True, False):
                compare(f"{method}, {axis}, {jit}", Call("Axpd", [((3,) if axis else (4,), F32)], CUBE[0], how="vmap", axes=[axis], jit=jit,
                                                         attributes=dict(k=F32(2)), vmap_method=method), texts=jit)
        compare(f"{method} of one of two", Call("Variadic", [((2,), F32)], CUBE[0], X, how="vmap", axes=[0, -1], vmap_method=method))
    compare("no method", Call("Axpd", [((4,), F32)], CUBE[0], how="vmap", axes=[0], attributes=dict(k=F32(2))), texts=False)
    compare("another method", like("Axpd", X, attributes=dict(k=F32(2)), vmap_method="fast"))


# --- context, state, errors ---------------------------------------------------------------


def context():
    for target in ("Later", "CountedDown", "Pooled"):
        compare(target, like(target, X))
    # XLA's CPU has no scratch memory.
    ours = server.ask(**like("Scratch", X).request())
    check("scratch memory", ours.get("results") == [ffi_library.array_request(X)], ours)
    on_devices = dict(how="shard_map", mesh=[8], specs=["x"])
    rows = np.zeros(16, F32)
    compare("number of the device", like("Device", rows, how="jit"))
    local = lambda target, **fields: Call(target, [((2,), F32)], rows, **on_devices, **fields)
    compare("number of each device", local("Device"))
    compare("number of each device, reversed", local("Device", reversed=True))
    ours = server.ask(**Call("RunId", [((1,), S64)], np.zeros(8, F32), x64=True, **on_devices).request())
    ids = set(np.frombuffer(bytes.fromhex(ours["results"][0]["hex"]), S64).tolist())
    check("one run on eight devices", len(ids) == 1, ours)
    ours = server.ask(**Call("RunId", [((1,), S64)], X, x64=True, repeat=4).request())
    check("four runs", len({r["hex"] for r in ours["results"]}) == 4, ours)
    compare("no stream", like("Stream", X))
    ours, theirs = (plain(x["error"]) for x in (server.ask(**like("UserData", X).request()), like("UserData", X).run()))
    check("no user data", re.sub(r"type id \d+", "", ours) == re.sub(r"type id \d+", "", theirs), ours, theirs)


def state():
    count = lambda start, **fields: Call("Counter", [((1,), S64)], X, attributes=dict(start=start), x64=True, has_side_effect=True, **fields)
    compare("state", count(10, repeat=3))
    compare("state in a loop", count(20, how="scan", steps=4))
    compare("error while a state is made", count(-1))
    compare("a table", Call("Table", [((3,), F32)], np.array([0, 3, 1], S32), attributes=dict(n=4)))
    compare("a table without the entry", Call("Table", [((1,), F32)], np.array([4], S32), attributes=dict(n=4)))
    compare("a table without entries", Call("Table", [((1,), F32)], np.array([4], S32), attributes=dict(n=0)))
    for symbol in ("Instantiated", "Prepared", "Initialized", "Executed"):
        examples.integers(symbol)
    compare("all stages", like("Stages", np.zeros(16, F32), how="jit", repeat=2), texts=False)
    check("instantiated once", examples.integers("Instantiated") == (1, 1))
    check("prepared before each call, unlike XLA's", examples.integers("Prepared") == (0, 2))
    check("initialized before each call, unlike XLA's", examples.integers("Initialized") == (0, 2))
    check("executed twice", examples.integers("Executed") == (2, 2))


def errors():
    for code in (1, 2, 3, 5, 8, 9, 12, 13, 14):
        compare(f"error {code}", like("Failing", X, attributes=dict(code=code)), texts=False)
    compare("an exception", like("Throwing", X), texts=False)
    compare("a later error", like("FailingLater", X), texts=False)
    compare("the next call", like("Axpd", X, attributes=dict(k=F32(2))))
    compare("no target", like("no_such_target", X))
    for version in (1, 2, 3):
        compare(f"no target, {version}", like("no_such_target", X, custom_call_api_version=version))
        compare(f"a typed target, {version}", like("Axpd", X, custom_call_api_version=version))
    compare("an untyped target", like("Untyped1", X))
    answer = server.ask(do="register", library=handlers.path, name="Axpd", execute="Pooled")
    check("a name that is taken", "Duplicate FFI handler registration for Axpd on platform Host (canonical host) with different "
          "bundle addresses" in answer.get("error", ""), answer)
    answer = server.ask(do="register", library=handlers.path, name="Axpd", execute="Axpd")
    check("the same again", answer == {"done": True}, answer)
    answer = server.ask(do="register", library=handlers.path, name="x", execute="no_such_symbol")
    check("no symbol", "defines no symbol 'no_such_symbol'" in answer.get("error", ""), answer)
    answer = server.ask(do="register", library="/no/such/library.so", name="x", execute="y")
    check("no library", "NOT_FOUND: cannot open '/no/such/library.so'" in answer.get("error", ""), answer)
    answer = server.ask(do="register", library=handlers.path, name="x", instantiate="CounterInstantiate")
    check("no execute", "FFI handler for x on a platform Host must provide an execute implementation" in answer.get("error", ""), answer)


def untyped():
    x = np.arange(4, dtype=F32)
    compare("version 1", like("Untyped1", x, custom_call_api_version=1))
    compare("version 2", Call("Untyped2", [((4,), F32)] * 2, x, x + 1, custom_call_api_version=2))
    for config in ("Aha", ""):
        compare(f"version 3, {config}", like("Untyped3", x, custom_call_api_version=3, legacy_backend_config=config))


def examples_of_users():
    rng = np.random.default_rng(args.seed)
    for target, grad, element in (("RmsNorm", "RmsNormGrad", F32), ("RmsNorm64", "RmsNormGrad64", F64)):
        x = rng.normal(size=(4, 5, 6)).astype(element)
        out = [(x.shape, element), (x.shape[:-1], element)]
        compare(target, Call(target, out, x, attributes=dict(eps=F32(1e-5)), x64=True))
        compare(f"{target} under vmap", Call(target, [((5, 6), element), ((5,), element)], x, attributes=dict(eps=F32(1e-5)), x64=True,
                                             how="vmap", axes=[0], vmap_method="broadcast_all"))
        compare(grad, Call(grad, [(x.shape, element)], x[..., 0].copy(), x, np.cos(x), x64=True))
    compare("of no array", Call("RmsNorm", [((), F32)] * 2, F32(1), attributes=dict(eps=F32(1e-5))), texts=False)


def batches():
    """Targets that may be given a part of their batch stay divided along it, and send nothing for it."""
    rows = (1 + np.arange(32, dtype=F32)).reshape(8, 4)
    cube = (1 + np.arange(8 * 6 * 4, dtype=F32)).reshape(8, 6, 4)
    divided = lambda target, *values, specs, out=None, count=1: Call(target, out or [(values[0].shape, F32)], *values, how="sharded",
                                                                     mesh=[4, 2], specs=specs, batch_dims=count)

    def case(name, call, sent, out):
        ours, theirs = server.ask(**call.request()), Call(call.target, call.results, *call.args).run()
        check(f"batches, {name}: values", ours.get("results") == theirs.get("results"), ours, theirs)
        lines = ours.get("report", "no report").split("collectives\n", 1)
        found = [line.split()[0] for line in lines[1].split("\n\n")[0].splitlines()[1:]] if len(lines) > 1 else []
        check(f"batches, {name}: {sent}", found == sent, ours.get("report", ours))
        check(f"batches, {name}: shardings {out}", [re.sub(r", None|,(?=\))", "", s) for s in ours.get("specs", ())] == out, ours.get("specs"))

    case("not registered", divided("Softly", rows, specs=["x|-"]), ["all_gather"], ["P()"])
    for name in ("Softly", "Moments"):
        jax.ffi.register_ffi_target_as_batch_partitionable(name)
        check(f"{name} is batch partitionable", server.ask(do="partitionable", name=name) == {"done": True})
    case("rows", divided("Softly", rows, specs=["x|-"]), [], ["P('x')"])
    case("rows over both axes", divided("Softly", rows, specs=["x,y|-"]), [], ["P(('x', 'y'))"])
    case("rows and columns", divided("Softly", rows, specs=["x|y"]), ["all_gather"], ["P('x')"])
    case("columns", divided("Softly", rows, specs=["-|y"]), ["all_gather"], ["P()"])
    case("two dimensions", divided("Softly", cube, specs=["x|y|-"], count=2), [], ["P('x', 'y')"])
    case("one of two dimensions", divided("Softly", cube, specs=["x|y|-"]), ["all_gather"], ["P('x')"])
    case("no dimension", divided("Softly", rows, specs=["x|-"], count=0), ["all_gather"], ["P()"])
    out = [((8,), F32), ((8, 2), F32)]
    case("two operands", divided("Moments", rows, rows[:, 0].copy(), specs=["x|-", "x"], out=out), [], ["P('x')"] * 2)
    case("an operand on all devices", divided("Moments", rows, rows[:, 0].copy(), specs=["x|-", "-"], out=out), [], ["P('x')"] * 2)
    # The marks of vmap: the mapped dimension is one of the batch.
    inside = Call("Softly", [((6, 4), F32)], cube, how="vmap", axes=[0], vmap_method="broadcast_all", batch_dims=1)
    module = server.ask(**inside.request(texts=True, trace_only=True))["module"]
    check("batches under vmap", 'num_batch_dims = "2"' in module, module)
    bad = server.ask(**Call("Moments", [((8,), F32), ((8, 2), F32)], rows, rows[:4, 0].copy(), batch_dims=1).request())
    check("batches of two sizes", "dimension 0 has size 8 in one value of the call and 4 in another" in bad.get("error", ""), bad)
    bad = server.ask(**Call("Softly", [((8, 4), F32)], rows, batch_dims=3).request())
    check("more dimensions than there are", "numBatchDims is 3, but a value of the call has type float32[8,4]" in bad.get("error", ""), bad)


def random_call(rng):
    """A call of Copies or of a function of f32 with random shapes, types, layouts, aliases and batches."""
    n = rng.randint(1, 3)
    operands, results, layouts = [], [], []
    for _ in range(n):
        element = rng.choice(ELEMENTS)
        shape = [rng.choice((0, 1, 2, 3, 5)) for _ in range(rng.randint(0, 3))]
        operands.append(np.array(np.arange(int(np.prod(shape))) % 2, element).reshape(shape))
        results.append((shape, element))
        layouts.append(tuple(rng.sample(range(len(shape)), len(shape))))
    fields = dict(x64=True)
    if rng.random() < 0.5:
        fields.update(input_layouts=layouts, output_layouts=layouts)
    if rng.random() < 0.4:
        fields["input_output_aliases"] = {rng.randrange(n): 0} if rng.random() < 0.2 else {0: 0}
        (source, target), = fields["input_output_aliases"].items()
        if results[source] != results[target]:
            del fields["input_output_aliases"]
    if rng.random() < 0.4:
        fields["has_side_effect"] = True
    kind = rng.choice(("eager", "jit", "vmap", "scan"))
    if kind == "vmap":
        size, axes = rng.choice((1, 2, 4)), []
        fields["vmap_method"] = rng.choice(METHODS[:4])
        for i, x in enumerate(operands):
            axis = rng.randint(0, x.ndim) if i == 0 or rng.random() < 0.6 else -1
            axes.append(axis)
            if axis >= 0:
                operands[i] = np.stack([x] * size, axis)
        if fields["vmap_method"] == "expand_dims" and -1 in axes:
            fields["vmap_method"] = "broadcast_all"
        fields["axes"] = axes
    if kind == "scan":
        fields["steps"] = rng.randint(1, 3)
    return Call("Copies", results, *operands, how=kind, **fields)


server = ffi_library.Server()
handlers = ffi_library.Library(server, os.path.join(HERE, "..", "jax", "ffi_handlers.cc"))
examples = ffi_library.Library(server, os.path.join(HERE, "ffi_examples.cc"))
register()
for group in (attributes, buffers, layouts_and_batches, context, state, errors, untyped, examples_of_users, batches):
    group()
for i in range(args.cases):
    compare(f"random {args.seed + i}", random_call(random.Random(args.seed + i)))
tally.finish()
