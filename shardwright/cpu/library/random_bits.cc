//===- random_bits.cc - counter-based random bits -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stablehlo.rng_bit_generator, bitwise equal to XLA's CPU backend. Algorithms:
// Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/counter_random.h"
#include "shardwright/cpu/library/families.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/support/shape.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;
namespace hlo = shardwright::stablehlo;

void cpu::readRandomBits(mlir::Operation *op, LibraryCall &call) {
  auto rng = mlir::cast<hlo::RngBitGeneratorOp>(op);
  put(call, "algorithm", hlo::stringifyRngAlgorithm(rng.getRngAlgorithm()));
}

namespace {
/// Elements per task.
constexpr int64_t taskElements = 1 << 14;

/// Stores the low bits of a word.
template <typename T> void store(void *out, int64_t i, uint64_t word) {
  static_cast<T *>(out)[i] = static_cast<T>(word);
}
void storeNarrow(void *out, int64_t i, int64_t width, uint32_t word) {
  if (width == 4)
    store<uint32_t>(out, i, word);
  else if (width == 2)
    store<uint16_t>(out, i, word);
  else
    store<uint8_t>(out, i, word);
}

/// Threefry of up to 32 bits computes two words per counter. They are adjacent
/// along one dimension of `size` elements with stride `inner`.
struct Pairs {
  int64_t size = 1, half = 1, inner = 1, count = 1;
};

Pairs pairsOf(llvm::ArrayRef<int64_t> shape) {
  Pairs p;
  if (shape.empty())
    return p;
  size_t split = 0;
  bool found = false;
  for (size_t d = 0; d < shape.size() && !found; ++d)
    if (shape[d] % 2 == 0) {
      split = d;
      found = true;
    }
  if (!found)
    split = std::max_element(shape.begin(), shape.end()) - shape.begin();
  p.size = shape[split];
  p.half = (p.size + 1) / 2;
  p.inner = product(shape.drop_front(split + 1));
  p.count = product(shape.take_front(split)) * p.half * p.inner;
  return p;
}

/// Arguments of the generators; `state` is the operand.
struct Request {
  int64_t elements, width, stateWords;
  Pairs pairs;
};

void threefry(const Request &r, const uint64_t *state, void *out, int64_t begin,
              int64_t end) {
  uint32_t k0 = uint32_t(state[0]), k1 = uint32_t(state[0] >> 32);
  // Blocks, so that the rounds are vectorised.
  constexpr int64_t block = 64;
  uint32_t x0[block], x1[block];
  for (int64_t first = begin; first < end; first += block) {
    int64_t n = std::min(block, end - first);
    for (int64_t i = 0; i < n; ++i) {
      uint64_t counter = state[1] + uint64_t(first + i);
      x0[i] = uint32_t(counter);
      x1[i] = uint32_t(counter >> 32);
    }
    for (int64_t i = 0; i < n; ++i)
      threefry2x32(k0, k1, x0[i], x1[i]);
    if (r.width == 8) {
      for (int64_t i = 0; i < n; ++i)
        store<uint64_t>(out, first + i, x0[i] | uint64_t(x1[i]) << 32);
      continue;
    }
    const Pairs &p = r.pairs;
    int64_t inner = first % p.inner, along = first / p.inner % p.half;
    int64_t base = first / p.inner / p.half * p.size;
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = (base + 2 * along) * p.inner + inner;
      storeNarrow(out, at, r.width, x0[i]);
      if (2 * along + 1 < p.size)
        storeNarrow(out, at + p.inner, r.width, x1[i]);
      if (++inner < p.inner)
        continue;
      inner = 0;
      if (++along < p.half)
        continue;
      along = 0;
      base += p.size;
    }
  }
}

void philox(const Request &r, const uint64_t *state, void *out, int64_t begin,
            int64_t end) {
  // The high half of the counter: the third word of the state, or the key.
  uint64_t low = state[1], high = r.stateWords == 3 ? state[2] : state[0];
  for (int64_t b = begin; b < end; ++b) {
    PhiloxBlock x = philox4x32(state[0], low + uint64_t(b),
                               high + (low + uint64_t(b) < low));
    int64_t perBlock = r.width == 8 ? 2 : 4;
    int64_t n = std::min(perBlock, r.elements - b * perBlock);
    for (int64_t i = 0; i < n; ++i) {
      if (r.width == 8)
        store<uint64_t>(out, b * 2 + i,
                        x.word[2 * i] | uint64_t(x.word[2 * i + 1]) << 32);
      else
        storeNarrow(out, b * 4 + i, r.width, x.word[i]);
    }
  }
}
} // namespace

llvm::Expected<LibraryOp> cpu::makeRandomBits(const LibraryCall &call) {
  if (llvm::Error e = checkArity(call, 1, 2))
    return e;
  const LibraryAttribute *algorithm = find(call, "algorithm");
  const BufferType &state = call.inputs[0], &out = call.outputs[1];
  bool isThreefry = algorithm && algorithm->text == "THREE_FRY";
  Request r;
  r.elements = product(out.shape);
  r.width = byteWidth(out.type);
  bool isNarrow = out.type == ElementType::Pred ||
                  out.type == ElementType::S2 || out.type == ElementType::U2 ||
                  out.type == ElementType::S4 || out.type == ElementType::U4;
  if (isNarrow || isComplex(out.type))
    return llvm::createStringError("random bits of type " +
                                   shardwright::str(out.type) +
                                   " are not defined");
  int64_t bytes = product(state.shape) * byteWidth(state.type);
  r.stateWords = bytes / 8;
  if (bytes != 16 && (isThreefry || bytes != 24))
    return llvm::createStringError(llvm::Twine("the state of ") +
                                   (isThreefry
                                        ? "THREE_FRY should have 16 bytes"
                                        : "PHILOX should have 16 or 24 bytes") +
                                   ", got " + str(state));
  if (llvm::Error e =
          checkArray(call.outputs[0], state.type, state.shape, "the new state"))
    return e;
  if (isThreefry && r.width < 8)
    r.pairs = pairsOf(out.shape);
  // Number of counters, or of blocks, that the call consumes.
  int64_t perBlock = r.width == 8 ? 2 : 4;
  int64_t used = !isThreefry    ? (r.elements + perBlock - 1) / perBlock
                 : r.width == 8 ? r.elements
                                : r.pairs.count;
  if (r.elements == 0)
    used = 0;
  LibraryOp op;
  op.tasks = std::max<int64_t>(1, (used + taskElements - 1) / taskElements);
  op.costNs = 50 + 2.5 * double(used);
  op.run = [r, isThreefry, used](const LibraryBuffers &b, int64_t begin,
                                 int64_t end) {
    uint64_t state[3] = {0, 0, 0};
    std::memcpy(state, b.inputs[0], r.stateWords * 8);
    int64_t first = begin * taskElements;
    int64_t last = std::min(used, end * taskElements);
    if (isThreefry)
      threefry(r, state, b.outputs[1], first, last);
    else
      philox(r, state, b.outputs[1], first, last);
    if (begin == 0) {
      uint64_t before = state[1];
      state[1] += uint64_t(used);
      state[2] += state[1] < before;
      std::memcpy(b.outputs[0], state, r.stateWords * 8);
    }
    return llvm::Error::success();
  };
  return op;
}
