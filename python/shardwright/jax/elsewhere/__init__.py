#===- __init__.py - our partition on JAX's own backends -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright.jax.jit`, `take_over` and `export`: programs of several devices are partitioned by us and
compiled by the backend that JAX runs on (CPU, GPU, TPU). See docs/elsewhere.md."""

import functools
import warnings

from shardwright.jax.elsewhere import counts, hook, marks

__all__ = ["communication", "export", "jit", "take_over"]

_CACHE = "__shardwright_marked__"


def jit(fun=None, /, *, mesh=None, effort=1, machine=None, overlap=None, fallback="error", nested="outer", target=None, **jit_options):
    """As jax.jit, but programs of several devices are partitioned by Shardwright, on every backend.

      mesh      the Mesh whose axes bare PartitionSpecs name, in the options and in the function
      effort    of the partitioner, 0 to 2; 3 also searches for shardings of inner values (docs/auto.md)
      machine   path of a machine file (docs/machines.md), for which the partitioner decides
      overlap   `rings`: hide communication behind computation
      fallback  `error`: raise an error if the program cannot be partitioned, or if the backend refuses
                the result; `xla`: warn, and let the backend partition it
      nested    inside the program of another function that has no mark of ours: `outer`, the compiler of
                the outermost program decides; `region`, this function is a region partitioned by us
      target    the compiler for which we partition: `cpu`, `gpu` or `tpu`; None: the backend's
      others    options of jax.jit

    Returns a function of jax.jit with these methods more, which take the function's arguments:
    `partition`, `explain` (as in shardwright), `report` (text), `stats` (a dictionary) and
    `communication` (our collectives beside those of the backend's program)."""  # fmt: skip
    import jax

    options = marks.Options(effort, machine and str(machine), overlap, fallback, nested, target)
    if fun is None:
        return functools.partial(
            jit, mesh=mesh, effort=effort, machine=machine, overlap=overlap, fallback=fallback, nested=nested, target=target,
            **jit_options,
        )
    if not callable(fun):
        raise TypeError(f"shardwright.jax.jit: expected a function, found {type(fun).__name__}")
    for name in ("in_shardings", "out_shardings"):
        if mesh is not None and name in jit_options:
            jit_options[name] = _on_mesh(mesh, jit_options[name])
    missing = hook.install()
    wrapper = _marked(fun, options, mesh)
    if missing is None:
        from shardwright.jax.elsewhere import nested as regions

        regions.install()
        jitted = jax.jit(wrapper, **jit_options)
    else:
        from shardwright.jax.elsewhere import public_names

        jitted = public_names.Jitted(wrapper, options, jit_options)
    return _with_methods(jitted, options)


def take_over(platform=None, *, effort=1, machine=None, overlap=None, fallback="error"):
    """From now on, Shardwright partitions every program of several devices, on the platform or on all.
    Programs that have been compiled stay as they are. Returns a function that ends it."""
    options = marks.Options(effort, machine and str(machine), overlap, fallback)
    missing = hook.install()
    if missing is not None:
        raise NotImplementedError(f"shardwright.jax.take_over: {missing}; use shardwright.jax.jit")
    options.digest()  # reads the machine file, so that an error is raised here
    marks.take_over(platform, options)
    return functools.partial(marks.take_over, platform, None)


def communication(compiled):
    """Returns {kind: {"count", "bytes"}} of the collectives of one device in one step, in the optimized
    program of a `Compiled` of JAX, or in the text of one."""
    return counts.communication(compiled)


def export(jitted, **options):
    """As jax.export.export of a function of `shardwright.jax.jit`: the artifact contains our partition, so
    that machines without Shardwright run it. Its gradient is that of the function, partitioned by the
    backend."""
    from shardwright.jax.elsewhere import exporting

    return exporting.export(jitted, **options)


def _on_mesh(mesh, shardings):
    import jax
    from jax.sharding import NamedSharding, PartitionSpec

    is_spec = lambda leaf: leaf is None or isinstance(leaf, PartitionSpec)
    place = lambda leaf: NamedSharding(mesh, leaf) if isinstance(leaf, PartitionSpec) else leaf
    return jax.tree.map(place, shardings, is_leaf=is_spec)


def _on_devices(mesh, results):
    """Constrains nothing about the first array among the results but that it is on the devices of the
    mesh. An abstract mesh in context does not say on which devices a program runs."""
    import jax
    from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

    if not isinstance(mesh, Mesh) or any(kind is not AxisType.Auto for kind in mesh.axis_types):
        return results
    leaves, tree = jax.tree.flatten(results)
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, jax.core.Tracer) and not jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended):
            spec = PartitionSpec(*[PartitionSpec.UNCONSTRAINED] * leaf.ndim)
            leaves[i] = jax.lax.with_sharding_constraint(leaf, NamedSharding(mesh, spec))
            break
    return jax.tree.unflatten(tree, leaves)


class _Wrappers(dict):
    """The wrappers of a function: (options, mesh) -> wrapper."""

    def __init__(self, fun):
        super().__init__()
        self.fun = fun


def _marked(fun, options, mesh):
    """Returns a wrapper of the function with the mark in its name. The same function and options give the
    same wrapper, so that JAX finds its earlier traces."""
    key = (options, mesh)
    known = getattr(fun, "__dict__", {}).get(_CACHE)
    if known is None or known.fun is not fun:  # functools.wraps copies attributes to other functions
        known = _Wrappers(fun)
    if key in known:
        return known[key]

    @functools.wraps(fun)
    def wrapper(*args, **kwargs):
        if mesh is None:
            return fun(*args, **kwargs)
        import jax

        with jax.sharding.use_abstract_mesh(getattr(mesh, "abstract_mesh", mesh)):
            return _on_devices(mesh, fun(*args, **kwargs))

    wrapper.__dict__.pop(_CACHE, None)
    name = getattr(fun, "__name__", None) or getattr(getattr(fun, "func", None), "__name__", None) or type(fun).__name__
    wrapper.__name__ = marks.mark(name, options)
    known[key] = wrapper
    try:
        setattr(fun, _CACHE, known)
    except (AttributeError, TypeError):  # a bound method, or an object with slots
        pass
    return wrapper


def _with_methods(jitted, options):
    """Adds the questions that a partitioned function answers."""
    import jax
    from shardwright.jax import inspection

    def partition(*args, **kwargs):
        return inspection.partition(jitted, *args, **(options.on(jax.default_backend()).request() | kwargs))

    def explain(*args, **kwargs):
        given = dict(effort=options.effort, machine=options.machine)
        return inspection.explain(jitted, *args, **(given | kwargs))

    def report(*args, **kwargs):
        return str(partition(*args, **kwargs))

    def stats(*args, **kwargs):
        return partition(*args, **kwargs).statistics

    def compare(*args, **kwargs):
        return counts.compare(jitted, options, args, kwargs)

    for name, method in dict(partition=partition, explain=explain, report=report, stats=stats, communication=compare).items():
        try:
            setattr(jitted, name, method)
        except AttributeError:
            warnings.warn(f"functions of this version of JAX take no attributes: use shardwright.{name}", stacklevel=3)
            break
    return jitted
