#===- module_values.py - what a module computes, op by op ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The results of a module as expressions of its arguments: each operation with its attributes, its operands and its
regions, in place of names and of an order. Calls are replaced by what they call. Equal expressions are one object, so
that modules that compute the same by the same operations have equal expressions.

Ways of writing the same are one: a splat constant and its broadcast; values without elements; reshapes of a
reshape, and broadcasts of or to dimensions of size 1; a value that a loop carries but never changes and the value
itself; a square and a product, and the logistic function and its definition (JAX's CPU has no op for it); a value and
its constraint to any sharding, or to the mesh without axes (JAX's words of keys), and a scalar and its constraint."""

import re

import oracle
from jaxlib.mlir import ir

DEFAULTS = re.compile(r"window_reversal array<i1(: false|, false)*>|"
                      r"precision_config \[(, )?(#stablehlo<precision DEFAULT>(, )?)*\]")
WITHOUT_MEANING = {"result_info", "sym_visibility", "mhlo.frontend_attributes"}


def attributes_of(op):
    """The names and texts of an operation's attributes, without defaults."""
    texts = [(name, str(op.attributes[name])) for name in op.attributes if name not in WITHOUT_MEANING]
    return tuple(sorted((name, text) for name, text in texts if not DEFAULTS.fullmatch(f"{name} {text}")))


def without_ones(type):
    """A type without its dimensions of size 1."""
    return re.sub(r"(?<=[<x])1x", "", type)


def is_empty(type):
    return re.search(r"[<x]0x", type) is not None


class Expressions:
    """Interns the expressions of several modules. `constraints`: whether sharding constraints are operations."""

    def __init__(self, constraints):
        self.constraints, self.table, self.names = constraints, {}, []
        self.reshaped = {}  # of each reshape: what it reshapes, with its type

    def intern(self, *key):
        if key not in self.table:
            self.table[key] = len(self.names)
            self.names.append(key)
        return self.table[key]

    def results(self, text):
        """The expressions of a module's results, and those of its operations with effects."""
        with oracle.context():
            module = ir.Module.parse(text)
            self.functions = {f.attributes["sym_name"].value: f for f in module.body.operations
                              if f.operation.name == "func.func"}
            self.effects = []
            main = self.functions["main"].regions[0].blocks[0]
            env = {a: self.argument(i, str(a.type)) for i, a in enumerate(main.arguments)}
            return self.block(main, env), tuple(self.effects)

    def argument(self, number, type):
        return self.splat("", type) if is_empty(type) else self.intern("argument", number, type)

    def block(self, block, env):
        """The expressions of what the block's terminator returns."""
        env = dict(env)
        operations = list(block.operations)
        for op in operations[:-1]:
            op = op.operation
            for result, key in zip(op.results, self.operation(op, [env[v] for v in op.operands], env)):
                env[result] = key
        return tuple(env[v] for v in operations[-1].operation.operands)

    def operation(self, op, operands, env):
        name = op.name
        if name in ("func.call", "call"):
            body = self.functions[op.attributes["callee"].value].regions[0].blocks[0]
            return self.block(body, dict(zip(body.arguments, operands)))
        if name == "stablehlo.while":
            return self.loop(op, operands, env)
        types = [str(r.type) for r in op.results]
        has_effect = "has_side_effect" in str(op.attributes)
        if types and not has_effect and all(map(is_empty, types)):
            return [self.splat("", t) for t in types]  # Nothing is computed.
        if name == "sdy.sharding_constraint":
            sharding = str(op.attributes["sharding"])
            # No axis shards a scalar: JAX constrains those in the regions of reductions.
            if not self.constraints or "@empty_mesh" in sharding or "{?}" in sharding or ", []>" in sharding:
                return operands
        if name == "stablehlo.convert" and self.names[operands[0]][0] == "splat" and "xi" in "x" + types[0][7:]:
            value = self.names[operands[0]][1]
            if re.fullmatch(r"-?\d+\.\d+e[+-]\d+", value):  # JAX converts numbers of Python itself.
                return [self.splat(str(int(float(value))), types[0])]
        if name == "chlo.square":
            return [self.elementwise("stablehlo.multiply", types[0], operands[0], operands[0])]
        if name == "stablehlo.logistic":
            return [self.logistic(operands[0], types[0])]
        if name == "stablehlo.constant":
            return [self.constant(op)]
        if name in ("stablehlo.reshape", "stablehlo.broadcast_in_dim"):
            return [self.shaped(op, name, operands[0], types[0])]
        attributes = attributes_of(op)
        regions = []
        for region in op.regions:
            inside = dict(env)
            for n, a in enumerate(region.blocks[0].arguments):
                inside[a] = self.intern("region", n, str(a.type))
            regions.append(self.block(region.blocks[0], inside))
        key = self.intern(name, attributes, tuple(operands), tuple(regions), tuple(types))
        if has_effect:
            self.effects.append(key)
        results = [self.intern("result", i, key) for i in range(len(types))] if len(types) != 1 else [key]
        return [self.splat("", t) if is_empty(t) else r for r, t in zip(results, types)]

    def elementwise(self, name, type, *operands):
        return self.intern(name, (), operands, (), (type,))

    def logistic(self, x, type):
        if "complex" in type:
            return self.elementwise("stablehlo.logistic", type, x)
        one = self.splat("1.000000e+00", type)
        power = self.elementwise("stablehlo.exponential", type, self.elementwise("stablehlo.negate", type, x))
        return self.elementwise("stablehlo.divide", type, one, self.elementwise("stablehlo.add", type, one, power))

    def splat(self, value, type):
        return self.intern("splat", "" if is_empty(type) else value, type)

    def constant(self, op):
        value, type = ir.DenseElementsAttr(op.attributes["value"]), str(op.results[0].type)
        if value.is_splat or is_empty(type):
            return self.splat(re.sub(r"dense<(.*)> : .*", r"\1", str(value)), type)
        return self.intern("constant", str(value))

    def shaped(self, op, name, operand, type):
        known = self.names[operand]
        if known[0] == "splat":
            return self.splat(known[1], type)
        source = ir.RankedTensorType(op.operands[0].type)
        target = ir.RankedTensorType(op.results[0].type)
        keeps = name.endswith("reshape")
        if [n for n in source.shape if n != 1] == [n for n in target.shape if n != 1]:
            dims = [] if keeps else list(ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"]))
            keeps = dims == sorted(dims)
        if keeps:
            first, first_type = self.reshaped.get(operand, (operand, str(source)))
            if first_type == type:
                return first
            key = self.intern("stablehlo.reshape", first, type)
            self.reshaped[key] = first, first_type
            return key
        if not name.endswith("reshape"):
            # Dimensions of size 1 repeat the same elements wherever they go.
            dims = [d for d, n in zip(ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"]), source.shape) if n != 1]
            first, first_type = self.reshaped.get(operand, (operand, str(source)))
            if without_ones(first_type) == without_ones(str(source)):
                return self.intern(name, first, tuple(dims), type)
        return self.intern(name, operand, attributes_of(op), type)

    def loop(self, op, operands, env):
        """A loop without what it carries unchanged."""
        test, body = (r.blocks[0] for r in op.regions)
        same = [is_empty(str(a.type)) for a in body.arguments]
        while True:
            changed = [i for i, s in enumerate(same) if not s]
            values = [operands[i] if s else self.intern("carried", changed.index(i), str(a.type))
                      for i, (s, a) in enumerate(zip(same, body.arguments))]
            effects = len(self.effects)
            outs = self.block(body, env | dict(zip(body.arguments, values)))
            unchanged = [i for i in changed if outs[i] == values[i]]
            if not unchanged:
                break
            del self.effects[effects:]
            for i in unchanged:
                same[i] = True
        tested = self.block(test, env | dict(zip(test.arguments, values)))
        keys = [tested, tuple(outs[i] for i in changed)]
        loop = self.intern("stablehlo.while", tuple(operands[i] for i in changed), *keys)
        return [operands[i] if same[i] else self.intern("result", changed.index(i), loop) for i in range(len(same))]

    def text(self, key, depth=4):
        """An expression down to some depth."""
        if not isinstance(key, int):
            return str(key)
        name = self.names[key]
        inner = [p for p in name[1:] if isinstance(p, tuple) and p and all(isinstance(x, int) for x in p)]
        if depth == 0:
            return name[0]
        rest = [str(p) for p in name[1:] if p not in inner and p != ()]
        return f"{name[0]}[{' '.join(rest)}](" + ", ".join(self.text(k, depth - 1) for p in inner for k in p) + ")"


def first_difference(e, a, b):
    """The first operations in which two expressions differ, from the results on."""
    while a != b:
        x, y = e.names[a], e.names[b]
        below = [(p, q) for s, t in zip(x, y) if isinstance(s, tuple) and isinstance(t, tuple) and len(s) == len(t)
                 for p, q in zip(s, t) if p != q]
        below += [(s, t) for s, t in zip(x, y) if s != t and isinstance(s, int) and isinstance(t, int)]
        flat = []
        for p, q in below:
            if isinstance(p, tuple) and isinstance(q, tuple) and len(p) == len(q):
                flat += [(s, t) for s, t in zip(p, q) if s != t and isinstance(s, int) and isinstance(t, int)]
            elif isinstance(p, int) and isinstance(q, int):
                flat.append((p, q))
        if x[0] != y[0] or not flat:
            return f"{e.text(b, 2)}\nours: {e.text(a, 2)}"
        a, b = flat[0]
    return "equal"


def difference(ours, theirs, constraints=True):
    """How the results of two modules differ, or None."""
    e = Expressions(constraints)
    (a, own_effects), (b, effects) = e.results(ours), e.results(theirs)
    if a == b and own_effects == effects:
        return None
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"result {i}: JAX: {first_difference(e, x, y)}"
    return f"{len(a)} results, JAX has {len(b)}; {len(own_effects)} effects, JAX has {len(effects)}"
