#===- shardy_crashes.py - our partitioning passes never crash -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs through our partitioning passes alone, in orders that they are not made for, too:
each succeeds or gives a diagnostic. A third of the programs are one gather or scatter with random
dimension numbers and shardings (uneven, sub-axes, batching dimensions, no indices, no elements,
rank 0), in the function, a loop, a branch or a manual computation; another third mixes ops of all kinds
on values that are on any mesh (of another order or number of devices, of one device, without axes,
written in the sharding), on tokens and on tensors without elements; the others are those of
partition.py and propagate.py. Needs no jaxlib."""

import oracle
import partition_programs
import propagate_programs

PREPARE = "func.func(sdy-insert-explicit-reshards{enable-full-version=true})"
COLLECTIVES = "func.func(sdy-reshard-to-collectives),canonicalize{enable-patterns=sdy-collective}"
LOCAL = "sdy-convert-global-to-local"
PIPELINES = (
    LOCAL,
    f"{LOCAL}{{per-dim-all-gather=true sw-shardy=0.10.2}}",
    f"sdy-pad-for-divisibility,{LOCAL}",
    "sdy-resolve-permutation-factors",
    f"sdy-resolve-permutation-factors,{COLLECTIVES},sdy-pad-for-divisibility,{LOCAL},sdy-drop-sharding-and-mesh",
    f"{PREPARE},{COLLECTIVES},{LOCAL}",
    f"{PREPARE},sdy-resolve-permutation-factors{{enable-halo-exchange=false}},{COLLECTIVES},sdy-pad-for-divisibility,{LOCAL}",
    f"{PREPARE},sdy-resolve-permutation-factors,{COLLECTIVES},sdy-pad-for-divisibility,"
    f"func.func(sdy-resolve-single-device-sharding),{LOCAL},sdy-drop-sharding-and-mesh",
    "sdy-per-instruction-partitioning",
    "sdy-inline-meshes,sdy-per-instruction-partitioning{sw-shardy=0.10.2}",
    f"sdy-inline-meshes,{PREPARE},sdy-resolve-permutation-factors,{COLLECTIVES},sdy-pad-for-divisibility,{LOCAL}",
    f"func.func(sdy-insert-explicit-reshards),sdy-resolve-permutation-factors{{sw-shardy=0.10.2}},{COLLECTIVES}",
    "func.func(sdy-resolve-single-device-sharding),sdy-drop-sharding-and-mesh",
    f"func.func(sdy-verify-unreduced-axes),{PREPARE},func.func(sdy-resolve-single-device-sharding)",
    "func.func(sdy-explicit-gather-scatter-batching),sdy-propagation-pipeline",
    "sdy-propagation-pipeline,sdy-per-instruction-partitioning",
    "sdy-export-pipeline{enable-insert-explicit-collectives=true}",
    "func.func(sdy-optimize-collectives),func.func(sdy-remove-all-gather-reduce-scatter-for-cmv1),func.func(sdy-verify-unreduced-axes)",
)  # fmt: skip


def sharding(rng, rank):
    """Returns a random sharding's text; each axis is used once."""
    free = [['"x"'], ['"y"'] if rng.random() < 0.6 else ['"y":(1)2', '"y":(2)2'], ['"z"']]
    rng.shuffle(free)
    axes = [name for part in free for name in (part if rng.random() < 0.8 else part[::-1])]
    dims = [[] for _ in range(rank)]
    unreduced = []
    for axis in axes:
        if rank and rng.random() < 0.6:
            rng.choice(dims).append(axis)
        elif rng.random() < 0.05:
            unreduced.append(axis)
    for dim in dims:  # both parts of an axis, in order, would have to be written as one
        if '"y":(1)2' in dim and '"y":(2)2' in dim:
            dim.remove('"y":(2)2')
    more = f", unreduced={rng.choice(['', 'max'])}{{{', '.join(sorted(unreduced))}}}" if unreduced else ""
    text = ", ".join("{" + ", ".join(d) + "}" for d in dims)
    return f"<@m, [{text}]{more}>"


def tensor(shape, element="f32"):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def numbers(rng):
    """Returns random dimension numbers: the operand's shape, that of the indices, the result's, slice
    sizes, and the lists of the attribute."""
    rank = rng.choice([0, 1, 1, 2, 2, 3, 3, 4])
    operand = [rng.choice([1, 2, 4, 5, 6, 8, 12, 0] if rng.random() < 0.1 else [1, 2, 4, 5, 6, 8, 12]) for _ in range(rank)]
    dims = list(range(rank))
    rng.shuffle(dims)
    indices = [rng.choice([1, 2, 3, 4, 6, 8, 12]) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
    batching, index_batching = [], []
    for dim in dims[: rng.choice([0, 0, 1, 2])]:
        if len(index_batching) < len(indices):
            at = len(index_batching)
            indices[at] = operand[dim]
            batching.append(dim)
            index_batching.append(at)
    order = sorted(range(len(batching)), key=lambda i: batching[i])
    batching, index_batching = [batching[i] for i in order], [index_batching[i] for i in order]
    rest = [d for d in dims if d not in batching]
    collapsed = sorted(d for d in rest if operand[d] > 0 and rng.random() < 0.5)
    indexed = rng.sample(rest, rng.randint(0, len(rest)))
    sizes = [
        min(1, operand[d]) if d in collapsed or d in batching else rng.choice([operand[d], operand[d], 1, rng.randint(0, operand[d])])
        for d in range(rank)
    ]
    sizes = [min(s, n) for s, n in zip(sizes, operand)]
    vector = len(indices)
    full = list(indices)
    if not (len(indexed) == 1 and rng.random() < 0.3):
        vector = rng.randint(0, len(indices))
        full.insert(vector, len(indexed))
        index_batching = [i + (i >= vector) for i in index_batching]
    window = [sizes[d] for d in range(rank) if d not in collapsed and d not in batching]
    result_rank = len(window) + len(indices)
    offset = sorted(rng.sample(range(result_rank), len(window)))
    result, of_window, of_batch = [], iter(window), iter(indices)
    for d in range(result_rank):
        result.append(next(of_window) if d in offset else next(of_batch))
    return operand, full, result, sizes, offset, collapsed, batching, index_batching, indexed, vector


def value_attribute(rng, shape):
    return f" {{sdy.sharding = #sdy.sharding{sharding(rng, len(shape))}}}" if rng.random() < 0.9 else ""


def op_attribute(rng, shape):
    return f" {{sdy.sharding = #sdy.sharding_per_value<[{sharding(rng, len(shape))}]>}}" if rng.random() < 0.9 else ""


def gather(rng):
    """Returns the text of an op, its operands' shapes, and its result's shape."""
    operand, indices, result, sizes, offset, collapsed, batching, index_batching, indexed, vector = numbers(rng)
    sorted_flag = str(rng.random() < 0.3).lower()
    if rng.random() < 0.6:
        lists = (
            f"offset_dims = {offset}, collapsed_slice_dims = {collapsed}, operand_batching_dims = {batching}, "
            f"start_indices_batching_dims = {index_batching}, start_index_map = {indexed}, index_vector_dim = {vector}"
        )
        text = (
            f'"stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<{lists}>, indices_are_sorted = {sorted_flag}, '
            f"slice_sizes = array<i64{': ' + ', '.join(map(str, sizes)) if sizes else ''}>}}>ATTR : "
            f"({tensor(operand)}, {tensor(indices, 'i32')}) -> {tensor(result)}"
        )
        return text, [(operand, "f32"), (indices, "i32")], result
    lists = (
        f"update_window_dims = {offset}, inserted_window_dims = {collapsed}, input_batching_dims = {batching}, "
        f"scatter_indices_batching_dims = {index_batching}, scatter_dims_to_operand_dims = {indexed}, index_vector_dim = {vector}"
    )
    reducer = rng.choice(["stablehlo.add %p, %q", "stablehlo.maximum %p, %q", None])
    body = f"%r = {reducer} : tensor<f32>\nstablehlo.return %r : tensor<f32>" if reducer else "stablehlo.return %q : tensor<f32>"
    text = (
        f'"stablehlo.scatter"(%a, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{lists}>, '
        f"indices_are_sorted = {sorted_flag}, unique_indices = {str(rng.random() < 0.3).lower()}}}> ({{\n"
        f"^bb0(%p: tensor<f32>, %q: tensor<f32>):\n{body}\n}})ATTR : "
        f"({tensor(operand)}, {tensor(indices, 'i32')}, {tensor(result)}) -> {tensor(operand)}"
    )
    return text, [(operand, "f32"), (indices, "i32"), (result, "f32")], operand


def one_op(rng):
    text, operands, result = gather(rng)
    text = text.replace("ATTR", op_attribute(rng, result))
    names = ["%a", "%i", "%u"]
    arguments = [f"{n}: {tensor(s, e)}{value_attribute(rng, s)}" for n, (s, e) in zip(names, operands)]
    kind, wrapped = tensor(result), f"%0 = {text}"
    way = rng.choice(["plain", "plain", "if", "while", "manual", "call"])
    if way == "if":
        arguments.append(f"%c: tensor<i1>, %d: {kind}{value_attribute(rng, result)}")
        wrapped = (
            f'%0 = "stablehlo.if"(%c) ({{\n%1 = {text}\nstablehlo.return %1 : {kind}\n}}, {{\nstablehlo.return %d : {kind}\n}})'
            f"{op_attribute(rng, result)} : (tensor<i1>) -> {kind}"
        )
    elif way == "while":
        arguments.append(f"%c: tensor<i1>, %d: {kind}{value_attribute(rng, result)}")
        wrapped = (
            f'%0 = "stablehlo.while"(%d) ({{\n^bb0(%w: {kind}):\nstablehlo.return %c : tensor<i1>\n}}, {{\n^bb0(%w: {kind}):\n'
            f"%1 = {text}\nstablehlo.return %1 : {kind}\n}}){op_attribute(rng, result)} : ({kind}) -> {kind}"
        )
    elif way == "manual":
        used = ", ".join(names[: len(operands)])
        inner = ", ".join(f"{n}: {tensor(s, e)}" for n, (s, e) in zip(names, operands))
        whole = lambda shape: f"<@m, [{', '.join(['{?}'] * len(shape))}]>"
        wrapped = (
            f"%0 = sdy.manual_computation({used}) in_shardings=[{', '.join(whole(s) for s, _ in operands)}] "
            f'out_shardings=[{whole(result)}] manual_axes={{"x"}} ({inner.replace("%", "%m")}) {{\n'
            + f"%1 = {text}".replace("%a,", "%ma,").replace("%i)", "%mi)").replace("%i,", "%mi,").replace("%u)", "%mu)")
            + f"\nsdy.return %1 : {kind}\n}} : ({', '.join(tensor(s, e) for s, e in operands)}) -> {kind}"
        )
    returned = f"({kind}{value_attribute(rng, result)})"
    more = ""
    if way == "call":
        more = f"\nfunc.func private @inner({', '.join(arguments)}) -> {returned} {{\n{wrapped}\nreturn %0 : {kind}\n}}"
        used = ", ".join(names[: len(operands)])
        wrapped = f"%0 = func.call @inner({used}){op_attribute(rng, result)} : ({', '.join(tensor(s, e) for s, e in operands)}) -> {kind}"
        arguments = [f"{n}: {tensor(s, e)}{value_attribute(rng, s)}" for n, (s, e) in zip(names, operands)]
    mesh = 'sdy.mesh @m = <["x"=2, "y"=4, "z"=3]>'
    return f"{mesh}\nfunc.func @main({', '.join(arguments)}) -> {returned} {{\n{wrapped}\nreturn %0 : {kind}\n}}{more}\n"


MESHES = {
    "@m": '<["x"=2, "y"=4, "z"=3]>',
    "@reordered": '<["x"=2, "y"=4, "z"=3], device_ids=[' + ", ".join(map(str, reversed(range(24)))) + "]>",
    "@other": '<["y"=4, "x"=6]>',
    "@small": '<["x"=2]>',
    "@empty": "<[]>",
    "@one": "<[], device_ids=[1]>",
    "@two": "<[], device_ids=[2]>",
    'mesh<["x"=2, "y"=4, "z"=3]>': None,
    "mesh<[], device_ids=[3]>": None,
    "mesh<[]>": None,
}
AXES = {"@other": ['"x"', '"y"'], "@small": ['"x"']}


def anywhere(rng, rank, home):
    """Returns the text of a sharding, mostly on the mesh `home`."""
    mesh = home if rng.random() < 0.8 else rng.choice(list(MESHES))
    written = MESHES[mesh] or mesh
    if "[]" in written:  # a maximal sharding has rank 0
        return f"<{mesh}, [{', '.join(['{}'] * (0 if 'device_ids' in written else rank))}]>"
    if mesh not in AXES:
        return sharding(rng, rank).replace("@m", mesh)
    dims = [[] for _ in range(rank)]
    for axis in AXES[mesh]:
        if rank and rng.random() < 0.6:
            rng.choice(dims).append(axis)
    return f"<{mesh}, [{', '.join('{' + ', '.join(d) + '}' for d in dims)}]>"


def mixed(rng):
    """Returns a program of up to six ops of all kinds."""
    home = rng.choice(list(MESHES)) if rng.random() < 0.4 else "@m"
    lines, values, count = [], [], [0]
    token = "!stablehlo.token"
    kind = lambda shape: token if shape is None else tensor(shape)
    rank_of = lambda shape: len(shape or [])
    per_value = lambda shapes: (
        " {sdy.sharding = #sdy.sharding_per_value<[" + ", ".join(anywhere(rng, rank_of(s), home) for s in shapes) + "]>}"
        if shapes and rng.random() < 0.8 else ""
    )  # fmt: skip
    arguments = []
    for i in range(rng.randint(1, 3)):
        shape = None if rng.random() < 0.1 else [rng.choice([0, 1, 2, 5, 6, 8, 8, 12]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
        given = f" {{sdy.sharding = #sdy.sharding{anywhere(rng, rank_of(shape), home)}}}" if rng.random() < 0.7 else ""
        arguments.append(f"%a{i}: {kind(shape)}{given}")
        values.append((f"%a{i}", shape))

    def emit(text, shapes, operands, tail=""):
        """Adds an op; `text` has ATTR for its shardings."""
        count[0] += 1
        name = f"%v{count[0]}"
        names = [name] if len(shapes) == 1 else [f"{name}#{i}" for i in range(len(shapes))]
        left = "" if not shapes else (f"{name} = " if len(shapes) == 1 else f"{name}:{len(shapes)} = ")
        types = f" : ({', '.join(kind(s) for s in operands)}) -> ({', '.join(kind(s) for s in shapes)})"
        lines.append(left + text.replace("ATTR", per_value(shapes)) + types + tail)
        values.extend(zip(names, shapes))

    def scalar(text="0.0"):
        count[0] += 1
        lines.append(f"%v{count[0]} = stablehlo.constant dense<{text}> : tensor<f32>")
        return f"%v{count[0]}"

    for _ in range(rng.randint(1, 6)):
        name, shape = rng.choice(values)
        alike = [v for v in values if v[1] == shape]
        other = rng.choice(alike)[0]
        which = rng.choice(("call", "token", "unary", "binary", "reshape", "slice", "pad", "reverse", "transpose", "reduce",
                            "concatenate", "reshard", "constant", "barrier", "dot", "collective", "unreduced", "while", "manual"))  # fmt: skip
        if which == "call":
            some = rng.sample(values, rng.randint(0, min(3, len(values))))
            made = [rng.choice([v[1] for v in values]) for _ in range(rng.randint(0, 3))]
            emit(f'"stablehlo.custom_call"({", ".join(v[0] for v in some)}) <{{call_target_name = "f", '
                 f"has_side_effect = {str(rng.random() < 0.5).lower()}}}>ATTR", made, [v[1] for v in some])  # fmt: skip
            continue
        if which == "token":
            tokens = [v[0] for v in values if v[1] is None]
            emit(f'"stablehlo.after_all"({", ".join(tokens)})ATTR', [None], [None] * len(tokens))
            continue
        if which == "constant":
            sizes = [rng.choice([1, 4, 5, 8]) for _ in range(rng.randint(0, 2))]
            op = rng.choice(["sdy", "stablehlo"])
            emit(f'"{op}.constant"() <{{value = dense<1.0> : {tensor(sizes)}}}>ATTR', [sizes], [])
            continue
        if which == "barrier":
            emit(f'"stablehlo.optimization_barrier"({name}, {other})ATTR', [shape, shape], [shape, shape])
            continue
        if shape is None:
            continue
        rank = len(shape)
        array = lambda numbers: f"array<i64{': ' if numbers else ''}{', '.join(map(str, numbers))}>"
        if which == "unary":
            emit(f'"stablehlo.negate"({name})ATTR', [shape], [shape])
        elif which == "binary":
            emit(f'"stablehlo.add"({name}, {other})ATTR', [shape], [shape, shape])
        elif which == "reshape":
            total = 1
            for size in shape:
                total *= size
            emit(f'"stablehlo.reshape"({name})ATTR', [rng.choice([[total], [1, total], [total, 1], [2, total // 2] if total % 2 == 0 else [total]])], [shape])
        elif which == "slice":
            start = [rng.randint(0, n) for n in shape]
            end = [rng.randint(s, n) for s, n in zip(start, shape)]
            step = [rng.choice([1, 1, 2]) for _ in shape]
            emit(f'"stablehlo.slice"({name}) <{{start_indices = {array(start)}, limit_indices = {array(end)}, strides = {array(step)}}}>ATTR',
                 [[-(-(e - s) // t) for s, e, t in zip(start, end, step)]], [shape])  # fmt: skip
        elif which == "pad":
            low, high = ([rng.randint(-1, 2) if n > 2 else 0 for n in shape] for _ in range(2))
            inner = [rng.choice([0, 0, 1]) for _ in shape]
            emit(f'"stablehlo.pad"({name}, {scalar()}) <{{edge_padding_low = {array(low)}, edge_padding_high = {array(high)}, '
                 f"interior_padding = {array(inner)}}}>ATTR",
                 [[l + h + n + max(n - 1, 0) * i for l, h, n, i in zip(low, high, shape, inner)]], [shape, []])  # fmt: skip
        elif which == "reverse":
            emit(f'"stablehlo.reverse"({name}) <{{dimensions = {array([d for d in range(rank) if rng.random() < 0.6])}}}>ATTR', [shape], [shape])
        elif which == "transpose":
            order = rng.sample(range(rank), rank)
            emit(f'"stablehlo.transpose"({name}) <{{permutation = {array(order)}}}>ATTR', [[shape[d] for d in order]], [shape])
        elif which == "reduce":
            gone = [d for d in range(rank) if rng.random() < 0.5]
            body = f"stablehlo.{rng.choice(['add', 'maximum', 'multiply', 'subtract'])} %p, %q : tensor<f32>"
            emit(f'"stablehlo.reduce"({name}, {scalar()}) <{{dimensions = {array(gone)}}}> ({{\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n'
                 f"%r = {body}\nstablehlo.return %r : tensor<f32>\n}})ATTR", [[n for d, n in enumerate(shape) if d not in gone]], [shape, []])  # fmt: skip
        elif which == "concatenate" and rank:
            d = rng.randrange(rank)
            emit(f'"stablehlo.concatenate"({name}, {other}) <{{dimension = {d} : i64}}>ATTR',
                 [[2 * n if i == d else n for i, n in enumerate(shape)]], [shape, shape])  # fmt: skip
        elif which == "dot" and rank:
            emit(f'"stablehlo.dot_general"({name}, {other}) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], '
                 f"rhs_contracting_dimensions = [0]>}}>ATTR", [shape[1:] + shape[1:]], [shape, shape])  # fmt: skip
        elif which in ("reshard", "collective", "unreduced"):
            to = anywhere(rng, rank, home)
            more = ""
            if which == "collective":
                op, more = rng.choice((("all_gather", "[" + ", ".join(["{}"] * rank) + "]"), ("all_slice", "[" + ", ".join(["{}"] * rank) + "]"),
                                       ("collective_permute", ""), ("all_reduce", rng.choice(["{}", '{"x"}', 'max {"y"}'])),
                                       ("replicated_to_unreduced", '{"z"}')))  # fmt: skip
                text = f"sdy.{op} {more} {name} out_sharding={to} : {tensor(shape)}"
            elif which == "unreduced":
                text = f'sdy.reshard {name} <@m, [{", ".join(["{}"] * rank)}], unreduced={rng.choice(["", "max", "min"])}{{"x"}}> : {tensor(shape)}'
            else:
                text = f"sdy.{rng.choice(['reshard', 'reshard', 'sharding_constraint'])} {name} {to} : {tensor(shape)}"
            count[0] += 1
            lines.append(f"%v{count[0]} = {text}")
            values.append((f"%v{count[0]}", shape))
        elif which == "while":
            count[0] += 1
            lines.append(f"%v{count[0]} = stablehlo.constant dense<true> : tensor<i1>")
            emit(f'"stablehlo.while"({name}) ({{\n^bb0(%w: {tensor(shape)}):\nstablehlo.return %v{count[0]} : tensor<i1>\n}}, {{\n'
                 f"^bb0(%w: {tensor(shape)}):\n%n = stablehlo.negate %w{per_value([shape])} : {tensor(shape)}\n"
                 f"stablehlo.return %n : {tensor(shape)}\n}})ATTR", [shape], [shape])  # fmt: skip
        elif which == "manual":
            whole = f"<@m, [{', '.join(['{?}'] * rank)}]>"
            count[0] += 1
            lines.append(f'%v{count[0]} = sdy.manual_computation({name}) in_shardings=[{whole}] out_shardings=[{whole}] manual_axes={{"x"}} '
                         f"(%w: {tensor(shape)}) {{\n%n = stablehlo.negate %w : {tensor(shape)}\nsdy.return %n : {tensor(shape)}\n}} : "
                         f"({tensor(shape)}) -> {tensor(shape)}")  # fmt: skip
            values.append((f"%v{count[0]}", shape))
    returned = rng.sample(values, min(2, len(values)))
    results = [
        kind(s) + (f" {{sdy.sharding = #sdy.sharding{anywhere(rng, rank_of(s), home)}}}" if rng.random() < 0.5 else "") for _, s in returned
    ]
    meshes = "\n".join(f"sdy.mesh {name} = {text}" for name, text in MESHES.items() if text)
    ends = f"return {', '.join(v[0] for v in returned)} : {', '.join(kind(s) for _, s in returned)}"
    return f"{meshes}\nfunc.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n" + "\n".join(lines) + f"\n{ends}\n}}\n"


def program(rng):
    which = rng.random()
    if which < 0.35:
        return one_op(rng)
    if which < 0.7:
        return mixed(rng)
    if which < 0.8:
        return str(propagate_programs.generate(rng))
    made = partition_programs.random_program(rng, sums=rng.choice(["off", "all"]))
    made.written = None
    return made.text(sharded=True)


def main():
    args = oracle.arguments(__doc__, cases=60, long_cases=3000)
    tally = oracle.Tally("shardy_crashes")
    batches = {}
    for rng in oracle.generators(args):
        text = program(rng)
        for pipeline in rng.sample(PIPELINES, 4):
            batches.setdefault(pipeline, []).append((rng.name, text))
    accepted = 0
    for pipeline, cases in sorted(batches.items()):
        flag = f"--pass-pipeline=builtin.module({pipeline})"
        for start in range(0, len(cases), 50):
            some = cases[start : start + 50]
            for (case, text), result in zip(some, oracle.ours_batch((t for _, t in some), flag)):
                good = isinstance(result, str) or result.code == 1 and "error:" in result.stderr
                accepted += isinstance(result, str)
                tally.check(f"{case} '{pipeline}'", good, f"{result}\nprogram:\n{text}"[:6000])
    print(f"{accepted} programs were accepted")
    tally.finish()


if __name__ == "__main__":
    main()
