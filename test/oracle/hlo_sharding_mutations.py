#===- hlo_sharding_mutations.py - mutated text and bytes of shardings -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Mutated text and mutated OpSharding bytes: each is refused with a message that has the position and
the reason, or accepted with jaxlib's meaning (jaxlib runs in a child process, because it aborts on
some). If jaxlib accepts an input that ours refuses, the reason must be in STRICTER. A case is one
text and one proto."""

import collections
import os
import re
import sys

import oracle

sys.path.insert(0, os.path.join(oracle.ROOT, "python"))
args = oracle.arguments(__doc__, cases=2500, long_cases=50000)

from child import Child
from hlo_sharding_texts import *
from jax._src.lib import xla_client

from shardwright.sharding import HloSharding

# jaxlib accepts these without a meaning, or reads past their end.
STRICTER = (
    "tiles but .* devices",
    "devices are more than a sharding can name",
    "occurs twice",
    "is negative",
    "has two meshes",
    "excludes",
    "contradicts the kind before it",
    "must be a permutation of",
    "is not a permutation of its dimensions",
    "sizes must be positive",
    "must be positive and their product",
    "needs 'devices'",
    "more 'last_tile_dims' than",
    "more last_tile_dims than",
    "is not a field of the metadata",
    "does not fit 64 bits",
    "only tiled and maximal shardings name devices",
    "expected a value",
    "expected a string in double quotes",
    "unknown type",
    "in last_tile_dims",
    "a tuple of shardings has one level only",
    "tuples of named shardings are not supported",
    "the bytes are not a protocol buffer",
    "a string is not UTF-8",
    "a string holds a zero byte",
    "elements in a sharding that is not a tuple",
    "device ids for a mesh of",
    "size of an axis must be positive",
    "axis '.*' has size",
)


def theirs(question):
    kind, data = question
    if kind == "text":
        return repr(xla_client.HloSharding.from_string(data))
    proto = xla_client.OpSharding()
    proto.ParseFromString(data)
    return repr(xla_client.HloSharding.from_proto(proto))


def mutate_text(rng, text):
    chars = list(text)
    digits = [i for i, c in enumerate(chars) if c.isdigit()]
    if digits and rng.random() < 0.3:  # numbers that are more likely to be inconsistent
        for at in rng.sample(digits, min(len(digits), rng.randint(1, 2))):
            chars[at] = rng.choice("0123468") if rng.random() < 0.6 else chars[rng.choice(digits)]
        return "".join(chars)
    for _ in range(rng.choice([1, 1, 2, 3])):
        at, roll = rng.randrange(len(chars)), rng.random()
        if roll < 0.3:
            del chars[at]
        elif roll < 0.6:
            chars[at] = rng.choice("{}[](),=<>0123456789 Tabmx'?:-" + text)
        elif roll < 0.8:
            chars.insert(at, rng.choice("{}[](),=<>0123456789 T'?:-"))
        else:  # removes, duplicates or moves a piece
            end = rng.randint(at, min(len(chars), at + 12))
            piece = chars[at:end]
            if rng.random() < 0.7:
                del chars[at:end]
            to = rng.randint(0, len(chars))
            chars[to:to] = piece if rng.random() < 0.6 else []
        if not chars:
            return "{"
    return "".join(chars)


def mutate_bytes(rng, data):
    data = bytearray(data or b"\0")
    for _ in range(rng.choice([1, 1, 2, 3])):
        at, roll = rng.randrange(len(data)), rng.random()
        if roll < 0.5:
            data[at] = rng.choice([rng.randrange(256), data[at] ^ (1 << rng.randrange(8)), rng.randrange(16)])
        elif roll < 0.7:
            data.insert(at, rng.randrange(256))
        elif roll < 0.9 and len(data) > 1:
            del data[at]
        else:
            data = data[:at] or bytearray(b"\0")
    return bytes(data)


BATCH = 500


def main():
    tally = oracle.Tally("hlo_sharding_mutations", show=10)
    child, seen, batch = Child(theirs), collections.Counter(), []
    for rng in oracle.generators(args):
        text = random_text(rng) if rng.random() < 0.7 else random_named(rng)
        try:
            proto = HloSharding(text).to_proto()
        except ValueError:
            proto = HloSharding(random_leaf(rng, 8)).to_proto()
        read(tally, seen, batch, rng, "text", mutate_text(rng, text), HloSharding, "column ")
        read(tally, seen, batch, rng, "proto", mutate_bytes(rng, proto), HloSharding.from_proto, "OpSharding: ")
        if len(batch) >= BATCH:
            compare(tally, child, seen, batch)
            batch = []
    compare(tally, child, seen, batch)
    child.close()
    print(", ".join(f"{count} {what}" for what, count in sorted(seen.items())))
    tally.finish()


def read(tally, seen, batch, rng, kind, data, parse, prefix):
    """Parses with ours. Inputs for jaxlib are added to the batch."""
    ours, message = None, ""
    try:
        ours = str(parse(data))
    except ValueError as error:
        message = str(error)
        precise = message.startswith(prefix) and len(message) > len(prefix) + 5
        # jaxlib aborts on many of these, and takes long.
        aborts = "mesh" in data or data.count("last_tile") > 1 if kind == "text" else b"r" in data
        if not tally.check(f"{rng.name} {kind} message", precise, message) or aborts or rng.random() < 0.95:
            seen[f"{kind} refused"] += 1
            return
    # jaxlib iterates over devices, which may be a million or more.
    numbers = [list(map(int, n.split(","))) for n in re.findall(r"-?\d+(?:,-?\d+)*", ours or str(data))]
    if any(math.prod(map(abs, n[:8])) > 1e6 for n in numbers if len(n) < 8) or (ours is None and kind == "proto"):
        seen[f"{kind} not asked"] += 1
        return
    batch.append((rng.name, kind, data, ours, message))


def compare(tally, child, seen, batch):
    answers = child.ask_all([(kind, data) for _, kind, data, _, _ in batch])
    for (name, kind, data, ours, message), (verdict, answer) in zip(batch, answers):
        shown = data if kind == "text" else data.hex()
        seen[f"{kind} {'refused' if ours is None else 'accepted'}, by jaxlib {verdict}"] += 1
        if ours is not None and verdict != "ok":
            # jaxlib aborts if a list names devices beyond its length.
            listed = re.search(r"\](\d+(?:,\d+)+)", ours)
            beyond = listed and max(map(int, listed.group(1).split(","))) > listed.group(1).count(",")
            tally.check(f"{name} {kind} taken", beyond, f"{shown}\nours: {ours}\njaxlib: {verdict} {answer}")
        elif ours is not None:
            tally.equal(f"{name} {kind} meaning", answer, ours, shown)
        elif verdict == "ok":
            tally.check(f"{name} {kind} refused", any(re.search(reason, message) for reason in STRICTER),
                        f"{shown}\nours: {message}\njaxlib: {answer}")


main()
