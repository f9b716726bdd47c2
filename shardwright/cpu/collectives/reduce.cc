//===- reduce.cc - reduction of several devices' buffers ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/reduce.h"

#include "shardwright/support/narrow_float.h"
#include "shardwright/support/simd_level.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {
#define SIMD_KERNELS "shardwright/cpu/collectives/reduce_kernels.inc"
#include "shardwright/support/simd_variants.inc"

template <typename T> T combine(ReduceKind kind, T a, T b) {
  switch (kind) {
  case ReduceKind::Add:
    return base::AddOp::apply(a, b);
  case ReduceKind::Mul:
    return base::MulOp::apply(a, b);
  case ReduceKind::Max:
    return base::MaxOp::apply(a, b);
  default:
    return base::MinOp::apply(a, b);
  }
}

/// 2- and 4-bit integers are computed as bytes. Sums and products are wrapped
/// to the type at the end.
void wrapNarrow(const Reduction &r, const void *sums, void *out, int64_t n) {
  int unused = r.type == ElementType::S2 || r.type == ElementType::U2 ? 6 : 4;
  bool isSigned = isSignedInteger(r.type);
  for (int64_t i = 0; i < n; ++i) {
    uint8_t top = uint8_t(static_cast<const uint8_t *>(sums)[i] << unused);
    static_cast<uint8_t *>(out)[i] =
        uint8_t(isSigned ? int8_t(top) >> unused : top >> unused);
  }
}

template <typename T> Reduction::Functions narrow(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Add:
    return {base::leavesOf<base::AddOp, base::Native<uint8_t>>,
            base::combineOf<base::AddOp, uint8_t>, wrapNarrow};
  case ReduceKind::Mul:
    return {base::leavesOf<base::MulOp, base::Native<uint8_t>>,
            base::combineOf<base::MulOp, uint8_t>, wrapNarrow};
  case ReduceKind::Max:
    return base::native<base::MaxOp, T>();
  default:
    return base::native<base::MinOp, T>();
  }
}

void leavesOfF8(const Reduction &r, const void *const *leaves, int64_t count,
                void *result, int64_t n, bool accumulates) {
  const float *table = f8Table(r.type);
  float *out = static_cast<float *>(result);
  for (int64_t i = 0; i < n; ++i) {
    auto leaf = [&](int64_t j) {
      return table[static_cast<const uint8_t *>(leaves[j])[i]];
    };
    float sum = leaf(0);
    if (count > 1)
      sum = combine(r.kind, sum, leaf(1));
    if (count > 2)
      sum = combine(r.kind, sum,
                    count == 3 ? leaf(2) : combine(r.kind, leaf(2), leaf(3)));
    out[i] = accumulates ? combine(r.kind, out[i], sum) : sum;
  }
}
void combineF8(const Reduction &r, void *result, const void *other, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float &out = static_cast<float *>(result)[i];
    out = combine(r.kind, out, static_cast<const float *>(other)[i]);
  }
}
void storeF8(const Reduction &r, const void *sums, void *out, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    static_cast<uint8_t *>(out)[i] =
        floatToF8(r.type, static_cast<const float *>(sums)[i]);
}

/// Kernels compute blocks of a fixed size: shorter ones are padded with zeros.
void combineByKernel(const Reduction &r, void *result, const void *other,
                     int64_t n) {
  constexpr int64_t widest = 16;
  alignas(64) char buffers[3][reduceKernelElements * widest];
  int64_t width = byteWidth(r.type), bytes = n * width;
  auto pad = [&](char *to, const void *from) {
    std::memcpy(to, from, bytes);
    std::memset(to + bytes, 0, reduceKernelElements * width - bytes);
  };
  pad(buffers[0], result);
  pad(buffers[1], other);
  void *operands[] = {buffers[0], buffers[1], buffers[2]};
  r.kernel(operands, 0, r.iterations);
  std::memcpy(result, buffers[2], bytes);
}
void leavesByKernel(const Reduction &r, const void *const *leaves,
                    int64_t count, void *out, int64_t n, bool accumulates) {
  int64_t bytes = n * byteWidth(r.type);
  alignas(64) char sums[2][reduceKernelElements * 16];
  std::memcpy(sums[0], leaves[0], bytes);
  if (count > 1)
    combineByKernel(r, sums[0], leaves[1], n);
  if (count > 2) {
    std::memcpy(sums[1], leaves[2], bytes);
    if (count > 3)
      combineByKernel(r, sums[1], leaves[3], n);
    combineByKernel(r, sums[0], sums[1], n);
  }
  if (accumulates)
    combineByKernel(r, out, sums[0], n);
  else
    std::memcpy(out, sums[0], bytes);
}

/// A tree over operands, a block of elements at a time.
class Tree {
public:
  explicit Tree(const Reduction &reduction)
      : r(reduction), width(byteWidth(r.type)),
        sumWidth(byteWidth(r.accumulator())),
        blockElements(r.kernel ? reduceKernelElements : 4096 / sumWidth) {}

  /// Memory for the right children of a path from the root to a leaf.
  void reserve(int64_t operands) {
    int64_t levels = 0;
    for (int64_t n = operands; n > 4; n = leftOperands(n))
      ++levels;
    scratch.resize_for_overwrite((levels + 1) * blockElements * sumWidth);
  }
  /// The place of the sums of a block that are rounded afterwards.
  char *rootSums() { return scratch.data(); }

  /// out := operands [first, first + count) from element `begin` on.
  void operands(const void *const *inputs, int64_t count, int64_t begin,
                char *out, int64_t n, int64_t level = 1) {
    if (count <= 4)
      return leaves(inputs, count, begin, out, n, false);
    int64_t left = leftOperands(count), right = count - left;
    operands(inputs, left, begin, out, n, level);
    if (right <= 4)
      return leaves(inputs + left, right, begin, out, n, true);
    char *sums = at(level);
    operands(inputs + left, right, begin, sums, n, level + 1);
    r.functions.combine(r, out, sums, n);
  }

  /// The same for operands in parts, of which it takes those that make `count`
  /// operands.
  void parts(llvm::ArrayRef<Reduction::Part> &given, int64_t count,
             int64_t begin, char *out, int64_t n, int64_t level = 1) {
    if (given.front().count == count) {
      Reduction::Part part = given.front();
      given = given.drop_front();
      if (count == 1)
        return leaves(&part.data, 1, begin, out, n, false);
      std::memcpy(out, sumsAt(part, begin), n * sumWidth);
      return;
    }
    int64_t left = leftOperands(count), right = count - left;
    parts(given, left, begin, out, n, level);
    if (given.front().count == right) {
      Reduction::Part part = given.front();
      given = given.drop_front();
      if (right == 1)
        return leaves(&part.data, 1, begin, out, n, true);
      return r.functions.combine(r, out, sumsAt(part, begin), n);
    }
    char *sums = at(level);
    parts(given, right, begin, sums, n, level + 1);
    r.functions.combine(r, out, sums, n);
  }

  const Reduction &r;
  const int64_t width, sumWidth, blockElements;

private:
  char *at(int64_t level) {
    return scratch.data() + level * blockElements * sumWidth;
  }
  const char *sumsAt(const Reduction::Part &part, int64_t begin) const {
    return static_cast<const char *>(part.data) + begin * sumWidth;
  }
  void leaves(const void *const *inputs, int64_t count, int64_t begin,
              char *out, int64_t n, bool accumulates) {
    const void *pointers[4];
    for (int64_t i = 0; i < count; ++i)
      pointers[i] = static_cast<const char *>(inputs[i]) + begin * width;
    r.functions.leaves(r, pointers, count, out, n, accumulates);
  }

  llvm::SmallVector<char, 8192> scratch;
};
} // namespace

void Reduction::run(const void *const *inputs, int64_t count, void *out,
                    int64_t begin, int64_t end) const {
  Tree tree(*this);
  tree.reserve(count);
  for (int64_t i = begin; i < end; i += tree.blockElements) {
    int64_t n = std::min(tree.blockElements, end - i);
    char *to = static_cast<char *>(out) + i * tree.width;
    char *sums = functions.store ? tree.rootSums() : to;
    tree.operands(inputs, count, i, sums, n);
    if (functions.store)
      functions.store(*this, sums, to, n);
  }
}

void Reduction::runSubtree(const void *const *inputs, int64_t count, void *out,
                           int64_t begin, int64_t end) const {
  Tree tree(*this);
  tree.reserve(count);
  for (int64_t i = begin; i < end; i += tree.blockElements)
    tree.operands(inputs, count, i,
                  static_cast<char *>(out) + (i - begin) * tree.sumWidth,
                  std::min(tree.blockElements, end - i));
}

void Reduction::finish(llvm::ArrayRef<Part> parts, void *out, int64_t n) const {
  int64_t count = 0;
  for (const Part &part : parts)
    count += part.count;
  Tree tree(*this);
  tree.reserve(2 * count); // parts of one operand are levels too
  for (int64_t i = 0; i < n; i += tree.blockElements) {
    int64_t size = std::min(tree.blockElements, n - i);
    char *to = static_cast<char *>(out) + i * tree.width;
    char *sums = functions.store ? tree.rootSums() : to;
    llvm::ArrayRef<Part> given = parts;
    tree.parts(given, count, i, sums, size);
    if (functions.store)
      functions.store(*this, sums, to, size);
  }
}

ElementType Reduction::accumulator() const {
  return functions.store && isFloat(type) ? ElementType::F32 : type;
}

Reduction Reduction::withKernel(ElementType type, const Kernel &kernel) {
  Reduction r{type,
              ReduceKind::Add,
              {leavesByKernel, combineByKernel, nullptr},
              kernel.function,
              kernel.iterations};
  return r;
}

llvm::StringRef cpu::str(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Add:
    return "add";
  case ReduceKind::Mul:
    return "mul";
  case ReduceKind::Max:
    return "max";
  case ReduceKind::Min:
    return "min";
  case ReduceKind::And:
    return "and";
  case ReduceKind::Or:
    return "or";
  case ReduceKind::Xor:
    return "xor";
  }
  return "?";
}

llvm::Expected<Reduction> Reduction::create(ElementType type, ReduceKind kind) {
  Reduction r{type, kind, {}};
  bool isBitwise = kind == ReduceKind::And || kind == ReduceKind::Or ||
                   kind == ReduceKind::Xor;
  bool isOrder = kind == ReduceKind::Max || kind == ReduceKind::Min;
  if ((isBitwise && (isFloat(type) || isComplex(type))) ||
      (isOrder && isComplex(type)))
    return llvm::createStringError(llvm::Twine("there is no reduction '") +
                                   str(kind) + "' on " +
                                   shardwright::str(type));
  bool isNarrow = type == ElementType::S2 || type == ElementType::U2 ||
                  type == ElementType::S4 || type == ElementType::U4;
  if (isFloat(type) && byteWidth(type) == 1) {
    r.functions = {leavesOfF8, combineF8, storeF8};
    return r;
  }
  if (isNarrow && !isBitwise) {
    r.functions =
        isSignedInteger(type) ? narrow<int8_t>(kind) : narrow<uint8_t>(kind);
    return r;
  }
  switch (simdLevel()) {
#if defined(__x86_64__)
  case SimdLevel::V4:
    r.functions = v4::select(type, kind);
    break;
  case SimdLevel::V3:
    r.functions = v3::select(type, kind);
    break;
#endif
  default:
    r.functions = base::select(type, kind);
  }
  return r;
}
