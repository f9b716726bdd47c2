#===- sweep_calls.py - calls with explicit arguments ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls for the sweep whose arguments cannot be guessed. `CALLS[name](g)` returns a function and its
arrays; `g` has the shapes and the element type of the call (jax_functions.Guess). All other
parameters are bound. `NOT_CALLED` has the reasons why public functions are not called at all."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

F32, I32, BOOL = jnp.float32, jnp.int32, jnp.bool_


def _mesh():
    return jax.make_mesh((8,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))


def over_devices(function, out=P("i")):
    """Returns the function applied on each of eight devices, along an axis `i`."""

    def run(*arrays):
        return jax.shard_map(function, mesh=_mesh(), in_specs=P("i"), out_specs=out, check_vma=False)(*arrays)

    return run


def _spd(a):
    return jnp.matmul(a, a.mT) + 4 * jnp.eye(a.shape[-1], dtype=a.dtype)


def _initializer(make, shape=(8, 4, 4)):
    return lambda g: (lambda k: make(k, shape, F32), g.key())


def _initializers():
    init = jax.nn.initializers
    plain = dict(constant=init.constant(2.0), normal=init.normal(), ones=init.ones, zeros=init.zeros,
                 truncated_normal=init.truncated_normal(), uniform=init.uniform(), orthogonal=init.orthogonal(),
                 variance_scaling=init.variance_scaling(2.0, "fan_avg", "uniform"))  # fmt: skip
    for name in "glorot_normal glorot_uniform he_normal he_uniform lecun_normal lecun_uniform".split():
        plain[name] = getattr(init, name)()
    for ours, theirs in (("kaiming", "he"), ("xavier", "glorot")):
        for kind in ("normal", "uniform"):
            plain[f"{ours}_{kind}"] = plain[f"{theirs}_{kind}"]
    calls = {f"nn.initializers.{name}": _initializer(make) for name, make in plain.items()}
    calls["nn.initializers.delta_orthogonal"] = _initializer(init.delta_orthogonal(), (3, 4, 4))
    return calls


def _scatter(name):
    numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    return lambda g: (
        lambda x, i, u: getattr(lax, name)(x, i, u, numbers, mode="clip"), g.array((8, 4)), g.integers((4, 1)), g.array((4, 4)),
    )  # fmt: skip


def _set(name, **options):
    return lambda g: (lambda a, b: getattr(jnp, name)(a, b, **options), g.integers((8,)), g.integers((8,)))


def _unique(name):
    return lambda g: (lambda a: tuple(getattr(jnp, name)(a, size=6)) if name != "unique_values"
                      else getattr(jnp, name)(a, size=6), g.integers((8,)))  # fmt: skip


def _segments(name):
    return lambda g: (lambda x, i: getattr(jax.ops, name)(x, i, 8), g.array((8, 4)), g.integers((8,)))


def _window(name):
    return lambda g: (lambda: getattr(jnp, name)(8),)


def _sized(name):
    return lambda g: (lambda x: getattr(jnp, name)(x > 0, size=5, fill_value=-1), g.array((8,)))


def _rotation(use, *counts):
    from jax.scipy.spatial.transform import Rotation

    return lambda g: (lambda *q: use(Rotation, *q), *[g.array((n, 4) if n else (4,), F32) for n in counts or (8,)])


def _linear_solver(name):
    import jax.scipy.sparse.linalg as solvers

    return lambda g: (lambda a, b: getattr(solvers, name)(_spd(a), b)[0], g.array((4, 4), F32), g.array((4,), F32))


def _ragged():
    numbers = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0])
    sizes = np.array([3, 5], np.int32)
    return {
        "lax.ragged_dot": lambda g: (lambda x, w: lax.ragged_dot(x, w, sizes), g.array((8, 4)), g.array((2, 4, 4))),
        "lax.ragged_dot_general": lambda g: (
            lambda x, w: lax.ragged_dot_general(x, w, sizes, numbers), g.array((8, 4)), g.array((2, 4, 4))),
    }  # fmt: skip


ROTATIONS = {
    "as_euler": lambda R, q: R.from_quat(q).as_euler("xyz"), "as_matrix": lambda R, q: R.from_quat(q).as_matrix(),
    "as_mrp": lambda R, q: R.from_quat(q).as_mrp(), "as_rotvec": lambda R, q: R.from_quat(q).as_rotvec(),
    "as_quat": lambda R, q: R.from_quat(q).as_quat(canonical=True), "apply": lambda R, q: R.from_quat(q).apply(q[0, :3]),
    "inv": lambda R, q: R.from_quat(q).inv().as_quat(), "magnitude": lambda R, q: R.from_quat(q).magnitude(),
    "mean": lambda R, q: R.from_quat(q).mean().as_matrix(), "from_euler": lambda R, q: R.from_euler("zyx", q[:, :3]).as_matrix(),
    "from_matrix": lambda R, q: R.from_matrix(R.from_quat(q).as_matrix()).as_matrix(),
    "from_mrp": lambda R, q: R.from_mrp(q[:, :3]).as_matrix(), "from_rotvec": lambda R, q: R.from_rotvec(q[:, :3]).as_matrix(),
    "concatenate": lambda R, q: R.concatenate([R.from_quat(q), R.from_quat(q[:2])]).as_matrix(),
    "identity": lambda R, q: R.identity().as_matrix(),
}  # fmt: skip

CALLS = {
    # lax: convolutions, gathers and scatters
    "lax.conv": lambda g: (lambda x, k: lax.conv(x, k, (1, 1), "SAME"), g.array((2, 4, 8, 8)), g.array((4, 4, 3, 3))),
    "lax.conv_with_general_padding": lambda g: (
        lambda x, k: lax.conv_with_general_padding(x, k, (2, 1), ((1, 2), (0, 1)), (1, 2), (2, 1)),
        g.array((2, 4, 8, 8)), g.array((4, 4, 3, 3))),
    "lax.conv_general_dilated": lambda g: (
        lambda x, k: lax.conv_general_dilated(x, k, (1, 2), "SAME", rhs_dilation=(1, 2), feature_group_count=2,
                                              dimension_numbers=("NHWC", "HWIO", "NHWC")),
        g.array((2, 8, 8, 4)), g.array((3, 3, 2, 4))),
    "lax.conv_transpose": lambda g: (
        lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        g.array((2, 4, 4, 4)), g.array((3, 3, 4, 4))),
    "lax.conv_general_dilated_local": lambda g: (
        lambda x, k: lax.conv_general_dilated_local(x, k, (1,), "SAME", (3,)), g.array((2, 4, 8)), g.array((4, 12, 8))),
    "lax.conv_general_dilated_patches": lambda g: (
        lambda x: lax.conv_general_dilated_patches(x, (3,), (1,), "VALID"), g.array((2, 4, 8))),
    "lax.dot_general": lambda g: (
        lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))), g.array((4, 2, 8)), g.array((4, 8, 4))),
    "lax.gather": lambda g: (
        lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 4), mode="clip"),
        g.array((8, 4)), g.integers((4, 1))),
    "lax.index_take": lambda g: (lambda x, i: lax.index_take(x, (i,), (0,)), g.array((8, 4)), g.integers((4,))),
    **{f"lax.{name}": _scatter(name) for name in
       "scatter scatter_add scatter_sub scatter_mul scatter_min scatter_max".split()},
    "lax.scatter_apply": lambda g: (
        lambda x, i: lax.scatter_apply(x, i, lambda v: v + v, lax.ScatterDimensionNumbers((1,), (0,), (0,)),
                                       update_shape=(4, 4), mode="clip"), g.array((8, 4)), g.integers((4, 1))),
    "lax.squeeze": lambda g: (lambda x: lax.squeeze(x, (1,)), g.array((8, 1, 4))),
    **_ragged(),
    # lax: control flow
    "lax.cond": lambda g: (lambda p, x: lax.cond(p, jnp.negative, lambda v: v * v, x), g.array((), BOOL), g.array((8,), F32)),
    "lax.switch": lambda g: (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], x), g.integers(()), g.array((8,), F32)),
    "lax.while_loop": lambda g: (
        lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] + s[1]), (0, x)), g.array((8,))),
    "lax.fori_loop": lambda g: (lambda x: lax.fori_loop(0, 4, lambda i, v: v + v, x), g.array((8,))),
    "lax.scan": lambda g: (lambda c, xs: lax.scan(lambda c, x: (c + x, c * x), c, xs), g.array((4,)), g.array((8, 4))),
    "lax.map": lambda g: (lambda xs: lax.map(lambda x: x * x + x, xs, batch_size=3), g.array((8, 4))),
    "lax.associative_scan": lambda g: (lambda x: lax.associative_scan(jnp.maximum, x, reverse=True), g.array((8, 4), F32)),
    "lax.reduce": lambda g: (lambda x: lax.reduce(x, np.zeros((), x.dtype), lax.add, (0,)), g.array((8, 4))),
    "lax.reduce_window": lambda g: (
        lambda x: lax.reduce_window(x, np.zeros((), x.dtype), lax.add, (3, 2), (2, 1), "SAME"), g.array((8, 4))),
    "lax.custom_linear_solve": lambda g: (
        lambda a, b: lax.custom_linear_solve(lambda x: _spd(a) @ x, b, lambda _, v: jnp.linalg.solve(_spd(a), v), symmetric=True),
        g.array((4, 4), F32), g.array((4,), F32)),
    "lax.custom_root": lambda g: (
        lambda a: lax.custom_root(lambda x: x * x - jnp.abs(a), jnp.ones_like(a),
                                  lambda f, x: lax.fori_loop(0, 20, lambda i, v: v - f(v) / (2 * v), x),
                                  lambda f, y: y / f(jnp.ones_like(y))), g.array((8,), F32)),
    "lax.composite": lambda g: (lambda x: lax.composite(lambda v: jnp.sin(v) * 2, "my.sine")(x), g.array((8,), F32)),
    "lax.platform_dependent": lambda g: (lambda x: lax.platform_dependent(x, tpu=jnp.sin, default=jnp.cos), g.array((8,), F32)),
    "lax.dce_sink": lambda g: (lambda x: (lax.dce_sink(x * 2), x + 1)[1], g.array((8,), F32)),
    "lax.after_all": lambda g: (lambda x: (lax.after_all(lax.create_token()), x)[1], g.array((8,))),
    "lax.create_token": lambda g: (lambda x: (lax.create_token(), x)[1], g.array((8,))),
    "lax.shape_as_value": lambda g: (lambda: lax.shape_as_value((3, 4)),),
    "lax.with_sharding_constraint": lambda g: (
        lambda x: lax.with_sharding_constraint(
            x, jax.sharding.NamedSharding(_mesh(), P("i"))), g.array((8, 4))),
    "lax.empty": lambda g: (lambda: jnp.array(lax.empty((3, 4), g.dtype).shape),),
    "lax.rng_uniform": lambda g: (lambda: lax.rng_uniform(np.float32(0), np.float32(1), (3, 4)) < 1,),
    "lax.rng_bit_generator": lambda g: (
        lambda k: lax.rng_bit_generator(k, (8, 4), jnp.uint32, lax.RandomAlgorithm.RNG_THREE_FRY), g.array((2,), jnp.uint32)),
    # lax: collectives
    "lax.psum": lambda g: (over_devices(lambda x: lax.psum(x, "i"), P()), g.array((8, 4))),
    "lax.pmax": lambda g: (over_devices(lambda x: lax.pmax(x, "i"), P()), g.array((8, 4))),
    "lax.pmin": lambda g: (over_devices(lambda x: lax.pmin(x, "i"), P()), g.array((8, 4))),
    "lax.pmean": lambda g: (over_devices(lambda x: lax.pmean(x, "i"), P()), g.array((8, 4), F32)),
    "lax.ppermute": lambda g: (over_devices(lambda x: lax.ppermute(x, "i", [(i, (i + 3) % 8) for i in range(7)])), g.array((8, 4))),
    "lax.pshuffle": lambda g: (over_devices(lambda x: lax.pshuffle(x, "i", [7, 0, 1, 2, 3, 4, 5, 6])), g.array((8, 4))),
    "lax.pswapaxes": lambda g: (over_devices(lambda x: lax.pswapaxes(x, "i", 1)), g.array((8, 8))),
    "lax.pbroadcast": lambda g: (over_devices(lambda x: lax.pbroadcast(x, "i", 2)), g.array((8, 4))),
    "lax.pcast": lambda g: (over_devices(lambda x: x + lax.pcast(jnp.ones((), x.dtype), "i", to="varying")), g.array((8, 4))),
    "lax.psum_scatter": lambda g: (over_devices(lambda x: lax.psum_scatter(x, "i", tiled=True)), g.array((64, 2))),
    "lax.all_gather": lambda g: (over_devices(lambda x: lax.all_gather(x, "i"), P()), g.array((8, 4))),
    "lax.all_to_all": lambda g: (over_devices(lambda x: lax.all_to_all(x, "i", 1, 0)), g.array((8, 8))),
    "lax.ragged_all_to_all": lambda g: (
        over_devices(lambda x: lax.ragged_all_to_all(
            x, jnp.zeros_like(x), jnp.arange(8), jnp.ones(8, I32), jnp.full(8, lax.axis_index("i")), jnp.ones(8, I32),
            axis_name="i")), g.array((64,))),
    "lax.axis_index": lambda g: (over_devices(lambda x: x + lax.axis_index("i").astype(x.dtype)), g.array((8, 4))),
    "lax.axis_size": lambda g: (over_devices(lambda x: x + jnp.array(lax.axis_size("i"), x.dtype)), g.array((8, 4))),
    # numpy: sizes that depend on values
    "numpy.argwhere": _sized("argwhere"), "numpy.flatnonzero": _sized("flatnonzero"), "numpy.nonzero": _sized("nonzero"),
    "numpy.compress": lambda g: (lambda x: jnp.compress(np.array([1, 0, 1, 1], bool), x, axis=1), g.array((8, 4))),
    "numpy.extract": lambda g: (lambda x: jnp.extract(x > 0, x, size=4, fill_value=0), g.array((8,))),
    "numpy.intersect1d": _set("intersect1d", size=4, fill_value=-9), "numpy.union1d": _set("union1d", size=9),
    "numpy.setdiff1d": _set("setdiff1d", size=4, fill_value=-9), "numpy.setxor1d": _set("setxor1d", size=6, fill_value=-9),
    "numpy.unique": _unique("unique"), "numpy.unique_all": _unique("unique_all"),
    "numpy.unique_counts": _unique("unique_counts"), "numpy.unique_inverse": _unique("unique_inverse"),
    "numpy.unique_values": _unique("unique_values"),
    "numpy.trim_zeros": lambda g: (lambda: jnp.trim_zeros(np.array([0, 0, 1, 0, 2, 0], np.float32)),),
    "numpy.mask_indices": lambda g: (lambda: jnp.mask_indices(4, jnp.triu, 1, size=6),),
    "numpy.bincount": lambda g: (lambda x: jnp.bincount(jnp.abs(x), length=8), g.integers((8,))),
    # numpy: the rest
    **{f"numpy.{name}": _window(name) for name in "bartlett blackman hamming hanning".split()},
    "numpy.kaiser": lambda g: (lambda b: jnp.kaiser(8, b), g.array((), F32)),
    "numpy.bitwise_and": lambda g: (jnp.bitwise_and, g.integers((8, 4)), g.integers((4,))),
    "numpy.choose": lambda g: (lambda i, a, b: jnp.choose(i, [a, b], mode="wrap"), g.integers((8,)), *[g.array((8,))] * 2),
    "numpy.delete": lambda g: (lambda x: jnp.delete(x, np.array([1, 3]), axis=0), g.array((8, 4))),
    "numpy.insert": lambda g: (lambda x, v: jnp.insert(x, np.array([1, 3]), v, axis=0), g.array((8, 4)), g.array((4,))),
    "numpy.fill_diagonal": lambda g: (lambda x, v: jnp.fill_diagonal(x, v, inplace=False), g.array((8, 4)), g.array(())),
    "numpy.place": lambda g: (lambda x, v: jnp.place(x, x > 0, v, inplace=False), g.array((8,)), g.array((3,))),
    "numpy.put": lambda g: (lambda x, i, v: jnp.put(x, i, v, mode="wrap", inplace=False), g.array((8,)), g.integers((1,)), g.array((1,))),
    "numpy.frombuffer": lambda g: (lambda: jnp.frombuffer(b"\0\1\2\3" * 4, I32),),
    "numpy.fromstring": lambda g: (lambda: jnp.fromstring("1 2 3", F32, sep=" "),),
    "numpy.from_dlpack": lambda g: (lambda: jnp.from_dlpack(np.arange(12.0, dtype=np.float32).reshape(3, 4)),),
    "numpy.fromfunction": lambda g: (lambda: jnp.fromfunction(lambda i, j: i * 2 + j, (4, 3)),),
    "numpy.histogramdd": lambda g: (lambda x: jnp.histogramdd(x, bins=3, range=[(-2, 2)] * 2)[0], g.array((8, 2), F32)),
    "numpy.poly": lambda g: (lambda r: jnp.poly(r), g.array((4,))),
    "numpy.apply_along_axis": lambda g: (lambda x: jnp.apply_along_axis(jnp.cumsum, 0, x), g.array((8, 4))),
    "numpy.apply_over_axes": lambda g: (lambda x: jnp.apply_over_axes(jnp.sum, x, [0, 1]), g.array((8, 4))),
    "numpy.piecewise": lambda g: (lambda x: jnp.piecewise(x, [x < 0, x > 1], [jnp.negative, 1, jnp.sin]), g.array((8,), F32)),
    "numpy.vectorize": lambda g: (
        lambda x, y: jnp.vectorize(jnp.vdot, signature="(n),(n)->()")(x, y), g.array((8, 4), F32), g.array((4,), F32)),
    "numpy.frompyfunc": lambda g: (
        lambda x: jnp.frompyfunc(lambda a, b: a + b, 2, 1, identity=0).reduce(x, axis=1), g.array((8, 4), F32)),
    "numpy.mgrid": lambda g: (lambda: jnp.mgrid[0:4, 1:3:0.5],), "numpy.ogrid": lambda g: (lambda: jnp.ogrid[0:4, 1:3],),
    "numpy.r_": lambda g: (lambda x: jnp.r_[x, 0:3, x], g.array((4,), F32)),
    "numpy.c_": lambda g: (lambda x: jnp.c_[x, x], g.array((4,))),
    "numpy.s_": lambda g: (lambda x: x[jnp.s_[1:6:2]], g.array((8,))),
    "numpy.index_exp": lambda g: (lambda x: x[jnp.index_exp[..., 1]], g.array((8, 4))),
    "numpy.ufunc": lambda g: (
        lambda x, i: (jnp.add.reduce(x), jnp.multiply.accumulate(x, axis=1), jnp.add.at(x, i, 1.0, inplace=False),
                      jnp.subtract.outer(x[0], x[1]), jnp.add.reduceat(x, np.array([0, 3, 2]))),
        g.array((8, 4), F32), g.integers((2,))),
    # nn, ops
    **_initializers(),
    "nn.scaled_dot_general": lambda g: (
        lambda x, y: jax.nn.scaled_dot_general(x, y, (((2,), (2,)), ((0,), (0,)))), g.array((2, 4, 32), F32), g.array((2, 4, 32), F32)),
    **{f"ops.{name}": _segments(name) for name in "segment_sum segment_prod segment_max segment_min".split()},
    # random
    "random.key_data": lambda g: (jax.random.key_data, g.key()), "random.clone": lambda g: (jax.random.clone, g.key()),
    "random.wrap_key_data": lambda g: (
        lambda d: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(d))), g.array((2,), jnp.uint32)),
    # scipy
    "scipy.special.bessel_jn": lambda g: (lambda z: jax.scipy.special.bessel_jn(z, v=3), g.array((8,), F32)),
    "scipy.special.sph_harm_y": lambda g: (
        lambda t, p: jax.scipy.special.sph_harm_y(np.array([2]), np.array([1]), t, p, n_max=3), g.array((8,), F32), g.array((8,), F32)),
    "scipy.linalg.eigh_tridiagonal": lambda g: (
        lambda d, e: jax.scipy.linalg.eigh_tridiagonal(d, e, eigvals_only=True), g.array((8,), F32), g.array((7,), F32)),
    "scipy.linalg.expm_frechet": lambda g: (jax.scipy.linalg.expm_frechet, g.array((4, 4), F32), g.array((4, 4), F32)),
    "scipy.linalg.leslie": lambda g: (lambda f, s: jax.scipy.linalg.leslie(f, s), g.array((4,), F32), g.array((3,), F32)),
    "scipy.optimize.minimize": lambda g: (
        lambda x: jax.scipy.optimize.minimize(lambda v: jnp.sum((v - 1) ** 2 * (1 + v**2)), x, method="BFGS").x, g.array((4,), F32)),
    "scipy.ndimage.map_coordinates": lambda g: (
        lambda x, c: jax.scipy.ndimage.map_coordinates(x, [c, c], order=1, mode="nearest"), g.array((8, 4), F32), g.array((8,), F32)),
    "scipy.cluster.vq.vq": lambda g: (
        lambda x, c: jax.scipy.cluster.vq.vq(x, c), g.array((8, 4), F32), g.array((4, 4), F32)),
    "scipy.interpolate.RegularGridInterpolator": lambda g: (
        lambda v, x: jax.scipy.interpolate.RegularGridInterpolator(
            (np.arange(8.0), np.arange(4.0)), v, method="linear", bounds_error=False, fill_value=None)(x),
        g.array((8, 4), F32), g.array((4, 2), F32)),
    **{f"scipy.sparse.linalg.{name}": _linear_solver(name) for name in "cg gmres bicgstab".split()},
    "scipy.stats.gaussian_kde": lambda g: (
        lambda x, y: jax.scipy.stats.gaussian_kde(x).evaluate(y), g.array((8,), F32), g.array((4,), F32)),
    "scipy.stats.mode": lambda g: (lambda x: tuple(jax.scipy.stats.mode(x)), g.integers((8, 4))),
    "scipy.stats.dirichlet.pdf": lambda g: (
        lambda x, a: jax.scipy.stats.dirichlet.pdf(jax.nn.softmax(x), jnp.abs(a) + 1), *[g.array((4,), F32)] * 2),
    "scipy.stats.dirichlet.logpdf": lambda g: (
        lambda x, a: jax.scipy.stats.dirichlet.logpdf(jax.nn.softmax(x), jnp.abs(a) + 1), *[g.array((4,), F32)] * 2),
    "scipy.stats.multivariate_normal.pdf": lambda g: (
        lambda x, c: jax.scipy.stats.multivariate_normal.pdf(x, jnp.zeros(4), _spd(c)), g.array((8, 4), F32), g.array((4, 4), F32)),
    "scipy.stats.multivariate_normal.logpdf": lambda g: (
        lambda x, c: jax.scipy.stats.multivariate_normal.logpdf(x, jnp.zeros(4), _spd(c)), g.array((8, 4), F32), g.array((4, 4), F32)),
    "scipy.stats.multinomial.logpmf": lambda g: (
        lambda p: jax.scipy.stats.multinomial.logpmf(np.array([2, 1, 1, 0]), 4, jax.nn.softmax(p)), g.array((4,), F32)),
    "scipy.stats.multinomial.pmf": lambda g: (
        lambda p: jax.scipy.stats.multinomial.pmf(np.array([2, 1, 1, 0]), 4, jax.nn.softmax(p)), g.array((4,), F32)),
    **{f"scipy.spatial.transform.Rotation.{name}": _rotation(use) for name, use in ROTATIONS.items()},
    "scipy.spatial.transform.Slerp": lambda g: (
        lambda q: __import__("jax.scipy.spatial.transform").scipy.spatial.transform.Slerp.init(
            jnp.arange(8.0), jax.scipy.spatial.transform.Rotation.from_quat(q))(jnp.array([0.5, 2.25])).as_matrix(), g.array((8, 4), F32)),
}  # fmt: skip

# Public names that are no computation: their Python code is the same on all platforms.
NOT_CALLED = {
    "of shapes and types alone": """
        lax.broadcast_shapes lax.conv_dimension_numbers lax.conv_general_permutations lax.conv_general_shape_tuple
        lax.conv_shape_tuple lax.conv_transpose_shape_tuple lax.dtype lax.padtype_to_pads lax.reduce_window_shape_tuple
        numpy.broadcast_shapes numpy.can_cast numpy.dtype numpy.einsum_path numpy.iscomplexobj numpy.isrealobj
        numpy.isscalar numpy.issubdtype numpy.ndim numpy.promote_types numpy.result_type numpy.shape numpy.size
        random.key_dtype random.key_impl nn.get_scaled_dot_general_config""",
    "printing, and files": """
        numpy.array2string numpy.array_repr numpy.array_str numpy.fromfile numpy.get_printoptions numpy.load
        numpy.printoptions numpy.save numpy.savez numpy.set_printoptions""",
    "JAX's CPU has none, or does not allow it under jit": "numpy.fromiter lax.DotDimensionNumbers lax.infeed lax.outfeed lax.psend lax.precv lax.preduced lax.all_gather_reduced",
}
NOT_CALLED = {name: why for why, names in NOT_CALLED.items() for name in names.split()}
