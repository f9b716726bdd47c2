#===- jaxpr_values.py - equations of a traced function by number ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Names the equations of a jaxpr, so that values of the lowered module can be found again in it, and evaluates a jaxpr with
sharding constraints on some of them. Loops, branches and jitted functions inside are entered; shard_map is not, because its
mesh axes are not free there."""

import contextlib
import functools
import re

from shardwright.jax import names

#: In the name stack of an equation: `swauto12`.
_TAG = re.compile(r"swauto(\d+)")

#: Primitives whose bodies are left alone: their axes are taken, or their bodies are rules.
_OPAQUE = ("shard_map", "pallas_call", "custom_partitioning")


def _types():
    from jax.extend import core

    return core.Jaxpr, core.ClosedJaxpr, core.Literal


def _bodies(params):
    """(name, position or None, body) of the jaxprs among the parameters of an equation."""
    jaxpr, closed, _ = _types()
    for name, value in params.items():
        if isinstance(value, (jaxpr, closed)):
            yield name, None, value
        elif isinstance(value, (tuple, list)):
            for i, item in enumerate(value):
                if isinstance(item, (jaxpr, closed)):
                    yield name, i, item


def _open(body):
    return body.jaxpr if isinstance(body, _types()[1]) else body


def _types_of(variables):
    return [(getattr(v.aval, "shape", None), getattr(v.aval, "dtype", None), getattr(v.aval, "weak_type", None)) for v in variables]


def number_equations(closed):
    """{id of an equation: number} of all equations of a ClosedJaxpr that may be constrained, in order; and the list of
    equations."""
    numbers, equations = {}, []

    def visit(jaxpr):
        for equation in jaxpr.eqns:
            if id(equation) in numbers:
                continue
            numbers[id(equation)] = len(equations)
            equations.append(equation)
            if equation.primitive.name not in _OPAQUE:
                for _, _, body in _bodies(equation.params):
                    visit(_open(body))

    visit(closed.jaxpr)
    return numbers, equations


@contextlib.contextmanager
def _at(equation, scope):
    """Traces at the equation's position in the source and in its scope, and in `scope` inside of that."""
    import jax

    with contextlib.ExitStack() as stack:
        try:
            inside = names.find("jax._src.source_info_util:current_name_stack")() + equation.source_info.name_stack
            context = names.find("jax._src.source_info_util:user_context", takes=("name_stack",))
            stack.enter_context(context(equation.source_info.traceback, name_stack=inside))
            stack.enter_context(equation.ctx.manager)
        except (names.Missing, AttributeError):  # only positions in the source are lost
            pass
        if scope:
            stack.enter_context(jax.named_scope(scope))
        yield


class _Evaluation:
    """`onto(number, index of the result, value)` returns the value to use instead; `scope(number)` the name of the scope in
    which the equation is traced, or None."""

    def __init__(self, numbers, onto, scope):
        self.numbers, self.onto, self.scope = numbers, onto, scope

    def body(self, body, avals):
        """A body with the same change inside."""
        import jax

        jaxpr, closed, _ = _types()
        consts = body.consts if isinstance(body, closed) else ()
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=getattr(a, "weak_type", False)) for a in avals]
        made = jax.make_jaxpr(functools.partial(self.run, _open(body), consts))(*shapes)
        if isinstance(body, closed):
            return made
        return None if made.consts else made.jaxpr

    def changed(self, equation):
        """The parameters of the equation with new bodies. A body that cannot be traced alone stays."""
        params = dict(equation.params)
        if equation.primitive.name in _OPAQUE:
            return params
        for name, position, body in list(_bodies(params)):
            variables = _open(body).invars
            if not all(hasattr(v.aval, "shape") and hasattr(v.aval, "dtype") for v in variables):
                continue
            made = self.body(body, [v.aval for v in variables])
            if made is None or _types_of(_open(made).outvars) != _types_of(_open(body).outvars):
                continue
            if position is None:
                params[name] = made
            else:
                items = list(params[name])
                items[position] = made
                params[name] = tuple(items)
        return params

    def run(self, jaxpr, consts, *arguments):
        literal = _types()[2]
        values = dict(zip(jaxpr.constvars, consts)) if consts else {}
        values.update(zip(jaxpr.invars, arguments))
        read = lambda v: v.val if isinstance(v, literal) else values[v]  # noqa: E731
        for equation in jaxpr.eqns:
            number = self.numbers.get(id(equation))
            # Before JAX 0.10, functions came with the parameters.
            params = equation.primitive.get_bind_params(self.changed(equation))
            functions, params = params if isinstance(params, tuple) else ((), params)
            with _at(equation, self.scope(number)):
                found = equation.primitive.bind(*functions, *map(read, equation.invars), **params)
            outputs = list(found) if equation.primitive.multiple_results else [found]
            for i, variable in enumerate(equation.outvars):
                values[variable] = self.onto(number, i, outputs[i])
        return [read(v) for v in jaxpr.outvars]


def tagged(closed):
    """A function of the flat arguments of a ClosedJaxpr that does the same, and whose lowered module names equations."""
    numbers, _ = number_equations(closed)
    evaluation = _Evaluation(numbers, lambda number, index, value: value, lambda number: f"swauto{number}")
    return functools.partial(evaluation.run, closed.jaxpr, closed.consts)


def constrained(closed, shardings):
    """Likewise, with a sharding constraint on each result in `shardings`: {(number of the equation, result): sharding}."""
    import jax

    numbers, _ = number_equations(closed)

    def onto(number, index, value):
        sharding = shardings.get((number, index))
        return value if sharding is None else jax.lax.with_sharding_constraint(value, sharding)

    return functools.partial(_Evaluation(numbers, onto, lambda number: None).run, closed.jaxpr, closed.consts)


def equation_of(scope):
    """The number of the equation in the name of a module's location, the innermost; None: there is none."""
    found = _TAG.findall(scope)
    return int(found[-1]) if found else None


def without_tags(text):
    """The text of a report without the names that `tagged` adds."""
    return re.sub(r"swauto\d+/?", "", text)


def line_of(equation):
    """`train.py:12`, of the user's code; empty if it is not known."""
    try:
        frame = names.find("jax._src.source_info_util:user_frame", takes=("traceback",))(equation.source_info.traceback)
        return f"{frame.file_name}:{frame.start_line}" if frame else ""
    except (names.Missing, AttributeError):
        return ""
