#===- marks.py - how functions to partition are marked --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A function that we are to partition has a mark in its name, `step_shardwright_1a2b3c4d`, which JAX
carries through its transformations into the name of the program. The number is a hash of the options,
so that it is the same in all processes and runs: names of programs are part of the keys of JAX's
persistent compilation cache."""

import dataclasses
import hashlib
import re

_MARK = re.compile(r"_shardwright_([0-9a-f]{8})")
TARGETS = ("cpu", "gpu", "tpu")
FALLBACKS = ("error", "xla")
NESTED = ("outer", "region")

_options = {}  # digest -> Options
_taken_over = {}  # platform, or None for all -> Options


@dataclasses.dataclass(frozen=True)
class Options:
    """How a program is partitioned. See `shardwright.jax.jit`."""

    effort: int = 1
    machine: str = None
    overlap: str = None
    fallback: str = "error"
    nested: str = "outer"
    target: str = None  # None: the one of the platform

    def __post_init__(self):
        for name, allowed in (("effort", (0, 1, 2, 3)), ("overlap", (None, "off", "rings")), ("fallback", FALLBACKS), ("nested", NESTED),
                              ("target", (None, *TARGETS))):  # fmt: skip
            if getattr(self, name) not in allowed or isinstance(getattr(self, name), bool):
                expected = ", ".join(repr(value) for value in allowed)
                raise ValueError(f"shardwright.jax.jit: {name} is {getattr(self, name)!r}, expected one of {expected}")

    def request(self):
        """Returns the options of the partitioner, as the library expects them."""
        given = dict(effort=self.effort, machine=self.machine, overlap=self.overlap, target=self.target)
        return {name: value for name, value in given.items() if value is not None}

    def on(self, platform):
        """Returns these options with the target that they name, or else that of the platform."""
        platform = _canonical(platform)
        known = platform if platform in TARGETS else "cpu"
        return dataclasses.replace(self, target=self.target or known)

    def digest(self):
        text = repr((self.effort, self.overlap, self.fallback, self.nested, self.target))
        if self.machine is not None:
            try:
                with open(self.machine) as file:
                    text += file.read()
            except OSError as error:
                raise ValueError(f"shardwright.jax.jit: machine: cannot read {self.machine!r}: {error.strerror}") from None
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def mark(name, options):
    """Returns the name with the mark of these options."""
    digest = options.digest()
    _options[digest] = options
    return f"{_MARK.sub('', name)}_shardwright_{digest}"


def _canonical(platform):
    """JAX calls the platform of NVIDIA's and AMD's devices by several names."""
    return {"cuda": "gpu", "rocm": "gpu"}.get(platform, platform)


def take_over(platform, options):
    """Sets the options of all programs of the platform (None: of every platform) that have no mark."""
    if options is None:
        _taken_over.pop(_canonical(platform), None)
    else:
        _taken_over[_canonical(platform)] = options


def marked(name):
    """Returns the options of a marked name, or None."""
    found = _MARK.search(name)
    return _options.get(found.group(1)) if found else None


def options_of(name, platform):
    """Returns the options of the program of this name, or None if it is not ours to partition."""
    return marked(name) or _taken_over.get(_canonical(platform)) or _taken_over.get(None)


def plain(name):
    """Returns the name without its mark, for messages."""
    return _MARK.sub("", name)
