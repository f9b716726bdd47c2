//===- reshape_factors.cc - common factors of two shapes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/reshape_factors.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace shardwright;
using llvm::ArrayRef;

namespace {

/// One shape on the walk from major to minor. `entered` is the product of the
/// dimensions up to the current one, `covered` that of the factors so far.
struct Side {
  ArrayRef<int64_t> shape;
  size_t dim = 0;
  int64_t entered = 1, covered = 1;

  bool done() const { return dim >= shape.size(); }
  bool atOne() const { return !done() && shape[dim] == 1; }
  int64_t current() const { return done() ? -1 : int64_t(dim); }
  /// Remaining factor of the current dimension.
  int64_t left() const { return entered / covered; }

  void enter() {
    if (!done() && entered == covered)
      entered *= shape[dim];
  }
  void leave() {
    if (!done() && entered == covered)
      ++dim;
  }
};

} // namespace

/// Size of the next factor of `behind`: up to the position of the other side if
/// that divides; otherwise the part that the other side cannot share; otherwise
/// the rest.
static int64_t catchUp(const Side &behind, const Side &ahead, int64_t common) {
  int64_t left = behind.left();
  if (ahead.covered % behind.covered == 0) {
    int64_t gap = ahead.covered / behind.covered;
    if (left % gap == 0)
      return gap;
  }
  return left > common ? left / common : left;
}

static std::optional<int64_t> numElements(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    if (size <= 0 || llvm::MulOverflow(product, size, product))
      return std::nullopt;
  return product;
}

std::optional<llvm::SmallVector<ReshapeFactor>>
shardwright::reshapeFactors(ArrayRef<int64_t> in, ArrayRef<int64_t> out,
                            bool joinCoprime) {
  std::optional<int64_t> count = numElements(in);
  if (!count || count != numElements(out))
    return std::nullopt;

  llvm::SmallVector<ReshapeFactor> factors;
  Side a{in}, b{out};
  while (!a.done() || !b.done()) {
    if (a.atOne()) {
      factors.push_back({int64_t(a.dim++), -1, 1});
      continue;
    }
    if (b.atOne()) {
      factors.push_back({-1, int64_t(b.dim++), 1});
      continue;
    }
    a.enter();
    b.enter();
    int64_t common = std::gcd(a.left(), b.left());
    if (a.covered == b.covered && common > 1) {
      factors.push_back({a.current(), b.current(), common});
      a.covered *= common;
      b.covered *= common;
    } else if (a.covered == b.covered) {
      if (joinCoprime) {
        factors.push_back({a.current(), b.current(), a.left(), false});
      } else {
        factors.push_back({a.current(), -1, a.left()});
        factors.push_back({-1, b.current(), b.left()});
      }
      a.covered = a.entered;
      b.covered = b.entered;
    } else if (a.covered < b.covered) {
      int64_t size = catchUp(a, b, common);
      factors.push_back({a.current(), -1, size});
      a.covered *= size;
    } else {
      int64_t size = catchUp(b, a, common);
      factors.push_back({-1, b.current(), size});
      b.covered *= size;
    }
    a.leave();
    b.leave();
  }
  return factors;
}
