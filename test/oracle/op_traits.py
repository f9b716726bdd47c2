#===- op_traits.py - effects and speculatability of operations ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Checks effects and speculatability of every operation by the behaviour of MLIR's passes:

  dead    an unused operation: `cse` removes it
  merge   two equal operations: `cse` leaves one
  hoist   in a loop, on values from outside: `loop-invariant-code-motion` moves it out

The table below has the expected behaviour. Ours must show it on each valid case of the dialects'
lit tests, and jaxlib as well if it has the operation. The loop is `stablehlo.while` for ours and
`scf.for` for jaxlib, whose `stablehlo.while` has no loop interface."""

import re

import oracle

oracle.require()

import verifier_agreement as agreement
from jaxlib.mlir import passmanager
from oracle import ir

# Removed and merged; always speculatable.
PURE = """constant iota create_token after_all replica_id partition_id tuple get_tuple_element
dynamic_slice dynamic_update_slice broadcast get_dimension_size optimization_barrier dot einsum
unary_einsum torch_index_select cross-replica-sum"""
# .. if every static dimension of the result is static in the operand.
UNARY = """abs cbrt ceil convert cosine count_leading_zeros exponential exponential_minus_one floor
imag is_finite log log_plus_one logistic negate not popcnt real reduce_precision round_nearest_afz
round_nearest_even rsqrt sign sine sqrt tan tanh uniform_dequantize uniform_quantize"""
# .. if all operands and results are static.
STATIC = """add and atan2 batch_norm_grad batch_norm_inference batch_norm_training bitcast_convert
broadcast_in_dim clamp compare complex concatenate convolution divide dot_general dynamic_broadcast_in_dim
dynamic_conv dynamic_gather dynamic_iota dynamic_pad dynamic_reshape fft gather maximum minimum multiply or
pad power real_dynamic_slice remainder reshape reverse rng_bit_generator select set_dimension_size
shift_left shift_right_arithmetic shift_right_logical slice subtract transpose triangular_solve xor"""
# .. never.
NEVER = "cholesky"
# Effects of the regions; speculatable as they are, if static, or never.
BRANCHES = "if case"
REGIONS = "map reduce reduce_window scatter select_and_scatter sort"
LOOPS = "while chlo.scan"
# Unknown effects, or a resource: not removed, merged or moved.
EFFECTS = """all_gather all_reduce all_to_all async_done async_start collective_broadcast
collective_permute collective_reduce composite custom_call infeed outfeed recv reduce_scatter rng
send"""

CLASSES = {}
for names, kind in ((PURE, "pure"), (UNARY, "unary"), (STATIC, "static"), (NEVER, "never"),
                    (BRANCHES, "pure"), (REGIONS, "static"), (LOOPS, "never"), (EFFECTS, "effects")):  # fmt: skip
    for name in names.split():
        CLASSES[name if "." in name else "stablehlo." + name] = kind
# Stricter than the class: attributes that make speculation wrong.
UNSAFE = {
    "stablehlo.gather": r"indices_are_sorted = true",
    "stablehlo.scatter": r"(indices_are_sorted|unique_indices) = true",
    "stablehlo.triangular_solve": r"unit_diagonal = true",
}


def dims(kind):
    shape = re.match(r"tensor<((?:(?:\d+|\?)x)*)", kind)
    return [] if shape is None else shape[1].split("x")[:-1]


def is_static(op):
    return all("?" not in dims(t) for t in op.operands + op.results)


def comparable(op, kind):
    """False for ops in which jaxlib differs: it speculates loops, which may not terminate, and ops
    with static operands only; and it looks for constants among shape operands."""
    if kind != "hoist":
        return True
    shaped = "dynamic_" in op.name and CLASSES.get(op.name) == "static"
    return op.name != "stablehlo.while" and not shaped and (is_static(op) or CLASSES.get(op.name) == "unary")


def expected(op):
    kind = CLASSES.get(op.name, "pure" if op.name.startswith("chlo.") else None)
    if kind is None:
        return None
    attributes = ", ".join(f"{k} = {v}" for k, v in op.attributes.items())
    if op.name == "stablehlo.custom_call" and "has_side_effect = true" not in attributes:
        kind = "never"  # no effects, but unknown semantics
    if kind == "effects":
        return {"dead": False, "merge": False, "hoist": False}
    hoist = kind != "never"
    if kind == "static":
        hoist = is_static(op)
    if kind == "unary":
        hoist = all(r == "?" or o != "?" for o, r in zip(dims(op.operands[0]), dims(op.results[0])))
    if op.name in UNSAFE and re.search(UNSAFE[op.name], attributes):
        hoist = False
    return {"dead": True, "merge": True, "hoist": hoist}


MARK = "test.probe"
RETURN = '"func.return"'


def probe(op, kind, loop):
    """Returns a module around the operation, which is marked."""
    op = op.copy()
    op.attributes[MARK] = "unit"
    names = [f"%operand{i}" for i in range(len(op.operands))]
    types = list(op.operands)
    results = [f"%r#{i}" for i in range(len(op.results))]
    line = op.operation(names)
    head = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    use = f'"test.use"({", ".join(results)}) : ({", ".join(op.results)}) -> ()'
    if kind == "dead":
        body = line
    elif kind == "merge":
        body = "\n  ".join([line, use, line.replace("%r:", "%s:", 1), use.replace("%r#", "%s#")])
    elif loop == "scf":
        body = (
            '%c = "arith.constant"() <{value = 4 : index}> : () -> index\n'
            f'  "scf.for"(%c, %c, %c) ({{\n  ^bb0(%i: index):\n    {line}\n    {use}\n'
            '    "scf.yield"() : () -> ()\n  }) : (index, index, index) -> ()'
        )
    else:
        body = (
            '%n = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>\n'
            '  %w = "stablehlo.while"(%n) ({\n  ^bb0(%p: tensor<i1>):\n'
            '    "stablehlo.return"(%p) : (tensor<i1>) -> ()\n  }, {\n  ^bb0(%p: tensor<i1>):\n'
            f'    {line}\n    {use}\n    "stablehlo.return"(%p) : (tensor<i1>) -> ()\n'
            '  }) {test.loop} : (tensor<i1>) -> tensor<i1>'
        )  # fmt: skip
    return (
        f'{op.prelude}"func.func"() <{{function_type = ({", ".join(types)}) -> (), sym_name = "main"}}> ({{\n'
        + (f"^bb0({head}):\n" if head else "")
        + f'  {body}\n  {RETURN}() : () -> ()\n}}) : () -> ()\n'
    )


def verdict(kind, text):
    """Returns what happened to the marked operations, from generic text."""
    if kind == "dead":
        return MARK not in text
    if kind == "merge":
        return text.count(MARK) == 1
    loop = text.index('"test.use"')
    start = max(text.rfind('"scf.for"', 0, loop), text.rfind('"stablehlo.while"', 0, loop))
    return text.index(MARK) < start


PASS = {"dead": "cse", "merge": "cse", "hoist": "loop-invariant-code-motion"}


def theirs(text, name):
    try:
        with oracle.context() as context, ir.Location.unknown():
            context.allow_unregistered_dialects = True
            module = ir.Module.parse(text)
            passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)
            return module.operation.get_asm(print_generic_op_form=True)
    except ir.MLIRError:
        return None


def seeds():
    """Returns the valid cases of the lit tests, including those that jaxlib does not support."""
    found = agreement.collect(agreement.modules_of_files())
    for name, op in (("collective_reduce", agreement.op_mutations.Op(
        "stablehlo.collective_reduce", ["tensor<4xf32>"], ["tensor<4xf32>"],
        {"replica_groups": "dense<[[0, 1]]> : tensor<1x2xi64>"},
        ['{\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>)'
         ' -> tensor<f32>\n  "stablehlo.return"(%s) : (tensor<f32>) -> ()\n}'])),
        ("uniform_quantize", agreement.op_mutations.Op(
            "stablehlo.uniform_quantize", ["tensor<2xf32>"], ["tensor<2x!quant.uniform<i8:f32, 0.5>>"], {}, [])),
        ("uniform_dequantize", agreement.op_mutations.Op(
            "stablehlo.uniform_dequantize", ["tensor<2x!quant.uniform<i8:f32, 0.5>>"], ["tensor<2xf32>"], {}, [])),
    ):  # fmt: skip
        found["stablehlo." + name].append(op)
    return found


def main():
    oracle.arguments(__doc__, cases=0, long_cases=0)
    tally = oracle.Tally("op_traits", show=20)
    cases = seeds()
    for name in sorted(CLASSES):
        tally.check(name, name in cases, "no valid case of this op")
    jobs = []
    for name in sorted(cases):
        if not tally.check(name, expected(cases[name][0]) is not None, "an op that the table does not know"):
            continue
        jobs += [(op, kind) for op in cases[name] for kind in PASS if kind == "dead" or op.results]
    for kind in PASS:
        mine = [op for op, k in jobs if k == kind]
        flags = [f"--{PASS[kind]}", "--mlir-print-op-generic", "--allow-unregistered-dialect"]
        found = oracle.ours_batch([probe(op, kind, "while") for op in mine], *flags)
        for op, text in zip(mine, found):
            case, want = f"{op.name} {kind}", expected(op)[kind]
            if isinstance(text, oracle.OurError):
                tally.fail(case, f"{text}\n{probe(op, kind, 'while')}")
                continue
            tally.check(case, verdict(kind, text) == want, f"{kind} is not {want}:\n{text}")
            other = theirs(probe(op, kind, "scf"), PASS[kind])
            if other is not None and comparable(op, kind):
                tally.check(case + " in jaxlib", verdict(kind, other) == want, f"{kind} is not {want}:\n{other}")
    tally.finish()


if __name__ == "__main__":
    main()
