#===- calls.py - custom calls: top-k, host functions ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The host functions are those of run_server.cc."""

import numpy as np

from ops.case import ALL, F8, FLOAT, INT, TINY, dtype, is_float, is_int, op, tensor

ORDERED = INT + F8 + FLOAT


def largest(data, k, axis, descending=True):
    """Returns values and positions; ties by position, NaN above all."""
    wide = data.astype(np.float64) if data.dtype.itemsize < 8 or data.dtype.kind == "f" else data
    x = np.moveaxis(wide, axis, -1)
    order = np.argsort(x, -1, kind="stable")
    if descending:
        back = np.argsort(np.flip(x, -1), -1, kind="stable")
        order = x.shape[-1] - 1 - np.flip(back, -1)
    at = np.moveaxis(order[..., :k], -1, axis)
    return np.take_along_axis(data, at, axis), at


def keys(c, shape, e):
    """Returns keys without NaN and -0, whose order is not unique."""
    x = c.random(shape, e, False)
    if is_float(e):
        x = np.where(x.astype(np.float64) == 0, np.array(0, x.dtype), x)
    return x


def top_shape(c):
    shape = list(c.shape(c.rng.choice((1, 2, 3)), low=1))
    return shape, c.rng.randint(0 if c.rng.random() < 0.1 else 1, shape[-1])


@op("chlo.top_k", ORDERED)
def top_k(c, e):
    shape, k = top_shape(c)
    x, to = c.arg(shape, e, data=keys(c, shape, e)), [*shape[:-1], k]
    v, i = c.ops(f"chlo.top_k({x}, k = {k}) : {x.type} -> ({tensor(to, e)}, {tensor(to, 'i32')})", (to, e), (to, "i32"))
    values, at = largest(c.data[0], k, -1)
    c.result(v, values)
    c.result(i, at)


@op("custom_call mhlo.topk", ["f32", "i32", "bf16"])
def mhlo_topk(c, e):
    shape, k = top_shape(c)
    x, to = c.arg(shape, e, data=keys(c, shape, e)), [*shape[:-1], k]
    v, i = c.ops(f'stablehlo.custom_call @mhlo.topk({x}) {{mhlo.attributes = {{k = {k} : i64, largest = true}}, mhlo.version = 1 : i64}} : '
                 f"({x.type}) -> ({tensor(to, e)}, {tensor(to, 'i32')})", (to, e), (to, "i32"))  # fmt: skip
    values, at = largest(c.data[0], k, -1)
    c.result(v, values)
    c.result(i, at)


def comparator(c, e, direction, pairs):
    """Returns the name of a function that compares keys, and ignores other pairs."""
    name = c.symbol(f"compare_{direction}")
    others = "".join(f", %{n}{k}: tensor<i32>" for k in range(pairs - 1) for n in "vw")
    t = tensor((), e)
    c.functions.append(f"func.func private @{name}(%a: {t}, %b: {t}{others}) -> tensor<i1> {{\n  %0 = stablehlo.compare {direction}, "
                       f"%a, %b : ({t}, {t}) -> tensor<i1>\n  return %0 : tensor<i1>\n}}")  # fmt: skip
    return name


@op("custom_call TopK", ["f32", "i32", "bf16", "ui8", "f64"])
def topk_call(c, e):
    shape, k = top_shape(c)
    x, to = c.arg(shape, e, data=keys(c, shape, e)), [*shape[:-1], k]
    name = comparator(c, e, "GT", 1)
    v, i = c.ops(f"stablehlo.custom_call @TopK({x}) {{called_computations = [@{name}]}} : ({x.type}) -> "
                 f"({tensor(to, e)}, {tensor(to, 'i32')})", (to, e), (to, "i32"))  # fmt: skip
    values, at = largest(c.data[0], k, -1)
    c.result(v, values)
    c.result(i, at)


@op("custom_call ApproxTopK", ["f32", "bf16", "f16", "f64", "i32"])
def approx_top_k(c, e):
    """Along any dimension, of the largest or the smallest elements."""
    shape = list(c.shape(c.rng.choice((1, 2, 3)), low=1))
    d = c.rng.randrange(len(shape))
    k, down = c.rng.randint(1, shape[d]), c.rng.random() < 0.5
    x = c.arg(shape, e, data=keys(c, shape, e))
    to = [k if i == d else s for i, s in enumerate(shape)]
    at = c.op(f"stablehlo.iota dim = {d} : {tensor(shape, 'i32')}", shape, "i32")
    first, none = c.constant("0" if is_int(e) else "0.0", (), e), c.constant(-1, (), "i32")
    name = comparator(c, e, "GT" if down else "LT", 2)
    operands = ", ".join(v.type for v in (x, at, first, none))
    v, i = c.ops(f"stablehlo.custom_call @ApproxTopK({x}, {at}, {first}, {none}) {{called_computations = [@{name}], mhlo.backend_config = "
                 f"{{reduction_dim = {d} : i64, recall_target = 0.95 : f32, aggregate_to_topk = true, top_k = {k} : i64, is_fallback = true}}}} : "
                 f"({operands}) -> ({tensor(to, e)}, {tensor(to, 'i32')})", (to, e), (to, "i32"))  # fmt: skip
    values, places = largest(c.data[0], k, d, down)
    c.result(v, values)
    c.result(i, places)


@op("custom_call host function", ["f32"])
def scale(c, e):
    """On one device or several, in a program around it."""
    c.grid(1, c.rng.choice((1, 2, 4)))
    x, factor = c.arg(c.shape(), e), c.rng.choice((0.5, 2.0, -3.0))
    y = c.op(f"stablehlo.add {x}, {x} : {x.type}", x.shape, e)
    form = c.rng.choice((f'backend_config = {{factor = {factor} : f32}}, api_version = 4 : i32',
                         f'mhlo.backend_config = {{factor = {factor} : f32}}, backend_config = ""'))  # fmt: skip
    z = c.op(f"stablehlo.custom_call @test_scale({y}) {{{form}}} : ({x.type}) -> {x.type}", x.shape, e)
    w = c.op(f"stablehlo.negate {z} : {x.type}", x.shape, e)
    device = np.arange(c.partitions, dtype=np.float32).reshape([-1] + [1] * len(x.shape))
    c.result(w, -(np.float32(factor) * (c.data[0] + c.data[0]) + device), ulps=0)


@op("custom_call layouts", ALL + TINY)
def layouts(c, e):
    """Copies bytes from one layout to another. For the program that is a transposition."""
    shape = list(c.shape(c.rng.choice((1, 2, 3)), largest=8))
    rank = len(shape)
    taken, given = c.rng.sample(range(rank), rank), c.rng.sample(range(rank), rank)  # minor to major
    x = c.arg(shape, e)
    # In memory order, outermost first: shape[taken reversed]. The result must have the same sizes
    # there.
    result = [0] * rank
    for a, b in zip(taken, given):
        result[b] = shape[a]
    v = c.op(f"stablehlo.custom_call @test_copy({x}) {{operand_layouts = [dense<{taken}> : tensor<{rank}xindex>], "
             f"result_layouts = [dense<{given}> : tensor<{rank}xindex>]}} : ({x.type}) -> {tensor(result, e)}", result, e)  # fmt: skip
    memory = np.transpose(c.data[0], taken[::-1])
    c.result(v, np.transpose(memory, np.argsort(given[::-1])), ulps=0)


@op("custom_call aliases", ["f32", "i8", "complex<f64>"])
def aliases(c, e):
    """An operand that the function overwrites: its other users must still read the original."""
    x = c.arg(c.shape(), e)
    y = c.op(f"stablehlo.add {x}, {x} : {x.type}", x.shape, e)
    alias = "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>"
    z = c.op(f"stablehlo.custom_call @test_copy({y}) {{output_operand_aliases = [{alias}]}} : ({y.type}) -> {y.type}", x.shape, e)
    w = c.op(f"stablehlo.add {z}, {y} : {y.type}", x.shape, e)
    double = (c.data[0] + c.data[0]).astype(dtype(e))
    c.result(w, (double + double).astype(dtype(e)), ulps=0)


@op("stablehlo.outfeed and infeed", ["f32", "i8", "i1", "bf16", "complex<f32>", "i64"])
def feeds(c, e):
    """Through a queue on the host; tokens determine the order."""
    token, x, y = "!stablehlo.token", c.arg(c.shape(), e), c.arg(c.shape(), "f32")
    c.lines += [
        f"%t = stablehlo.create_token : {token}",
        f'%u = "stablehlo.outfeed"({x}, {y}, %t) <{{outfeed_config = "out"}}> : ({x.type}, {y.type}, {token}) -> {token}',
        f'%r:3 = "stablehlo.infeed"(%u) <{{infeed_config = "in"}}> : ({token}) -> ({x.type}, {y.type}, {token})',
    ]
    for i, v in enumerate((x, y)):
        c.result(type(x)(f"%r#{i}", v.shape, v.element), c.data[i], ulps=0)


@op("stablehlo.send and recv with the host", ["f32", "ui8"])
def host_transfer(c, e):
    token, x = "!stablehlo.token", c.arg(c.shape(), e)
    handle = lambda kind: f"<{{channel_handle = #stablehlo.channel_handle<handle = 5, type = {kind}>, is_host_transfer = true}}>"
    c.lines += [
        f"%t = stablehlo.create_token : {token}",
        f'%u = "stablehlo.send"({x}, %t) {handle(2)} : ({x.type}, {token}) -> {token}',
        f'%r:2 = "stablehlo.recv"(%u) {handle(3)} : ({token}) -> ({x.type}, {token})',
    ]
    c.result(type(x)("%r#0", x.shape, e), c.data[0], ulps=0)


@op("custom_call in a loop", ["f32"])
def in_a_loop(c, e):
    """Called in every iteration of a loop."""
    c.grid(1, c.rng.choice((1, 2)))
    x, n = c.arg(c.shape(), e), c.rng.randint(0, 4)
    zero, one, stop = (c.constant(k, (), "i32") for k in (0, 1, n))
    found = c.ops(f"""stablehlo.while(%i = {zero}, %a = {x}) : tensor<i32>, {x.type}
    cond {{
     %l = stablehlo.compare LT, %i, {stop} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %l : tensor<i1>
    }} do {{
     %j = stablehlo.add %i, {one} : tensor<i32>
     %b = stablehlo.custom_call @test_scale(%a) {{backend_config = {{factor = 0.5 : f32}}, api_version = 4 : i32}} : ({x.type}) -> {x.type}
     stablehlo.return %j, %b : tensor<i32>, {x.type}
    }}""", ((), "i32"), (x.shape, e))
    value = c.data[0]
    device = np.arange(c.partitions, dtype=np.float32).reshape([-1] + [1] * len(x.shape))
    for _ in range(n):
        value = np.float32(0.5) * value + device
    c.result(found[1], value, ulps=0)
