#===- control_flow.py - if, case, while, calls, composites -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

from ops.case import ALL, FLOAT, INT, op


def change(e):
    """Returns an op that changes a value of the type, and never back."""
    return "not" if e[0] in "iu" else "negate"


@op("stablehlo.if", ALL)
def if_(c, e):
    p, x, y = c.arg((), "i1"), c.arg(shape := c.shape(), e), c.arg(shape, e)
    t = x.type
    found = c.ops(f"""\"stablehlo.if\"({p}) ({{
    %a = stablehlo.{change(e)} {x} : {t}
    stablehlo.return %a, {y} : {t}, {t}
   }}, {{
    %a = stablehlo.{change(e)} {y} : {t}
    stablehlo.return {x}, %a : {t}, {t}
   }}) : (tensor<i1>) -> ({t}, {t})""", (shape, e), (shape, e))
    for value in found:
        c.result(value)


@op("stablehlo.case", ALL)
def case(c, e):
    x, y = c.arg(shape := c.shape(), e), c.arg(shape, e)
    branches = c.rng.randint(1, 4)
    i, t = c.arg((), "i32", data=c.rng.randint(-2, branches + 1)), x.type
    bodies = []
    for b in range(branches):
        value, lines = c.rng.choice((str(x), str(y))), ""
        if c.rng.random() < 0.7:
            lines, value = f"    %b{b} = stablehlo.{change(e)} {value} : {t}\n", f"%b{b}"
        bodies.append(f"{{\n{lines}    stablehlo.return {value} : {t}\n   }}")
    c.result(c.op(f'"stablehlo.case"({i}) ({", ".join(bodies)}) : (tensor<i32>) -> {t}', shape, e))


@op("stablehlo.while", ALL)
def while_(c, e):
    """Two values that are swapped, one that does not change, one that is replaced."""
    x, y, z = (c.arg(shape, e) for shape in [c.shape()] * 3)
    shape, t = x.shape, x.type
    zero, one, stop = c.constant(0, (), "i32"), c.constant(1, (), "i32"), c.arg((), "i32", data=c.rng.randint(0, 5))
    returned = ", ".join(c.rng.choice((["%b", "%n", "%c"], ["%n", "%a", "%c"], ["%b", "%a", "%n"], ["%n", "%n", "%a"])))
    found = c.ops(f"""stablehlo.while(%i = {zero}, %a = {x}, %b = {y}, %c = {z}) : tensor<i32>, {t}, {t}, {t}
    cond {{
     %l = stablehlo.compare LT, %i, {stop} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %l : tensor<i1>
    }} do {{
     %j = stablehlo.add %i, {one} : tensor<i32>
     %n = stablehlo.{change(e)} %a : {t}
     stablehlo.return %j, {returned} : tensor<i32>, {t}, {t}, {t}
    }}""", ((), "i32"), (shape, e), (shape, e), (shape, e))
    for value in found:
        c.result(value)


@op("stablehlo.while nested", ["f32", "i32", "f64", "bf16"])
def nested(c, e):
    """A loop in a branch in a loop; the inner loop reads values from outside."""
    x = c.arg(shape := c.shape(low=1), e)
    t, s = x.type, "tensor<i32>"
    zero, one, two = (c.constant(k, (), "i32") for k in range(3))
    outer, inner = (c.arg((), "i32", data=c.rng.randint(0, 3)) for _ in "oi")
    found = c.ops(f"""stablehlo.while(%i = {zero}, %a = {x}) : {s}, {t}
    cond {{
     %l = stablehlo.compare LT, %i, {outer} : ({s}, {s}) -> tensor<i1>
     stablehlo.return %l : tensor<i1>
    }} do {{
     %r = stablehlo.remainder %i, {two} : {s}
     %p = stablehlo.compare EQ, %r, {one} : ({s}, {s}) -> tensor<i1>
     %f = "stablehlo.if"(%p) ({{
      %w:2 = stablehlo.while(%k = {zero}, %b = %a) : {s}, {t}
      cond {{
       %m = stablehlo.compare LT, %k, {inner} : ({s}, {s}) -> tensor<i1>
       stablehlo.return %m : tensor<i1>
      }} do {{
       %n = stablehlo.add %k, {one} : {s}
       %c = stablehlo.add %b, %a : {t}
       stablehlo.return %n, %c : {s}, {t}
      }}
      stablehlo.return %w#1 : {t}
     }}, {{
      %d = stablehlo.subtract %a, {x} : {t}
      stablehlo.return %d : {t}
     }}) : (tensor<i1>) -> {t}
     %j = stablehlo.add %i, {one} : {s}
     stablehlo.return %j, %f : {s}, {t}
    }}""", ((), "i32"), (shape, e))
    c.result(found[0])
    c.result(found[1])


@op("func.call", ALL)
def call(c, e):
    x, name = c.arg(shape := c.shape(), e), c.symbol("twice")
    t = x.type
    c.functions.append(f"func.func private @{name}(%a: {t}) -> ({t}, {t}) {{\n  %0 = stablehlo.{change(e)} %a : {t}\n"
                       f"  return %0, %a : {t}, {t}\n}}")  # fmt: skip
    first = c.ops(f"func.call @{name}({x}) : ({t}) -> ({t}, {t})", (shape, e), (shape, e))
    second = c.ops(f"func.call @{name}({first[0]}) : ({t}) -> ({t}, {t})", (shape, e), (shape, e))
    for value in (*first, *second):
        c.result(value)


@op("stablehlo.composite", FLOAT + INT)
def composite(c, e):
    x, name = c.arg(shape := c.shape(), e), c.symbol("composed")
    t = x.type
    c.functions.append(f"func.func private @{name}(%a: {t}) -> {t} {{\n  %0 = stablehlo.{change(e)} %a : {t}\n  return %0 : {t}\n}}")
    c.result(c.op(f'stablehlo.composite "test.{change(e)}" {x} {{composite_attributes = {{k = 1 : i64}}, decomposition = @{name}, '
                  f"version = 2 : i32}} : ({t}) -> {t}", shape, e))  # fmt: skip


@op("stablehlo.after_all", ["f32"])
def tokens(c, e):
    x = c.arg(c.shape(), e)
    a = c.op("stablehlo.create_token : !stablehlo.token", (), e)
    b = c.op(f"stablehlo.after_all {a}, {a} : !stablehlo.token", (), e)
    c.lines.append(f"%t:2 = stablehlo.optimization_barrier {x}, {b} : {x.type}, !stablehlo.token")
    x.name = "%t#0"
    c.args[0] = type(x)("%arg0", x.shape, e)
    c.result(x)
