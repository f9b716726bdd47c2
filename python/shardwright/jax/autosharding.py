#===- autosharding.py - shardings that are found --------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`shardwright.auto`: finds the PartitionSpecs with which a JAX program is predicted to take the least time. Nothing is
executed, and no device is needed."""

import re

from shardwright.jax import inspection, jaxpr_values, sharded_function

_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def _bytes(memory):
    """16, "16GiB", None."""
    if memory is None or isinstance(memory, (int, float)):
        return memory
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?i?B?)\s*", memory)
    if not found or found[2] not in _UNITS:
        raise ValueError(f"memory is {memory!r}, expected a number of bytes or a text such as '16GiB'")
    return float(found[1]) * _UNITS[found[2]]


def _spec(text):
    from jax.sharding import PartitionSpec

    return eval(text, {"__builtins__": {}}, {"P": PartitionSpec})  # written by the library: P("x", None)


def _on_mesh(mesh, specs):
    """A pytree of NamedShardings from one of PartitionSpecs and None."""
    import jax
    from jax.sharding import NamedSharding

    return jax.tree_util.tree_map(
        lambda spec: None if spec is None else NamedSharding(mesh, spec), specs, is_leaf=lambda spec: spec is None
    )


class AutoShardings:
    """The shardings that were found. str() is the report."""

    def __init__(self, answer, lowered, function, mesh, equations):
        self.name = answer["name"]
        self.text = jaxpr_values.without_tags(answer["report"])
        #: as `shardwright auto --report=json` writes it
        self.data = answer["data"]
        #: the annotated module, as text
        self.module = answer["module"]
        self._lowered, self._function, self._given_mesh = lowered, function, mesh
        self._equations = equations

    @property
    def mesh(self):
        """The mesh that was given, or an AbstractMesh of the shape that was chosen."""
        from jax.sharding import AbstractMesh

        if self._given_mesh is not None:
            return self._given_mesh
        return AbstractMesh(tuple(a["size"] for a in self.data["mesh"]), tuple(a["name"] for a in self.data["mesh"]))

    @property
    def predicted_seconds(self):
        """Of one step on the machine."""
        return self.data["found"]["step_seconds"]

    @property
    def peak_bytes(self):
        """Predicted memory of a device."""
        return self.data["found"]["peak_bytes"]

    @property
    def fits(self):
        """Whether that is within the memory of a device."""
        return self.data["found"]["fits"]

    @property
    def compared(self):
        """The layouts that need no search, best first: dictionaries with `name`, `step_seconds`, `peak_bytes`, `fits`."""
        return self.data["compared"]

    @property
    def specs(self):
        """{name of an argument or result: PartitionSpec}."""
        return {s["name"]: _spec(s["partition_spec"]) for s in self.data["shardings"] if s["partition_spec"]}

    @property
    def _inner(self):
        return [s for s in self.data["shardings"] if s["kind"] == "value" and s["partition_spec"]]

    @property
    def constraints(self):
        """[(position in the source, PartitionSpec, text of the call)] of the inner values that are annotated, in the program's
        order. Empty unless `inside` was asked for."""
        found = []
        for chosen in self._inner:
            where, spec = self._where(chosen), _spec(chosen["partition_spec"])
            comment = f"  # {chosen['name']} of type {chosen['type']}" + (f" at {where}" if where else "")
            found.append((where, spec, f"jax.lax.with_sharding_constraint(value, {chosen['partition_spec']}){comment}"))
        return found

    def _where(self, chosen):
        number = jaxpr_values.equation_of(chosen.get("scope", ""))
        if number is not None and number < len(self._equations):
            return jaxpr_values.line_of(self._equations[number])
        return chosen.get("where", "")

    def _constrained(self, mesh):
        """{(equation, result): sharding} for `jit`. A value that is no result of an equation (XLA ops that JAX makes from one)
        has none."""
        from jax.sharding import NamedSharding

        found = {}
        for chosen in self._inner:
            number = jaxpr_values.equation_of(chosen.get("scope", ""))
            if number is None or number >= len(self._equations):
                continue
            shape = tuple(int(size) for size in chosen["type"].split("x")[:-1])
            for i, variable in enumerate(self._equations[number].outvars):
                if getattr(variable.aval, "shape", None) == shape:
                    found.setdefault((number, i), NamedSharding(mesh, _spec(chosen["partition_spec"])))
                    break
        return found

    def _flat(self, kind, count, positions):
        from jax.sharding import PartitionSpec

        specs = [PartitionSpec()] * count
        for chosen in self.data["shardings"]:
            if chosen["kind"] == kind and chosen["partition_spec"]:
                specs[positions[chosen["index"]]] = _spec(chosen["partition_spec"])
        return specs

    def _need_lowered(self):
        if self._lowered is None:
            raise TypeError("the program is a module, whose arguments have no pytree: `specs` has them by name")
        return self._lowered

    @property
    def in_specs(self):
        """A pytree of PartitionSpecs like the positional arguments."""
        args, kwargs = self._in()
        if kwargs:
            raise TypeError("the function has keyword arguments, which in_shardings cannot name: `specs` has them by name")
        return args

    def _in(self):
        import jax

        lowered = self._need_lowered()
        leaves, tree = jax.tree_util.tree_flatten(lowered.args_info)
        kept = _kept(lowered, len(leaves))
        return jax.tree_util.tree_unflatten(tree, self._flat("argument", len(leaves), kept))

    @property
    def out_specs(self):
        """A pytree of PartitionSpecs like the results; None for results that were left to propagation."""
        import jax

        leaves, tree = jax.tree_util.tree_flatten(self._need_lowered().out_info)
        specs = [None] * len(leaves)
        for chosen in self.data["shardings"]:
            if chosen["kind"] == "result" and chosen["partition_spec"]:
                specs[chosen["index"]] = _spec(chosen["partition_spec"])
        return jax.tree_util.tree_unflatten(tree, specs)

    @property
    def in_shardings(self):
        """NamedShardings on `mesh`, for jax.jit: a pytree like the positional arguments."""
        return _on_mesh(self.mesh, self.in_specs)

    @property
    def out_shardings(self):
        """Likewise like the results; None for results that were left to propagation."""
        return _on_mesh(self.mesh, self.out_specs)

    def jit(self):
        """The function, jitted with these shardings; its other options are kept. Its mesh must have devices. Inner values that
        were annotated (`inside=True`) get constraints."""
        import jax
        from jax.sharding import Mesh

        mesh = self.mesh
        if not isinstance(mesh, Mesh):
            mesh = jax.make_mesh(tuple(a["size"] for a in self.data["mesh"]), tuple(a["name"] for a in self.data["mesh"]))
        if self._function is None:
            raise TypeError("only a function can be jitted, not a module")
        args, kwargs = self._in()
        return sharded_function.with_shardings(
            self._function,
            self._need_lowered().args_info,
            (_on_mesh(mesh, args), _on_mesh(mesh, kwargs)),
            _on_mesh(mesh, self.out_specs),
            self._constrained(mesh),
        )

    def _named(self, name):
        """The argument, result or value of this name or number; else the only one whose name ends so."""
        chosen = self.data["shardings"]
        for one in chosen:
            if name in (one["name"], one["index"]):
                return one
        ending = [one for one in chosen if isinstance(name, str) and name and one["name"].endswith(name)]
        for found in (ending, [one for one in ending if one["kind"] == "argument"]):
            if len(found) == 1:
                return found[0]
        names = [one["name"] for one in ending or chosen]
        raise ValueError(f"{'several things are' if ending else 'nothing is'} called {name!r}; names are {names}")

    def explain(self, name):
        """What was chosen for an argument or result (its name, the end of it such as "['w1']", or its number), the
        constraints that forced it, and the next best layout that was tried."""
        chosen = self._named(name)
        text = f"{chosen['kind']} {chosen['name']} of type {chosen['type']}: {chosen['partition_spec'] or chosen['sharding']}"
        if chosen.get("reasons"):
            text += "; " + "; ".join(chosen["reasons"])
        other = chosen.get("next_best")
        if other is None:
            return text
        now = self.predicted_seconds
        return (
            f"{text}; with {other['sharding']} a step takes {other['step_seconds'] / now - 1:+.1%} time"
            f" and a device {other['peak_bytes'] / self.peak_bytes - 1:+.1%} memory"
        )

    def __str__(self):
        return self.text

    __repr__ = __str__


def _kept(lowered, count):
    """Positions of the module's arguments among the flat arguments: JAX drops unused ones."""
    try:
        kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    except (AttributeError, KeyError, TypeError):
        kept = list(range(count))
    return kept


def _lowered(jitted, args, kwargs, mesh):
    """Lowers without a mesh in context where that is possible: within one, JAX writes that results without shardings are
    replicated. Returns the Lowered and the numbers of such results."""
    from shardwright.jax import lowering

    try:
        return lowering.lowered(jitted, args, kwargs), None
    except (ValueError, RuntimeError):  # PartitionSpecs that name axes of the mesh in context
        if mesh is None:
            raise
    lowered = lowering.lowered(jitted, args, kwargs, mesh)
    try:
        given = lowered._lowering.compile_args["out_shardings"]
    except (AttributeError, KeyError):
        return lowered, None
    return lowered, [i for i, sharding in enumerate(given) if type(sharding).__name__ == "UnspecifiedValue"]


def auto(program, *args, mesh=None, devices=None, machine=None, memory=None, fixed=None, effort=1, overlap=None, drop=None, state=True, inside=False, **kwargs):
    """Finds shardings of `program` (as for `shardwright.partition`) with which a step is predicted to take the least time
    within the memory of a device.

      mesh      the Mesh or AbstractMesh, of any size; or
      devices   their number: the shape of the mesh is chosen too
      machine   path of a machine file (docs/machines.md)
      memory    bytes of a device, or a text such as "16GiB" (default: the machine's)
      fixed     {name of an argument: PartitionSpec} that stay
      effort    0: common layouts; 1: a search; 2: a search with ten times as many trials
      overlap   `rings` or `on`, as the program will be compiled
      drop      annotations to forget first: `constraints` or `all`
      state     False: results need not end in the layouts of the arguments that they replace
      inside    also annotate inner values, as `constraints` and `module` have them

    Raises ValueError if the program cannot be partitioned."""  # fmt: skip
    import jax
    from jax.sharding import AbstractMesh, Mesh

    if mesh is not None and devices is not None:
        raise TypeError("give either mesh or devices")
    if mesh is not None and not isinstance(mesh, (Mesh, AbstractMesh)):
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a jax.sharding.Mesh or AbstractMesh")
    axes = None if mesh is None else [[name, int(size)] for name, size in zip(mesh.axis_names, mesh.axis_sizes)]
    lowered = function = open_results = None
    equations = ()
    if callable(program):
        function = sharded_function.Jitted(program)
        jitted = function.jitted
        if inside:
            jitted, equations = sharded_function.tagged(function)
        lowered, open_results = _lowered(jitted, args, kwargs, mesh)
        program, args, kwargs = lowered, (), {}
    elif isinstance(program, jax.stages.Lowered):
        lowered = program
    answer = inspection.ask(
        "auto", program, args, kwargs, None, mesh=axes, devices=devices, machine=machine and str(machine),
        memory=_bytes(memory), fixed={str(name): str(spec) for name, spec in (fixed or {}).items()}, effort=effort,
        overlap=overlap, drop=drop, state=state, specs_only=not inside,
        open_results=open_results,
    )  # fmt: skip
    return AutoShardings(answer, lowered, function, mesh, equations)
