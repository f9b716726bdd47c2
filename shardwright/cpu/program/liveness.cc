//===- liveness.cc - live ranges of slots ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/memory_plan.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;
using namespace shardwright::cpu;

SlotId cpu::baseOf(const Program &program, SlotId slot) {
  int32_t count = program.slots.size();
  for (int32_t hops = 0; hops <= count; ++hops) {
    if (slot < 0 || slot >= count)
      return -1;
    if (program.slots[slot].home != Slot::Home::View)
      return slot;
    slot = program.slots[slot].index;
  }
  return -1;
}

namespace {

/// A basic block of steps.
struct Block {
  int32_t begin, end; ///< steps
  llvm::SmallVector<int32_t, 2> successors;
};

class Liveness {
public:
  explicit Liveness(const Program &p) : program(p) {}
  std::vector<llvm::SmallVector<LiveRange, 1>> compute();

private:
  bool findBases();
  bool findBlocks();
  void solve();
  void collect();

  template <typename Fn> void forEach(llvm::ArrayRef<SlotId> slots, Fn fn) {
    for (SlotId slot : slots)
      if (int32_t v = variable[slot]; v >= 0)
        fn(v, slot);
  }
  bool writesAll(const Step &step, SlotId out) const {
    return program.slots[out].home == Slot::Home::Arena &&
           llvm::none_of(step.inputs, [&](SlotId in) {
             return variable[in] == variable[out];
           });
  }
  llvm::ArrayRef<SlotId> inputsOf(const Step &step) const {
    return step.kind == StepKind::Return
               ? llvm::ArrayRef<SlotId>(program.results)
               : llvm::ArrayRef<SlotId>(step.inputs);
  }

  const Program &program;
  /// slot -> dense number of its arena base slot, or -1
  std::vector<int32_t> variable;
  std::vector<SlotId> slotOf;
  std::vector<Block> blocks;
  /// By block: slots that may be read later; slots that may be written before.
  std::vector<llvm::BitVector> liveOut, writtenIn;
  std::vector<llvm::SmallVector<LiveRange, 1>> ranges;
};

bool Liveness::findBases() {
  variable.assign(program.slots.size(), -1);
  for (SlotId s = 0; s < SlotId(program.slots.size()); ++s)
    if (program.slots[s].home == Slot::Home::Arena) {
      variable[s] = slotOf.size();
      slotOf.push_back(s);
    }
  for (SlotId s = 0; s < SlotId(program.slots.size()); ++s) {
    if (program.slots[s].home != Slot::Home::View)
      continue;
    SlotId base = baseOf(program, s);
    if (base < 0)
      return false;
    variable[s] = variable[base];
  }
  auto inRange = [&](SlotId s) {
    return s >= 0 && s < SlotId(program.slots.size());
  };
  for (const Step &step : program.steps)
    if (!llvm::all_of(step.inputs, inRange) ||
        !llvm::all_of(step.outputs, inRange))
      return false;
  return llvm::all_of(program.results, inRange);
}

bool Liveness::findBlocks() {
  int32_t count = program.steps.size();
  std::vector<llvm::SmallVector<int32_t, 2>> next(count);
  llvm::BitVector leader(count + 1);
  leader.set(0);
  for (int32_t i = 0; i < count; ++i) {
    const Step &step = program.steps[i];
    bool fallsThrough = true, ends = true;
    switch (step.kind) {
    case StepKind::Jump:
      next[i].push_back(step.target);
      fallsThrough = false;
      break;
    case StepKind::JumpIfFalse:
      next[i].push_back(step.target);
      break;
    case StepKind::Switch:
      if (step.payload < 0 ||
          step.payload >= int32_t(program.switchTargets.size()))
        return false;
      next[i].append(program.switchTargets[step.payload].begin(),
                     program.switchTargets[step.payload].end());
      fallsThrough = false;
      break;
    case StepKind::Return:
      fallsThrough = false;
      break;
    default:
      ends = false;
    }
    for (int32_t target : next[i]) {
      if (target < 0 || target >= count)
        return false;
      leader.set(target);
    }
    if (fallsThrough && i + 1 < count)
      next[i].push_back(i + 1);
    if (ends)
      leader.set(i + 1);
  }
  std::vector<int32_t> blockAt(count, -1);
  for (int32_t i = 0; i < count;) {
    int32_t end = i + 1;
    while (end < count && !leader.test(end))
      ++end;
    blockAt[i] = blocks.size();
    blocks.push_back({i, end, {}});
    i = end;
  }
  for (Block &block : blocks)
    for (int32_t target : next[block.end - 1])
      block.successors.push_back(blockAt[target]);
  return true;
}

void Liveness::solve() {
  size_t n = slotOf.size(), count = blocks.size();
  std::vector<llvm::BitVector> uses(count, llvm::BitVector(n)),
      kills(count, llvm::BitVector(n)), writes(count, llvm::BitVector(n));
  for (size_t b = 0; b < count; ++b)
    for (int32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      const Step &step = program.steps[i];
      forEach(inputsOf(step), [&](int32_t v, SlotId) {
        if (!kills[b].test(v))
          uses[b].set(v);
      });
      forEach(step.outputs, [&](int32_t v, SlotId out) {
        writes[b].set(v);
        if (writesAll(step, out))
          kills[b].set(v);
      });
    }
  liveOut.assign(count, llvm::BitVector(n));
  writtenIn.assign(count, llvm::BitVector(n));
  std::vector<llvm::BitVector> liveIn = uses;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = count; b-- > 0;) {
      llvm::BitVector out(n);
      for (int32_t s : blocks[b].successors)
        out |= liveIn[s];
      if (out == liveOut[b])
        continue;
      liveOut[b] = out;
      out.reset(kills[b]);
      out |= uses[b];
      liveIn[b] = std::move(out);
      changed = true;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < count; ++b) {
      llvm::BitVector out = writtenIn[b];
      out |= writes[b];
      for (int32_t s : blocks[b].successors)
        if (out.test(writtenIn[s])) { // a bit of `out` is missing
          writtenIn[s] |= out;
          changed = true;
        }
    }
  }
}

void Liveness::collect() {
  ranges.resize(program.slots.size());
  size_t n = slotOf.size();
  // Walk each block backwards, which yields the ranges of a slot last first.
  std::vector<int32_t> aliveTo(n, -1);
  std::vector<llvm::SmallVector<LiveRange, 1>> found(n);
  // By slot: its first write in the current block, if no earlier write reaches
  // it.
  std::vector<int32_t> firstWrite(n, -1);
  for (size_t b = blocks.size(); b-- > 0;) {
    const Block &block = blocks[b];
    llvm::BitVector written = writtenIn[b];
    std::vector<int32_t> firstHere;
    for (int32_t i = block.begin; i < block.end; ++i)
      forEach(program.steps[i].outputs, [&](int32_t v, SlotId) {
        if (written.test(v))
          return;
        written.set(v);
        firstWrite[v] = i;
        firstHere.push_back(v);
      });
    llvm::BitVector live = liveOut[b];
    live &= written; // a slot that is never written has no value
    for (int32_t v : live.set_bits())
      aliveTo[v] = block.end;
    auto open = [&](int32_t v, int32_t i) {
      if (!live.test(v)) {
        live.set(v);
        aliveTo[v] = i + 1;
      }
    };
    for (int32_t i = block.end; i-- > block.begin;) {
      const Step &step = program.steps[i];
      forEach(step.outputs, [&](int32_t v, SlotId out) {
        open(v, i);
        if (writesAll(step, out) || firstWrite[v] == i) {
          found[v].push_back({i, aliveTo[v]});
          live.reset(v);
        }
      });
      // Before its first write a slot has no value, even if that step also
      // reads it: a buffer that is filled in parts.
      forEach(inputsOf(step), [&](int32_t v, SlotId) {
        if (firstWrite[v] != i)
          open(v, i);
      });
    }
    for (int32_t v : live.set_bits())
      found[v].push_back({block.begin, aliveTo[v]});
    for (int32_t v : firstHere)
      firstWrite[v] = -1;
  }
  for (size_t v = 0; v < n; ++v) {
    llvm::sort(found[v], [](LiveRange a, LiveRange b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    auto &out = ranges[slotOf[v]];
    for (LiveRange r : found[v]) {
      if (!out.empty() && r.begin <= out.back().end)
        out.back().end = std::max(out.back().end, r.end);
      else
        out.push_back(r);
    }
  }
}

std::vector<llvm::SmallVector<LiveRange, 1>> Liveness::compute() {
  if (findBases() && findBlocks()) {
    solve();
    collect();
  }
  return std::move(ranges);
}

} // namespace

std::vector<llvm::SmallVector<LiveRange, 1>>
cpu::liveRanges(const Program &program) {
  auto ranges = Liveness(program).compute();
  ranges.resize(program.slots.size());
  return ranges;
}
