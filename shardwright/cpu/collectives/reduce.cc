//===- reduce.cc - reduction of several devices' buffers ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/reduce.h"

#include "shardwright/support/narrow_float.h"
#include "shardwright/support/simd_level.h"

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

/// 2- and 4-bit integers: arithmetic on bytes, wrapped to the type.
void reduceNarrow(const Reduction &r, const void *const *inputs, int64_t count,
                  void *out, int64_t begin, int64_t end) {
  int unused = r.type == ElementType::S2 || r.type == ElementType::U2 ? 6 : 4;
  bool isSigned = isSignedInteger(r.type);
  for (int64_t i = begin; i < end; ++i) {
    int32_t sum = 0;
    for (int64_t j = 0; j < count; ++j) {
      uint8_t byte = static_cast<const uint8_t *>(inputs[j])[i];
      int32_t x = isSigned ? int32_t(int8_t(byte)) : int32_t(byte);
      sum = j == 0 ? x : combine(r.kind, sum, x);
      uint8_t top = uint8_t(sum << unused);
      sum = isSigned ? int8_t(top) >> unused : top >> unused;
    }
    static_cast<uint8_t *>(out)[i] = uint8_t(sum);
  }
}

/// Computes in float and rounds once.
void reduceF8(const Reduction &r, const void *const *inputs, int64_t count,
              void *out, int64_t begin, int64_t end) {
  const float *table = f8Table(r.type);
  for (int64_t i = begin; i < end; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < count; ++j) {
      float x = table[static_cast<const uint8_t *>(inputs[j])[i]];
      sum = j == 0 ? x : combine(r.kind, sum, x);
    }
    static_cast<uint8_t *>(out)[i] = floatToF8(r.type, sum);
  }
}

/// Runs in blocks of the kernel's size; the last block is padded with zeros.
void reduceWithKernel(const Reduction &r, const void *const *inputs,
                      int64_t count, void *out, int64_t begin, int64_t end) {
  constexpr int64_t widest = 16;
  alignas(64) char buffers[3][reduceKernelElements * widest];
  int64_t width = byteWidth(r.type);
  auto at = [&](const void *p, int64_t i) {
    return static_cast<const char *>(p) + i * width;
  };
  for (int64_t i = begin; i < end; i += reduceKernelElements) {
    int64_t bytes = std::min(reduceKernelElements, end - i) * width;
    char *soFar = buffers[0], *next = buffers[1], *result = buffers[2];
    std::memset(soFar, 0, reduceKernelElements * width);
    std::memset(next, 0, reduceKernelElements * width);
    std::memcpy(soFar, at(inputs[0], i), bytes);
    for (int64_t j = 1; j < count; ++j) {
      std::memcpy(next, at(inputs[j], i), bytes);
      void *operands[] = {soFar, next, result};
      r.kernel(operands, 0, r.iterations);
      std::swap(soFar, result);
    }
    std::memcpy(static_cast<char *>(out) + i * width, soFar, bytes);
  }
}
} // namespace

Reduction Reduction::withKernel(ElementType type, const Kernel &kernel) {
  Reduction r{type, ReduceKind::Add, reduceWithKernel};
  r.kernel = kernel.function;
  r.iterations = kernel.iterations;
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
  Reduction r{type, kind, nullptr};
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
    r.function = reduceF8;
    return r;
  }
  if (isNarrow && !isBitwise) {
    r.function = reduceNarrow;
    return r;
  }
  switch (simdLevel()) {
#if defined(__x86_64__)
  case SimdLevel::V4:
    r.function = v4::select(type, kind);
    break;
  case SimdLevel::V3:
    r.function = v3::select(type, kind);
    break;
#endif
  default:
    r.function = base::select(type, kind);
  }
  return r;
}
