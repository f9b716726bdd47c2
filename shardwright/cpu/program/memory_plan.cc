//===- memory_plan.cc - offsets of arena slots ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/memory_plan.h"

#include "shardwright/support/sort_by.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

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
  int32_t length; ///< number of steps alive
  llvm::ArrayRef<LiveRange> ranges;
};

/// Placed items by time, so that a search for overlapping items costs no more
/// than their number.
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

/// Places items in order, in the gaps between items that are alive at the same
/// time. Returns the arena's size, or INT64_MAX as soon as it reaches `limit`.
static int64_t place(llvm::ArrayRef<Item> items, llvm::ArrayRef<int32_t> order,
                     int32_t steps, Fit fit, int64_t limit,
                     std::vector<int64_t> &offsets) {
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
    if (__builtin_add_overflow(offsets[id], item.bytes, &itemEnd) ||
        itemEnd >= limit)
      return INT64_MAX;
    total = std::max(total, itemEnd);
    timeline.add(id, item.ranges);
  }
  return total;
}

namespace {

/// The free ranges below the top of an arena, by offset and by size.
class Gaps {
public:
  /// Takes the smallest range that fits (the lowest of equals), else grows the
  /// top.
  int64_t take(int64_t bytes) {
    auto it = bySize.lower_bound({bytes, 0});
    if (it == bySize.end()) {
      int64_t offset = top;
      return __builtin_add_overflow(top, bytes, &top) ? -1 : offset;
    }
    auto [size, offset] = *it;
    erase(offset, size);
    if (size > bytes)
      insert(offset + bytes, size - bytes);
    return offset;
  }
  void give(int64_t offset, int64_t bytes) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && next->first == offset + bytes) {
      bytes += next->second;
      erase(next->first, next->second);
    }
    next = byOffset.lower_bound(offset);
    if (next != byOffset.begin())
      if (auto [at, size] = *std::prev(next); at + size == offset) {
        erase(at, size);
        offset = at;
        bytes += size;
      }
    if (offset + bytes == top)
      top = offset;
    else
      insert(offset, bytes);
  }
  int64_t end() const { return top; }

private:
  void insert(int64_t offset, int64_t size) {
    byOffset[offset] = size;
    bySize.insert({size, offset});
  }
  void erase(int64_t offset, int64_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }
  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t top = 0;
};

} // namespace

/// Places items in order of their first step, each as alive from its first to
/// its last step. The result is that of one order of `place`, without searching
/// all overlapping items. Returns the arena's size.
static int64_t sweep(llvm::ArrayRef<Item> items,
                     std::vector<int64_t> &offsets) {
  std::vector<int32_t> byBegin(items.size()), byEnd(items.size());
  std::iota(byBegin.begin(), byBegin.end(), 0);
  std::iota(byEnd.begin(), byEnd.end(), 0);
  auto begin = [&](int32_t i) { return items[i].ranges.front().begin; };
  auto end = [&](int32_t i) { return items[i].ranges.back().end; };
  sortBy(byBegin, begin);
  sortBy(byEnd, end);
  offsets.assign(items.size(), 0);
  Gaps gaps;
  int64_t total = 0;
  auto dead = byEnd.begin();
  for (int32_t id : byBegin) {
    for (; dead != byEnd.end() && end(*dead) <= begin(id); ++dead)
      gaps.give(offsets[*dead], items[*dead].bytes);
    offsets[id] = gaps.take(items[id].bytes);
    if (offsets[id] < 0) {
      offsets.assign(items.size(), 0);
      return INT64_MAX;
    }
    total = std::max(total, gaps.end());
  }
  return total;
}

/// The most bytes that are alive at one step, and the first such step.
struct MostAlive {
  int64_t bytes = 0;
  int32_t step = 0;
};

static MostAlive mostAlive(llvm::ArrayRef<Item> items, int32_t steps) {
  std::vector<int64_t> change(steps + 1, 0);
  for (const Item &item : items)
    for (LiveRange r : item.ranges) {
      change[r.begin] += item.bytes;
      change[r.end] -= item.bytes;
    }
  MostAlive most;
  int64_t now = 0;
  for (auto [step, c] : llvm::enumerate(change))
    if ((now += c) > most.bytes)
      most = {now, int32_t(step)};
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
  return mostAlive(itemsOf(program, ranges), program.steps.size()).bytes;
}

/// Places the items again and again, each time with the one that ended highest
/// before all others, until the plan is nearly optimal. For few items, because
/// each attempt places all of them.
static void liftTop(llvm::ArrayRef<Item> items, std::vector<int32_t> order,
                    int32_t steps, int64_t bound, int64_t &best,
                    std::vector<int64_t> &bestOffsets) {
  constexpr size_t mostItems = 256;
  constexpr int attempts = 16;
  constexpr double nearlyOptimal = 1.03;
  std::vector<int64_t> offsets;
  if (items.size() > mostItems)
    return;
  for (int i = 0; i<attempts &&double(best)> nearlyOptimal * double(bound);
       ++i) {
    int64_t total = place(items, order, steps, Fit::Best, INT64_MAX, offsets);
    if (total == INT64_MAX)
      return;
    if (total < best) {
      best = total;
      bestOffsets = offsets;
    }
    auto top = llvm::find_if(order, [&](int32_t item) {
      return offsets[item] + items[item].bytes == total;
    });
    std::rotate(order.begin(), top, top + 1);
  }
}

/// `sweep` mostly finds an optimal plan, of minimumArenaBytes. Otherwise tries
/// several orders, because no order is best for all programs: mostly large and
/// long-lived items first, but not for chains of short-lived items. Items of
/// the peak, placed first, leave no gaps there.
static void improve(llvm::ArrayRef<Item> items, int32_t steps, MostAlive bound,
                    int64_t &best, std::vector<int64_t> &bestOffsets) {
  auto sorted = [&](auto key) {
    std::vector<int32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int32_t a, int32_t b) {
      auto x = key(a), y = key(b);
      return x != y ? x > y : a < b;
    });
    return order;
  };
  auto isAtPeak = [&](int32_t i) {
    return llvm::any_of(items[i].ranges, [&](LiveRange r) {
      return r.begin <= bound.step && bound.step < r.end;
    });
  };
  const std::vector<int32_t> orders[] = {
      sorted([&](int32_t i) { return items[i].bytes; }),
      sorted([&](int32_t i) {
        return double(items[i].bytes) * double(items[i].length);
      }),
      sorted([&](int32_t i) { return items[i].length; }),
      sorted([&](int32_t i) { return -items[i].ranges.front().begin; }),
      sorted(
          [&](int32_t i) { return std::pair(isAtPeak(i), items[i].length); }),
      sorted(
          [&](int32_t i) { return std::pair(isAtPeak(i), items[i].bytes); })};
  std::vector<int64_t> offsets;
  for (const std::vector<int32_t> &order : orders)
    for (Fit fit : {Fit::Best, Fit::First}) {
      if (best == bound.bytes)
        return;
      int64_t total = place(items, order, steps, fit, best, offsets);
      if (total < best) {
        best = total;
        bestOffsets = offsets;
      }
    }
  for (const std::vector<int32_t> &order : orders)
    liftTop(items, order, steps, bound.bytes, best, bestOffsets);
}

void cpu::planMemory(Program &program) {
  auto ranges = liveRanges(program);
  std::vector<Item> items = itemsOf(program, ranges);
  int32_t steps = program.steps.size();
  MostAlive bound = mostAlive(items, steps);

  std::vector<int64_t> offsets(items.size(), 0);
  int64_t best = sweep(items, offsets);
  if (best != bound.bytes)
    improve(items, steps, bound, best, offsets);
  if (items.empty())
    best = 0;
  for (Slot &slot : program.slots)
    if (slot.home == Slot::Home::Arena)
      slot.offset = 0;
  for (size_t i = 0; i < items.size(); ++i)
    program.slots[items[i].slot].offset = offsets[i];
  program.arenaBytes = best;
}
