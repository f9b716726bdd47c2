#===- hlo_bytes.py - bytes that a partitioned HLO program sends ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Reads the text of a partitioned HLO module and counts its communication, by the model of
`shardwright partition --stats=json`: the bytes that a device sends on average, where n is the size
of the group:

  all_gather          (n-1)/n of its output
  all_reduce          2 (n-1)/n of its operands
  reduce_scatter      (n-1)/n of its input
  all_to_all          (n-1)/n of its operands
  collective_permute  its operand, times the fraction of devices that send to another device

A loop counts by its trip count, a conditional by its most expensive branch. Of asynchronous collectives
the results count. In programs for TPUs, a fusion named all-reduce-scatter is a reduce_scatter, and an
all_gather whose steps are spread over several fusions (chain_id) counts once.
"""

import math
import re
import sys

# keep-sorted
KINDS = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")

BITS = dict(pred=8, bf16=16, c64=64, c128=128, token=0)
ARRAY = re.compile(r"\b([a-z]+[0-9]*[a-z0-9]*)\[([\d,]*)\]")


class HloError(Exception):
    """The text has a construct that this reader does not support. It never guesses."""


def element_bits(name):
    if name in BITS:
        return BITS[name]
    digits = re.match(r"[a-z]+?(\d+)", name)
    if not digits:
        raise HloError(f"element type '{name}'")
    return max(8, int(digits.group(1)))


def array_bytes(type_text):
    """Returns the bytes of each array in an HLO type; the members of a tuple in order."""
    return [
        element_bits(name) // 8 * math.prod(int(d) for d in dims.split(",") if d)
        for name, dims in ARRAY.findall(type_text)
    ]


class Instruction:
    """`%name = TYPE opcode(operands), attributes`"""

    PATTERN = re.compile(r"^\s+(ROOT )?%?([\w.\-]+) = (.*)$")

    def __init__(self, root, name, rest):
        self.root, self.name = bool(root), name
        end = self._type_end(rest)
        self.type = rest[:end]
        call = re.match(r"\s*([\w\-]+)\((.*)$", rest[end:])
        if not call:
            raise HloError(f"instruction '{name} = {rest[:80]}'")
        self.opcode, self.tail = call.groups()

    @staticmethod
    def _type_end(text):
        if not text.startswith("("):
            return text.index(" ")
        depth = 0
        for i, c in enumerate(text):
            depth += (c == "(") - (c == ")")
            if depth == 0:
                return i + 1
        raise HloError(f"type '{text[:80]}'")

    def attribute(self, name):
        """Returns the name of a computation: `body=%region_1.2`."""
        found = re.search(rf"\b{name}=%?([\w.\-]+)", self.tail)
        return found.group(1) if found else None


class Module:
    """The computations of an HLO module and the bytes that each of them sends."""

    def __init__(self, text):
        found = re.search(r"\bnum_partitions=(\d+)", text)
        self.devices = int(found.group(1)) if found else 1
        self.computations, self.entry, self.costs, self.chains = {}, None, {}, set()
        body = None
        for line in text.splitlines():
            header = re.match(r"^(ENTRY )?%?([\w.\-]+) .*->.*\{$", line)
            if header:
                body = self.computations.setdefault(header.group(2), [])
                if header.group(1):
                    self.entry = header.group(2)
            elif body is not None:
                found = Instruction.PATTERN.match(line)
                if found:
                    body.append(Instruction(*found.groups()))
                elif line.startswith("}"):
                    body = None
        if self.entry is None:
            raise HloError("no ENTRY computation")

    def group_size(self, instruction):
        tail = instruction.tail
        found = re.search(r"replica_groups=\{\{([\d,]*)\}", tail)
        if found:
            return len(found.group(1).split(","))
        found = re.search(r"replica_groups=\[\d+,(\d+)\]", tail)
        if found:
            return int(found.group(1))
        # Axes or sub-axes of a mesh: mesh['a'=2,'b'=4] {'a','b':(1)2}
        found = re.search(
            r"replica_groups=@?mesh\[([^\]]*)\](?:,? ?device_ids=\S+)? ?\{([^}]*)\}", tail
        )
        if found:
            sizes = dict(re.findall(r"'([^']+)'=(\d+)", found.group(1)))
            used = re.findall(r"'([^']+)'(?::\(\d+\)(\d+))?", found.group(2))
            return math.prod(int(sub or sizes[axis]) for axis, sub in used)
        if "replica_groups={}" in tail or "replica_groups" not in tail:
            return self.devices
        raise HloError(f"replica groups of '{instruction.name}'")

    def sent(self, instruction, kind):
        """Returns the bytes that a device sends in one run of a collective."""
        sizes = array_bytes(instruction.type)
        if instruction.opcode.endswith("-start") and kind != "all-reduce":
            if kind == "collective-permute" and len(sizes) > 2 and re.search(r"u32\[\]\S*, u32\[\]\S*\)$", instruction.type):
                sizes = sizes[:-2]  # semaphores
            sizes = sizes[len(sizes) // 2 :]  # (operands, results)
        size = sum(sizes)
        if kind == "collective-permute":
            pairs = re.search(r"source_target_pairs=\{((?:\{\d+,\d+\},?)*)\}", instruction.tail)
            pairs = re.findall(r"\{(\d+),(\d+)\}", pairs.group(1)) if pairs else []
            return size * len({s for s, t in pairs if s != t}) / self.devices
        n = self.group_size(instruction)
        share = (n - 1) / n
        if kind == "all-reduce":
            return 2 * share * size
        if kind == "reduce-scatter":
            return share * size * n  # the type is that of the result
        return share * size

    def trip_count(self, loop):
        found = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', loop.tail)
        if found:
            return int(found.group(1))
        raise HloError(f"trip count of '{loop.name}'")

    def is_repeated(self, instruction):
        """True for a step of a chained collective whose first step was counted."""
        chain = re.search(r'chain_id="?(\d+)', instruction.tail)
        channel = re.search(r"channel_id=(\d+)", instruction.tail)
        if not chain or not channel:
            return False
        key = (chain.group(1), channel.group(1))
        if key in self.chains:
            return True
        self.chains.add(key)
        return False

    def cost(self, name=None):
        """Returns {kind: (count, bytes)} of one run of a computation."""
        name = name or self.entry
        if name in self.costs:
            return self.costs[name]
        total = {}

        def add(cost, times=1):
            for kind, (count, size) in cost.items():
                c, b = total.get(kind, (0, 0.0))
                total[kind] = (c + count * times, b + size * times)

        for i in self.computations[name]:
            kind = i.opcode.removesuffix("-start")
            if kind in KINDS:
                if self.is_repeated(i):
                    continue
                add({kind.replace("-", "_"): (1, self.sent(i, kind))})
            elif i.opcode.startswith(("ragged-all", "collective-broadcast", "send", "recv")):
                raise HloError(f"opcode '{i.opcode}'")
            elif i.opcode == "while":
                inside = [self.cost(i.attribute("body")), self.cost(i.attribute("condition"))]
                if any(inside):
                    for cost in inside:
                        add(cost, self.trip_count(i))
            elif i.opcode == "conditional":
                found = re.search(r"branch_computations=\{([^}]*)\}", i.tail)
                branches = re.findall(r"[\w.\-]+", found.group(1)) if found else [
                    i.attribute("true_computation"),
                    i.attribute("false_computation"),
                ]
                add(max(map(self.cost, branches), key=lambda c: sum(b for _, b in c.values())))
            elif i.opcode in ("call", "fusion", "async-start"):
                called = i.attribute("to_apply") or i.attribute("calls")
                inside = self.cost(called)
                if called.startswith("all-reduce-scatter") and set(inside) == {"all_reduce"}:
                    count, size = inside["all_reduce"]
                    inside = {"reduce_scatter": (count, size / 2)}
                add(inside)
        self.costs[name] = total
        return total


def summary(text):
    """Returns the part of `--stats=json` about communication."""
    cost = Module(text).cost()
    return {
        "collectives": {k: {"count": c, "bytes": b} for k, (c, b) in sorted(cost.items())},
        "bytes_sent_per_device": sum(b for _, b in cost.values()),
    }


if __name__ == "__main__":
    print(summary(sys.stdin.read()))
