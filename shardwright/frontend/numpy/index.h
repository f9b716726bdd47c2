//===- index.h - subscripts and indexed updates -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_INDEX_H
#define SHARDWRIGHT_FRONTEND_NUMPY_INDEX_H

#include "shardwright/frontend/primitives/lax.h"

#include <concepts>

namespace shardwright::frontend {

/// One part of a subscript: an integer, a slice, newAxis, ellipsis, an array of
/// integers, or a mask (booleans, whose elements must be known).
struct Index {
  enum class Kind { At, Range, NewAxis, Ellipsis, Array } kind = Kind::At;
  int64_t start = 0, stop = 0, step = 1;
  bool hasStart = false, hasStop = false;
  Tensor array; ///< of Kind::Array
  template <std::integral I> Index(I i) : start(static_cast<int64_t>(i)) {
    if constexpr (std::same_as<I, bool>) {
      kind = Kind::Array;
      array = Tensor(i);
    }
  }
  Index(const Tensor &positions) : kind(Kind::Array), array(positions) {}
  explicit Index(Kind k) : kind(k) {}
};
/// start:stop:step, where `none` stands for the end of the dimension.
Index slice(std::optional<int64_t> start = {}, std::optional<int64_t> stop = {},
            int64_t step = 1);
inline const Index newAxis{Index::Kind::NewAxis};
inline const Index ellipsis{Index::Kind::Ellipsis};

/// How x.at(..) reads subscripts. JAX: the keyword arguments of
/// x.at[...].get(..).
struct AtOptions {
  /// What happens out of bounds. By default, `get` clips and updates drop.
  std::optional<GatherMode> mode = {};
  /// The element out of bounds with FillOrDrop: a scalar. By default NaN, the
  /// least integer, the greatest unsigned integer, or true.
  std::optional<Tensor> fillValue = {};
  bool indicesAreSorted = false, uniqueIndices = false;
  /// Negative positions count from the end.
  bool wrapNegativeIndices = true;
  /// The spec of the result on Explicit axes of the mesh in context.
  std::optional<PartitionSpec> outSharding = {};
};

/// A part of an array that is to be changed in a copy. JAX: x.at[...].
class IndexUpdate {
public:
  IndexUpdate(Tensor t, std::vector<Index> i)
      : x(std::move(t)), indices(std::move(i)) {}
  Tensor get(const AtOptions &options = {}) const;
  Tensor set(const Tensor &y, const AtOptions &options = {}) const;
  Tensor add(const Tensor &y, const AtOptions &options = {}) const;
  Tensor subtract(const Tensor &y, const AtOptions &options = {}) const;
  Tensor multiply(const Tensor &y, const AtOptions &options = {}) const;
  Tensor mul(const Tensor &y, const AtOptions &options = {}) const {
    return multiply(y, options);
  }
  Tensor divide(const Tensor &y, const AtOptions &options = {}) const;
  Tensor power(const Tensor &y, const AtOptions &options = {}) const;
  Tensor min(const Tensor &y, const AtOptions &options = {}) const;
  Tensor max(const Tensor &y, const AtOptions &options = {}) const;
  /// Applies a function of a scalar to each of the elements, as often as it is
  /// named. It has no derivative.
  Tensor apply(const std::function<Tensor(const Tensor &)> &function,
               const AtOptions &options = {}) const;

private:
  Tensor x;
  std::vector<Index> indices;
};
template <typename... Indices>
Tensor Tensor::operator[](Indices... indices) const {
  return index({Index(indices)...});
}
template <typename... Indices>
IndexUpdate Tensor::at(Indices... indices) const {
  return IndexUpdate(*this, {Index(indices)...});
}

/// What `take` does out of bounds.
enum class TakeMode {
  Fill, ///< gives NaN, the least integer, the greatest unsigned one, or true
  Clip, ///< takes the nearest element
  Wrap, ///< counts modulo the size
};
struct TakeOptions {
  TakeMode mode = TakeMode::Fill;
  std::optional<Tensor> fillValue = {}; ///< of Fill: a scalar
  bool uniqueIndices = false, indicesAreSorted = false;
};
/// Elements or slices at these positions along an axis; none: of the flattened
/// array.
Tensor take(const Tensor &x, const Tensor &indices,
            std::optional<int64_t> axis = {}, const TakeOptions &options = {});
/// One element of each row along an axis; `indices` has the rank of x, and
/// sizes that are equal or 1. No axis: of the flattened array.
Tensor takeAlongAxis(const Tensor &x, const Tensor &indices,
                     std::optional<int64_t> axis = -1,
                     const TakeOptions &options = {});

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_INDEX_H
