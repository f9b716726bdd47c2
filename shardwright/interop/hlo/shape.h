//===- shape.h - shapes of HLO values ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// xla.ShapeProto: arrays, tokens, and tuples of these. StableHLO has no tuples
// here: a value of tuple shape is the list of its leaves, in order. An empty
// tuple has none.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_SHAPE_H
#define SHARDWRIGHT_INTEROP_HLO_SHAPE_H

#include "shardwright/interop/hlo/proto_message.h"

#include "mlir/IR/BuiltinTypes.h"

#include <limits>
#include <vector>

namespace shardwright::hlo {

/// xla.PrimitiveType: what is not an element type.
enum : int64_t { kTuple = 13, kOpaque = 14, kToken = 17, kBuffer = 34 };

/// The size of a dynamic dimension without a bound.
inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();

struct Shape {
  /// xla.PrimitiveType.
  int64_t type = 0;
  llvm::SmallVector<int64_t, 4> dims;
  /// True for dimensions whose size is an upper bound, or kUnbounded; empty if
  /// none is.
  llvm::SmallVector<bool, 4> isDynamic;
  /// Dimensions from the fastest to the slowest in memory; empty: row-major.
  llvm::SmallVector<int64_t, 4> minorToMajor;
  /// Of a tuple, and the position of the first leaf of each.
  std::vector<Shape> elements;
  std::vector<int64_t> firstLeaf;

  bool isTuple() const { return type == kTuple; }
  bool isToken() const { return type == kToken; }
  /// The number of leaves: arrays and tokens.
  int64_t numLeaves() const { return leafCount; }
  /// The arrays and tokens, in order.
  void appendLeaves(llvm::SmallVectorImpl<const Shape *> &leaves) const;
  /// The leaf at an index into nested tuples, in the order of the leaves; none
  /// if the index does not lead to an array or token.
  std::optional<int64_t> leafAt(llvm::ArrayRef<int64_t> index) const;
  /// As XLA prints it: `f32[2,3]`.
  std::string str() const;

  int64_t leafCount = 1;
};

/// Reads a shape. Errors: unknown element types, sizes that are negative or
/// whose product does not fit 63 bits, ranks above `maxRank`, layouts that are
/// no permutation, sparse layouts.
llvm::Expected<Shape> readShape(const ProtoMessage &message);

/// The type of an element of this xla.PrimitiveType; null if it is none.
mlir::Type elementType(mlir::MLIRContext *context, int64_t primitive);
/// The name that XLA prints: `bf16`.
llvm::StringRef primitiveName(int64_t primitive);

/// The type of an array or a token. Dynamic dimensions become `?`, with their
/// bound.
mlir::Type leafType(mlir::MLIRContext *context, const Shape &leaf);
/// The types of all leaves.
llvm::SmallVector<mlir::Type> leafTypes(mlir::MLIRContext *context,
                                        const Shape &shape);

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_SHAPE_H
