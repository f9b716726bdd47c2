#===- primitive_table.py - the primitives of JAX --------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Which primitives of JAX the front end has, for frontend_primitive_rules.py."""

import importlib
import sys

from jax.extend.core import Primitive

# Modules whose functions users call, beside those that `import jax` loads.
_MODULES = """jax.numpy jax.scipy.special jax.scipy.linalg jax.scipy.stats jax.scipy.signal jax.scipy.fft jax.nn jax.random
    jax.ffi jax.lax.linalg jax.experimental.layout""".split()


def defined_primitives():
    """The names of the primitives that JAX's modules define."""
    for module in _MODULES:
        importlib.import_module(module)
    return {value.name for name, module in list(sys.modules.items()) if name.split(".")[0] == "jax"
            for value in list(vars(module).values()) if isinstance(value, Primitive)}


# The primitives that the front end must have, with the parameters that it must have.
_ROWS = """
neg sign floor ceil is_finite abs erf erfc erf_inv lgamma digamma asin acos atan sinh cosh asinh acosh atanh real imag conj
not clz population_count square nextafter add sub div rem max min pow atan2 complex and or xor shift_left
shift_right_logical shift_right_arithmetic eq ne lt le gt ge add_any select_n clamp copy optimization_barrier
dynamic_update_slice threefry2x32 random_wrap random_unwrap cholesky lu eigh scan igamma igammac igamma_grad_a regularized_incomplete_beta random_gamma[log_space]
eig[compute_left_eigenvectors,compute_right_eigenvectors] householder_product symmetric_product[alpha,beta]

exp[accuracy] exp2[accuracy] log[accuracy] log1p[accuracy] expm1[accuracy] sin[accuracy] cos[accuracy] tan[accuracy]
tanh[accuracy] logistic[accuracy] sqrt[accuracy] rsqrt[accuracy] cbrt[accuracy] round[rounding_method] integer_pow[y]
mul[out_dtype] convert_element_type[new_dtype,weak_type,sharding] bitcast_convert_type[new_dtype]
reduce_precision[exponent_bits,mantissa_bits] broadcast_in_dim[shape,broadcast_dimensions,sharding]
reshape[new_sizes,dimensions,sharding] transpose[permutation] rev[dimensions] squeeze[dimensions] tile[reps]
concatenate[dimension] stack[axis] split[sizes,axis] unstack[axis] pad[padding_config]
slice[start_indices,limit_indices,strides] dynamic_slice[slice_sizes]
gather[dimension_numbers,slice_sizes,indices_are_sorted,unique_indices,mode,fill_value]
scatter[dimension_numbers,indices_are_sorted,unique_indices,mode,update_jaxpr,update_consts]
scatter-add[dimension_numbers,indices_are_sorted,unique_indices,mode,update_jaxpr,update_consts]
scatter-mul[dimension_numbers,indices_are_sorted,unique_indices,mode,update_jaxpr,update_consts]
scatter-min[dimension_numbers,indices_are_sorted,unique_indices,mode,update_jaxpr,update_consts]
scatter-max[dimension_numbers,indices_are_sorted,unique_indices,mode,update_jaxpr,update_consts]
reduce_sum[axes,out_sharding] reduce_prod[axes] reduce_max[axes] reduce_min[axes] reduce_and[axes] reduce_or[axes]
reduce_xor[axes] argmax[axes,index_dtype] argmin[axes,index_dtype] reduce[computation,dimensions,jaxpr]
cumsum[axis,reverse] cumprod[axis,reverse] cummax[axis,reverse] cummin[axis,reverse] cumlogsumexp[axis,reverse]
sort[dimension,is_stable,num_keys] top_k[k,axis] reduce_window_sum reduce_window_max reduce_window_min reduce_window
select_and_scatter_add select_and_gather_add
dot_general[dimension_numbers,precision,preferred_element_type,out_sharding] ragged_dot_general
conv_general_dilated[window_strides,padding,lhs_dilation,rhs_dilation,dimension_numbers,feature_group_count,batch_group_count,precision,preferred_element_type,out_sharding]
iota[dtype,shape,dimension,sharding] create_token random_bits[bit_width,shape] random_split
fft[fft_type,fft_lengths] qr svd triangular_solve custom_linear_solve[const_lengths,jaxprs]
jit custom_jvp_call[call_jaxpr,jvp_jaxpr_fun,num_consts,symbolic_zeros] custom_vjp_call
remat2[jaxpr,prevent_cse,differentiated,policy] while[cond_jaxpr,cond_nconsts,body_jaxpr,body_nconsts]
scan[jaxpr,length,reverse,num_consts,num_carry,unroll] cond[branches] device_put[devices,srcs,copy_semantics]
sharding_constraint reshard layout_constraint psum pmax pmin ppermute all_gather all_to_all reduce_scatter axis_index
shard_map pure_callback io_callback[ordered] debug_callback ffi_call
"""
TABLE = {}
for word in _ROWS.split():
    name, _, params = word.rstrip("]").partition("[")
    TABLE[name] = [p for p in params.split(",") if p]


def _reasons(table):
    return {name: reason for reason, names in table.items() for name in names.split()}


LEFT_OUT = _reasons({
    "references outside of runState": """accum_grad_in_ref create_linear empty_ref free_ref freeze new_ref pin unpin
        broadcast_to""",
    "constraints of Pallas": "with_memory_space_constraint",
    "boxes and logs of jax.experimental": """box_get box_set call_hi_primitive call_hi_primitive_linearized log_extend
        log_read new_box new_log""",
    "parts of asynchronous collectives, which no function of jax.lax binds": """all_gather_done all_gather_reduced_start
        all_gather_start all_to_all_done all_to_all_start pbroadcast_done pbroadcast_start ppermute_done ppermute_start
        psum_done psum_invariant_start psum_start reduce_scatter_done reduce_scatter_start unreduced_psum_start
        unreduced_reduce_scatter_start""",
    "point-to-point communication of several processes": "precv psend",
    "kernels of cuDNN": """cudnn_fusion dot_product_attention_bwd dot_product_attention_bwd_wrapper
        dot_product_attention_fp8_bwd dot_product_attention_fp8_bwd_wrapper dot_product_attention_fp8_fwd
        dot_product_attention_fp8_fwd_wrapper dot_product_attention_fwd dot_product_attention_fwd_wrapper scaled_dot
        scaled_matmul scaled_matmul_wrapper""",
    "dimensions of symbolic size": "dim_as_value dimension_size shape_assertion",
    "exported programs of JAX; the front end saves its own": "call_exported",
    "checks of jax.experimental.checkify": "check",
    "another form of jit, custom derivatives or zeros inside JAX's transformations":
        "call closed_call custom_jvp_call_jaxpr eval_jaxpr remat_opt unreachable zeros_like dce_sink tie empty",
    "total orders, which only sorts inside JAX bind": "eq_to le_to lt_to",
    "casts of extended element types": "from_edtype to_edtype",
    "functions of jax.lax that the front end does not have yet": """approx_top_k cholesky_update composite geqp3
        geqrf hessenberg linear_call ormqr platform_index rng_bit_generator rng_uniform schur tridiagonal tridiagonal_solve""",
    "no function of jax.lax binds it": "select_and_scatter stage",
    "other generators than threefry2x32": "philox2x32 philox4x32 threefry4x32 iota_2x32_shape random_clone",
})
# Operations (of primitive_cases.py) of which these rules write other equations than JAX.
OTHER_RULES = {name: rules.split() for rules, names in {
    "jvp vjp": "eig random_gamma random_loggamma reduce qr svd svd_values lu lu_permutation reduce_pairs reduce_matrices cholesky eigh",
    "jvp vjp vmap": "triangular_solve",
    "jaxpr jvp vjp vmap": "lower_solve hessian jacfwd jacrev",
    "vjp": "accurate_sin",
    "vmap": "layout_constraint",
}.items() for name in names.split()}
# Accidental errors of JAX, where the front end has a rule.
ACCIDENTAL = ("TypeError: select cases must have the same shapes", "ValueError: Operands must have the same tree structure",
              "NotImplementedError: ")
_EXPLICIT = "shardings in types: frontend_explicit.py"
_OBJECT = "a function of Python, which prints as its name"
# Parameters that have one value in all cases; (primitive, parameter) or the parameter of any primitive.
ONE_VALUE = {
    "out_sharding": _EXPLICIT, "sharding": _EXPLICIT, "ctx_mesh": _EXPLICIT,
    "jvp_jaxpr_fun": _OBJECT, "fwd_jaxpr_thunk": _OBJECT, "bwd": _OBJECT, "callback": _OBJECT,
    "update_consts": "always empty", ("reduce_window", "consts"): "always empty",
    "update_jaxpr": "one program for each element type, and all cases are f32",
    "num_consts": "closed-over values are inputs of the program: frontend_programs.py",
    "symbolic_zeros": "the front end has no symbolic zeros", ("custom_lin", "in_zeros"): "as many as tangents",
    ("custom_lin", "num_res"): "frontend_programs.py", ("custom_lin", "out_avals"): "frontend_programs.py",
    ("conj", "input_dtype"): "64-bit types are off in the oracle", "impl": "keys are threefry keys",
    ("jit", "compiler_options_kvs"): "frontend_jit_errors.py", ("jit", "inline"): "an inlined call leaves no equation",
    ("jit", "keep_unused"): "jit_options_test.cc", ("debug_callback", "partitioned"): "frontend_shard_map.py",
    ("io_callback", "result_avals"): "callback_ops.py",
    ("ffi_call", "custom_call_api_version"): "ffi_test.cc", ("ffi_call", "legacy_backend_config"): "ffi_test.cc",
    ("eigh", "algorithm"): "GPUs and TPUs only", ("eigh", "sort_eigenvalues"): "not there yet", ("eigh", "lower"): "not there yet",
    ("eigh", "subset_by_index"): "not there yet", ("triangular_solve", "conjugate_a"): "complex matrices: frontend_numpy.py",
    ("empty2", "dtype"): "all cases are f32", ("empty2", "memory_space"): "values of branches are in the device's memory",
    ("eig", "enable_eigvec_derivs"): "not there yet", ("eig", "implementation"): "GPUs only", ("qr", "pivoting"): "not there yet", ("qr", "use_magma"): "GPUs only", ("svd", "algorithm"): "GPUs and TPUs only",
    ("svd", "subset_by_index"): "not there yet", ("ragged_dot_general", "group_offset"): "JAX's CPU refuses it",
    ("ragged_dot_general", "precision"): "as dot_general's", ("ragged_dot_general", "preferred_element_type"): "as dot_general's",
}
