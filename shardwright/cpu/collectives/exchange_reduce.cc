//===- exchange_reduce.cc - reductions between processes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/exchange_kinds.h"
#include "shardwright/support/box_copy.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

/// Elements that one task computes.
constexpr int64_t taskElements = 1 << 14;
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// What the reductions share: the subtrees of the group, and where the results
/// of each are in `staging`.
///
/// The group's reduction is cut into pieces, each of which one process
/// finishes. A process sends the results of its subtrees for a piece to the
/// process that finishes it, in one message: [operand][subtree][element], where
/// a subtree of one operand is its elements and any other its accumulators.
class ReductionExchange : public Exchange {
protected:
  explicit ReductionExchange(const ExchangeOperands &given)
      : Exchange(given), reduction(given.plan.reductionOf()),
        sumWidth(byteWidth(reduction.accumulator())) {
    llvm::ArrayRef<int32_t> order = plan.ascendingMembers(group);
    llvm::SmallVector<int32_t, 8> owners; // index into `peers`, or -1: here
    for (int32_t index : order) {
      int32_t owner = -1;
      for (auto [p, peer] : llvm::enumerate(peers))
        if (llvm::is_contained(peer.indices, index))
          owner = int32_t(p);
      owners.push_back(owner);
    }
    trees = ownedSubtrees(owners);
    for (const ReductionSubtree &tree : trees) {
      int32_t first = int32_t(locals.size());
      if (tree.owner < 0)
        for (int32_t index : order.slice(tree.first, tree.count))
          locals.push_back(localOf(index));
      firstLocal.push_back(first);
    }
  }

  int64_t widthOf(const ReductionSubtree &tree) const {
    return tree.count == 1 ? width : sumWidth;
  }
  /// Bytes per element of the results of a process's subtrees.
  int64_t bytesPerElement(int32_t owner) const {
    int64_t bytes = 0;
    for (const ReductionSubtree &tree : trees)
      if (tree.owner == owner)
        bytes += widthOf(tree);
    return bytes;
  }
  int64_t treesOf(int32_t owner) const {
    return llvm::count_if(trees, [&](auto &t) { return t.owner == owner; });
  }

  /// The results of a process's subtrees for a piece of `elements` elements.
  struct Results {
    char *data = nullptr;
    int64_t elements = 0;
  };
  /// Where the results of subtree `t` for an operand start.
  char *resultsOf(const Results &results, int64_t operand, size_t t) const {
    int32_t owner = trees[t].owner;
    char *at =
        results.data + operand * bytesPerElement(owner) * results.elements;
    for (size_t i = 0; i < t; ++i)
      if (trees[i].owner == owner)
        at += widthOf(trees[i]) * results.elements;
    return at;
  }

  /// Computes elements [begin, end) of own subtree `t`, from operands that
  /// start at `offset` bytes of the inputs.
  void runTree(size_t t, int64_t operand, int64_t offset, int64_t begin,
               int64_t end, char *to) const {
    const ReductionSubtree &tree = trees[t];
    llvm::SmallVector<const void *, 16> from;
    for (int32_t i = 0; i < tree.count; ++i)
      from.push_back(input(operand, locals[firstLocal[t] + i]) + offset);
    if (tree.count == 1)
      std::memcpy(to, static_cast<const char *>(from[0]) + begin * width,
                  (end - begin) * width);
    else
      reduction.runSubtree(from.data(), tree.count, to, begin, end);
  }

  /// Finishes elements [begin, end) of a piece; `results` are those of this
  /// process, then those of the peers.
  void finish(llvm::ArrayRef<Results> results, int64_t operand, int64_t begin,
              int64_t end, char *to) const {
    llvm::SmallVector<Reduction::Part, 16> parts;
    for (auto [t, tree] : llvm::enumerate(trees))
      parts.push_back(
          {tree.count, resultsOf(results[tree.owner + 1], operand, t) +
                           begin * widthOf(tree)});
    reduction.finish(parts, to, end - begin);
  }

  const Reduction &reduction;
  const int64_t sumWidth;
  std::vector<ReductionSubtree> trees; ///< owner: index into `peers`, -1: here
  /// The members of own subtrees, and by subtree where they start.
  llvm::SmallVector<int32_t, 8> locals, firstLocal;
};

/// One round: each process finishes all elements. Two rounds: each finishes a
/// slice, and sends it to the others.
class AllReduceExchange final : public ReductionExchange {
public:
  explicit AllReduceExchange(const ExchangeOperands &given)
      : ReductionExchange(given), elements(plan.inputBytes() / width),
        isTwoRounds(takesTwoRounds(operands * plan.inputBytes())) {}

  bool prepare() {
    size_t sides = peers.size() + 1;
    // Slices by ascending process number.
    size_t own = llvm::count_if(
        peers, [&](const Side &s) { return s.process < plan.process(); });
    auto rankOf = [&](size_t peer) { return peer < own ? peer : peer + 1; };
    auto cut = [&](size_t rank) -> std::pair<int64_t, int64_t> {
      if (!isTwoRounds)
        return {0, elements};
      return sliceOfProcess(elements, int64_t(rank), int64_t(sides));
    };
    ownSlice = cut(own);
    for (size_t p = 0; p < peers.size(); ++p)
      peerSlices.push_back(cut(rankOf(p)));

    // Own results: for oneself, and for each peer; then what peers send.
    int64_t perElement = operands * bytesPerElement(-1), bytes = 0;
    auto take = [&](int64_t size) {
      int64_t at = bytes;
      bytes += (size + 63) / 64 * 64;
      return at;
    };
    int64_t ownLength = ownSlice.second - ownSlice.first;
    // A single operand of one member is sent from where it is.
    isDirect = operands == 1 && treesOf(-1) == 1 && locals.size() == 1;
    llvm::SmallVector<int64_t, 8> offsets;
    offsets.push_back(isDirect ? 0 : take(perElement * ownLength));
    for (auto [begin, end] : peerSlices)
      offsets.push_back(
          isDirect || !isTwoRounds ? 0 : take(perElement * (end - begin)));
    llvm::SmallVector<int64_t, 8> fromPeers;
    for (size_t p = 0; p < peers.size(); ++p)
      fromPeers.push_back(
          take(operands * bytesPerElement(int32_t(p)) * ownLength));
    if (!allocate(bytes))
      return false;

    auto place = [&](int64_t offset, std::pair<int64_t, int64_t> slice) {
      if (isDirect)
        return Results{const_cast<char *>(input(0, locals[0])) +
                           slice.first * width,
                       slice.second - slice.first};
      return Results{staging + offset, slice.second - slice.first};
    };
    ownResults.push_back(place(offsets[0], ownSlice));
    for (size_t p = 0; p < peers.size(); ++p)
      ownResults.push_back(isTwoRounds ? place(offsets[p + 1], peerSlices[p])
                                       : ownResults[0]);
    finishing.push_back(ownResults[0]);
    for (size_t p = 0; p < peers.size(); ++p)
      finishing.push_back({staging + fromPeers[p], ownLength});

    stages.resize(isTwoRounds ? 3 : 2);
    if (!isDirect)
      for (size_t side = 0; side < (isTwoRounds ? sides : 1); ++side)
        addTasks(side, ownResults[side].elements);
    stages[0].tasks = int64_t(tasks.size());
    for (size_t p = 0; p < peers.size(); ++p) {
      const Results &to = ownResults[p + 1];
      send(0, peers[p].process, to.data, perElement * to.elements);
      receive(0, peers[p].process, finishing[p + 1].data,
              operands * bytesPerElement(int32_t(p)) * ownLength);
    }
    stages[1].tasks = operands * ceilDiv(ownLength, taskElements);
    if (!isTwoRounds)
      return true;
    for (int64_t k = 0; k < operands; ++k)
      for (size_t p = 0; p < peers.size(); ++p) {
        auto [begin, end] = peerSlices[p];
        send(1, peers[p].process, output(k, 0) + ownSlice.first * width,
             ownLength * width);
        receive(1, peers[p].process, output(k, 0) + begin * width,
                (end - begin) * width);
      }
    stages[2].tasks =
        operands * (int64_t(localIndices.size()) - 1) * int64_t(peers.size());
    return true;
  }

  void run(size_t stage, int64_t task) override {
    if (stage == 0) {
      const Task &what = tasks[task];
      const Results &to = ownResults[what.side];
      auto slice = what.side == 0 ? ownSlice : peerSlices[what.side - 1];
      runTree(what.tree, what.operand, slice.first * width, what.begin,
              what.end,
              resultsOf(to, what.operand, what.tree) +
                  what.begin * widthOf(trees[what.tree]));
    } else if (stage == 1) {
      int64_t length = ownSlice.second - ownSlice.first;
      int64_t blocks = ceilDiv(length, taskElements), k = task / blocks;
      int64_t begin = task % blocks * taskElements;
      int64_t end = std::min(length, begin + taskElements);
      int64_t at = (ownSlice.first + begin) * width;
      finish(finishing, k, begin, end, output(k, 0) + at);
      for (size_t m = 1; m < localIndices.size(); ++m)
        std::memcpy(output(k, m) + at, output(k, 0) + at,
                    (end - begin) * width);
    } else { // a received slice to one other member
      auto [begin, end] = peerSlices[task % peers.size()];
      int64_t rest = task / int64_t(peers.size());
      int64_t others = int64_t(localIndices.size()) - 1, k = rest / others;
      std::memcpy(output(k, rest % others + 1) + begin * width,
                  output(k, 0) + begin * width, (end - begin) * width);
    }
  }

private:
  /// Computes elements [begin, end) of a slice of an own subtree.
  struct Task {
    size_t side, tree;
    int64_t operand, begin, end;
  };
  void addTasks(size_t side, int64_t length) {
    for (int64_t k = 0; k < operands; ++k)
      for (auto [t, tree] : llvm::enumerate(trees))
        for (int64_t i = 0; tree.owner < 0 && i < length; i += taskElements)
          tasks.push_back({side, t, k, i, std::min(length, i + taskElements)});
  }

  const int64_t elements;
  const bool isTwoRounds;
  bool isDirect = false;
  std::pair<int64_t, int64_t> ownSlice;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> peerSlices;
  /// Own results for oneself and each peer; all results of the own slice.
  llvm::SmallVector<Results, 4> ownResults, finishing;
  std::vector<Task> tasks;
};

/// The piece of a member is [rows][cols] of an input of [rows][members][cols].
class ReduceScatterExchange final : public ReductionExchange {
public:
  explicit ReduceScatterExchange(const ExchangeOperands &given)
      : ReductionExchange(given) {
    llvm::ArrayRef<int64_t> in = spec.inputShape;
    rows = product(in.take_front(spec.dim));
    cols = product(in.drop_front(spec.dim)) / members;
  }

  bool prepare() {
    int64_t perElement = operands * bytesPerElement(-1), bytes = 0;
    auto take = [&](int64_t size) {
      int64_t at = bytes;
      bytes += (size + 63) / 64 * 64;
      return at;
    };
    int64_t piece = rows * cols;
    // By side: the results for the pieces of all its members. A message holds
    // the pieces one after another.
    auto placeOf = [&](size_t side) -> llvm::ArrayRef<int32_t> {
      return side == 0 ? llvm::ArrayRef<int32_t>(localIndices)
                       : llvm::ArrayRef<int32_t>(peers[side - 1].indices);
    };
    llvm::SmallVector<int64_t, 8> offsets, fromPeers;
    for (size_t side = 0; side <= peers.size(); ++side)
      offsets.push_back(
          take(perElement * piece * int64_t(placeOf(side).size())));
    int64_t ownPieces = int64_t(localIndices.size());
    for (size_t p = 0; p < peers.size(); ++p)
      fromPeers.push_back(
          take(operands * bytesPerElement(int32_t(p)) * piece * ownPieces));
    if (!allocate(bytes))
      return false;
    stages.resize(2);
    for (size_t side = 0; side <= peers.size(); ++side)
      for (auto [i, index] : llvm::enumerate(placeOf(side))) {
        Results to{staging + offsets[side] + perElement * piece * int64_t(i),
                   piece};
        if (side == 0)
          finishing.push_back({to});
        int64_t rowStep =
            std::max<int64_t>(1, taskElements / std::max<int64_t>(cols, 1));
        for (int64_t k = 0; k < operands; ++k)
          for (auto [t, tree] : llvm::enumerate(trees))
            for (int64_t r = 0; tree.owner < 0 && r < rows && cols > 0;
                 r += rowStep)
              tasks.push_back(
                  {to, t, k, index, r, std::min(rows, r + rowStep)});
      }
    for (auto [p, peer] : llvm::enumerate(peers)) {
      send(0, peer.process, staging + offsets[p + 1],
           perElement * piece * int64_t(peer.indices.size()));
      int64_t each = operands * bytesPerElement(int32_t(p)) * piece;
      receive(0, peer.process, staging + fromPeers[p], each * ownPieces);
      for (int64_t i = 0; i < ownPieces; ++i)
        finishing[i].push_back({staging + fromPeers[p] + each * i, piece});
    }
    stages[0].tasks = int64_t(tasks.size());
    stages[1].tasks = operands * ownPieces * ceilDiv(piece, taskElements);
    return true;
  }

  void run(size_t stage, int64_t task) override {
    int64_t piece = rows * cols;
    if (stage == 1) {
      int64_t blocks = ceilDiv(piece, taskElements);
      int64_t begin = task % blocks * taskElements;
      int64_t end = std::min(piece, begin + taskElements);
      int64_t k = task / blocks % operands, i = task / blocks / operands;
      finish(finishing[i], k, begin, end, output(k, i) + begin * width);
      return;
    }
    const Task &what = tasks[task];
    int64_t inRow = members * cols * width;
    int64_t offset = what.member * cols * width;
    char *to = resultsOf(what.results, what.operand, what.tree);
    int64_t treeWidth = widthOf(trees[what.tree]);
    if (cols * width >= 256 || what.end - what.begin == 1) {
      for (int64_t r = what.begin; r < what.end; ++r)
        runTree(what.tree, what.operand, r * inRow + offset, 0, cols,
                to + r * cols * treeWidth);
      return;
    }
    runShortRows(what, to + what.begin * cols * treeWidth);
  }

private:
  /// Computes rows [begin, end) of an own subtree for one member's piece.
  struct Task {
    Results results;
    size_t tree;
    int64_t operand, member, begin, end;
  };

  /// Packs short rows first.
  void runShortRows(const Task &what, char *to) const {
    const ReductionSubtree &tree = trees[what.tree];
    int64_t inRow = members * cols * width, n = what.end - what.begin;
    llvm::SmallVector<char, 4096> packed;
    packed.resize_for_overwrite(tree.count * n * cols * width);
    llvm::SmallVector<const void *, 16> from;
    for (int32_t i = 0; i < tree.count; ++i) {
      char *place = packed.data() + i * n * cols * width;
      copyBox(place, {cols * width, width},
              input(what.operand, locals[firstLocal[what.tree] + i]) +
                  what.begin * inRow + what.member * cols * width,
              {inRow, width}, {n, cols}, width);
      from.push_back(place);
    }
    if (tree.count == 1)
      std::memcpy(to, packed.data(), n * cols * width);
    else
      reduction.runSubtree(from.data(), tree.count, to, 0, n * cols);
  }

  int64_t rows = 0, cols = 0;
  std::vector<Task> tasks;
  /// By local member: the results for its piece, own and of the peers.
  llvm::SmallVector<llvm::SmallVector<Results, 4>, 4> finishing;
};
} // namespace

std::unique_ptr<Exchange>
cpu::makeAllReduceExchange(const ExchangeOperands &given) {
  return makeExchange<AllReduceExchange>(given);
}
std::unique_ptr<Exchange>
cpu::makeReduceScatterExchange(const ExchangeOperands &given) {
  return makeExchange<ReduceScatterExchange>(given);
}
