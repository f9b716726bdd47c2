//===- reducer.h - classify reducer regions ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The bodies of reduce, reduce_window, all_reduce, reduce_scatter and scatter
// take n current values and n new ones and return n combined ones. Partial sums
// (or maxima, ...) may be combined across devices if each pair is combined by
// one associative op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_REDUCER_H
#define SHARDWRIGHT_RULES_REDUCER_H

#include "shardwright/mesh/sharding.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"

#include <optional>

namespace shardwright {

/// On i1, Add, Max and Or agree, and so do Mul, Min and And.
enum class ReducerKind : uint8_t { Add, Mul, Max, Min, And, Or, Xor };

/// Name of the StableHLO op of this kind.
llvm::StringRef stringify(ReducerKind kind);

/// The reducer that combines partial values of this kind.
ReducerKind reducerOf(ReductionKind kind);
/// The kind of the partial values that the reducer combines; none for reducers
/// that no sharding can name.
std::optional<ReductionKind> reductionKindOf(ReducerKind kind);

/// For each result of the region: the op that combines arguments i and n + i
/// (in either order) into result i, or none if it is anything else. Empty if
/// the region is not one block of 2n arguments that returns n values.
llvm::SmallVector<std::optional<ReducerKind>>
classifyReducer(mlir::Region &body);

/// The kind if it is the same for all results.
std::optional<ReducerKind> uniformReducer(mlir::Region &body);

/// The scalar e with kind(e, x) = x for all x of the type; null where there is
/// none. Sums start at +0, which loses the sign of a sum of -0 only. Signless
/// integers are signed.
mlir::TypedAttr identityElement(ReducerKind kind, mlir::Type elementType);

/// Creates a splat constant of that element.
mlir::DenseElementsAttr splatOf(mlir::ShapedType type, mlir::TypedAttr element);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_REDUCER_H
