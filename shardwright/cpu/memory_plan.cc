//===- memory_plan.cc - offsets of arena slots ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/memory_plan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace shardwright;
using namespace shardwright::cpu;

static constexpr int64_t alignment = 64;

static int64_t alignedBytes(const Slot &slot) {
  return (slot.bytes() + alignment - 1) & -alignment;
}

namespace {

struct Item {
  SlotId slot;
  int64_t bytes;
  int32_t length; ///< steps alive
  llvm::ArrayRef<LiveRange> ranges;
};

/// Placed items by time, so that looking for neighbours costs as much as there
/// are neighbours.
class Timeline {
public:
  Timeline(int32_t steps, size_t items)
      : width(std::max(1, steps / 1024)), buckets(steps / width + 1),
        seen(items, -1) {}

  void add(int32_t item, llvm::ArrayRef<LiveRange> ranges) {
    forEachBucket(ranges, [&](llvm::SmallVectorImpl<int32_t> &bucket) {
      if (bucket.empty() || bucket.back() != item)
        bucket.push_back(item);
    });
  }
  template <typename Fn>
  void forEachNear(int32_t asker, llvm::ArrayRef<LiveRange> ranges, Fn fn) {
    forEachBucket(ranges, [&](llvm::SmallVectorImpl<int32_t> &bucket) {
      for (int32_t item : bucket)
        if (seen[item] != asker) {
          seen[item] = asker;
          fn(item);
        }
    });
  }

private:
  template <typename Fn>
  void forEachBucket(llvm::ArrayRef<LiveRange> ranges, Fn fn) {
    for (LiveRange r : ranges)
      for (int32_t b = r.begin / width; b <= (r.end - 1) / width; ++b)
        fn(buckets[b]);
  }
  int32_t width;
  std::vector<llvm::SmallVector<int32_t, 4>> buckets;
  std::vector<int32_t> seen;
};

enum class Fit { First, Best };

} // namespace

static bool meet(llvm::ArrayRef<LiveRange> a, llvm::ArrayRef<LiveRange> b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].begin < b[j].end && b[j].begin < a[i].end)
      return true;
    if (a[i].end <= b[j].end)
      ++i;
    else
      ++j;
  }
  return false;
}

/// Places items one after another in the gaps that their neighbours leave.
/// Returns the arena's size.
static int64_t place(llvm::ArrayRef<Item> items, llvm::ArrayRef<int32_t> order,
                     int32_t steps, Fit fit, std::vector<int64_t> &offsets) {
  Timeline timeline(steps, items.size());
  offsets.assign(items.size(), 0);
  int64_t total = 0;
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (int32_t id : order) {
    const Item &item = items[id];
    taken.clear();
    timeline.forEachNear(id, item.ranges, [&](int32_t other) {
      if (meet(item.ranges, items[other].ranges))
        taken.push_back({offsets[other], offsets[other] + items[other].bytes});
    });
    llvm::sort(taken);
    int64_t end = 0, chosen = -1, slack = INT64_MAX;
    for (auto [from, to] : taken) {
      int64_t gap = from - end;
      if (gap >= item.bytes && gap - item.bytes < slack) {
        chosen = end;
        slack = gap - item.bytes;
        if (fit == Fit::First)
          break;
      }
      end = std::max(end, to);
    }
    offsets[id] = chosen >= 0 ? chosen : end;
    int64_t itemEnd;
    if (__builtin_add_overflow(offsets[id], item.bytes, &itemEnd))
      return INT64_MAX;
    total = std::max(total, itemEnd);
    timeline.add(id, item.ranges);
  }
  return total;
}

static int64_t mostAlive(llvm::ArrayRef<Item> items, int32_t steps) {
  std::vector<int64_t> change(steps + 1, 0);
  for (const Item &item : items)
    for (LiveRange r : item.ranges) {
      change[r.begin] += item.bytes;
      change[r.end] -= item.bytes;
    }
  int64_t now = 0, most = 0;
  for (int64_t c : change)
    most = std::max(most, now += c);
  return most;
}

static std::vector<Item>
itemsOf(const Program &program,
        const std::vector<llvm::SmallVector<LiveRange, 1>> &ranges) {
  std::vector<Item> items;
  for (SlotId s = 0; s < SlotId(program.slots.size()); ++s) {
    int64_t bytes = alignedBytes(program.slots[s]);
    if (ranges[s].empty() || bytes == 0)
      continue;
    Item item{s, bytes, 0, ranges[s]};
    for (LiveRange r : ranges[s])
      item.length += r.end - r.begin;
    items.push_back(item);
  }
  return items;
}

int64_t cpu::minimumArenaBytes(const Program &program) {
  auto ranges = liveRanges(program);
  return mostAlive(itemsOf(program, ranges), program.steps.size());
}

void cpu::planMemory(Program &program) {
  auto ranges = liveRanges(program);
  std::vector<Item> items = itemsOf(program, ranges);
  int32_t steps = program.steps.size();
  int64_t bound = mostAlive(items, steps);

  std::vector<int32_t> bySize(items.size());
  for (size_t i = 0; i < items.size(); ++i)
    bySize[i] = i;
  auto sorted = [&](auto key) {
    std::vector<int32_t> order = bySize;
    llvm::sort(order, [&](int32_t a, int32_t b) {
      auto x = key(a), y = key(b);
      return x != y ? x > y : a < b;
    });
    return order;
  };
  // No order is best for all programs; each costs little. What lives long and
  // is large goes first, except for programs that are a chain of short lives.
  const std::vector<int32_t> orders[] = {
      sorted([&](int32_t i) { return items[i].bytes; }), sorted([&](int32_t i) {
        return double(items[i].bytes) * double(items[i].length);
      }),
      sorted([&](int32_t i) { return items[i].length; }),
      sorted([&](int32_t i) { return -items[i].ranges.front().begin; })};
  int64_t best = INT64_MAX;
  std::vector<int64_t> offsets, bestOffsets(items.size(), 0);
  for (const std::vector<int32_t> &order : orders)
    for (Fit fit : {Fit::Best, Fit::First}) {
      if (best == bound)
        break;
      int64_t total = place(items, order, steps, fit, offsets);
      if (total < best) {
        best = total;
        bestOffsets = offsets;
      }
    }
  if (items.empty())
    best = 0;
  for (Slot &slot : program.slots)
    if (slot.home == Slot::Home::Arena)
      slot.offset = 0;
  for (size_t i = 0; i < items.size(); ++i)
    program.slots[items[i].slot].offset = bestOffsets[i];
  program.arenaBytes = best;
}
