#===- frontend_functions.py - which functions of JAX the front end has ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compares the public functions of JAX's array modules with the declarations in the headers that
shardwright/frontend/frontend.h includes, and checks that docs/frontend-functions.md says so. --update writes the page."""

import argparse
import inspect
import os
import re
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.image
import jax.numpy as jnp
import jax.ops
import jax.scipy.linalg
import jax.scipy.special

import oracle
from frontend.spelled_otherwise import OTHERWISE

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DOCUMENT = os.path.join(ROOT, "docs", "frontend-functions.md")
UMBRELLA = "shardwright/frontend/frontend.h"
# Each module, and the namespaces of shardwright::frontend that may have its functions.
MODULES = {
    "jax.numpy": (jnp, [""]),
    "jax.numpy.linalg": (jnp.linalg, ["linalg"]),
    "jax.numpy.fft": (jnp.fft, ["fft"]),
    "jax.nn": (jax.nn, ["nn"]),
    "jax.nn.initializers": (jax.nn.initializers, ["nn::initializers"]),
    "jax.lax": (jax.lax, ["lax", ""]),
    "jax.lax.linalg": (jax.lax.linalg, ["lax::linalg"]),
    "jax.random": (jax.random, ["random"]),
    "jax.scipy.special": (jax.scipy.special, ["scipy::special"]),
    "jax.scipy.linalg": (jax.scipy.linalg, ["scipy::linalg"]),
    "jax.ops": (jax.ops, ["ops"]),
    "jax.image": (jax.image, ["image"]),
}


def headers():
    """The umbrella header's includes, and theirs in the folders with functions of arrays."""
    found, queue = [], [UMBRELLA]
    while queue:
        name = queue.pop(0)
        if name in found:
            continue
        found.append(name)
        with open(os.path.join(ROOT, name)) as file:
            queue += re.findall(r'#include "(shardwright/frontend/[^"]+)"', file.read())
    return found


def declared():
    """(namespace, name) of each function, without shardwright::frontend."""
    found = set()
    for header in headers():
        with open(os.path.join(ROOT, header)) as file:
            text = file.read()
        for list_of_names in re.findall(r"#define SW_\w+\(X\)((?:.*\\\n)*.*)", text):
            for name in re.findall(r"X\((\w+)\)", list_of_names):
                found.add(("lax" if header.endswith("/lax.h") else "", name))
        text = re.sub(r"//.*", "", re.sub(r"#.*(\\\n.*)*", "", text))
        stack = []
        for token in re.finditer(r"namespace ([\w:]+) \{|(\{)|(\})|\b(\w+)\(", text):
            namespace, opens, closes, name = token.groups()
            if namespace:
                stack.append(namespace)
            elif opens:
                stack.append(None)
            elif closes:
                stack and stack.pop()
            elif None not in stack:
                path = "::".join(stack).removeprefix("shardwright::frontend").removeprefix("::")
                found.add((path, name))
    return found


def declared_types():
    """The names of types in the headers."""
    names = set()
    for header in headers():
        with open(os.path.join(ROOT, header)) as file:
            names.update(re.findall(r"^\s*(?:struct|class|enum class|using) (\w+)", file.read(), re.M))
    return names


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def public(module):
    """The functions of a module that JAX documents; no types."""
    names = []
    for name in sorted(dir(module)):
        value = getattr(module, name, None)
        if name.startswith("_") or not callable(value) or inspect.ismodule(value):
            continue
        if isinstance(value, type) or type(value).__name__ in ("_ScalarMeta", "DType") or name.endswith(("_p", "_dtype")):
            continue
        if inspect.isclass(value) or (hasattr(value, "dtype") and not hasattr(value, "nin")):
            continue
        names.append(name)
    return names


def spelling(module, name, functions, namespaces):
    """How C++ writes a function, or None."""
    if name in OTHERWISE.get(module, {}):
        return OTHERWISE[module][name]
    for namespace in namespaces:
        for one in (name, camel(name)):
            if (namespace, one) in functions:
                return f"`{namespace + '::' if namespace else ''}{one}`"
    return None


def table():
    functions = declared()
    lines = ["# Functions of JAX in the C++ front end", "",
             "<!-- Written by test/oracle/frontend_functions.py --update. -->", "",
             "Of each module: the functions that the front end has, by JAX's name where it is the same in camelCase, and those that it",
             "has not. `a` → b says how C++ writes what JAX calls a. A function that is there need not have every argument of JAX's: the",
             "headers say which.", ""]
    counts = []
    body = []
    for module, (object_, namespaces) in MODULES.items():
        has, others, misses = [], [], []
        for name in public(object_):
            how = spelling(module, name, functions, namespaces)
            if how is None:
                misses.append(f"`{name}`")
            elif how.strip("`").split("::")[-1] in (name, camel(name)):
                has.append(f"`{name}`")
            else:
                others.append(f"`{name}` → {how}")
        counts.append(f"| {module} | {len(has) + len(others)} | {len(misses)} |")
        prefix = f"`{namespaces[0]}::`" if namespaces[0] else "`shardwright::frontend`"
        body += [f"## {module}", "", f"In {prefix}: {', '.join(has) or 'none'}.", ""]
        if others:
            body += [f"Written otherwise: {', '.join(others)}.", ""]
        body += [f"Missing: {', '.join(misses) or 'none'}.", ""]
    lines += ["| module | there | missing |", "| --- | --- | --- |", *counts, "", *body]
    return "\n".join(wrapped(line) for line in lines).rstrip() + "\n"


def wrapped(line, width=120):
    if len(line) <= width or line.startswith("|"):
        return line
    out, current = [], ""
    for word in line.split(" "):
        if current and len(current) + 1 + len(word) > width:
            out.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return "\n".join(out + [current])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the page")
    args = oracle.arguments(__doc__, cases=1, long_cases=1, parser=parser)
    page = table()
    if args.update:
        with open(DOCUMENT, "w") as file:
            file.write(page)
        return
    tally = oracle.Tally("frontend_functions")
    if not jax.__version__.startswith("0.10."):
        print(f"SKIPPED: the page is that of JAX 0.10, this is {jax.__version__}")
        tally.finish()
        return
    with open(DOCUMENT) as file:
        tally.equal("docs/frontend-functions.md (--update writes it)", page, file.read())
    # Nothing is said to be spelled by a name that is not there.
    functions, types = declared(), declared_types()
    for module, names in OTHERWISE.items():
        for name, how in names.items():
            for called in re.findall(r"`([\w:]+)`", how):
                *path, last = called.split("::")
                there = ("::".join(path), last) in functions or last in types or path and path[-1] in types
                tally.equal(f"{module}.{name} -> {called}", True, bool(there or called == "x" or path == ["config"]))
    tally.finish()


main()
