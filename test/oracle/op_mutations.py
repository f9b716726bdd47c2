#===- op_mutations.py - single operations, and random mutations -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""An operation as data: its name, types, attributes as text, regions as text.

    op = Op.of(operation, prelude)    # from a parsed module; None when it captures values
    op.text()                         # a module of generic form that holds just this op
    mutated = mutate(op, rng)         # a copy with one thing changed

A mutation changes a type, an attribute, a count or a region. Most results are invalid, and all are
text that a parser of the generic form accepts.
"""

import re

from oracle import ir

ELEMENTS = ["i1", "i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui8", "ui32", "ui64", "f16", "bf16", "f32",
            "f64", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "complex<f32>", "complex<f64>", "index", "si32", "tf32"]  # fmt: skip
COMMON = ["i1", "i32", "f32", "ui32", "complex<f32>", "bf16", "i64"]
OTHER_TYPES = ["!stablehlo.token", "tuple<tensor<2xf32>, tensor<f32>>", "tensor<*xf32>", "f32", "i32",
               "memref<2xf32>", "!stablehlo.future<tensor<2xf32>>", "vector<2xf32>", "none"]  # fmt: skip
OTHER_ATTRIBUTES = ["unit", '"text"', "1 : i64", "1 : i32", "0 : i64", "-1 : i64", "true", "false", "[]", "{}",
                    "array<i64>", "array<i64: 0>", "array<i64: 1, 1>", "array<i64: 0, 1>", "array<i1: true>",
                    "dense<0> : tensor<1xi64>", "dense<[[0, 1]]> : tensor<1x2xi64>", "@f", "1.0 : f32",
                    "dense<1.0> : tensor<f32>", "[@f]", "i32"]  # fmt: skip
ENUMS = {
    "precision": ["DEFAULT", "HIGH", "HIGHEST"],
    "comparison_direction": ["EQ", "NE", "GE", "GT", "LE", "LT"],
    "comparison_type": ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"],
    "fft_type": ["FFT", "IFFT", "RFFT", "IRFFT"],
    "transpose": ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"],
    "rng_distribution": ["UNIFORM", "NORMAL"],
    "rng_algorithm": ["DEFAULT", "THREE_FRY", "PHILOX"],
}
TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([a-zA-Z]\w*(?:<[^<>]*>)?)(, [^<>]*<[^<>]*>)?>")


class Op:
    """One operation, with all parts of its text."""

    def __init__(self, name, operands, results, attributes, regions, prelude=""):
        self.name, self.operands, self.results = name, operands, results
        self.attributes, self.regions, self.prelude = attributes, regions, prelude

    def copy(self):
        return Op(self.name, list(self.operands), list(self.results), dict(self.attributes),
                  list(self.regions), self.prelude)  # fmt: skip

    @staticmethod
    def of(operation, prelude=""):
        asm = operation.get_asm(print_generic_op_form=True, use_local_scope=True)
        attributes, regions = _parts(asm)
        if any(_captures(region) for region in regions):
            return None
        return Op(operation.name, [str(v.type) for v in operation.operands],
                  [str(v.type) for v in operation.results], attributes, regions, prelude)  # fmt: skip

    def operation(self, names):
        """Returns the operation on values of these names. Its results are %r."""
        results = f"%r:{len(self.results)} = " if self.results else ""
        attributes = ", ".join(
            name if value == "unit" else f"{name} = {value}" for name, value in self.attributes.items()
        )
        regions = f" ({', '.join(self.regions)})" if self.regions else ""
        return (
            f'{results}"{self.name}"({", ".join(names)}){regions} {{{attributes}}} : '
            f"({', '.join(self.operands)}) -> ({', '.join(self.results)})"
        )

    def text(self):
        names = [f"%operand{i}" for i in range(len(self.operands))]
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, self.operands))
        operation = self.operation(names)
        head = f"^bb0({arguments}):\n" if names else ""
        function = f"function_type = ({', '.join(self.operands)}) -> (), sym_name = \"main\""
        return (
            f'{self.prelude}"func.func"() <{{{function}}}> ({{\n{head}  {operation}\n'
            '  "func.return"() : () -> ()\n}) : () -> ()\n'
        )


def operations_of(text):
    """Returns the operations of a module in generic form that use no outside values except their
    operands. Terminators, functions and modules are excluded."""
    found = []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        match = re.match(r'( *)(?:%[\w:, %]+ = )?"((?:stablehlo|chlo|sdy)\.[\w-]+)"\(', line)
        if not match or match[2].endswith(".return"):
            continue
        end = i
        while not re.search(r" : \(.*\) -> ", lines[end]) or not lines[end].startswith(match[1]) or (
            lines[end].startswith(match[1] + " ")
        ):
            end += 1
        asm = "\n".join(lines[i : end + 1])
        operands, results = re.search(r" : \((.*)\) -> (.*)$", lines[end]).groups()
        results = results[1:-1] if results.startswith("(") else results
        attributes, regions = _parts(asm)
        if not any(_captures(region) for region in regions):
            found.append(Op(match[2], _split(operands), _split(results), attributes, regions))
    return found


def _string(text, start):
    """Returns the end of the quoted text that starts here."""
    i = start + 1
    while text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i + 1


def _matching(text, start):
    """Returns the end of the bracketed text that starts here. Quotes and arrows are skipped."""
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if c == '"':
            i = _string(text, i) - 1
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    raise ValueError(text)


def _split(text):
    """Splits a list at the commas outside of brackets and quotes."""
    parts, begin, i = [], 0, 0
    while i < len(text):
        if text[i] in '([{<"':
            i = _string(text, i) if text[i] == '"' else _matching(text, i)
        elif text.startswith(", ", i):
            parts.append(text[begin:i])
            begin = i = i + 2
        else:
            i += 1
    return parts + [text[begin:]] if text else []


def _parts(asm):
    """Returns the attributes and the regions of an op, cut from its generic form."""
    i = asm.index('"(') + 1
    i = _matching(asm, i)
    attributes, regions = {}, []
    while asm.startswith((" <{", " ({", " {"), i):
        end = _matching(asm, i + 1)
        body = asm[i + 1 : end]
        if body.startswith("("):
            regions = _split(body[1:-1])
        else:
            for part in _split(body[2:-2] if body.startswith("<") else body[1:-1]):
                name, _, value = part.partition(" = ")
                attributes[name] = value or "unit"
        i = end
    return attributes, regions


def _captures(region):
    """True if a region uses values that it does not define."""
    defined = set(re.findall(r"(%\w+): ", region)) | set(re.findall(r"(%\w+)(?::\d+)? = ", region))
    for names in re.findall(r"((?:%\w+(?::\d+)?, )*%\w+(?::\d+)?) = ", region):
        defined |= {n.split(":")[0] for n in names.split(", ")}
    return not set(re.findall(r"%\w+", region)) <= defined


def walk(module):
    """Yields every operation of a module, outer ones first."""
    found = []

    def visit(operation):
        found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return [o if isinstance(o, ir.Operation) else o.operation for o in found]


# --- types ------------------------------------------------------------------------------------


def mutate_type(text, rng):
    match = TENSOR.fullmatch(text)
    if not match or rng.random() < 0.06:
        return rng.choice(OTHER_TYPES)
    dims = [d for d in match[1].split("x") if d]
    element, encoding = match[2], match[3] or ""
    kind = rng.random()
    if kind < 0.35:
        element = rng.choice(COMMON if rng.random() < 0.6 else ELEMENTS)
    elif kind < 0.65 and dims:
        i = rng.randrange(len(dims))
        old = int(dims[i]) if dims[i] != "?" else 2
        dims[i] = rng.choice(["?", str(old + 1), str(max(0, old - 1)), "0", "1", str(2 * old)])
        encoding = ""
    elif kind < 0.75:
        dims.insert(rng.randint(0, len(dims)), rng.choice(["1", "2", "?"]))
        encoding = ""
    elif kind < 0.85 and dims:
        dims.pop(rng.randrange(len(dims)))
        encoding = ""
    elif kind < 0.9 and dims:
        rng.shuffle(dims)
        encoding = ""
    elif kind < 0.95 and dims:
        i = rng.randrange(len(dims))
        bounds = ["?"] * len(dims)
        bounds[i], dims[i] = (dims[i] if dims[i] != "?" else "4"), "?"
        encoding = f", #stablehlo.bounds<{', '.join(bounds)}>"
    else:
        element = rng.choice(ELEMENTS)
    return f"tensor<{''.join(d + 'x' for d in dims)}{element}{encoding}>"


def _types(text):
    return [m for m in TENSOR.finditer(text)]


# --- attributes -------------------------------------------------------------------------------


def _number(old, rng):
    return str(rng.choice([old + 1, old - 1, 0, 1, 2, -1, old * 2, -(2**63) if rng.random() < 0.1 else 3]))


def mutate_attribute(text, rng):
    """Returns another value of a similar kind; sometimes one of another kind."""
    if rng.random() < 0.12:
        return rng.choice(OTHER_ATTRIBUTES)
    enum = re.fullmatch(r"#(stablehlo|chlo)<(\w+) (\w+)>", text)
    if enum:
        return f"#{enum[1]}<{enum[2]} {rng.choice(ENUMS[enum[2]])}>"
    if text in ("true", "false"):
        return "false" if text == "true" else "true"
    if text.startswith("[") and "#stablehlo<precision" in text:
        values = re.findall(r"#stablehlo<precision \w+>", text)
        return rng.choice(["[]", f"[{values[0]}]", f"[{', '.join(values + values[:1])}]", text.replace("DEFAULT", "HIGH")])
    lists = list(re.finditer(r"(?<=[\[:] )-?\d+(?:, -?\d+)*|\[-?\d+(?:, -?\d+)*\]", text))
    if lists and rng.random() < 0.5:
        match = rng.choice(lists)
        inner = match[0].strip("[]")
        values = inner.split(", ")
        kind = rng.random()
        if kind < 0.3:
            values.append(values[-1] if rng.random() < 0.5 else _number(int(values[-1]), rng))
        elif kind < 0.6 and len(values) > 1:
            values.pop(rng.randrange(len(values)))
        elif kind < 0.8:
            values[rng.randrange(len(values))] = rng.choice(values)
        else:
            rng.shuffle(values)
        return text[: match.start()] + match[0].replace(inner, ", ".join(values)) + text[match.end() :]
    numbers = list(re.finditer(r"(?<![\w.])-?\d+(?![\w.])", text))
    if numbers:
        match = rng.choice(numbers)
        return text[: match.start()] + _number(int(match[0]), rng) + text[match.end() :]
    types = _types(text)
    if types and rng.random() < 0.5:
        match = rng.choice(types)
        return text[: match.start()] + mutate_type(match[0], rng) + text[match.end() :]
    if text.startswith("#stablehlo.conv<"):
        return text.translate(str.maketrans(rng.choice("bfio01"), rng.choice("bfio01")))
    if text.startswith('"'):
        return rng.choice(['""', '"a.b"', '"ij,jk->ik"', text[:-1] + 'x"'])
    return rng.choice(OTHER_ATTRIBUTES)


# --- regions ----------------------------------------------------------------------------------


def mutate_region(text, rng):
    kind = rng.random()
    types = sorted({m[0] for m in _types(text)})
    if kind < 0.35 and types:  # replaces a type everywhere
        old = rng.choice(types)
        return text.replace(old, mutate_type(old, rng))
    if kind < 0.6 and types:  # replaces a type in one place
        match = rng.choice(_types(text))
        return text[: match.start()] + mutate_type(match[0], rng) + text[match.end() :]
    if kind < 0.7:  # adds or removes an argument
        header = re.search(r"\^bb0\((.*?)\):\n", text)
        if header:
            arguments = header[1].split(", ")
            changed = arguments[:-1] if rng.random() < 0.5 else arguments + ["%extra: tensor<f32>"]
            return text.replace(header[0], f"^bb0({', '.join(changed)}):\n" if changed else "", 1)
    if kind < 0.8:  # changes the results of the region
        match = re.search(r'"stablehlo\.return"\((.*?)\)(.*?) : \((.*?)\) -> \(\)', text)
        if match:
            values, kinds = match[1].split(", "), match[3].split(", ")
            if rng.random() < 0.5 and values:
                values, kinds = values[:-1], kinds[:-1]
            else:
                values, kinds = values + values[:1], kinds + kinds[:1]
            new = f'"stablehlo.return"({", ".join(values)}) : ({", ".join(kinds)}) -> ()'
            return text.replace(match[0], new)
    if kind < 0.9:
        return rng.choice(["{\n}", '{\n  "stablehlo.return"() : () -> ()\n}'])
    names = ["add", "subtract", "maximum", "and", "multiply", "compare"]
    return text.replace(rng.choice(["stablehlo.add", "stablehlo.maximum", "stablehlo.multiply"]),
                        "stablehlo." + rng.choice(names))  # fmt: skip


# --- operations -------------------------------------------------------------------------------


def _siblings(op, rng):
    if len(op.operands) == 1 and not op.regions and not op.attributes:
        return ["abs", "not", "sign", "ceil", "popcnt", "sine", "real", "imag", "is_finite", "convert", "reshape",
                "cholesky", "bitcast_convert", "optimization_barrier", "exponential", "uniform_quantize",
                "uniform_dequantize", "tuple", "negate", "round_nearest_even"]  # fmt: skip
    if len(op.operands) == 2 and not op.regions and not op.attributes:
        return ["add", "and", "divide", "atan2", "complex", "shift_left", "power", "remainder", "maximum",
                "xor", "dynamic_reshape", "subtract"]  # fmt: skip
    return []


def mutate(op, rng):
    """Returns a copy of `op` with one thing changed."""
    new = op.copy()
    names = list(new.attributes)
    kinds = ["operand"] * 3 * bool(op.operands) + ["result"] * 3 * bool(op.results) + ["all"] * bool(op.operands)
    kinds += ["attribute"] * 5 * bool(names) + ["drop"] * bool(names) + ["region"] * 4 * bool(op.regions)
    kinds += ["count", "name"]
    kind = rng.choice(kinds)
    if kind == "operand":
        i = rng.randrange(len(new.operands))
        new.operands[i] = mutate_type(new.operands[i], rng)
    elif kind == "result":
        i = rng.randrange(len(new.results))
        new.results[i] = mutate_type(new.results[i], rng)
    elif kind == "all":  # replaces a type everywhere
        old = rng.choice(new.operands)
        changed = mutate_type(old, rng)
        new.operands = [changed if t == old else t for t in new.operands]
        new.results = [changed if t == old else t for t in new.results]
    elif kind == "attribute":
        name = rng.choice(names)
        new.attributes[name] = mutate_attribute(new.attributes[name], rng)
    elif kind == "drop":
        new.attributes.pop(rng.choice(names))
    elif kind == "region":
        i = rng.randrange(len(new.regions))
        if rng.random() < 0.12:
            new.regions.append(new.regions[i]) if rng.random() < 0.5 else new.regions.pop(i)
        else:
            new.regions[i] = mutate_region(new.regions[i], rng)
    elif kind == "count":
        values = rng.choice([new.operands, new.results])
        if values and rng.random() < 0.6:
            values.pop(rng.randrange(len(values)))
        else:
            values.append(rng.choice(values) if values else "tensor<f32>")
    elif kind == "name" and _siblings(op, rng):
        new.name = "stablehlo." + rng.choice(_siblings(op, rng))
    return new
