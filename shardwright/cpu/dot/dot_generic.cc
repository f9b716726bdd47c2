//===- dot_generic.cc - matrix products of any element type ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot_product.h"
#include "shardwright/support/narrow_float.h"
#include "shardwright/support/simd_level.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

/// A complex number without std::complex's special cases for infinities.
template <typename T> struct ComplexOf {
  T re = 0, im = 0;
  ComplexOf operator*(ComplexOf o) const {
    return {re * o.re - im * o.im, re * o.im + im * o.re};
  }
  ComplexOf &operator+=(ComplexOf o) {
    re += o.re;
    im += o.im;
    return *this;
  }
};

template <typename T>
using Multiply = void (*)(const T *, const T *, T *, int64_t, int64_t, int64_t);
template <typename Stored, typename Sum>
using Vector = void (*)(const Stored *, int64_t, const Sum *, Sum *, int64_t,
                        int64_t);

struct Loops {
  Multiply<float> ofFloat;
  Multiply<double> ofDouble;
  Multiply<uint32_t> ofWord;
  Multiply<uint64_t> ofLongWord;
  Multiply<ComplexOf<float>> ofComplex;
  Multiply<ComplexOf<double>> ofDoubleComplex;
  Vector<float, float> dotFloat, sumFloat;
  Vector<double, double> dotDouble, sumDouble;
  Vector<uint16_t, float> dotBf16, sumBf16, dotF16, sumF16;
};

#define SIMD_KERNELS "shardwright/cpu/dot/dot_kernels.inc"
#include "shardwright/support/simd_variants.inc"

const Loops &loops() {
  static const Loops best = [] {
    Loops l;
    switch (simdLevel()) {
#if defined(__x86_64__)
    case SimdLevel::V4:
      v4::fill(l);
      break;
    case SimdLevel::V3:
      v3::fill(l);
      break;
#endif
    default:
      base::fill(l);
    }
    return l;
  }();
  return best;
}

} // namespace

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

namespace {
struct Buffer {
  void *data = nullptr;
  int64_t bytes = 0;
  ~Buffer() { std::free(data); }
};
thread_local Buffer threadScratch[numScratch];
} // namespace

void *cpu::scratch(Scratch use, int64_t bytes) {
  Buffer &b = threadScratch[int(use)];
  if (b.bytes >= bytes && b.data)
    return b.data;
  std::free(b.data);
  bytes = (std::max<int64_t>(bytes, 4096) + 63) & -64;
  b.data = std::aligned_alloc(64, bytes);
  b.bytes = b.data ? bytes : 0;
  return b.data;
}

void cpu::trimScratch() {
  constexpr int64_t mostKept = 32 << 20;
  for (Buffer &b : threadScratch)
    if (b.bytes > mostKept) {
      std::free(b.data);
      b.data = nullptr;
      b.bytes = 0;
    }
}

//===----------------------------------------------------------------------===//
// Conversion to and from the accumulator type
//===----------------------------------------------------------------------===//

/// Calls fn(load) with a function from a byte address to Sum.
template <typename Sum, typename Fn>
static void withLoad(ElementType type, Fn fn) {
  auto plain = [&]<typename T>(T) {
    fn([](const char *p) {
      return static_cast<Sum>(*reinterpret_cast<const T *>(p));
    });
  };
  constexpr bool isFloating = std::is_floating_point_v<Sum>;
  switch (type) {
  case ElementType::Pred:
  case ElementType::U2:
  case ElementType::U4:
  case ElementType::U8:
    return plain(uint8_t());
  case ElementType::S2:
  case ElementType::S4:
  case ElementType::S8:
    return plain(int8_t());
  case ElementType::S16:
    return plain(int16_t());
  case ElementType::S32:
    return plain(int32_t());
  case ElementType::S64:
    return plain(int64_t());
  case ElementType::U16:
    return plain(uint16_t());
  case ElementType::U32:
    return plain(uint32_t());
  case ElementType::U64:
    return plain(uint64_t());
  case ElementType::C64:
  case ElementType::C128:
    return;
  default:
    break;
  }
  if constexpr (isFloating) {
    if (type == ElementType::F32)
      return plain(float());
    if (type == ElementType::F64)
      return plain(double());
    if (type == ElementType::BF16)
      return fn([](const char *p) {
        return Sum(bf16ToFloat(*reinterpret_cast<const uint16_t *>(p)));
      });
    if (type == ElementType::F16)
      return fn([](const char *p) {
        return Sum(f16ToFloat(*reinterpret_cast<const uint16_t *>(p)));
      });
    const float *table = f8Table(type);
    fn([table](const char *p) { return Sum(table[uint8_t(*p)]); });
  }
}

template <typename Sum, typename Fn>
static void withStore(ElementType type, Fn fn) {
  auto plain = [&]<typename T>(T) {
    fn([](char *p, Sum x) { *reinterpret_cast<T *>(p) = static_cast<T>(x); });
  };
  if constexpr (std::is_floating_point_v<Sum>) {
    if (type == ElementType::F32)
      return plain(float());
    if (type == ElementType::F64)
      return plain(double());
    if (type == ElementType::BF16)
      return fn([](char *p, Sum x) {
        *reinterpret_cast<uint16_t *>(p) = floatToBf16(float(x));
      });
    if (type == ElementType::F16)
      return fn([](char *p, Sum x) {
        *reinterpret_cast<uint16_t *>(p) = floatToF16(float(x));
      });
    fn([type](char *p, Sum x) {
      *reinterpret_cast<uint8_t *>(p) = floatToF8(type, float(x));
    });
  } else {
    auto narrow = [&](int unused) {
      fn([unused](char *p, Sum x) {
        *reinterpret_cast<int8_t *>(p) = int8_t(uint8_t(x << unused)) >> unused;
      });
    };
    auto unsignedNarrow = [&](int unused) {
      fn([unused](char *p, Sum x) {
        *reinterpret_cast<uint8_t *>(p) = uint8_t(x << unused) >> unused;
      });
    };
    switch (type) {
    case ElementType::Pred:
      return fn([](char *p, Sum x) { *p = x != 0; });
    case ElementType::S2:
      return narrow(6);
    case ElementType::S4:
      return narrow(4);
    case ElementType::U2:
      return unsignedNarrow(6);
    case ElementType::U4:
      return unsignedNarrow(4);
    default:
      break;
    }
    switch (byteWidth(type)) {
    case 1:
      return plain(uint8_t());
    case 2:
      return plain(uint16_t());
    case 4:
      return plain(uint32_t());
    default:
      return plain(uint64_t());
    }
  }
}

/// Converts a block of a matrix to row-major accumulators.
template <typename Sum>
static void load(const Matrices &m, int64_t rows, int64_t cols, Sum *to) {
  int64_t width = byteWidth(m.type);
  auto loop = [&](auto element) {
    if (m.rowStride == 1 && m.colStride != 1) {
      for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i)
          to[i * cols + j] = element(m.data + (i + j * m.colStride) * width);
      return;
    }
    for (int64_t i = 0; i < rows; ++i) {
      const char *row = m.data + i * m.rowStride * width;
      int64_t step = m.colStride * width;
      for (int64_t j = 0; j < cols; ++j)
        to[i * cols + j] = element(row + j * step);
    }
  };
  if constexpr (std::is_class_v<Sum>) {
    if (m.type == ElementType::C64)
      loop([](const char *p) {
        auto *z = reinterpret_cast<const float *>(p);
        return Sum{z[0], z[1]};
      });
    else if constexpr (sizeof(Sum) == 16)
      loop([](const char *p) {
        auto *z = reinterpret_cast<const double *>(p);
        return Sum{z[0], z[1]};
      });
  } else {
    withLoad<Sum>(m.type, loop);
  }
}

template <typename Sum>
static void store(const Sum *from, int64_t rows, int64_t cols,
                  const Matrices &m) {
  int64_t width = byteWidth(m.type);
  auto loop = [&](auto element) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        element(m.data + (i * m.rowStride + j * m.colStride) * width,
                from[i * cols + j]);
  };
  if constexpr (std::is_class_v<Sum>) {
    if (m.type == ElementType::C64)
      loop([](char *p, Sum z) {
        reinterpret_cast<float *>(p)[0] = float(z.re);
        reinterpret_cast<float *>(p)[1] = float(z.im);
      });
    else
      loop([](char *p, Sum z) {
        reinterpret_cast<double *>(p)[0] = z.re;
        reinterpret_cast<double *>(p)[1] = z.im;
      });
  } else {
    withStore<Sum>(m.type, loop);
  }
}

void cpu::toFloats(const Matrices &from, int64_t rows, int64_t cols,
                   float *to) {
  load<float>(from, rows, cols, to);
}
void cpu::fromFloats(const float *from, int64_t rows, int64_t cols,
                     const Matrices &to) {
  store<float>(from, rows, cols, to);
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

std::optional<Accumulator> cpu::accumulatorFor(ElementType lhs, ElementType rhs,
                                               ElementType out) {
  if (isComplex(lhs) || isComplex(rhs) || isComplex(out)) {
    if (!isComplex(lhs) || !isComplex(rhs) || !isComplex(out))
      return std::nullopt;
    bool isDouble = lhs == ElementType::C128 || rhs == ElementType::C128 ||
                    out == ElementType::C128;
    return isDouble ? Accumulator::DoubleComplex : Accumulator::Complex;
  }
  if (!isFloat(out)) {
    if (isFloat(lhs) || isFloat(rhs))
      return std::nullopt;
    return byteWidth(out) == 8 ? Accumulator::LongWord : Accumulator::Word;
  }
  // A float cannot represent all integers of 32 bits and more.
  auto isWide = [](ElementType t) {
    return t == ElementType::F64 || (!isFloat(t) && byteWidth(t) >= 4);
  };
  return isWide(lhs) || isWide(rhs) || isWide(out) ? Accumulator::Double
                                                   : Accumulator::Float;
}

template <typename Sum>
static llvm::Error blockedProduct(const Product &p, Multiply<Sum> multiply) {
  constexpr int64_t rows = 64, depth = 128, cols = 128;
  Sum *a = static_cast<Sum *>(
      scratch(Scratch::BlockLeft, rows * depth * sizeof(Sum)));
  Sum *b = static_cast<Sum *>(
      scratch(Scratch::BlockRight, depth * cols * sizeof(Sum)));
  // Sums of `depth` products, then of `fan` such sums, and so on, so that the
  // error does not grow with k (summation.h). The last level is the result.
  constexpr int64_t size = rows * cols, fan = 64;
  constexpr int levels = 3;
  Sum *sums = static_cast<Sum *>(
      scratch(Scratch::BlockResult, levels * size * sizeof(Sum)));
  Sum *c = sums + (levels - 1) * size;
  auto carry = [&](int64_t block, int64_t count) {
    for (int level = 0; level + 1 < levels; ++level, block /= fan) {
      Sum *from = sums + level * size, *to = from + size;
      for (int64_t i = 0; i < count; ++i)
        to[i] += from[i];
      std::fill(from, from + count, Sum());
      if (block % fan != 0)
        return;
    }
  };
  if (!a || !b || !sums)
    return llvm::createStringError("not enough memory");
  for (int64_t batch = 0; batch < p.batches; ++batch)
    for (int64_t i = 0; i < p.m; i += rows)
      for (int64_t j = 0; j < p.n; j += cols) {
        int64_t h = std::min(rows, p.m - i), w = std::min(cols, p.n - j);
        bool single = p.k <= depth;
        for (int level = single ? levels - 1 : 0; level < levels; ++level)
          std::fill(sums + level * size, sums + level * size + h * w, Sum());
        for (int64_t k = 0; k < p.k; k += depth) {
          int64_t d = std::min(depth, p.k - k);
          load(p.a.advanced(batch * p.a.batchStride + i * p.a.rowStride +
                            k * p.a.colStride),
               h, d, a);
          load(p.b.advanced(batch * p.b.batchStride + k * p.b.rowStride +
                            j * p.b.colStride),
               d, w, b);
          multiply(a, b, single ? c : sums, h, d, w);
          if (!single)
            carry(k + depth < p.k ? k / depth + 1 : 0, h * w);
        }
        store(c, h, w,
              p.c.advanced(batch * p.c.batchStride + i * p.c.rowStride +
                           j * p.c.colStride));
      }
  return llvm::Error::success();
}

llvm::Error cpu::genericProduct(const Product &p, Accumulator accumulator) {
  switch (accumulator) {
  case Accumulator::Float:
    return blockedProduct<float>(p, loops().ofFloat);
  case Accumulator::Double:
    return blockedProduct<double>(p, loops().ofDouble);
  case Accumulator::Word:
    return blockedProduct<uint32_t>(p, loops().ofWord);
  case Accumulator::LongWord:
    return blockedProduct<uint64_t>(p, loops().ofLongWord);
  case Accumulator::Complex:
    return blockedProduct<ComplexOf<float>>(p, loops().ofComplex);
  case Accumulator::DoubleComplex:
    return blockedProduct<ComplexOf<double>>(p, loops().ofDoubleComplex);
  }
  return llvm::createStringError("unknown accumulator");
}

//===----------------------------------------------------------------------===//
// Matrix times vector
//===----------------------------------------------------------------------===//

bool cpu::hasVectorProduct(const Product &p) {
  if (p.m != 1 && p.n != 1)
    return false;
  const Matrices &matrix = p.n == 1 ? p.a : p.b;
  return p.a.type == p.b.type &&
         (matrix.rowStride == 1 || matrix.colStride == 1) &&
         ((p.a.type == ElementType::F32 && p.c.type == ElementType::F32) ||
          (p.a.type == ElementType::F64 && p.c.type == ElementType::F64) ||
          ((p.a.type == ElementType::BF16 || p.a.type == ElementType::F16) &&
           (p.c.type == ElementType::F32 || p.c.type == p.a.type)));
}

/// p.n is 1: a is the matrix, b is the vector.
template <typename Stored, typename Sum>
static llvm::Error runVector(const Product &p, Vector<Stored, Sum> dot,
                             Vector<Stored, Sum> sum) {
  constexpr int64_t block = 1024;
  Sum y[block];
  for (int64_t batch = 0; batch < p.batches; ++batch) {
    Matrices a = p.a.advanced(batch * p.a.batchStride);
    Matrices b = p.b.advanced(batch * p.b.batchStride);
    Matrices c = p.c.advanced(batch * p.c.batchStride);
    const Sum *x = reinterpret_cast<const Sum *>(b.data);
    if (!std::is_same_v<Stored, Sum> || b.rowStride != 1) {
      Sum *packed =
          static_cast<Sum *>(scratch(Scratch::BlockLeft, p.k * sizeof(Sum)));
      if (!packed)
        return llvm::createStringError("not enough memory");
      load(b, p.k, 1, packed);
      x = packed;
    }
    for (int64_t i = 0; i < p.m; i += block) {
      int64_t n = std::min(block, p.m - i);
      auto *rows = reinterpret_cast<const Stored *>(a.data) + i * a.rowStride;
      if (a.colStride == 1)
        dot(rows, a.rowStride, x, y, n, p.k);
      else
        sum(rows, a.colStride, x, y, n, p.k);
      store(y, n, 1, c.advanced(i * c.rowStride));
    }
  }
  return llvm::Error::success();
}

llvm::Error cpu::vectorProduct(const Product &given) {
  Product p = given.n == 1 ? given : given.transposed();
  switch (p.a.type) {
  case ElementType::F32:
    return runVector<float, float>(p, loops().dotFloat, loops().sumFloat);
  case ElementType::F64:
    return runVector<double, double>(p, loops().dotDouble, loops().sumDouble);
  case ElementType::F16:
    return runVector<uint16_t, float>(p, loops().dotF16, loops().sumF16);
  default:
    return runVector<uint16_t, float>(p, loops().dotBf16, loops().sumBf16);
  }
}
