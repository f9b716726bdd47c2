#===- rule_table.py - the origin of each operation's rule -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A table of every operation of StableHLO, CHLO and sdy, and of the custom calls that JAX and XLA
write: its rule is Shardy's, one of ours (sw-extra-rules), or absent, with the reason. Each
operation has an instance with a leading batch dimension of 8. If there is a rule, the batch passes
through the operation, unless the table has a reason. An operation without a line fails the test.

    rule_table.py --print      the table
"""

import argparse
import os
import re
import sys

import oracle
import rules
from rules import i64s, op, pairs, reducer, t

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--print", action="store_true", help="print the table")
args = oracle.arguments(__doc__, cases=0, long_cases=0, parser=parser)
sys.path.insert(0, os.path.join(oracle.ROOT, "scripts"))
import op_status  # noqa: E402  (lists the operations of the build)

UPSTREAM, EXTRA, EDGES = "Shardy's", "ours", "values flow through"
TABLE = {}  # name -> (verdict, the batch passes or a reason, function text or None)

X, I, C, B = t([8, 4, 4]), t([8, 4, 4], "i32"), t([8, 4, 4], "complex<f32>"), t([8, 4, 4], "i1")
GROUPS = "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
ADD = reducer(["add"], ["f32"])


def put(names, verdict, text=None, batch=True):
    for name in names.split():
        TABLE[name] = verdict, batch, text(name) if callable(text) else text


def shlo(operands, results, props="", region=""):
    return lambda name: op("stablehlo." + name.removeprefix("stablehlo."), operands, results, props, region)


def some(dialect, names):
    return " ".join(f"{dialect}.{n}" for n in names.split())


# --- StableHLO ----------------------------------------------------------------------------

put(some("stablehlo", " ".join(n for n in rules.FLOAT_UNARY)), UPSTREAM, shlo([X], [X]))
put(some("stablehlo", "count_leading_zeros not popcnt"), UPSTREAM, shlo([I], [I]))
put(some("stablehlo", " ".join(rules.FLOAT_BINARY)), UPSTREAM, shlo([X, X], [X]))
put(some("stablehlo", "and or xor shift_left shift_right_arithmetic shift_right_logical"), UPSTREAM, shlo([I, I], [I]))
put("stablehlo.is_finite", UPSTREAM, shlo([X], [B]))
put("stablehlo.convert", UPSTREAM, shlo([X], [I]))
put("stablehlo.real stablehlo.imag", UPSTREAM, shlo([C], [X]))
put("stablehlo.complex", UPSTREAM, shlo([X, X], [C]))
put("stablehlo.compare", UPSTREAM, shlo([X, X], [B], "comparison_direction = #stablehlo<comparison_direction LT>"))
put("stablehlo.select", UPSTREAM, shlo([B, X, X], [X]))
put("stablehlo.clamp", UPSTREAM, shlo([t([]), X, X], [X]))
put("stablehlo.reduce_precision", UPSTREAM, shlo([X], [X], "exponent_bits = 5 : i32, mantissa_bits = 3 : i32"))
put("stablehlo.bitcast_convert", UPSTREAM, shlo([X], [t([8, 4, 4, 4], "ui8")]))
put("stablehlo.broadcast_in_dim", UPSTREAM, shlo([t([8, 1])], [X], "broadcast_dimensions = array<i64: 0, 1>"))
put("stablehlo.transpose", UPSTREAM, shlo([X], [t([8, 4, 4])], "permutation = array<i64: 0, 2, 1>"))
put("stablehlo.reshape", UPSTREAM, shlo([X], [t([8, 16])]))
put("stablehlo.concatenate", UPSTREAM, shlo([X, X], [t([8, 8, 4])], "dimension = 1 : i64"))
put("stablehlo.pad", UPSTREAM, shlo([X, t([])], [t([8, 5, 4])],
    "edge_padding_low = array<i64: 0, 1, 0>, edge_padding_high = array<i64: 0, 0, 0>, interior_padding = array<i64: 0, 0, 0>"))
put("stablehlo.slice", UPSTREAM, shlo([X], [t([8, 2, 4])],
    "start_indices = array<i64: 0, 1, 0>, limit_indices = array<i64: 8, 3, 4>, strides = array<i64: 1, 1, 1>"))
put("stablehlo.dynamic_slice", UPSTREAM, shlo([X] + [t([], "i32")] * 3, [t([8, 2, 4])], "slice_sizes = array<i64: 8, 2, 4>"))
put("stablehlo.dynamic_update_slice", UPSTREAM, shlo([X, t([8, 2, 4])] + [t([], "i32")] * 3, [X]))
put("stablehlo.reverse", UPSTREAM, shlo([X], [X], "dimensions = array<i64: 1>"))
DOT = ("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
       "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>")
put("stablehlo.dot_general", UPSTREAM, shlo([X, X], [X], DOT))
put("stablehlo.dot", UPSTREAM, shlo([t([8, 4]), t([4, 2])], [t([8, 2])]))
put("stablehlo.convolution", UPSTREAM, shlo([t([8, 6, 6, 2]), t([3, 3, 2, 5])], [t([8, 4, 4, 5])],
    "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64"))
put("stablehlo.gather", UPSTREAM, shlo([X, t([8, 2, 1], "i32")], [t([8, 2, 4])],
    "dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
    "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>"))
put("stablehlo.scatter", UPSTREAM, shlo([X, t([8, 2, 1], "i32"), t([8, 2, 4])], [X],
    "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
    "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>", ADD))
put("stablehlo.reduce", UPSTREAM, shlo([X, t([])], [t([8, 4])], "dimensions = array<i64: 1>", ADD))
put("stablehlo.reduce_window", UPSTREAM, shlo([X, t([])], [t([8, 3, 4])], "window_dimensions = array<i64: 1, 2, 1>", ADD))
SELECT = """ ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c = stablehlo.compare GE, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }"""
put("stablehlo.select_and_scatter", UPSTREAM, shlo([X, t([8, 2, 4]), t([])], [X],
    "window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>", SELECT + "," + ADD.lstrip().removeprefix("(")))
put("stablehlo.sort", UPSTREAM, shlo([X], [X], "dimension = 1 : i64", SELECT + ")"))
put("stablehlo.batch_norm_inference", UPSTREAM, shlo([X] + [t([4])] * 4, [X], "epsilon = 1.0e-3 : f32, feature_index = 2 : i64"))
put("stablehlo.cholesky", UPSTREAM, shlo([X], [X], "lower = true"))
put("stablehlo.triangular_solve", UPSTREAM, shlo([X, X], [X],
    "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>"))
put("stablehlo.fft", UPSTREAM, shlo([C], [C], "fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>"))
put("stablehlo.rng_bit_generator", UPSTREAM, shlo([t([2], "ui64")], [t([2], "ui64"), t([8, 4], "ui32")],
    "rng_algorithm = #stablehlo<rng_algorithm PHILOX>"), "no operand has a batch")
put("stablehlo.all_gather", UPSTREAM, shlo([X], [t([8, 8, 4])], f"all_gather_dim = 1 : i64, {GROUPS}"))
put("stablehlo.all_reduce", UPSTREAM, shlo([X], [X], GROUPS, ADD))
put("stablehlo.reduce_scatter", UPSTREAM, shlo([X], [t([8, 2, 4])], f"scatter_dimension = 1 : i64, {GROUPS}", ADD))
put("stablehlo.all_to_all", UPSTREAM, shlo([X], [t([8, 2, 8])],
    f"split_dimension = 1 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, {GROUPS}"))
put("stablehlo.collective_permute", UPSTREAM, shlo([X], [X], f"source_target_pairs = {pairs([[0, 1], [1, 0]])}"))
put("stablehlo.collective_broadcast", UPSTREAM, shlo([X], [X], GROUPS))
put("stablehlo.cross-replica-sum", UPSTREAM, shlo([X], [X], GROUPS))

put("stablehlo.map", EXTRA, shlo([X, X], [X], "dimensions = array<i64: 0, 1, 2>", ADD))
put("stablehlo.broadcast", EXTRA, shlo([X], [t([2, 8, 4, 4])], "broadcast_sizes = array<i64: 2>"), "its own dimensions come first")
NORM = "epsilon = 1.0e-3 : f32, feature_index = 2 : i64"
put("stablehlo.batch_norm_training", EXTRA, shlo([X, t([4]), t([4])], [X, t([4]), t([4])], NORM), "statistics are over the batch")
put("stablehlo.batch_norm_grad", EXTRA, shlo([X] + [t([4])] * 3 + [X], [X, t([4]), t([4])], NORM), "statistics are over the batch")
put("stablehlo.rng", EXTRA, shlo([t([]), t([]), t([2], "i64")], [t([8, 4])], "rng_distribution = #stablehlo<rng_distribution UNIFORM>"),
    "no operand has a batch")
put("stablehlo.einsum", EXTRA, shlo([X, X], [X], 'einsum_config = "abc,acd->abd"'))
put("stablehlo.unary_einsum", EXTRA, shlo([X], [t([8, 4])], 'einsum_config = "abc->ab"'))
put("stablehlo.torch_index_select", EXTRA, shlo([X, t([8, 2], "i32")], [t([8, 2, 4])], "dim = 1 : i64, batch_dims = 1 : i64"))
SHAPE = t([3], "i64")
put("stablehlo.dynamic_reshape", EXTRA, shlo([X, t([2], "i64")], [t([8, 16])]))
put("stablehlo.dynamic_broadcast_in_dim", EXTRA, shlo([t([8, 1]), SHAPE], [X], "broadcast_dimensions = array<i64: 0, 1>"))
put("stablehlo.real_dynamic_slice", EXTRA, shlo([X, SHAPE, SHAPE, SHAPE], [t([8, 2, 4])]))
put("stablehlo.dynamic_pad", EXTRA, f"""(%a: {X}, %v: tensor<f32>) {{
  %l = stablehlo.constant dense<[0, 1, 0]> : {SHAPE}
  %z = stablehlo.constant dense<0> : {SHAPE}
  %r = stablehlo.dynamic_pad %a, %v, %l, %z, %z : ({X}, tensor<f32>, {SHAPE}, {SHAPE}, {SHAPE}) -> {t([8, 5, 4])}
  return
}}
""")
Q = t([8, 4], "!quant.uniform<i8:f32, 0.5>")
put("stablehlo.uniform_quantize", EXTRA, shlo([t([8, 4])], [Q]))
put("stablehlo.uniform_dequantize", EXTRA, shlo([Q], [t([8, 4])]))

BRANCH = "(" + ", ".join([f"{{\n    stablehlo.return %a1 : {X}\n  }}"] * 2) + ")"
put("stablehlo.while", EDGES, f"""(%a0: {X}, %a1: tensor<i1>) {{
  %r = stablehlo.while(%i = %a0) : {X}
  cond {{
    stablehlo.return %a1 : tensor<i1>
  }} do {{
    stablehlo.return %i : {X}
  }}
  return
}}
""")
put("stablehlo.case", EDGES, f'(%a0: tensor<i32>, %a1: {X}) {{\n  %r = "stablehlo.case"(%a0) {BRANCH} : (tensor<i32>) -> {X}\n  return\n}}\n')
put("stablehlo.if", "values flow through, ours",
    f'(%a0: tensor<i1>, %a1: {X}) {{\n  %r = "stablehlo.if"(%a0) {BRANCH} : (tensor<i1>) -> {X}\n  return\n}}\n')
put("stablehlo.optimization_barrier", EDGES, shlo([X], [X]))

NOTHING = "nothing to relate"
put("stablehlo.constant stablehlo.iota stablehlo.create_token stablehlo.partition_id stablehlo.replica_id", NOTHING + ": no operands")
put("stablehlo.after_all stablehlo.send stablehlo.recv stablehlo.infeed stablehlo.outfeed", NOTHING + ": tokens")
put("stablehlo.get_dimension_size", NOTHING + ": a scalar", shlo([X], [t([], "i32")], "dimension = 1 : i64"))
put("stablehlo.dynamic_iota", NOTHING + ": operands are shapes", shlo([SHAPE], [X], "iota_dimension = 0 : i64"))
put("stablehlo.tuple stablehlo.get_tuple_element", "tuples are refused by propagation, and flattened by import")
put("stablehlo.return sdy.return", "a terminator")
put("stablehlo.custom_call", "by its target, below")
put("stablehlo.composite", "import calls its decomposition")
put("stablehlo.set_dimension_size", "its result is dynamic; import pads it")
put("stablehlo.dynamic_gather stablehlo.dynamic_conv", "import makes the static operation of it")
put("stablehlo.async_start stablehlo.async_done", "their values are no tensors")
put("stablehlo.collective_reduce", "written for devices that hold parts already; newer than Shardy's registry")

# --- CHLO: import expands all of it -----------------------------------------------------------

put(some("chlo", " ".join(rules.CHLO_UNARY)), EXTRA, lambda n: op(n, [X], [X]))
put(some("chlo", "next_after polygamma zeta"), EXTRA, lambda n: op(n, [X, X], [X]))
put(some("chlo", "is_inf is_neg_inf is_pos_inf"), EXTRA, lambda n: op(n, [X], [B]))
put(some("chlo", "broadcast_add broadcast_atan2 broadcast_divide broadcast_maximum broadcast_minimum broadcast_multiply "
         "broadcast_next_after broadcast_polygamma broadcast_power broadcast_remainder broadcast_subtract broadcast_zeta"),
    EXTRA, lambda n: op(n, [X, t([4, 4])], [X]))
put(some("chlo", "broadcast_and broadcast_or broadcast_xor broadcast_shift_left broadcast_shift_right_arithmetic "
         "broadcast_shift_right_logical"), EXTRA, lambda n: op(n, [I, t([4, 4], "i32")], [I]))
put("chlo.broadcast_compare", EXTRA, lambda n: op(n, [X, t([4])], [B], "comparison_direction = #chlo<comparison_direction LT>"))
put("chlo.broadcast_complex", EXTRA, lambda n: op(n, [X, t([4, 4])], [C]))
put("chlo.broadcast_select", EXTRA, lambda n: op(n, [B, X, X], [X]))
put("chlo.mulhi", EXTRA, lambda n: op(n, [I, I], [I]))
put("chlo._asin_acos_kernel", EXTRA, lambda n: op(n, [C], [C]))
put("chlo.constant_like", EXTRA, lambda n: op(n, [X], [X], "value = 1.0 : f32"))
put("chlo.top_k", EXTRA, lambda n: op(n, [t([8, 4])], [t([8, 2]), t([8, 2], "i32")], "k = 2 : i64"))
put("chlo.scan", EXTRA, lambda n: f"""(%a0: {X}, %a1: {t([8, 4])}) {{
  %r:2 = "chlo.scan"(%a0, %a1) <{{dimension = 1 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}}> ({{
  ^bb0(%x: {t([8, 4])}, %c: {t([8, 4])}):
    stablehlo.return %c, %x : {t([8, 4])}, {t([8, 4])}
  }}) : ({X}, {t([8, 4])}) -> ({X}, {t([8, 4])})
  return
}}
""")
put("chlo.ragged_dot", EXTRA, lambda n: op(n, [X, t([2, 8, 4, 4]), t([8, 2], "i32")], [X],
    "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
    "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>"))
put("chlo.constant", NOTHING + ": no operands")

# --- sdy --------------------------------------------------------------------------------------

SHARDING = 'sharding = #sdy.sharding<mesh<["a"=2]>, [{}, {}, {}]>'
put("sdy.sharding_constraint", UPSTREAM, lambda n: op(n, [X], [X], SHARDING))
put("sdy.reshard", "stops propagation", lambda n: op(n, [X], [X], SHARDING))
put("sdy.propagation_barrier", "the engine's own rule", lambda n: op(n, [X], [X], "allowed_direction = 1 : i32"))
put("sdy.data_flow_edge sdy.func_data_flow_edge", "the engine's own rule")
put("sdy.manual_computation sdy.named_computation", EDGES)
put("sdy.mesh sdy.sharding_group sdy.constant", NOTHING)
put(some("sdy", "all_gather all_reduce all_slice all_to_all collective_permute reduce_scatter replicated_to_unreduced sharded_to_unreduced"),
    "propagation's own result")

# --- custom calls -----------------------------------------------------------------------------


def call(operands, results, more=""):
    return lambda name: op("stablehlo.custom_call", operands, results, f'call_target_name = "{name[1:]}"').replace(
        "}>", "}>" + more, 1)


put(" ".join("@" + n for n in rules.POINTWISE_CALLS), UPSTREAM, call([X], [X]))
put("@Eigh", UPSTREAM, call([X], [X, t([8, 4])]))
put("@Qr @QrDecompositionBlock", UPSTREAM, call([X], [X, t([8, 4])]))
put("@ProductOfElementaryHouseholderReflectors", UPSTREAM, call([X, t([8, 4])], [X]))
put("@mhlo.topk", UPSTREAM, call([t([8, 4])], [t([8, 2]), t([8, 2], "i32")]))
put("@ApproxTopK @PartialReduce", UPSTREAM,
    call([t([8, 4]), t([8, 4], "i32"), t([]), t([], "i32")], [t([8, 2]), t([8, 2], "i32")]))
put("@TopK", UPSTREAM if oracle.SHARDY == "0.12.0" else EXTRA, call([t([8, 4])], [t([8, 2]), t([8, 2], "i32")]))
put("@LuDecomposition", EXTRA, call([X], [X, t([8, 4], "i32"), t([8, 4], "i32")]))
put("@ResizeNearest @ResizeBilinear @ResizeNearestGrad @ResizeBilinearGrad", EXTRA, call([t([8, 4, 4, 3])], [t([8, 6, 6, 3])]))
put("@StochasticConvert", EXTRA, call([X, t([8, 4, 4], "ui32")], [I]))
put("@cu_threefry2x32 @cu_threefry2x32_ffi @hip_threefry2x32_ffi", EXTRA, call([t([8, 4], "ui32")] * 4, [t([8, 4], "ui32")] * 2))
BATCHED = ' {mhlo.frontend_attributes = {num_batch_dims = "1"}}'
put("@lapack_spotrf_ffi @cusolver_potrf_ffi @hipsolver_potrf_ffi", EXTRA, call([X], [X, t([8], "i32")], BATCHED))
put("@lapack_ssyevd_ffi @cusolver_syevd_ffi", EXTRA, call([X], [X, t([8, 4]), t([8], "i32")], BATCHED))
put("@lapack_sgetrf_ffi @cusolver_getrf_ffi", EXTRA, call([X], [X, t([8, 4], "i32"), t([8], "i32")], BATCHED))
put("@lapack_strsm_ffi @cublas_geqrf_batched_ffi", EXTRA, call([X, X], [X], BATCHED))
OPAQUE = "nobody knows what it does; a rule on the call is used"
put("@my_call @tpu_custom_call @xla_ffi_python_cpu_callback @xla_python_cpu_callback @xla_ffi_python_gpu_callback "
    "@xla_python_gpu_callback @__gpu$xla.gpu.triton @mosaic_gpu_v2 @CustomSPMDPartitioning @xla.debug.Log", OPAQUE, call([X], [X]))
put("@Sharding @SPMDFullToShardShape @SPMDShardToFullShape @xla.sdy.FuncResultSharding @xla.sdy.PropagationBarrier",
    "import makes an operation of sdy of it", call([X], [X]))
put("@PadToStatic @SliceToDynamic", "dynamic shapes", call([X], [X]))


def batch_passes(rule):
    """True if dimension 0 of the first operand and of the first result share one factor that can be
    sharded."""
    sides = re.search(r"<\((.*)\)->\((.*?)\)(?: \{|>|, custom)", rule)
    first = lambda side: next((m for m in re.findall(r"\[([a-z_0-9, ]*)\]", side) if m), "")
    a, b = (first(side).split(", ")[0] for side in sides.groups())
    bound = ", ".join(re.findall(r"(?:reduction|need_replication|permutation|blocked_propagation)=\{([^}]*)\}", rule))
    return a == b and a and a not in bound.split(", ")


def find(source, options):
    """Returns the rules of the operation under test, by function."""
    pipeline = oracle.as_oracle(f"builtin.module(func.func(sdy-populate-op-sharding-rules{options}))")
    return rules.rules_by_function(oracle.ours(source, f"--pass-pipeline={pipeline}", "--mlir-print-op-generic"))


def main():
    tally = oracle.Tally("rule_table")
    for name in sorted(set(op_status.operations()) - set(TABLE)):
        tally.fail(name, "no line of the table is about it")
    cases = {f"f{i}": name for i, name in enumerate(TABLE) if TABLE[name][2]}
    source = "".join(f"func.func @{f}{TABLE[name][2]}" for f, name in cases.items())
    plain, extra = find(source, ""), find(source, "{extra-rules=true}")
    for f, name in cases.items():
        verdict, batch, text = TABLE[name]
        own = lambda found: next((r for r in found[f] if re.search(r"[i-z]", r.split("{")[0][24:])), None)
        try:
            theirs = own(rules.theirs(f"func.func @{f}{text}", False))
        except oracle.OracleError as error:
            # Newer than jaxlib's dialects, or with types that it does not load.
            tally.skip(f"jaxlib {name}", str(error).splitlines()[-1:])
            theirs = own(plain)
        tally.equal(f"{name}: Shardy's", str(theirs), str(own(plain)), text)
        tally.check(f"{name}: {verdict}", (own(plain) is not None) == (verdict == UPSTREAM) and
                    (own(extra) is not None) == (verdict in (UPSTREAM, EXTRA)),
                    f"upstream {theirs}\nplain {own(plain)}\nextra {own(extra)}\n{text}")  # fmt: skip
        if own(extra) and batch is True:
            tally.check(f"{name}: batch", batch_passes(own(extra)), own(extra))
    if args.print:
        for name, (verdict, batch, _) in TABLE.items():
            print(f"{name}: {verdict}" + (f" ({batch})" if batch is not True else ""))
    tally.finish()


if __name__ == "__main__":
    main()
