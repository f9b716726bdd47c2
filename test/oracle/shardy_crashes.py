#===- shardy_crashes.py - our partitioning passes never crash -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs through our partitioning passes alone, in orders that they are not made for, too:
each succeeds or gives a diagnostic. Half of the programs are one gather or scatter with random
dimension numbers and shardings (uneven, sub-axes, batching dimensions, no indices, no elements,
rank 0), in the function, a loop, a branch or a manual computation; the others are those of
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


def program(rng):
    which = rng.random()
    if which < 0.6:
        return one_op(rng)
    if which < 0.7:
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
