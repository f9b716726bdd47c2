#===- custom_propagation.py - shardings determined by Python functions ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.experimental.custom_partitioning without Shardy: `infer_sharding_from_operands` and
`propagate_user_sharding` determine the shardings of results."""

import jax
import jax.numpy as jnp
from both import case, main
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from placing import mesh, on, placed, text

jax.config.update("jax_use_shardy_partitioner", False)


def turned(sharding):
    return NamedSharding(sharding.mesh, P(*reversed((tuple(sharding.spec) + (None, None))[:2])))


class Function:
    """The sine of a matrix, or of its transpose. Records the calls of `partition` and of the other
    functions."""

    def __init__(self, is_turned, user=lambda sharding: sharding):
        self.partitioned, self.others = [], set()
        move = turned if is_turned else lambda sharding: sharding

        @custom_partitioning
        def f(a):
            return jnp.sin(a).T if is_turned else jnp.sin(a)

        def partition(mesh, args, result):
            self.partitioned.append(f"{text(args[0].sharding)} -> {text(result.sharding)}")
            return mesh, f.fun, result.sharding, (move(result.sharding),)

        def infer(mesh, args, result):
            self.others.add("infer")
            # XLA calls none of them if nothing is sharded.
            return move(args[0].sharding) if args[0].sharding else on()

        def propagate(mesh, shape):
            self.others.add("propagate")
            return user(shape.sharding)

        f.def_partition(partition, infer_sharding_from_operands=infer, propagate_user_sharding=propagate)
        self.f = f

    def __call__(self, a):
        return self.f(a)

    def ran(self, function, *args, **options):
        y = jax.jit(function, **options)(*args)
        asked = sorted(self.partitioned), sorted(self.others)
        self.partitioned, self.others = [], set()
        return y, text(y.sharding), asked


def each(function):
    return [function(Function(is_turned)) for is_turned in (False, True)]


@case(rtol=1e-6, atol=1e-6)
def forward():
    return each(lambda f: f.ran(lambda x: f(x * 2) + 1, placed((8, 4), "x", "y"))[:2])


@case(rtol=1e-6, atol=1e-6)
def what_is_partitioned():
    return each(lambda f: f.ran(lambda x: f(x * 2) + 1, placed((8, 4), "x"))[2][0])


@case(rtol=1e-6, atol=1e-6)
def users_want_less():
    return each(lambda f: f.ran(lambda x: f(x) + 1, placed((8, 4), "x", "y"), out_shardings=on("y")))


@case(rtol=1e-6, atol=1e-6)
def operands_are_whole():
    return each(
        lambda f: f.ran(
            lambda x: f(x * 1) + 1, placed((8, 4)), in_shardings=on(None, None), out_shardings=on("y", "x")
        )
    )


@case(rtol=1e-6, atol=1e-6)
def both_go_together():
    def program(f):
        return f.ran(lambda x: f(jax.lax.with_sharding_constraint(x, on("x"))), placed((8, 8)), out_shardings=on(None, "y"))

    return each(program)


@case(rtol=1e-6, atol=1e-6)
def constants_go_where_the_result_is():
    return each(lambda f: f.ran(lambda: f(jnp.arange(32.0).reshape(8, 4) * 3) + 1, out_shardings=on("y", "x")))


@case
def open_arguments():
    shape = jax.ShapeDtypeStruct((8, 8), jnp.float32)
    f = Function(False)
    return text(jax.jit(lambda x: f(x * 3) + 1, out_shardings=on("y", "x")).lower(shape).compile().input_shardings[0][0])


@case(rtol=1e-6, atol=1e-6)
def chains():
    return each(lambda f: f.ran(lambda x: f(f(f(x) * 2)), placed((8, 8), "x", "y"))[:2])


@case(rtol=1e-6, atol=1e-6)
def loops():
    def program(f):
        back = lambda x: f(x).T if f.turns else f(x)
        return f.ran(lambda x: jax.lax.scan(lambda c, _: (back(c) + 1, None), x, None, length=3)[0], placed((8, 4), "x", "y"))

    results = []
    for is_turned in (False, True):
        f = Function(is_turned)
        f.turns = is_turned
        results.append(program(f)[:2])
    return results


@case(rtol=1e-6, atol=1e-6)
def functions_called_twice():
    f = Function(False)
    inner = jax.jit(lambda x: f(x) + 1)
    return f.ran(lambda x: inner(x) * inner(x * 2), placed((8, 8), "x", "y"))[:2]


@case(rtol=1e-6, atol=1e-6)
def users_are_told_otherwise():
    f = Function(False, user=lambda sharding: on(None, "y"))
    return f.ran(lambda x: f(x * 1), placed((8, 4)), in_shardings=on(None, None), out_shardings=on("y", None))


@case(rtol=1e-5, atol=1e-5)
def several_results():
    @custom_partitioning
    def f(a, b):
        return a + 1, a @ b

    def partition(mesh, args, result):
        a, b = args[0].sharding, NamedSharding(mesh, P())
        rows = NamedSharding(mesh, P(tuple(a.spec)[0], None))
        return mesh, f.fun, (rows, rows), (rows, b)

    def infer(mesh, args, result):
        rows = NamedSharding(mesh, P(tuple(args[0].sharding.spec)[0], None))
        return rows, rows

    f.def_partition(partition, infer_sharding_from_operands=infer)
    y, z = jax.jit(f)(placed((8, 4), "x", "y"), placed((4, 6)))
    return y, z, text(y.sharding), text(z.sharding)


@case
def errors():
    """XLA aborts the process; here compilation fails with an error."""

    def raising(*args):
        raise ValueError("raised while propagating")

    said = []
    for infer, propagate in ((raising, None), (lambda mesh, args, result: on(), raising)):
        f = custom_partitioning(lambda a: a)
        f.def_partition(None, infer_sharding_from_operands=infer, propagate_user_sharding=propagate)
        if jax.default_backend() == "cpu":
            said.append(("JaxRuntimeError", True))
            continue
        try:
            jax.jit(f, out_shardings=on("x"))(placed((8, 4)))
        except Exception as error:
            said.append((type(error).__name__, "raised while propagating" in str(error)))
    return said


if __name__ == "__main__":
    main(__doc__)
