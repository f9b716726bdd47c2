//===- exchange_sizes.cc - bytes of collectives between processes ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/exchange_sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace shardwright {

int64_t leftOperands(int64_t n) {
  return int64_t(llvm::bit_floor(uint64_t(n - 1)));
}

std::vector<ReductionSubtree> ownedSubtrees(llvm::ArrayRef<int32_t> owners) {
  std::vector<ReductionSubtree> result;
  auto visit = [&](auto &&self, int32_t first, int32_t count) -> void {
    llvm::ArrayRef<int32_t> range = owners.slice(first, count);
    if (llvm::all_equal(range)) {
      result.push_back({first, count, range.front()});
      return;
    }
    int32_t left = int32_t(leftOperands(count));
    self(self, first, left);
    self(self, first + left, count - left);
  };
  if (!owners.empty())
    visit(visit, 0, int32_t(owners.size()));
  return result;
}

SubtreeCounts countSubtrees(int64_t n, int64_t first, int64_t count) {
  SubtreeCounts counts;
  // The subtree of operands [begin, begin + size).
  auto visit = [&](auto &&self, int64_t begin, int64_t size) -> void {
    int64_t from = std::max(first, begin);
    int64_t to = std::min(first + count, begin + size);
    if (from >= to)
      return;
    if (to - from == size) {
      ++(size == 1 ? counts.ofOne : counts.ofSeveral);
      return;
    }
    int64_t left = leftOperands(size);
    self(self, begin, left);
    self(self, begin + left, size - left);
  };
  if (n > 0)
    visit(visit, 0, n);
  return counts;
}

std::pair<int64_t, int64_t> sliceOfProcess(int64_t elements, int64_t rank,
                                           int64_t processes) {
  constexpr int64_t step = 64; // whole cache lines
  int64_t blocks = (elements + step - 1) / step;
  auto bound = [&](int64_t r) {
    return std::min<int64_t>(elements, blocks * r / processes * step);
  };
  return {bound(rank), rank + 1 == processes ? elements : bound(rank + 1)};
}

llvm::SmallVector<ExchangeRound, 2>
roundsToProcesses(const ExchangeShape &shape, const GroupShare &share) {
  int64_t others = share.processes - 1;
  int64_t sums = share.subtrees.ofOne * shape.width +
                 share.subtrees.ofSeveral * shape.sumWidth;
  switch (shape.kind) {
  case ExchangeShape::Kind::AllReduce: {
    if (!takesTwoRounds(shape.bytes()))
      return {{others, sums * shape.elements * others}};
    auto [begin, end] =
        sliceOfProcess(shape.elements, share.rank, share.processes);
    int64_t own = end - begin;
    return {{others, sums * (shape.elements - own)},
            {others, own * shape.width * others}};
  }
  case ExchangeShape::Kind::ReduceScatter:
    return {{others, sums * (shape.elements / share.members) *
                         (share.members - share.ownMembers)}};
  case ExchangeShape::Kind::AllGather:
    return {
        {share.ownMembers * others, share.ownMembers * shape.bytes() * others}};
  case ExchangeShape::Kind::AllToAll:
    return {{others, share.ownMembers * (share.members - share.ownMembers) *
                         (shape.bytes() / share.members)}};
  case ExchangeShape::Kind::Broadcast:
    return {{share.hasRoot ? others : 0,
             share.hasRoot ? shape.bytes() * others : 0}};
  }
  return {};
}

int64_t bytesToProcesses(const ExchangeShape &shape, const GroupShare &share) {
  int64_t bytes = 0;
  for (const ExchangeRound &round : roundsToProcesses(shape, share))
    bytes += round.bytes;
  return bytes;
}

} // namespace shardwright
