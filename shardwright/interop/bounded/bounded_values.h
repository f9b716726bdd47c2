//===- bounded_values.h - padded tensors and their sizes --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to sw-pad-bounded.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_VALUES_H
#define SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_VALUES_H

#include "shardwright/interop/expand/op_builder.h"

#include "llvm/ADT/DenseMap.h"

namespace shardwright::bounded {

/// One dimension: its bound, and the number of used elements (an i32 scalar;
/// null: all).
struct Extent {
  int64_t bound = 0;
  mlir::Value used;
};
using Extents = llvm::SmallVector<Extent, 4>;
using Dims = llvm::ArrayRef<int64_t>;

/// Builds ops before a given one.
struct BoundedBuilder : op_expansion::StaticBuilder {
  using StaticBuilder::StaticBuilder;

  mlir::RankedTensorType sizeType() {
    return mlir::RankedTensorType::get({}, b.getI32Type());
  }
  mlir::Value number(int64_t value) {
    return splat(static_cast<double>(value), sizeType());
  }
  mlir::Value used(const Extent &extent) {
    return extent.used ? extent.used : number(extent.bound);
  }
  /// Quotient of sizes, rounded up.
  mlir::Value ceilDivide(mlir::Value x, int64_t y);
  mlir::Value atLeastZero(mlir::Value x);
  mlir::Value compare(mlir::Value x, mlir::Value y,
                      stablehlo::ComparisonDirection direction);
  mlir::Value select(mlir::Value predicate, mlir::Value x, mlir::Value y);
  /// An i1 mask of that shape: inside of the used part in each of `dims`.
  mlir::Value inside(Dims shape, const Extents &extents, Dims dims);
  /// Replaces elements beyond the used part in one of `dims` by `fill` (a
  /// scalar); returns x if all elements are used.
  mlir::Value masked(mlir::Value x, const Extents &extents, Dims dims,
                     mlir::Value fill);
  mlir::Value maskedByZero(mlir::Value x, const Extents &extents, Dims dims);
  /// Sliced or padded at the end of each dimension.
  mlir::Value resized(mlir::Value x, Dims shape);
  /// result[.., i, ..] = x[.., indices[i], ..] along `dim`; indices: i32[n],
  /// clamped.
  mlir::Value takeAlong(mlir::Value x, int64_t dim, mlir::Value indices);
  /// Element i of a list of sizes, of any integer type, as i32 scalar.
  mlir::Value element(mlir::Value list, int64_t i);
  /// 0, 1, .. n-1 as i32[n].
  mlir::Value counting(int64_t n);
  /// Broadcasts a scalar to i32[n].
  mlir::Value spread(mlir::Value scalar, int64_t n);
};

/// The extents of the values processed so far.
class Values {
public:
  bool isBounded(mlir::Value value) const { return extents.contains(value); }
  /// The extents of any ranked tensor.
  Extents of(mlir::Value value) const;
  /// Gives `value` the padded shape and records its sizes.
  void set(mlir::Value value, const Extents &of);
  void forget(mlir::Value value) { extents.erase(value); }

private:
  llvm::DenseMap<mlir::Value, Extents> extents;
};

/// Replaces `op` by `value`, which gets its shardings and other attributes.
void replace(mlir::Operation *op, mlir::Value value);

using op_expansion::constantIntegers;

/// True for types with a dimension of unknown size.
bool isDynamic(mlir::Type type);
/// Bounds of the unknown dimensions, sizes of the others; fails if a dimension
/// has no bound.
mlir::FailureOr<Extents> declaredExtents(mlir::RankedTensorType type);

/// Rewrites an op with padded operands to the equivalent op on padded tensors.
/// Not for ops with regions that are not scalar functions.
mlir::LogicalResult padOp(mlir::Operation *op, Values &values);

} // namespace shardwright::bounded

#endif // SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_VALUES_H
