#===- generator_ops.py - random operations of the front end ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The steps without bodies of random programs (generator.py): operations, collectives, placements."""

import jax
import jax.numpy as jnp
import numpy as np

import frontend_mesh as fm
from frontend.callback_ops import CONTRACTIONS
from frontend.program import Step

# Primitives whose values stay moderate, and those with a domain.
MODERATE = "sin cos tanh logistic neg abs square erf atan asinh".split()
SMOOTH = """exp exp2 log log1p expm1 tan sqrt rsqrt cbrt erfc erf_inv asin acos sinh cosh atanh acosh lgamma digamma
    bessel_i0e bessel_i1e""".split()
STEPS = "sign floor ceil stop_gradient is_finite copy".split()
BINARY = "add sub mul div max min pow atan2 add_any rem nextafter complex".split()
COMPARE = "eq ne lt le gt ge".split()
KINDS = """smooth smooth smooth moderate moderate moderate moderate binary binary binary binary binary step compare scalar
    scalar reduce reduce cumulative cumulative arg shape shape slice pad concat dot dot dynamic update select clamp sort power
    round tie rows window conv fft matrix matrix matrix top_k scatter scatter sort_pair callback callback contract integer
    integer bits key key precision parts tile constant boolean low take dynamic_start rare rare rare""".split()
# What few programs have: primitives of other functions, with the ranks that they take.
RARE = """conjugate complex_pair real_part imag_part optimization_barrier zeta polygamma layout_constraint diagonal_solve
    ragged_dot reduce lu_pivots_to_permutation window_cotangent window_tangent threefry2x32 random_wrap callback_io device_put
    checkpoint_policy""".split()
# Those whose batches or derivatives in other programs are defects of JAX, or that need an order of effects.
AT_TOP = {"layout_constraint", "ragged_dot", "callback_io", "device_put", "checkpoint_policy"}


def text(values):
    return ",".join(map(str, values))


def random_spec(rng, shape, size):
    """Axes that divide the dimensions."""
    free, out = list(size), []
    for n in shape:
        entry = []
        while free and n and rng.random() < 0.45:
            a = rng.choice(free)
            if n % int(np.prod([size[b] for b in entry + [a]])):
                break
            entry.append(a)
            free.remove(a)
        out.append(tuple(entry))
    return out


def out_spec(rng, value, axes, check):
    """A spec for a result of a shard_map: all axes along which it varies, or must be taken to vary."""
    varying = [a for a in axes if not check or a in jax.typeof(value).vma]
    out = [()] * value.ndim
    if varying and not value.ndim:
        raise ValueError("a scalar varies")
    if varying:
        out[rng.randrange(value.ndim)] = tuple(varying)
    return out


def operation(g, block, values):
    rng = g.rng
    x = g.pick(values)
    name = rng.choice(KINDS)
    found = globals().get("make_" + name)
    if values[x].ndim == 0 and name not in ("smooth", "moderate", "binary", "step", "compare", "scalar", "shape", "key",
                                            "precision", "power", "round", "select", "constant", "boolean", "low", "integer"):
        name, found = "moderate", make_moderate
    return found(g, block, values, x, values[x].shape)


def emit(g, block, values, op, args, **keys):
    keys = {k: text(v) if isinstance(v, (tuple, list)) else v for k, v in keys.items()}
    return g.emit(block, values, Step(op, args, keys))


def same(g, values, shape):
    return g.rng.choice(g.floats(values, shape=shape))


def make_smooth(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(SMOOTH), [x])


def make_moderate(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(MODERATE), [x])


def make_binary(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(BINARY), [x, same(g, v, shape)])


def make_step(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(STEPS), [x])


def make_compare(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(COMPARE), [x, same(g, v, shape)])


def make_scalar(g, b, v, x, shape):
    kind = g.rng.choice(["f32", "weak"])
    y = g.literal(b, v, kind, g.rng.choice([0.5, 2.0, 1.25]))
    op = g.rng.choice(["add", "sub", "mul", "div", "max"] + ["pow"] * (kind == "f32"))
    return emit(g, b, v, op, [x, y] if g.rng.random() < 0.8 else [y, x])


def make_reduce(g, b, v, x, shape):
    axes = sorted(g.rng.sample(range(len(shape)), g.rng.randint(1, len(shape))))
    return emit(g, b, v, g.rng.choice(["reduce_sum", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod"]), [x], axes=axes)


def axis_of(g, shape):
    return g.rng.randrange(len(shape))


def make_cumulative(g, b, v, x, shape):
    name = g.rng.choice(["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
    return emit(g, b, v, name, [x], axis=axis_of(g, shape), reverse=g.rng.randint(0, 1))


def make_arg(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(["argmax", "argmin"]), [x], axis=axis_of(g, shape))


def make_shape(g, b, v, x, shape):
    rng, rank, size = g.rng, len(shape), int(np.prod(shape))
    pick = rng.randrange(6)
    if pick == 0:
        halves = [(size // 2, 2)] if size and size % 2 == 0 else []
        return emit(g, b, v, "reshape", [x], shape=rng.choice([(size,), (1, size), (size, 1)] + halves))
    if pick == 1:
        return emit(g, b, v, "transpose", [x], permutation=rng.sample(range(rank), rank) or "")
    if pick == 2:
        return emit(g, b, v, "rev", [x], dims=axis_of(g, shape))
    if pick == 3:
        return emit(g, b, v, "expand_dims", [x], dims=rng.randint(0, rank))
    if pick == 4 and 1 in shape:
        return emit(g, b, v, "squeeze", [x], dims=shape.index(1))
    return emit(g, b, v, "broadcast_in_dim", [x], shape=(2,) + shape, dims=tuple(range(1, rank + 1)) or "")


def make_slice(g, b, v, x, shape):
    rng = g.rng
    limit = [rng.randint(min(1, n), n) for n in shape]
    start = [rng.randint(0, max(n - 1, 0)) for n in limit]
    return emit(g, b, v, "slice", [x], start=start, limit=limit, strides=[rng.choice([1, 1, 2]) for _ in shape])


def make_pad(g, b, v, x, shape):
    rng = g.rng
    config = [n for _ in shape for n in (rng.randint(-1, 2), rng.randint(-1, 1), rng.randint(0, 1))]
    return emit(g, b, v, "pad", [x, g.literal(b, v, "f32", 0.5)], config=config)


def make_concat(g, b, v, x, shape):
    return emit(g, b, v, "concatenate", [x, same(g, v, shape)], dim=axis_of(g, shape))


def make_dot(g, b, v, x, shape):
    rng, rank = g.rng, len(shape)
    y = same(g, v, shape)
    if rank > 1 and rng.random() < 0.5:
        c, batch = rng.sample(range(rank), 2)
        return emit(g, b, v, "dot_general", [x, y], lc=c, rc=c, lb=batch, rb=batch)
    axis = axis_of(g, shape)
    return emit(g, b, v, "dot_general", [x, y], lc=axis, rc=axis)


def make_dynamic(g, b, v, x, shape):
    starts = [g.literal(b, v, "i32", g.rng.randrange(n + 1)) for n in shape]
    return emit(g, b, v, "dynamic_slice", [x] + starts, sizes=[g.rng.randint(min(1, n), n) for n in shape])


def make_dynamic_start(g, b, v, x, shape):
    """A start that the program computes."""
    start = emit(g, b, v, "argmax", [g.flat(b, v, x)], axis=0)
    zeros = [g.literal(b, v, "i32", 0) for _ in shape[1:]]
    return emit(g, b, v, "dynamic_slice", [x, start] + zeros, sizes=(1,) + shape[1:])


def make_update(g, b, v, x, shape):
    limit = [g.rng.randint(min(1, n), n) for n in shape]
    update = emit(g, b, v, "slice", [x], start=[0] * len(shape), limit=limit, strides=[1] * len(shape))
    starts = [g.literal(b, v, "i32", g.rng.randrange(max(n, 1))) for n in shape]
    return emit(g, b, v, "dynamic_update_slice", [x, update] + starts)


def make_select(g, b, v, x, shape):
    y = same(g, v, shape)
    p = emit(g, b, v, "lt", [x, y])
    return emit(g, b, v, "select_n", [p, x, y])


def make_clamp(g, b, v, x, shape):
    low = g.literal(b, v, "f32", 0.25)
    return emit(g, b, v, "clamp", [low, x, g.literal(b, v, "f32", 0.75)])


def make_sort(g, b, v, x, shape):
    return emit(g, b, v, "sort", [x], dim=axis_of(g, shape))


def make_sort_pair(g, b, v, x, shape):
    return emit(g, b, v, "sort_pair", [x, same(g, v, shape)], dim=axis_of(g, shape), keys=g.rng.randint(1, 2))


def make_power(g, b, v, x, shape):
    return emit(g, b, v, "integer_pow", [x], y=g.rng.choice([-1, 2, 3, 4]))


def make_round(g, b, v, x, shape):
    return emit(g, b, v, "round", [x], method=g.rng.randint(0, 1))


def make_tie(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(["max", "min"]), [x, x])


def make_rows(g, b, v, x, shape):
    index = emit(g, b, v, "argmax", [x], axis=1)
    return emit(g, b, v, "rows", [x, index], mode=g.rng.randint(0, 1))


def make_scatter(g, b, v, x, shape):
    index = emit(g, b, v, "argmax", [x], axis=1)
    return emit(g, b, v, "scatter_rows", [x, index, same(g, v, shape)], kind=g.rng.choice([0, 1, 1, 2, 3, 4, 5]))


def make_take(g, b, v, x, shape):
    index = emit(g, b, v, "argmin", [x], axis=1)
    column = emit(g, b, v, "expand_dims", [index], dims=1)
    if g.rng.random() < 0.5:
        return emit(g, b, v, "take_each", [x, column])
    updates = emit(g, b, v, "slice", [x], start=(0, 0), limit=(shape[0], 1), strides=(1, 1))
    return emit(g, b, v, "add_each", [x, column, updates])


def make_window(g, b, v, x, shape):
    rng = g.rng
    dims = [rng.randint(1, max(1, min(2, n))) for n in shape]
    keys = {"dims": dims, "strides": [rng.randint(1, 2) for _ in shape],
            "padding": [rng.randrange(d) for d in dims for _ in range(2)]}
    name = rng.choice(["sum", "max", "min"])
    if name == "sum":
        keys |= {k: [rng.randint(1, 2) for _ in shape] for k in ("base", "dilation")}
    return emit(g, b, v, f"reduce_window_{name}", [x], **keys)


LAYOUTS = {
    3: [("conv1", (1, 1, 3), (1, 1, 3), 1, 1)],
    5: [("conv1", (1, 1, 5), (1, 1, 5), 1, 1)],
    6: [("conv1", (1, 2, 3), (1, 2, 3), 1, 1), ("conv1", (1, 2, 3), (2, 1, 3), 2, 1)],
    16: [("conv1", (1, 4, 4), (4, 1, 4), 4, 1), ("conv1", (4, 1, 4), (4, 1, 4), 1, 2),
         ("conv1", (2, 2, 4), (2, 2, 4), 1, 1), ("conv2", (1, 4, 4, 1), (2, 2, 1, 4), 1, 1)],
    24: [("conv1", (2, 3, 4), (2, 3, 4), 1, 1), ("conv2", (1, 2, 3, 4), (1, 2, 4, 3), 1, 1),
         ("conv2", (1, 2, 3, 4), (2, 3, 2, 2), 2, 1), ("conv2", (2, 3, 4, 1), (2, 2, 1, 6), 1, 2)],
    32: [("conv1", (4, 2, 4), (4, 2, 4), 1, 1), ("conv2", (2, 4, 4, 1), (2, 2, 1, 8), 1, 1)],
}


def make_conv(g, b, v, x, shape):
    """A convolution of two arrays, brought into shapes that fit."""
    rng = g.rng
    name, lhs, rhs, features, batches = rng.choice(LAYOUTS[int(np.prod(shape))])
    spatial = int(name[-1])
    return emit(g, b, v, name, [x, same(g, v, shape)], lhs=lhs, rhs=rhs, features=features, batches=batches,
                padding=[rng.randint(1, 2) for _ in range(2 * spatial)],
                **{k: [rng.randint(1, 2) for _ in range(spatial)] for k in ("strides", "base", "dilation")})


def make_fft(g, b, v, x, shape):
    rng, rank = g.rng, len(shape)
    y, n = same(g, v, shape), rng.randint(1, min(rank, 2))
    name = rng.choice(["fft", "rfft", "irfft"])
    if name != "fft" and 0 in shape[rank - n:]:
        raise ValueError("JAX cannot lower it")
    if name == "irfft":
        last = 2 * (shape[-1] - 1) + rng.randint(0, 1) if shape[-1] > 1 else 1
        return emit(g, b, v, name, [x, y], lengths=shape[rank - n:-1] + (last,))
    if name == "rfft":
        return emit(g, b, v, name, [x], lengths=shape[rank - n:])
    return emit(g, b, v, name, [x, y], type=rng.randint(0, 1), lengths=shape[rank - n:])


def make_matrix(g, b, v, x, shape):
    """Of an argument: what is computed may have equal eigenvalues."""
    rng, x = g.rng, 0
    if v[0].ndim < 2 or min(v[0].shape[-2:]) < 2 or v[0].dtype != jnp.float32:
        raise ValueError("no matrix")
    name = rng.choice("triangular_solve qr lu lu_permutation svd svd_values cholesky eigh".split())
    if name == "triangular_solve":
        return emit(g, b, v, name, [0, 0], **{k: rng.randint(0, 1) for k in ("left", "lower", "transpose", "unit")})
    keys = {"qr": ("tall", "full"), "lu": ("tall",), "svd": ("full",)}.get(name, ())
    return emit(g, b, v, name, [0], **{k: rng.randint(0, 1) for k in keys})


def make_top_k(g, b, v, x, shape):
    axis = axis_of(g, shape)
    return emit(g, b, v, "top_k", [x], k=g.rng.randint(1, shape[axis]), axis=axis)


def make_callback(g, b, v, x, shape):
    if g.depth or g.axes or g.mesh:
        raise ValueError("callbacks of programs on one device only")
    name = g.rng.choice(["callback_pure", "callback_pair", "callback_debug"])
    if name == "callback_debug":
        return emit(g, b, v, name, [x], ordered=0)
    return emit(g, b, v, name, [x] + [same(g, v, shape)] * (name == "callback_pair"), method=g.rng.randrange(5))


def make_contract(g, b, v, x, shape):
    spec = g.rng.randrange(len(CONTRACTIONS))
    return emit(g, b, v, "contract", [same(g, v, shape) for _ in CONTRACTIONS[spec].split(",")], spec=spec)


def make_integer(g, b, v, x, shape):
    """Operations on integers, of arguments or of truncated floats."""
    found = g.find(v, lambda y: y.dtype == jnp.int32 and y.ndim > 0)
    i = g.rng.choice(found) if found and g.rng.random() < 0.6 else emit(g, b, v, "to_i32", [x])
    others = g.find(v, lambda y: y.dtype == jnp.int32 and y.shape == v[i].shape)
    name = g.rng.choice("and or xor not add mul mulhi sub max min clz population_count reduce_and reduce_or reduce_xor neg".split())
    if name.startswith("reduce"):
        if g.mesh:
            raise ValueError("XLA has no such collective")
        return emit(g, b, v, name, [i], axes=g.rng.randrange(v[i].ndim))
    one = name in ("not", "clz", "population_count", "neg")
    return emit(g, b, v, name, [i] if one else [i, g.rng.choice(others)])


def make_bits(g, b, v, x, shape):
    return emit(g, b, v, "int_chain" if g.rng.random() < 0.7 else "bits_of", [x])


def make_key(g, b, v, x, shape):
    """Random numbers: keys are made, split, folded and used."""
    rng = g.rng
    keys = g.find(v, lambda y: jnp.issubdtype(y.dtype, jax.dtypes.prng_key) and y.ndim == 0)
    if not keys or rng.random() < 0.2:
        keys = [emit(g, b, v, "key_seed", [g.literal(b, v, "i32", rng.randrange(9))])]
    key = rng.choice(keys)
    name = rng.choice(["key_bits", "key_uniform", "key_normal", "key_fold", "key_split"])
    if name == "key_fold":
        return emit(g, b, v, name, [key, g.literal(b, v, "i32", rng.randrange(9))])
    if name == "key_split":
        return emit(g, b, v, name, [key])
    return emit(g, b, v, name, [key], shape=rng.choice([(3,), (2, 3), (4, 4), (8, 4)]))


def make_rare(g, b, v, x, shape):
    rng, is_top = g.rng, not (g.depth or g.axes or g.mesh)
    name = rng.choice(sorted(AT_TOP) if is_top and rng.random() < 0.5 else RARE)
    if name in AT_TOP and not is_top:
        raise ValueError("in the program itself only")
    if name == "lu_pivots_to_permutation":
        return emit(g, b, v, name, [emit(g, b, v, "argmax", [x], axis=1)], size=shape[1])
    if name in ("zeta", "polygamma"):
        y = emit(g, b, v, "add", [emit(g, b, v, "square", [x]), g.literal(b, v, "f32", 1.5)])
        return emit(g, b, v, name, [y if name == "zeta" else g.literal(b, v, "f32", 1.0), y])
    if name == "layout_constraint":
        return emit(g, b, v, name, [x], order=rng.sample(range(len(shape)), len(shape)))
    if name == "ragged_dot":
        rhs = emit(g, b, v, "transpose", [x], permutation=(1, 0))
        rhs = emit(g, b, v, "broadcast_in_dim", [rhs], shape=(2,) + shape[::-1], dims=(1, 2))
        rows = emit(g, b, v, "slice", [g.flat(b, v, x)], start=(0,), limit=(2,), strides=(1,))
        return emit(g, b, v, name, [x, rhs, emit(g, b, v, "to_i32", [rows])])
    if name == "reduce":
        by, start = rng.choice([(0, 0.0), (1, 1.0), (2, float("-inf")), (3, float("inf")), (7, 1.0), (7, 1.0), (8, 0.0)])
        axes = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
        return emit(g, b, v, name, [x, g.literal(b, v, "f32", start)], by=by, axes=axes)
    if name.startswith("window"):
        dims = [rng.randint(1, max(1, min(2, n))) for n in shape]
        return emit(g, b, v, name, [x] + [same(g, v, shape)] * (name == "window_tangent"), dims=dims,
                    strides=[rng.randint(1, 2) for _ in shape], padding=[0] * 2 * len(shape))
    if name == "threefry2x32":
        i = emit(g, b, v, "to_i32", [x])
        return emit(g, b, v, name, [i, i])
    if name == "random_wrap" and shape[-1] != 2:
        raise ValueError("no words of keys")
    keys = {"diagonal_solve": {"mode": rng.randrange(3)}, "callback_io": {"ordered": 0},
            "checkpoint_policy": {"policy": rng.randrange(9)}}.get(name, {})
    one = name in ("random_wrap", "callback_io", "device_put", "checkpoint_policy")
    return emit(g, b, v, name, [x] if one else [x, same(g, v, shape)], **keys)


def make_precision(g, b, v, x, shape):
    return emit(g, b, v, g.rng.choice(["reduce_precision", "through_bf16"]), [x])


def make_parts(g, b, v, x, shape):
    axis = axis_of(g, shape)
    pick = g.rng.randrange(3)
    if pick == 0:
        n = g.rng.randint(0, shape[axis])
        return emit(g, b, v, "split", [x], sizes=(n, shape[axis] - n), axis=axis)
    if pick == 1 and 0 < shape[axis] < 6:
        return emit(g, b, v, "unstack", [x], axis=axis)
    return emit(g, b, v, "stack", [x, same(g, v, shape)], axis=axis)


def make_tile(g, b, v, x, shape):
    return emit(g, b, v, "tile", [x], reps=[g.rng.randint(1, 2) for _ in shape])


def make_constant(g, b, v, x, shape):
    if not shape:
        raise ValueError("a scalar")
    y = emit(g, b, v, "iota", [], shape=shape, dim=axis_of(g, shape))
    return emit(g, b, v, "add", [x, y])


def make_boolean(g, b, v, x, shape):
    found = g.find(v, lambda y: y.dtype == jnp.bool_)
    p = g.rng.choice(found)
    same_type = g.find(v, lambda y: y.dtype == jnp.bool_ and y.shape == v[p].shape)
    pick = g.rng.randrange(4)
    if pick == 0:
        return emit(g, b, v, g.rng.choice(["and", "or", "xor"]), [p, g.rng.choice(same_type)])
    if pick == 1:
        return emit(g, b, v, "not", [p])
    if pick == 2 and v[p].ndim:
        return emit(g, b, v, g.rng.choice(["reduce_and", "reduce_or"]), [p], axes=g.rng.randrange(v[p].ndim))
    return emit(g, b, v, "to_f32", [p])


def make_low(g, b, v, x, shape):
    """Operations in bf16."""
    found = g.find(v, lambda y: y.dtype == jnp.bfloat16)
    y = g.rng.choice(found)
    pick = g.rng.randrange(4)
    if pick == 0:
        return emit(g, b, v, "to_f32", [y])
    if pick == 1 and v[y].ndim:
        return emit(g, b, v, "reduce_sum", [y], axes=g.rng.randrange(v[y].ndim))
    return emit(g, b, v, g.rng.choice(["sin", "neg", "square", "tanh"]), [y])


# --- on meshes -----------------------------------------------------------------------------


def placement(g, block, values):
    """A constraint on Auto axes, or a reshard of Explicit ones."""
    rng = g.rng
    sizes, names, types = g.mesh
    x = g.pick(values, rank=1)
    spec = random_spec(rng, values[x].shape, dict(zip(names, sizes)))
    explicit = "Explicit" in types
    if explicit:
        spec = [tuple(a for a in e if types[names.index(a)] == "Explicit") for e in spec]
    return emit(g, block, values, "reshard" if explicit else "constrain", [x], spec=fm.spec(spec))


def collective(g, block, values):
    rng = g.rng
    name, size, manual = rng.choice(g.axes)
    x = g.pick(values)
    shape = values[x].shape
    kind = rng.choice("""psum psum pmean pmax pmin all_gather all_gather add_index ppermute psum_scatter psum_scatter
        all_to_all all_to_all pcast""".split())
    keys = {"axes": name}
    if kind == "all_gather":
        tiled = rng.randint(0, 1) if shape else 0
        keys |= {"axis": rng.randint(0, len(shape) - tiled), "tiled": tiled}
    elif kind == "ppermute":
        shift = rng.randrange(size)
        keys["perm"] = text(n for i in range(size) for n in (i, (i + shift) % size))
    elif kind in ("psum_scatter", "all_to_all"):
        fits = [d for d in range(len(shape)) if shape[d] % size == 0]
        if kind == "psum_scatter":
            keys |= {"axis": rng.choice(fits), "tiled": 1}
        else:
            keys |= {"split": rng.choice(fits), "concat": rng.randrange(len(shape)), "tiled": 1}
    elif kind == "pcast" and not manual:
        raise ValueError("an axis of vmap")
    return emit(g, block, values, kind, [x], **keys)
