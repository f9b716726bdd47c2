#===- primitive_cases.py - programs of one operation ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases of frontend_primitives.py: each applies one operation of jax_ops.py to arguments and literals."""

from dataclasses import dataclass, field


@dataclass
class Operand:
    """An argument with elements in [lo, hi), or a literal."""
    dtype: str = "f32"
    shape: tuple = (4, 6)
    lo: float = 0.1
    hi: float = 0.9
    literal: object = None
    definite: bool = False  # positive definite matrices

    def __str__(self):
        return str(self.literal) if self.literal is not None else f"{self.dtype}{list(self.shape)}"


@dataclass
class Case:
    op: str
    operands: list
    keys: dict = field(default_factory=dict)
    explicit: bool = True

    def __str__(self):
        return f"{self.op}({', '.join(map(str, self.operands))})" + "".join(f" {k}={v}" for k, v in self.keys.items())


def case(op, *operands, explicit=True, **keys):
    return Case(op, list(operands), {k: v if isinstance(v, tuple) else (v,) for k, v in keys.items()}, explicit)


def arg(*shape, lo=0.1, hi=0.9):
    return Operand(shape=shape, lo=lo, hi=hi)


def ints(*shape, lo=0, hi=4):
    return Operand("i32", shape, lo, hi)


def lit(value):
    return Operand("i32" if isinstance(value, int) else "f32", (), literal=value)


X, Y, I, J = arg(4, 6), arg(4, 6), ints(4, 6, lo=1, hi=40), ints(4, 6, lo=0, hi=5)
SQUARE, CUBE, MATRICES = arg(4, 4), arg(2, 4, 6), arg(2, 4, 4)
ROWS = ints(8, hi=4)
WIDE = ints(4, 6, lo=-2**31, hi=2**31 - 1)
DEFINITE = Operand(shape=(4, 4), definite=True)

SMOOTH = """neg exp exp2 log log1p expm1 sin cos tan tanh logistic sqrt rsqrt cbrt abs square erf erfc erf_inv asin acos
atan sinh cosh asinh atanh sign floor ceil is_finite stop_gradient copy lgamma digamma bessel_i0e bessel_i1e""".split()

CASES = [case(op, X) for op in SMOOTH]
CASES += [case("device_put", X, explicit=False)]
CASES += [case("device_put_format", X, explicit=False)]
CASES += [case(op, arg(4, 6, lo=-1.5, hi=1.5)) for op in ("bessel_i0e", "bessel_i1e", "abs", "sign", "tanh")]
CASES += [case("acosh", arg(4, 6, lo=1.1, hi=3.0)), case("lgamma", arg(4, 6, lo=1.5, hi=6.0)),
          case("digamma", arg(4, 6, lo=1.5, hi=6.0))]
CASES += [case(op, X, Y) for op in """add sub mul div rem max min pow atan2 nextafter add_any eq ne lt le gt ge imag_part
    real_part conjugate complex_pair""".split()]
CASES += [case(op, X, lit(0.5)) for op in ("add", "mul", "max", "pow", "rem")]
CASES += [case(op, X, X) for op in ("max", "min")]
CASES += [case(op, arg(), arg()) for op in ("add", "mul")]
CASES += [case(op, I) for op in ("not", "clz", "population_count", "neg", "abs", "sign")]
CASES += [case(op, I, J) for op in """and or xor shift_left shift_right_logical shift_right_arithmetic add mul sub max
    rem""".split()]
CASES += [case("polygamma", arg(4, 6, lo=1.0, hi=1.0001), arg(4, 6, lo=1.0, hi=3.0)),
          case("polygamma", lit(2.0), arg(4, 6, lo=1.0, hi=3.0)),
          case("zeta", arg(4, 6, lo=2.0, hi=4.0), arg(4, 6, lo=1.0, hi=3.0))]
CASES += [case(op, arg(4, 6, lo=0.5, hi=3.0), arg(4, 6, lo=0.3, hi=4.0)) for op in ("igamma", "igammac", "igamma_grad_a")]
CASES += [case("igammac", X, lit(0.75)),
          case("betainc", arg(4, 6, lo=0.5, hi=3.0), arg(4, 6, lo=0.5, hi=3.0), X),
          case("random_gamma", arg(4, 6, lo=0.3, hi=3.0), seed=3, explicit=False),
          case("random_loggamma", arg(5, lo=0.3, hi=3.0), seed=4, explicit=False)]
CASES += [case("round", X, method=0), case("round", X, method=1), case("integer_pow", X, y=3),
          case("integer_pow", X, y=-2), case("reduce_precision", X), case("through_bf16", X), case("to_i32", X),
          case("bits_of", X), case("clamp", lit(0.25), X, lit(0.75)), case("clamp", X, Y, arg(4, 6, lo=0.9, hi=1.5)),
          case("select3", ints(hi=3), X, Y), case("select3", ints(4, 6, hi=3), X, Y), case("select_n", ints(4, 6, hi=2), X, Y), case("optimization_barrier", X, Y),
          case("iota", shape=(4, 6), dim=1)]
CASES += [case(op, X, axes=axes) for op in ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod")
          for axes in ((0,), (1,), (0, 1))]
CASES += [case(op, I, axes=(1,)) for op in ("reduce_and", "reduce_or", "reduce_xor")]
CASES += [case(op, X, axis=axis) for op in ("argmax", "argmin") for axis in (0, 1)]
CASES += [case(op, X, axis=0, reverse=r) for op in "cumsum cumprod cummax cummin cumlogsumexp".split() for r in (0, 1)]
CASES += [case("broadcast_in_dim", X, shape=(2, 4, 6), dims=(1, 2)), case("broadcast_in_dim", arg(4, 1), shape=(4, 6),
                                                                          dims=(0, 1)),
          case("reshape", X, shape=(24,)), case("reshape", X, shape=(4, 3, 2)), case("reshape", CUBE, shape=(8, 6)),
          case("transpose", X, permutation=(1, 0)), case("rev", X, dims=(0,)), case("rev", X, dims=(0, 1)),
          case("squeeze", arg(4, 1, 6), dims=(1,)), case("expand_dims", X, dims=(1,)),
          case("concatenate", X, Y, dim=0), case("concatenate", X, Y, dim=1),
          case("pad", X, lit(0.5), config=(1, 1, 0, 0, 2, 0)), case("pad", X, lit(0.5), config=(0, 0, 1, -1, 1, 0)),
          case("pad", X, arg(), config=(0, 2, 0, 0, 2, 0)),
          case("slice", X, start=(0, 2), limit=(4, 6), strides=(1, 1)),
          case("slice", X, start=(1, 0), limit=(4, 6), strides=(2, 1)),
          case("dynamic_slice", X, lit(1), lit(0), sizes=(2, 6)),
          case("dynamic_slice", X, ints(hi=2), ints(hi=2), sizes=(4, 4)),
          case("dynamic_update_slice", X, arg(2, 6), lit(1), lit(0)),
          case("dynamic_update_slice", X, arg(4, 6), ints(hi=2), lit(0)),
          case("tile", X, reps=(1, 2)), case("tile", X, reps=(3, 1)), case("stack", X, Y, axis=0),
          case("stack", X, Y, X, axis=2), case("split", X, sizes=(2, 4), axis=1), case("split", X, sizes=(1, 3), axis=0),
          case("unstack", X, axis=0), case("unstack", X, axis=1)]
CASES += [case("take_rows", X, ROWS, mode=m) for m in (0, 1)] + [case("rows", X, ints(8, hi=6), mode=1)]
CASES += [case("take_each", arg(4, 6), ints(4, 3, hi=6)), case("add_each", arg(4, 6), ints(4, 2, hi=6), arg(4, 2))]
CASES += [case("scatter", arg(4, 6), ints(2, hi=4), arg(2, 6), kind=kind, unique=0) for kind in range(6)]
CASES += [case("scatter", arg(4, 6), ints(1, hi=4), arg(1, 6), kind=kind, unique=1) for kind in range(6)]
CASES += [case("sort", X, dim=d) for d in (0, 1)] + [case("sort_pair", X, Y, dim=1, keys=k) for k in (1, 2)]
CASES += [case("top_k", X, k=2, axis=a) for a in (0, 1)]
WINDOW = dict(dims=(2, 2), strides=(1, 2), padding=(0, 1, 0, 0))
CASES += [case(f"reduce_window_{n}", X, **WINDOW) for n in ("sum", "max", "min")]
CASES += [case("reduce_window_sum", X, **WINDOW, base=(2, 1), dilation=(1, 2)),
          case("window_tangent", X, Y, **WINDOW), case("window_cotangent", X, **WINDOW)]
CASES += [case("dot_general", X, Y, lc=1, rc=1), case("dot_general", X, Y, lc=1, rc=1, lb=0, rb=0),
          case("dot_general", X, arg(6, 2), lc=1, rc=0), case("dot_general", CUBE, arg(2, 6, 3), lc=2, rc=1, lb=0, rb=0)]
CASES += [case("conv1", arg(2, 2, 6), arg(4, 2, 3), lhs=(2, 2, 6), rhs=(4, 2, 3), features=1, batches=1,
               padding=(1, 1), strides=(1,), base=(1,), dilation=(1,), explicit=False),
          case("conv2", arg(2, 4, 4, 2), arg(2, 2, 1, 2), lhs=(2, 4, 4, 2), rhs=(2, 2, 1, 2), features=2, batches=1,
               padding=(0, 1, 1, 1), strides=(1, 2), base=(1, 1), dilation=(1, 1), explicit=False),
          case("conv_plain", arg(4, 2, 6), arg(4, 2, 3), padding=(1, 1)),
          case("conv_plain", arg(4, 1, 6), arg(3, 1, 3), padding=(1, 1))]
CASES += [case("fft", X, Y, type=0, lengths=(6,)), case("fft", X, Y, type=1, lengths=(4, 6)),
          case("rfft", X, lengths=(6,)), case("irfft", arg(4, 4), arg(4, 4), lengths=(6,))]
CASES += [case("cholesky", MATRICES), case("triangular_solve", MATRICES, MATRICES, left=1, lower=1, transpose=0, unit=0),
          case("triangular_solve", MATRICES, MATRICES, left=0, lower=0, transpose=1, unit=1),
          case("qr", MATRICES, tall=0, full=0), case("lu", MATRICES, tall=0), case("lu", arg(4, 6), tall=1),
          case("eigh", MATRICES), case("svd", MATRICES, full=0), case("lu_permutation", MATRICES),
          case("lu_pivots_to_permutation", ints(2, 3, lo=2, hi=4), size=4), case("int_chain", X)]
CASES += [case("eig", MATRICES, left=l, right=r, explicit=False) for l, r in ((0, 0), (1, 0), (0, 1))]
CASES += [case("householder_product", arg(2, 6, 4), arg(2, 3), explicit=False),
          case("symmetric_product", arg(2, 4, 6), MATRICES, alpha=2, beta=3, explicit=False),
          case("symmetric_product", arg(4, 3), SQUARE, alpha=1, beta=0, explicit=False)]
CASES += [case("random_seed", seed=5), case("random_wrap", ints(4, 2, hi=99)), case("random_wrap", arg(4, 2, lo=1, hi=99)),
          case("random_split", seed=5, n=3), case("random_fold_in", seed=5, data=9),
          case("random_bits", seed=5, width=32, shape=(4, 6)), case("random_bits", seed=5, width=8, shape=(5,)),
          case("random_bits", seed=5, width=16, shape=(2, 3)), case("threefry2x32", I, J)]
CASES += [case("jit_sin_mul", X, Y), case("custom_jvp", X, Y), case("custom_vjp", X, Y), case("checkpoint", X),
          case("grad", X), case("hessian", arg(4)), case("jacfwd", arg(4)), case("jacrev", arg(4)), case("vmap_rows", X),
          case("vmap_last", X), case("scan_rows", X, reverse=0), case("scan_rows", X, reverse=1), case("while_double", X),
          case("fori", X), case("fori_dynamic", arg(6)), case("cond", X, Y), case("map", X),
          case("assoc_scan", X, reverse=0, axis=0)]
CASES += [case(op, *xs, method=m, explicit=False) for op, xs in (("callback_pure", (X,)), ("callback_pair", (X, Y))) for m in range(5)]
CASES += [case("callback_io", X, ordered=o, explicit=False) for o in (0, 1)]
CASES += [case("callback_debug", X, ordered=o, explicit=False) for o in (0, 1)]
CASES += [case("contract", *[SQUARE] * n, spec=s, explicit=False) for s, n in enumerate((3, 4, 3, 3, 3, 4))]
CASES += [case("scan_unroll", X, reverse=r, unroll=u, explicit=False) for r in (0, 1) for u in (1, 2, 3, 4, 9)]
CASES += [case("scan_unroll", X, reverse=r, unroll=1, split=1, explicit=False) for r in (0, 1)]
CASES += [case("map_batch", X, size=s, explicit=False) for s in (1, 2, 3, 4, 5)]
CASES += [case("checkpoint_policy", X, policy=p, explicit=False) for p in range(9)]

ACCURATE = "exp exp2 log log1p expm1 sin cos tan tanh logistic sqrt rsqrt cbrt".split()
CASES += [case(f"accurate_{op}", X, mode=m, explicit=False) for op in ACCURATE for m in (1, 2)]
CASES += [case("accurate_exp", X, mode=0, explicit=False)]
# With other values of parameters.
CASES += [case("mul_f16", X, Y, explicit=False), case("mulhi", WIDE, WIDE, explicit=False), case("mulhi_chain", X, explicit=False),
          case("argmax_u8", X, axis=1), case("argmin_u8", X, axis=0), case("bits_of_u32", X), case("to_weak", X),
          case("reduce_precision_of", X, exponent=8, mantissa=3), case("sort_unstable", X, dim=1),
          case("dot_precise", X, Y), case("dot_f32", X, Y, explicit=False),
          case("conv_precise", arg(2, 2, 6), arg(4, 2, 3), explicit=False),
          case("conv_f32", arg(2, 2, 6), arg(4, 2, 3), explicit=False),
          case("token", X), case("inline_sin", X), case("checkpoint_cse", X), case("while_captured", X, Y),
          case("svd_values", X), case("svd", MATRICES, full=1), case("svd", X, full=1), case("qr", MATRICES, tall=1, full=1),
          case("lu_pivots_to_permutation", ints(2, 3, lo=2, hi=4), size=6),
          case("random_split", seed=5, n=4), case("top_k", X, k=3, axis=1), case("clamp", arg(), X, arg()),
          case("clamp", X, Y, lit(0.7)), case("select_n", ints(hi=2), X, Y)]
CASES += [case("cond_number", n, X) for n in (arg(), ints(hi=2), ints(lo=2, hi=9), ints(hi=1))]
CASES += [case("scatter", arg(4, 6), ints(2, hi=4), arg(2, 6), kind=kind, unique=0, mode=m, sorted=m) for kind in range(6)
          for m in (0, 1)]
CASES += [case("ffi_cholesky", DEFINITE, method=m, explicit=False) for m in range(6)]
CASES += [case("ffi_cholesky", Operand(shape=(2, 4, 4), definite=True), method=4, alias=a, effect=1 - a, explicit=False) for a in (0, 1)]
CASES += [case("ffi_attributes", X, explicit=False)]

LOWEST = lit(float("-inf"))
# XLA adds an initial value that is not the identity once in each part of a sharded dimension.
CASES += [case("reduce", X, lit(0.5), by=0, axes=(1,), explicit=False)]
CASES += [case("reduce", X, init, by=by, axes=axes) for by, init, axes in (
    (0, lit(0.0), (0,)), (1, lit(1.0), (0, 1)), (2, LOWEST, (1,)), (3, lit(0.95), (1,)), (3, lit(float("inf")), (0,)), (7, lit(1.0), (0,)),
    (8, lit(0.0), (0, 1)), (8, lit(0.0), ()))]
CASES += [case("reduce", X, arg(), by=7, axes=(0,), explicit=False)]
CASES += [case("reduce", I, lit(n), by=by, axes=(1,)) for by, n in ((4, -1), (5, 0), (6, 0), (6, 3), (2, 5))]
CASES += [case("reduce_pairs", X, Y, LOWEST, lit(0.0), axes=axes) for axes in ((0,), (1,), (0, 1))]
CASES += [case("reduce_pairs", X, I, LOWEST, lit(0), axes=(1,))]
CASES += [case("reduce_window", X, init, by=by, **WINDOW) for by, init in (
    (0, lit(0.0)), (1, lit(1.0)), (2, LOWEST), (3, lit(float("inf"))), (0, lit(0.5)), (2, lit(0.3)), (7, lit(1.0)), (8, lit(0.0)),
    (7, arg()))]
CASES += [case("reduce_window", I, lit(n), by=by, **WINDOW) for by, n in ((4, -1), (5, 0), (6, 3), (2, 5), (0, 0))]
CASES += [case("reduce_window", X, lit(1.0), by=7, **WINDOW, base=(2, 1), dilation=(1, 2)),
          case("reduce_window_pairs", X, Y, LOWEST, lit(0.0), **WINDOW)]
CASES += [case("reduce_matrices", *[arg(3, 5)] * 4, axes=axes) for axes in ((0,), (1,))]
GROUPS = ints(2, hi=4)
CASES += [case("ragged_dot", arg(6, 4), arg(2, 4, 3), GROUPS, explicit=False),
          case("ragged_dot_general", arg(6, 4), arg(6, 3), GROUPS, lc=0, rc=0, ragged=0, explicit=False),
          case("ragged_dot_general", arg(6, 4, 3), arg(6, 3, 2), GROUPS, lc=2, rc=1, lb=0, rb=0, ragged=0, explicit=False),
          case("ragged_dot_general", arg(3, 6, 4), arg(2, 4, 3), ints(3, 2), lc=2, rc=1, ragged=1, group=0, explicit=False),
          case("ragged_dot_general", arg(4, 2, 6), arg(3, 4, 2, 2), ints(2, 2), lc=0, rc=1, lb=1, rb=3, ragged=2, group=2,
               explicit=False),
          case("ragged_dot_general", arg(3, 4, 5), arg(4, 5, 2), ints(5, 2), lc=(2, 1), rc=(1, 0), ragged=1, explicit=False)]
CASES += [case("diagonal_solve", arg(4, 6), arg(4, 6), mode=m) for m in (0, 1, 2)]
CASES += [case("layout_constraint", X, order=o) for o in ((0, 1), (1, 0))]
CASES += [case("lower_solve", SQUARE, arg(4), arg(4), explicit=False)]

# Primitives of the front end that JAX does not have by that name: parts of others.
OWN = {"random_gamma_grad": "the derivative of random_gamma, which JAX writes as loops", "custom_lin": "the linear part of custom_vjp_call",
       "getrf": "the part of lu that LAPACK computes"}
# Primitives that other tests cover.
_MANUAL = "frontend_shard_map.py (values, eager, vjp, jvp, vmap)"
ELSEWHERE = {name: _MANUAL for name in """all_gather all_gather_invariant all_to_all axis_index pbroadcast pmax pmin
    ppermute psum psum_invariant pvary ragged_all_to_all reduce_scatter shard_map all_gather_reduced preduced
    reduced_vary_cast_p unreduced_psum unreduced_reduce_scatter vary_unreduced_cast_p""".split()} | {
    "reshard": "frontend_explicit.py (values, vjp, explicit)",
    "sharding_constraint": "frontend_test (constraints)",
    "random_unwrap": "every case of random_*",
    "debug_print": "callbacks_test.cc (text, order, errors)",
    "empty2": "bound by the derivatives of branches: frontend_derivatives.py",
    "custom_partitioning": "frontend_custom_partitioning.py",
    "custom_vmap_call": "custom_vmap_test.cc, frontend_custom_partitioning.py",
    "inspect_sharding": "inspect_sharding_test.cc",
    "full_to_shard": "tile_conversion_test.cc (values, gradients, vmap of random programs)",
    "shard_to_full": "tile_conversion_test.cc (values, gradients, vmap of random programs)",
} | {name: "run_state_test.cc, frontend_state.py" for name in "addupdate get swap run_state".split()} | {
    name: "core_map_test.cc, faulty_kernels_test.cc" for name in """core_kernel core_map dma_start dma_wait run_scoped semaphore_read
    semaphore_signal semaphore_wait""".split()}
# Primitives whose operands are no arrays, or keys: nothing to batch or to differentiate.
WITHOUT_ARRAYS = ("iota", "random_seed", "random_split", "random_fold_in", "random_bits")
# Columns that are not there yet.
OWED = {name: ("explicit",) for name in ("pure_callback", "io_callback", "debug_callback", "name", "device_put",
                                         "ragged_dot_general", "ffi_call", "mulhi", "random_gamma", "eig", "householder_product", "symmetric_product")}
# Operations whose derivatives the front end does not differentiate again.
FIRST_ORDER = ("random_gamma", "random_loggamma")
# Operations whose jaxprs alone are compared: nobody has registered the function that is called.
TRACED_ONLY = ("ffi_attributes",)
