#===- jax_functions.py - calls JAX functions with guessed arguments -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls the public functions of JAX with guessed arguments. The names of a function's parameters
determine the arguments (`x` an array, `axis` a dimension, `key` a random key, ..). A guess that JAX
refuses is dropped. So functions of new versions are covered without changes here.

    for name, function in functions(): ...
    call = guess(name, function, rng)      # arrays to trace, and the rest bound; or None
"""

import functools
import inspect
import warnings

import jax
import jax.image
import jax.nn
import jax.nn.initializers
import jax.numpy as jnp
import jax.ops
import jax.scipy.fft
import jax.scipy.integrate
import jax.scipy.linalg
import jax.scipy.signal
import jax.scipy.special
import jax.scipy.stats
import numpy as np
from jax import lax

warnings.filterwarnings("ignore")

MODULES = (
    jax.lax, jnp, jax.nn, jax.scipy.special, jax.random, jnp.linalg, jnp.fft, jax.lax.linalg,
    jax.scipy.linalg, jax.scipy.signal, jax.scipy.fft, jax.ops, jax.image, jax.scipy.integrate,
    jax.scipy.stats.norm, jax.scipy.stats.beta, jax.scipy.stats.gamma, jax.scipy.stats.poisson,
    jax.scipy.stats.t, jax.scipy.stats.cauchy,
)  # fmt: skip

# Excluded: files, printing, types, devices, and functions that other cases call.
SKIPPED = set("""
    array_repr array_str array2string save savez load fromfile fromstring printoptions
    set_printoptions get_printoptions dtype issubdtype iscomplexobj isrealobj isscalar ndim shape
    size result_type promote_types can_cast finfo iinfo frompyfunc vectorize apply_along_axis
    apply_over_axes fromfunction piecewise index_exp mgrid ogrid r_ c_ s_ from_dlpack
    conv_general_permutations conv_shape_tuple conv_general_shape_tuple broadcast_shapes
    dtypes_is_subdtype padtype_to_pads infeed outfeed create_token after_all
    custom_linear_solve custom_root key_impl wrap_key_data clone key_data composite
    cond switch while_loop fori_loop scan map associative_scan reduce reduce_window
    axis_index axis_size psum pmax pmin pmean ppermute pshuffle pswapaxes pbroadcast pcast pvary
    psum_scatter all_gather all_to_all ragged_all_to_all all_gather_reduced preduced
    ConvGeneralDilatedDimensionNumbers PrecisionLike conv_dimension_numbers psend precv
    conv_transpose_shape_tuple reduce_window_shape_tuple dce_sink shape_as_value einsum_path
    get_scaled_dot_general_config key_dtype with_sharding_constraint reshard get_abstract_mesh
""".split())

INTS = (jnp.int32, jnp.int8, jnp.int16, jnp.uint8, jnp.uint16, jnp.uint32, jnp.int64, jnp.uint64)
FLOATS = (jnp.float32, jnp.float16, jnp.bfloat16, jnp.float64)
COMPLEX = (jnp.complex64, jnp.complex128)
SMALL = tuple(
    getattr(jnp, name)
    for name in ("int4", "uint4", "int2", "uint2", "float8_e4m3fn", "float8_e5m2",
                 "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4",
                 "float8_e4m3", "float8_e8m0fnu", "float4_e2m1fn")
    if hasattr(jnp, name)
)  # fmt: skip
KINDS = {"float": FLOATS, "int": INTS, "complex": COMPLEX, "small": SMALL, "bool": (jnp.bool_,),
         "float32": FLOATS[:1], "half": FLOATS[1:3], "wide": (jnp.float64, jnp.int64, jnp.complex128)}  # fmt: skip


class Array(jax.ShapeDtypeStruct):
    """A traced argument; all other arguments are bound to the call."""


class Call:
    """A function of `arrays` only, and a name that describes the bound arguments."""

    def __init__(self, name, function, arrays):
        self.name, self.function, self.arrays = name, function, arrays


def functions(modules=MODULES, skipped=SKIPPED):
    """Returns (qualified name, function) of every public function, sorted, each function once."""
    seen, found = set(), []
    for module in modules:
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if name.startswith("_") or name in skipped or inspect.isclass(value):
                continue
            if not callable(value) or id(value) in seen:
                continue
            try:
                inspect.signature(value)
            except (TypeError, ValueError):
                continue
            seen.add(id(value))
            found.append((f"{module.__name__.removeprefix('jax.')}.{name}", value))
    return found


class Guess:
    """The common properties of the arguments of one call: a shape and an element type. `even`: sizes
    that eight devices divide."""

    def __init__(self, rng, dtype, even=False):
        self.rng, self.dtype = rng, dtype
        n = rng.choice((4, 8)) if even else rng.randint(2, 5)
        m, k = (rng.choice((2, 4)), 4) if even else (rng.randint(1, 5), 3)
        self.shape = rng.choice([(n,), (n, n), (n, m), (2, n, n), (n, 2, k)] + [()] * (not even))
        self.square = (*rng.choice([(), (), (2,)]), n, n)

    def array(self, shape=None, dtype=None):
        return Array(self.shape if shape is None else shape, dtype or self.dtype)

    def matrix(self):
        return self.array(self.square)

    def vector(self, dtype=None):
        return self.array((self.shape or (3,))[-1:], dtype)

    def integers(self, shape=None):
        return self.array(shape, jnp.int32)

    def key(self):
        implementation = self.rng.choice(["threefry2x32"] * 3 + ["rbg", "unsafe_rbg"])
        shape = jax.eval_shape(lambda: jax.random.key(0, impl=implementation))
        return Array((), shape.dtype)

    def axis(self):
        return self.rng.randrange(max(1, len(self.shape)))

    def permutation(self):
        return tuple(self.rng.sample(range(len(self.shape)), len(self.shape)))

    def reshaped(self):
        return self.rng.choice([(-1,), (int(np.prod(self.shape)),), tuple(reversed(self.shape))])

    def pad_config(self):
        return [(self.rng.randint(-1, 2), self.rng.randint(0, 2), self.rng.randint(0, 1))
                for _ in self.shape]  # fmt: skip

    def like(self):
        """Returns another array of the same element type: the same shape, a scalar, a column."""
        shapes = [self.shape, self.shape, (), self.shape[-1:], (self.shape or (1,))[:1] + (1,)]
        return self.array(self.rng.choice(shapes[:2] if self.rng.random() < 0.7 else shapes))


def _function(g):
    return g.rng.choice([jnp.sin, jnp.negative, lambda x, *_: x * 2])


# Parameter name -> candidate recipes. Other parameters get an array.
RECIPES = {
    "key": [Guess.key], "keys": [Guess.key],
    "a_matrix c_matrix r_matrix A M m H": [Guess.matrix],
    "x y a b x1 x2 lhs rhs operand arr z p q": [Guess.like, Guess.array, Guess.matrix],
    "axis dimension dim axis1 axis2 source destination split_axis concat_axis": [Guess.axis],
    "axes dimensions": [lambda g: (g.axis(),), Guess.axis],
    "shape out_shape sizes new_shape dims newshape": [lambda g: g.shape, Guess.reshaped],
    "new_sizes": [Guess.reshaped],
    "dtype new_dtype index_dtype": [lambda g: g.dtype, lambda g: g.rng.choice(FLOATS + INTS)],
    "n N k size length num num_classes axis_size deg": [lambda g: g.rng.randint(1, 4)],
    "segment_ids": [lambda g: g.integers(g.shape[:1])],
    "indices idxs index i start_index start_indices ind":
        [Guess.integers, lambda g: g.integers(()), lambda g: g.integers((3,))],
    "permutation perm": [Guess.permutation],
    "condition mask pred where which": [lambda g: g.array(dtype=jnp.bool_)],
    "padding_config": [Guess.pad_config], "padding": [lambda g: g.rng.choice(["SAME", "VALID"])],
    "pad_width": [lambda g: g.rng.randint(1, 2), lambda g: [(1, 2)] * len(g.shape)],
    "padding_value fill_value init_value value": [lambda g: g.array(())],
    "reps repeats shift": [lambda g: g.rng.randint(1, 3)],
    "arrays tup seq_of_zeros operands": [lambda g: [g.array(), g.array()]],
    "indices_or_sections": [lambda g: 1, lambda g: [1]],
    "exponent_bits": [lambda g: 5], "mantissa_bits": [lambda g: 7],
    "limit_indices": [lambda g: g.shape], "limit_index": [lambda g: 2],
    "slice_sizes": [lambda g: tuple(max(1, d - 1) for d in g.shape)], "slice_size": [lambda g: 1],
    "lower upper min max minval maxval left right loc scale alpha beta": [lambda g: g.array(())],
    "order kth rank total_repeat_length": [lambda g: 1],
    "fft_type": [lambda g: g.rng.choice(["fft", "ifft"])],
    "fft_lengths": [lambda g: g.shape[-1:]],
    "func f fun function body_fun computation fn": [lambda g: _function(g)],
    "method": [lambda g: g.rng.choice(["nearest", "linear", "cubic", "lanczos3"])],
    "subscripts": [lambda g: g.rng.choice(["ij,jk->ik", "...i->...", "ij->ji", "ii->i", "i,i"])],
    "pads": [lambda g: [(1, 1)] * len(g.shape)], "start stop": [lambda g: g.array(())],
    "strides window_strides": [lambda g: (1,) * len(g.shape)],
    "window_dimensions": [lambda g: (2,) * len(g.shape)],
    "object obj": [Guess.array], "string": [lambda g: "1 2 3"],
    "v d e xp fp vals bins w sample": [Guess.vector], "condlist": [lambda g: [g.array(dtype=jnp.bool_)]],
    "choicelist choices": [lambda g: [g.array(), g.array()]],
    "broadcast_dimensions": [lambda g: tuple(range(len(g.shape)))],
    "mode": [lambda g: g.rng.choice(["clip", "wrap", "constant", "reflect"])],
    "seed": [lambda g: g.integers(())], "data": [Guess.array],
    "lu_and_piv": [lambda g: (g.array((3, 3)), g.integers((3,)))],
    "c_and_lower": [lambda g: (g.array((3, 3)), True)],
    "pivots": [lambda g: g.integers(g.square[:-1])],
    "permutation_size": [lambda g: g.square[-1]],
    "concentration mean": [Guess.vector], "cov": [Guess.matrix],
}  # fmt: skip
RECIPES = {name: recipes for names, recipes in RECIPES.items() for name in names.split()}

# Functions whose arguments cannot be guessed: (name, arguments).
SPECIAL = {
    "lax.collapse": lambda g: (g.array((2, 3, 4)), 0, 2),
    "lax.integer_pow": lambda g: (g.array(), g.rng.choice([-2, 2, 3, 7])),
    "lax.slice": lambda g: (g.array((5, 6)), (1, 0), (4, 6), g.rng.choice([None, (1, 2)])),
    "lax.slice_in_dim": lambda g: (g.array((5, 6)), 1, 5, 2, 1),
    "lax.index_in_dim": lambda g: (g.array((5, 6)), 1, 1),
    "lax.iota": lambda g: (g.dtype, 5), "lax.broadcasted_iota": lambda g: (g.dtype, (2, 5), 1),
    "lax.tile": lambda g: (g.array((2, 3)), (2, 1)),
    "lax.sort_key_val": lambda g: (g.array((5,)), g.array((5,))),
    "numpy.arange": lambda g: (0, 10, 3), "numpy.array": lambda g: ([1, 2, 3],),
    "numpy.einsum": lambda g: g.rng.choice([
        ("ij,jk->ik", g.array((2, 3)), g.array((3, 4))), ("bij,bkj->bik", *[g.array((2, 3, 4))] * 2),
        ("ii->i", g.array((3, 3))), ("i,j,k->ijk", *[g.array((2,))] * 3)]),
    "numpy.select": lambda g: ([g.array((3,), jnp.bool_)] * 2, [g.array((3,))] * 2),
    "numpy.where": lambda g: (g.array(dtype=jnp.bool_), g.array(), g.array()),
    "numpy.fill_diagonal": lambda g: (g.array((3, 3)), g.array(()), None, False),
    "numpy.gradient": lambda g: (g.array((5, 4)),), "numpy.packbits": lambda g: (g.array((9,), jnp.bool_),),
    "numpy.unpackbits": lambda g: (g.array((9,), jnp.uint8),),
    "numpy.ravel_multi_index": lambda g: ((g.integers((3,)), g.integers((3,))), (4, 5), "clip"),
    "numpy.put_along_axis": lambda g: (g.array((3, 4)), g.integers((3, 1)), g.array((3, 1)), 1, False),
    "numpy.bincount": lambda g: (g.integers((5,)), None, 0), "numpy.clip": lambda g: (g.array(), 0, 1),
    "numpy.lexsort": lambda g: ((g.array((5,)), g.array((5,))),),
    "nn.dot_product_attention": lambda g: (g.array((2, 4, 2, 8)),) * 3,
    "scipy.special.zeta": lambda g: (g.array((3,)), g.array((3,))),
    "scipy.special.multigammaln": lambda g: (g.array((3,)), 2),
    "scipy.linalg.eigh_tridiagonal": lambda g: (g.array((5,)), g.array((4,)), True),
    "random.ball": lambda g: (g.key(), 3), "random.dirichlet": lambda g: (g.key(), g.array((3,))),
    "random.triangular": lambda g: (g.key(), *[g.array(())] * 3),
    "lax.linalg.tridiagonal_solve": lambda g: (*[g.array((4,))] * 3, g.array((4, 2))),
    "lax.linalg.householder_product": lambda g: (g.array((4, 3)), g.array((3,))),
    "lax.linalg.ormqr": lambda g: (g.array((4, 3)), g.array((3,)), g.array((4, 2))),
    "image.scale_and_translate": lambda g: (
        g.array((4, 4)), (6, 6), (0, 1), g.array((2,)), g.array((2,)), "linear"),
}  # fmt: skip

# Optional parameters that are sometimes passed.
OPTIONAL = {
    "axis": [Guess.axis], "axes": [lambda g: (g.axis(),)], "keepdims": [lambda g: True],
    "dtype": [lambda g: g.dtype], "ddof": [lambda g: 1], "descending": [lambda g: True],
    "stable": [lambda g: False], "side": [lambda g: "right"], "mode": [lambda g: "same"],
    "reverse": [lambda g: True], "lower": [lambda g: True], "full_matrices": [lambda g: False],
    "precision": [lambda g: lax.Precision.HIGHEST], "preferred_element_type": [lambda g: g.dtype],
    "where": [lambda g: g.array(dtype=jnp.bool_)], "initial": [lambda g: 1], "k": [lambda g: 1],
    "norm": [lambda g: "ortho"], "unit_diagonal": [lambda g: True], "approximate": [lambda g: False],
    "transpose_a": [lambda g: True], "left_side": [lambda g: True], "n": [lambda g: 3],
    "shape": [lambda g: (3, 4)], "offset": [lambda g: 1], "axis1": [lambda g: 1], "axis2": [lambda g: 0],
    "compute_uv": [lambda g: False], "nan": [lambda g: 2.0], "equal_nan": [lambda g: True],
    "indices_are_sorted": [lambda g: True], "unique_indices": [lambda g: True],
    "accuracy": [lambda g: lax.Tolerance(ulps=2), lambda g: lax.AccuracyMode.HIGHEST],
}  # fmt: skip


def _bind(name, function, values, keywords):
    """Returns the call as a function of its arrays only, at any position of the arguments."""
    leaves, tree = jax.tree.flatten((values, keywords), is_leaf=lambda v: isinstance(v, Array))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Array)]

    @functools.wraps(function)
    def bound(*arrays):
        filled = list(leaves)
        for place, array in zip(places, arrays):
            filled[place] = array
        args, kwargs = jax.tree.unflatten(tree, filled)
        return function(*args, **kwargs)

    return Call(name, bound, [leaves[place] for place in places])


def _attempt(name, function, rng, dtype, even):
    g = Guess(rng, dtype, even)
    if name in SPECIAL:
        return _bind(name, function, SPECIAL[name](g), {})
    values, keywords = [], {}
    for parameter in inspect.signature(function).parameters.values():
        required = parameter.default is parameter.empty
        recipes = RECIPES.get(parameter.name, [Guess.array])
        if parameter.kind == parameter.VAR_POSITIONAL:
            values += [rng.choice(recipes)(g) for _ in range(rng.randint(1, 3))]
        elif parameter.kind == parameter.VAR_KEYWORD:
            continue
        elif required and parameter.kind != parameter.KEYWORD_ONLY:
            values.append(rng.choice(recipes)(g))
        elif required:
            keywords[parameter.name] = rng.choice(recipes)(g)
        elif parameter.name in OPTIONAL and rng.random() < 0.2:
            keywords[parameter.name] = rng.choice(OPTIONAL[parameter.name])(g)
    return _bind(name, function, values, keywords)


def results(call):
    """Returns the shapes of a call's results, or None if JAX refuses it."""
    try:
        shapes = jax.eval_shape(call.function, *call.arrays)
    except Exception:  # JAX raises any kind of exception: the guess was wrong
        return None
    leaves = jax.tree.leaves(shapes)
    if not leaves or not all(hasattr(leaf, "dtype") for leaf in leaves):
        return None
    return leaves


def guess(name, function, rng, kind=None, attempts=12, even=False):
    """Returns a call that JAX accepts, with arrays of a kind of element type. None if none was found."""
    for _ in range(attempts):
        dtype = rng.choice(KINDS[kind] if kind else rng.choice([FLOATS, FLOATS, INTS, COMPLEX, SMALL]))
        dtype = jax.dtypes.canonicalize_dtype(dtype)
        try:
            call = _attempt(name, function, rng, dtype, even)
        except Exception:
            continue
        if results(call) is not None:
            call.name = f"{name} {np.dtype(dtype).name}"
            return call
    return None
