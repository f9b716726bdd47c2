//===- random.cc - reproducible random inputs -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/random.h"

#include "shardwright/support/narrow_float.h"

#include <algorithm>

using namespace shardwright;

/// From Steele, Lea, Flood: Fast splittable pseudorandom number generators
/// (2014).
static uint64_t splitmix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static double uniform(uint64_t bits) {
  return double(bits >> 11) * 0x1p-52 - 1;
}
/// A number in [-1, 1), exact with 24 bits.
static float uniformFloat(uint64_t bits) {
  return float(bits >> 40) * 0x1p-23f - 1;
}

llvm::Expected<Array> shardwright::randomArray(ElementType type,
                                               llvm::ArrayRef<int64_t> shape,
                                               uint64_t seed, uint64_t stream) {
  llvm::Expected<Array> array = Array::allocate(type, shape);
  if (array)
    fillRandom(type, seed, stream, 0, array->elements(), array->data());
  return array;
}

void shardwright::fillRandom(ElementType type, uint64_t seed, uint64_t stream,
                             int64_t first, int64_t n, void *data) {
  uint64_t key = splitmix64(seed ^ splitmix64(stream));
  if (isComplex(type)) // a number for each part
    first *= 2;
  auto bits = [&](int64_t i) { return splitmix64(key + uint64_t(first + i)); };
  auto fill = [&]<typename T>(T *to, int64_t count, auto value) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(value(bits(i)));
  };
  auto small = [&](uint64_t top) {
    return [top](uint64_t b) { return (b >> 32) & top; };
  };

  switch (type) {
  case ElementType::F64:
    fill(static_cast<double *>(data), n, uniform);
    break;
  case ElementType::C128:
    fill(static_cast<double *>(data), 2 * n, uniform);
    break;
  case ElementType::F32:
    fill(static_cast<float *>(data), n, uniformFloat);
    break;
  case ElementType::C64:
    fill(static_cast<float *>(data), 2 * n, uniformFloat);
    break;
  case ElementType::BF16:
    fill(static_cast<uint16_t *>(data), n,
         [](uint64_t b) { return floatToBf16(uniformFloat(b)); });
    break;
  case ElementType::F16:
    fill(static_cast<uint16_t *>(data), n,
         [](uint64_t b) { return floatToF16(uniformFloat(b)); });
    break;
  case ElementType::Pred:
  case ElementType::S2:
    fill(static_cast<uint8_t *>(data), n, small(1));
    break;
  case ElementType::U2:
    fill(static_cast<uint8_t *>(data), n, small(3));
    break;
  case ElementType::S4:
  case ElementType::U4:
  case ElementType::S8:
  case ElementType::U8:
    fill(static_cast<uint8_t *>(data), n, small(7));
    break;
  case ElementType::S16:
  case ElementType::U16:
    fill(static_cast<uint16_t *>(data), n, small(7));
    break;
  case ElementType::S32:
  case ElementType::U32:
    fill(static_cast<uint32_t *>(data), n, small(7));
    break;
  case ElementType::S64:
  case ElementType::U64:
    fill(static_cast<uint64_t *>(data), n, small(7));
    break;
  case ElementType::F8E8M0FNU: // positive powers of two
    fill(static_cast<uint8_t *>(data), n,
         [](uint64_t b) { return 124 + ((b >> 32) & 3); });
    break;
  default:
    fill(static_cast<uint8_t *>(data), n,
         [&](uint64_t b) { return floatToF8(type, uniformFloat(b)); });
  }
}
