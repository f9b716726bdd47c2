#===- jaxpr_text.py - compares printed jaxprs ------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Jaxprs as texts. JAX prints a program that occurs twice as a definition (`let f = .. in`) if it is the same object
of Python, which its caches decide. `expanded` writes every program where it is used, with variables numbered anew, so
that texts are equal if the programs are."""

import difflib
import re

DEFINITION = re.compile(r"let (\w+) = (?=\{ lambda)")
TOKEN = re.compile(r"\{(?: lambda)?|\}|(?<![\w.='\"@])([a-z]{1,3})(:(?=[a-z])|(?![\w=:(\['\".]))|= ?(?=[a-z])")


def without_addresses(text):
    """A jaxpr without the addresses of Python functions, which ours does not print, and with numbers of numpy as plain
    ones, as this process prints them."""
    return re.sub(r"np\.\w+\(([-\d.e+]+)\)", r"\1", re.sub(r" at 0x[0-9a-fA-FX]+", "", text))


def closing(text, start):
    """The position after the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def inlined(text):
    """The text without definitions in front of it."""
    while found := DEFINITION.match(text):
        end = closing(text, found.end())
        name, value, text = found[1], text[found.end():end], re.sub(r"^\s*in\s", "", text[end:]).lstrip()
        text = re.sub(rf"(jaxpr=){name}(?![\w=])", lambda m: m[1] + value, text)
        # The programs of a conditional are a tuple.
        text = re.sub(rf"(?<=[(\s]){name}(?=[\s)])(?!\s*:)", lambda m: value, text) if name.startswith("jaxpr") else text
    return text


def renumbered(text):
    """The text with variables named by the depth of their program and their number in it."""
    scopes, out, end = [], [], 0
    for token in TOKEN.finditer(text):
        out.append(text[end:token.start()])
        end = token.end()
        word = token[0]
        if word.startswith("{"):  # Braces of sets have no variables of their own.
            scopes.append({} if word != "{" else dict(scopes[-1]) if scopes else {})
        elif word == "}" and scopes:
            scopes.pop()
        elif token[1] and scopes:
            # The name of a primitive follows an equals sign.
            is_primitive = re.search(r"= ?$", out[-1]) and not token[2]
            if token[2]:
                scopes[-1][token[1]] = f"v{len(scopes)}_{len(scopes[-1])}"
            known = next((s[token[1]] for s in reversed(scopes) if token[1] in s), None)
            word = known + (token[2] or "") if known and not is_primitive else word
        out.append(word)
    return "".join(out) + text[end:]


def expanded(text):
    """The words of a jaxpr without definitions, its variables numbered. Equations end with a line or a semicolon."""
    text = re.sub(r"_:\S+ = broadcast_in_dim 0\.0:\w+\[\]", "", text)  # Zeros that nothing uses.
    plain = re.sub(r"_:float0\S* = (broadcast_in_dim|reshard) \(b'',\):float0\[\]", "", inlined(text))
    plain = re.sub(r"\{ lambda([^;]*);", r"{ lambda\1 |", re.sub(r"\s+", " ", plain))
    return re.sub(r"([()[\]{}])", r" \1 ", renumbered(plain).replace(";", " ")).split()


def jaxpr_difference(ours, theirs):
    """A diff of two jaxprs, or None. JAX writes zeros of type float0, which ours has no equation for."""
    ours, theirs = without_addresses(ours), without_addresses(theirs)
    if ours.strip() == theirs.strip():
        return None
    a, b = expanded(ours), expanded(theirs)
    if a == b and ours.lstrip().startswith(("{", "let ")):
        return None
    return "\n".join(difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "JAX", "ours", lineterm="", n=2))
