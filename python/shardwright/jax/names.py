#===- names.py - finds and replaces names of JAX -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""All private names of JAX and jaxlib that this package uses are looked up here, as texts
"module:attribute.attribute". A name that a version of JAX lacks raises `Missing`, which costs the one
feature that needs it."""

import functools
import importlib
import inspect


class Missing(Exception):
    """This version of JAX lacks a name, or the name has other parameters. str() says which."""


def _resolve(place):
    """Returns (owner, attribute, value) of "module:attribute.attribute"; None if it does not exist."""
    module, _, path = place.partition(":")
    try:
        value = importlib.import_module(module)
    except ImportError:
        return None
    owner = attribute = None
    for attribute in path.split("."):
        owner = value
        try:
            value = getattr(owner, attribute)
        except AttributeError:
            return None
    return owner, attribute, value


def takes(function, name):
    """True if the function has a parameter of this name, or takes any, or has no signature."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # functions of C++
        return True
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _check_parameters(place, function, needed):
    """Raises `Missing` if the function lacks one of the parameters."""
    lacking = [name for name in needed if not takes(function, name)]
    if lacking:
        raise Missing(f"{place.replace(':', '.')} has no parameter {', '.join(lacking)}")


def find(*places, takes=()):
    """Returns the value of the first place that exists. Raises `Missing` if none exists, or if the
    value is a function without one of the parameters `takes`."""
    for place in places:
        found = _resolve(place)
        if found is not None:
            _check_parameters(place, found[2], takes)
            return found[2]
    raise Missing(f"there is no {' or '.join(place.replace(':', '.') for place in places)}")


class Changes:
    """Replacements of names by one measure. They are undone if the measure fails half-way."""

    def __init__(self):
        self._undo = []

    def undo(self):
        while self._undo:
            self._undo.pop()()

    def on_undo(self, function):
        self._undo.append(function)

    def set(self, owner, attribute, value):
        original = getattr(owner, attribute)
        setattr(owner, attribute, value)
        self.on_undo(lambda: setattr(owner, attribute, original))
        if getattr(owner, attribute) is not value:
            raise Missing(f"{attribute} of {owner} cannot be replaced")

    def wrap(self, *places, takes=(), wrapper):
        """Replaces a function at every place that exists by `wrapper(function)`. Raises `Missing` if
        no place exists. Places that hold the same function get the same replacement."""
        find(*places, takes=takes)
        made = {}
        for place in places:
            found = _resolve(place)
            if found is None:
                continue
            owner, attribute, original = found
            _check_parameters(place, original, takes)
            if id(original) not in made:
                made[id(original)] = functools.wraps(original)(wrapper(original))
            self.set(owner, attribute, made[id(original)])

    def include(self, place, item):
        """Adds an item to a list, set or tuple."""
        found = _resolve(place)
        if found is None:
            raise Missing(f"there is no {place.replace(':', '.')}")
        owner, attribute, value = found
        if item in value:
            return
        if isinstance(value, list):
            value.append(item)
            self.on_undo(lambda: value.remove(item))
        elif isinstance(value, set):
            value.add(item)
            self.on_undo(lambda: value.discard(item))
        elif isinstance(value, (tuple, frozenset)):
            self.set(owner, attribute, type(value)([*value, item]))
        else:
            raise Missing(f"{place.replace(':', '.')} is a {type(value).__name__}, expected a list or set")

    def register_lowering(self, primitive, rule, platform=None):
        """Registers the lowering rule of a platform, or the default rule. This is not undone."""
        find("jax.interpreters.mlir:register_lowering", "jax._src.interpreters.mlir:register_lowering", takes=("platform",))(
            primitive, rule, platform=platform
        )


