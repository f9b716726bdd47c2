//===- shape.h - sizes of the dimensions of arrays --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_SHAPE_H
#define SHARDWRIGHT_FRONTEND_BASE_SHAPE_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace shardwright::frontend {

using Ints = std::vector<int64_t>;

/// Sizes of the dimensions. Indexing never fails: negative indices count from
/// the end, and the size of a dimension that does not exist is 0.
class Shape : public Ints {
public:
  using Ints::Ints;
  Shape() = default;
  Shape(Ints dims) : Ints(std::move(dims)) {}
  int64_t rank() const { return static_cast<int64_t>(size()); }
  int64_t operator[](int64_t i) const {
    if (i < 0)
      i += rank();
    return i < 0 || i >= rank() ? 0 : Ints::operator[](i);
  }
  /// For writing; `i` must be in range.
  int64_t &at(int64_t i) { return Ints::operator[](i); }
  /// Number of elements; INT64_MAX if it is greater. It is negative or 0 if a
  /// size is negative.
  int64_t elements() const {
    int64_t n = 1;
    bool isTooLarge = false;
    for (int64_t d : *this) {
      if (d == 0)
        return 0;
      isTooLarge = isTooLarge || __builtin_mul_overflow(n, d, &n);
    }
    return isTooLarge ? INT64_MAX : n;
  }
};

/// `(3, 4)`, `(3,)`, `()`: as Python prints a tuple.
std::string tupleText(const Ints &values);
/// `3,4`.
std::string commaText(const Ints &values);
/// 0, 1, ..., n-1.
Ints iotaInts(int64_t n);
bool containsInt(const Ints &values, int64_t v);
/// The values of 0..n-1 that are not in `values`, ascending.
Ints withoutInts(int64_t n, const Ints &values);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_SHAPE_H
