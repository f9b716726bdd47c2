//===- exchange_move.cc - data movement between processes -----------------===//
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

/// Bytes that one task copies.
constexpr int64_t taskBytes = 1 << 17;
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Operands are sent from where they are. They are received in the first
/// member's output if they are contiguous there, else in `staging`.
class AllGatherExchange final : public Exchange {
public:
  explicit AllGatherExchange(const ExchangeOperands &given) : Exchange(given) {
    llvm::ArrayRef<int64_t> in = spec.inputShape;
    rows = product(in.take_front(spec.dim));
    rowBytes = product(in.drop_front(spec.dim)) * width;
  }

  bool prepare() {
    int64_t bytes = plan.inputBytes();
    int64_t remote = members - int64_t(localIndices.size());
    bool isContiguous = rows == 1;
    if (!allocate(isContiguous ? 0 : operands * remote * bytes))
      return false;
    stages.resize(2);
    sources.resize(operands * members);
    for (int64_t k = 0; k < operands; ++k)
      for (auto [m, index] : llvm::enumerate(localIndices)) {
        sources[k * members + index] = input(k, m);
        for (const Side &peer : peers)
          send(0, peer.process, input(k, m), bytes);
      }
    char *next = staging;
    for (int64_t k = 0; k < operands; ++k)
      for (const Side &peer : peers)
        for (int32_t index : peer.indices) {
          char *to = isContiguous ? output(k, 0) + index * bytes : next;
          next += isContiguous ? 0 : bytes;
          sources[k * members + index] = to;
          receive(0, peer.process, to, bytes);
        }
    rowStep = std::max<int64_t>(1, taskBytes / std::max<int64_t>(rowBytes, 1));
    stages[1].tasks =
        bytes == 0 ? 0 : operands * members * ceilDiv(rows, rowStep);
    return true;
  }

  void run(size_t, int64_t task) override {
    int64_t blocks = ceilDiv(rows, rowStep), row = task % blocks * rowStep;
    int64_t source = task / blocks % members, k = task / blocks / members;
    int64_t n = std::min(rowStep, rows - row), outRow = members * rowBytes;
    const char *from = sources[k * members + source] + row * rowBytes;
    for (size_t m = 0; m < localIndices.size(); ++m) {
      char *to = output(k, m) + row * outRow + source * rowBytes;
      if (to != from)
        copyBox(to, {outRow, width}, from, {rowBytes, width},
                {n, rowBytes / width}, width);
    }
  }

private:
  int64_t rows = 0, rowBytes = 0, rowStep = 1;
  std::vector<const char *> sources; ///< [operand][member]
};

/// The part of each pair of members is one block of a message: [operand]
/// [source][receiver].
class AllToAllExchange final : public Exchange {
public:
  explicit AllToAllExchange(const ExchangeOperands &given)
      : Exchange(given), part(spec.inputShape) {
    part[spec.dim] /= members;
    partBytes = product(part) * width;
    inStrides = rowMajorStrides(spec.inputShape, width);
    outStrides = rowMajorStrides(spec.outputShape, width);
    partStrides = rowMajorStrides(part, width);
  }

  bool prepare() {
    int64_t local = int64_t(localIndices.size()), bytes = 0;
    llvm::SmallVector<int64_t, 4> toPeer, fromPeer;
    for (const Side &peer : peers) {
      int64_t size =
          operands * local * int64_t(peer.indices.size()) * partBytes;
      toPeer.push_back(bytes);
      fromPeer.push_back(bytes + size);
      bytes += 2 * size;
    }
    if (!allocate(bytes))
      return false;
    stages.resize(2);
    for (auto [p, peer] : llvm::enumerate(peers)) {
      int64_t remote = int64_t(peer.indices.size());
      int64_t size = operands * local * remote * partBytes;
      char *out = staging + toPeer[p], *in = staging + fromPeer[p];
      send(0, peer.process, out, size);
      receive(0, peer.process, in, size);
      for (int64_t k = 0; k < operands; ++k)
        for (int64_t m = 0; m < local; ++m)
          for (auto [r, receiver] : llvm::enumerate(peer.indices)) {
            packs.push_back(
                {k, m, receiver,
                 out + ((k * local + m) * remote + int64_t(r)) * partBytes});
            unpacks.push_back(
                {k, m, receiver,
                 in + ((k * remote + int64_t(r)) * local + m) * partBytes});
          }
    }
    for (int64_t k = 0; k < operands; ++k)
      for (int64_t m = 0; m < local; ++m)
        for (int32_t source : localIndices)
          unpacks.push_back({k, m, source, nullptr});
    stages[0].tasks = partBytes == 0 ? 0 : int64_t(packs.size());
    stages[1].tasks = partBytes == 0 ? 0 : int64_t(unpacks.size());
    return true;
  }

  void run(size_t stage, int64_t task) override {
    if (stage == 0) {
      const Copy &copy = packs[task];
      copyBox(copy.staged, partStrides,
              partFor(copy.operand, copy.local, copy.other), inStrides, part,
              width);
      return;
    }
    const Copy &copy = unpacks[task];
    int64_t concat = part[spec.concatDim] * outStrides[spec.concatDim];
    char *to = output(copy.operand, copy.local) + copy.other * concat;
    if (copy.staged)
      copyBox(to, outStrides, copy.staged, partStrides, part, width);
    else
      copyBox(
          to, outStrides,
          partFor(copy.operand, localOf(copy.other), localIndices[copy.local]),
          inStrides, part, width);
  }

private:
  /// Between a local member and another one; null: within this process.
  struct Copy {
    int64_t operand, local;
    int32_t other; ///< index in the group
    char *staged;
  };
  /// The part of a local member's input for a receiver.
  const char *partFor(int64_t operand, int64_t local, int32_t receiver) const {
    return input(operand, local) +
           receiver * part[spec.dim] * inStrides[spec.dim];
  }

  Shape part;
  int64_t partBytes = 0;
  decltype(rowMajorStrides(Shape(), 1)) inStrides, outStrides, partStrides;
  std::vector<Copy> packs, unpacks;
};

class BroadcastExchange final : public Exchange {
public:
  explicit BroadcastExchange(const ExchangeOperands &given)
      : Exchange(given), root(localOf(0)) {}

  bool prepare() {
    stages.resize(2);
    int64_t bytes = plan.inputBytes();
    for (int64_t k = 0; k < operands; ++k)
      for (const Side &peer : peers)
        if (root >= 0)
          send(0, peer.process, input(k, root), bytes);
        else if (llvm::is_contained(peer.indices, 0))
          receive(0, peer.process, output(k, 0), bytes);
    blocks = ceilDiv(bytes, taskBytes);
    stages[1].tasks = operands * int64_t(localIndices.size()) * blocks;
    return true;
  }

  void run(size_t, int64_t task) override {
    int64_t at = task % blocks * taskBytes;
    int64_t m = task / blocks % int64_t(localIndices.size());
    int64_t k = task / blocks / int64_t(localIndices.size());
    const char *from = root >= 0 ? input(k, root) : output(k, 0);
    if (root >= 0 || m > 0)
      std::memcpy(output(k, m) + at, from + at,
                  std::min(taskBytes, plan.inputBytes() - at));
  }

private:
  const int32_t root; ///< its index among the members here, or -1
  int64_t blocks = 0;
};
} // namespace

std::unique_ptr<Exchange>
cpu::makeAllGatherExchange(const ExchangeOperands &given) {
  return makeExchange<AllGatherExchange>(given);
}
std::unique_ptr<Exchange>
cpu::makeAllToAllExchange(const ExchangeOperands &given) {
  return makeExchange<AllToAllExchange>(given);
}
std::unique_ptr<Exchange>
cpu::makeBroadcastExchange(const ExchangeOperands &given) {
  return makeExchange<BroadcastExchange>(given);
}
