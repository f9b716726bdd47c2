//===- infer.h - result types of ops ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Inference of each op's result types from its operands and attributes. Every
// function checks its inputs, emits an error if `location` is given, and
// appends the result types to `types`. Dynamic dimensions stay dynamic, with a
// bound where one follows.

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_INFER_INFER_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_INFER_INFER_H

#include "shardwright/dialect/stablehlo/dialect.h"

namespace shardwright::stablehlo {

using MaybeLoc = std::optional<mlir::Location>;
using Types = llvm::SmallVectorImpl<mlir::Type>;
using Dims = llvm::ArrayRef<int64_t>;

// A tensor type of the given shape; `bounds` (empty, or one per dimension)
// apply only to dynamic sizes.
mlir::RankedTensorType tensorType(Dims shape, Dims bounds,
                                  mlir::Type elementType);

// Bounds of `type`, one per dimension; the dynamic size if there is no bound.
llvm::SmallVector<int64_t> fullBounds(mlir::RankedTensorType type);

// For messages: `[1, 0]`, with `?` for a dynamic size.
std::string dimsText(Dims dims);

// Sizes are computed in a wide type, because attributes may hold any number. A
// size that does not fit is clamped to the largest (smallest) one, which
// matches no type that can be written.
using WideSize = __int128;
int64_t clampSize(WideSize size);

// One dimension of a window; sizes in elements, the other fields as in pad.
struct WindowDim {
  int64_t size = 0, stride = 1, low = 0, high = 0, windowDilation = 1,
          baseDilation = 1;
  bool reversed = false;
};

// Checks the optional window attributes (null = default) against the number of
// window dimensions.
mlir::FailureOr<llvm::SmallVector<WindowDim>>
makeWindow(MaybeLoc loc, Dims sizes, std::optional<Dims> strides,
           mlir::DenseIntElementsAttr padding,
           std::optional<Dims> baseDilations,
           std::optional<Dims> windowDilations);

// Output size of each dimension of a window op.
llvm::SmallVector<int64_t> windowedShape(Dims base,
                                         llvm::ArrayRef<WindowDim> window);

// Elementwise
mlir::LogicalResult inferSameType(MaybeLoc loc, mlir::ValueRange operands,
                                  Types &types);
mlir::LogicalResult inferRealPart(MaybeLoc loc, mlir::Value operand,
                                  Types &types);
mlir::LogicalResult inferPredicate(MaybeLoc loc, mlir::ValueRange operands,
                                   Types &types);
mlir::LogicalResult inferDequantized(MaybeLoc loc, mlir::Value operand,
                                     Types &types);
mlir::LogicalResult inferComplex(MaybeLoc loc, mlir::ValueRange operands,
                                 Types &types);
mlir::LogicalResult inferSelect(MaybeLoc loc, mlir::Value pred,
                                mlir::Value onTrue, mlir::Value onFalse,
                                Types &types);
mlir::LogicalResult inferClamp(MaybeLoc loc, mlir::Value min,
                               mlir::Value operand, mlir::Value max,
                               Types &types);

// Shape and data movement
mlir::LogicalResult inferBroadcast(MaybeLoc loc, mlir::Value operand,
                                   Dims sizes, Types &types);
mlir::LogicalResult inferTranspose(MaybeLoc loc, mlir::Value operand,
                                   Dims permutation, Types &types);
mlir::LogicalResult inferSlice(MaybeLoc loc, mlir::Value operand, Dims start,
                               Dims limit, Dims strides, Types &types);
mlir::LogicalResult inferDynamicSlice(MaybeLoc loc, mlir::Value operand,
                                      mlir::ValueRange startIndices, Dims sizes,
                                      Types &types);
mlir::LogicalResult inferDynamicUpdateSlice(MaybeLoc loc, mlir::Value operand,
                                            mlir::Value update,
                                            mlir::ValueRange startIndices,
                                            Types &types);
mlir::LogicalResult inferConcatenate(MaybeLoc loc, mlir::ValueRange inputs,
                                     int64_t dimension, Types &types);
mlir::LogicalResult inferPad(MaybeLoc loc, mlir::Value operand,
                             mlir::Value value, Dims low, Dims high,
                             Dims interior, Types &types);
mlir::LogicalResult inferGather(MaybeLoc loc, mlir::Value operand,
                                mlir::Value startIndices,
                                GatherDimensionNumbersAttr numbers,
                                Dims sliceSizes, Types &types);
mlir::LogicalResult inferDynamicGather(MaybeLoc loc, mlir::Value operand,
                                       mlir::Value startIndices,
                                       mlir::Value sliceSizes,
                                       GatherDimensionNumbersAttr numbers,
                                       Types &types);
mlir::LogicalResult inferGetDimensionSize(MaybeLoc loc, mlir::Value operand,
                                          int64_t dimension, Types &types);
mlir::LogicalResult inferSetDimensionSize(MaybeLoc loc, mlir::Value operand,
                                          mlir::Value size, int64_t dimension,
                                          Types &types);

// Contractions, linear algebra, random numbers
mlir::LogicalResult inferFft(MaybeLoc loc, mlir::Value operand, FftType type,
                             Dims length, Types &types);
mlir::LogicalResult inferCholesky(MaybeLoc loc, mlir::Value a, Types &types);
mlir::LogicalResult inferTriangularSolve(MaybeLoc loc, mlir::Value a,
                                         mlir::Value b, bool leftSide,
                                         Transpose transpose, Types &types);
// Results: the operand's type, then `numResults - 1` vectors over the feature
// dimension.
mlir::LogicalResult inferBatchNorm(MaybeLoc loc, mlir::Value operand,
                                   mlir::ValueRange others,
                                   int64_t featureIndex, int numResults,
                                   Types &types);
mlir::LogicalResult inferRng(MaybeLoc loc, mlir::Value a, mlir::Value b,
                             mlir::Value shape, RngDistribution distribution,
                             Types &types);

// Ops with regions, which may be incomplete or invalid.
mlir::LogicalResult inferBranches(MaybeLoc loc, mlir::Value selector,
                                  mlir::RegionRange branches, Types &types);
mlir::LogicalResult inferReduce(MaybeLoc loc, mlir::ValueRange inputs,
                                mlir::ValueRange inits, Dims dimensions,
                                mlir::Region &body, Types &types);
mlir::LogicalResult inferReduceWindow(
    MaybeLoc loc, mlir::ValueRange inputs, mlir::ValueRange inits,
    Dims windowDimensions, std::optional<Dims> strides,
    std::optional<Dims> baseDilations, std::optional<Dims> windowDilations,
    mlir::DenseIntElementsAttr padding, mlir::Region &body, Types &types);
mlir::LogicalResult inferMap(MaybeLoc loc, mlir::ValueRange inputs,
                             Dims dimensions, mlir::Region &computation,
                             Types &types);
mlir::LogicalResult inferAllReduce(MaybeLoc loc, mlir::ValueRange operands,
                                   mlir::Region &computation, Types &types);
// Results have the types of the operands, except a dynamic root, which is the
// last operand.
mlir::LogicalResult inferFromRooted(MaybeLoc loc, mlir::ValueRange operands,
                                    bool hasRoot, Types &types);

// The types that the region returns; an error if it does not end in
// stablehlo.return.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
returnedTypes(MaybeLoc loc, mlir::Region &region);

// Checks a reduction region over tensors of the given element types (one init
// per input); returns the element types of its accumulators.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
checkReducer(MaybeLoc loc, mlir::Region &body, mlir::TypeRange inputs,
             mlir::TypeRange inits);

// Others
mlir::LogicalResult inferGetTupleElement(MaybeLoc loc, mlir::Value operand,
                                         int64_t index, Types &types);
mlir::LogicalResult inferDeviceId(mlir::MLIRContext *context, Types &types);
mlir::LogicalResult inferAsyncDone(MaybeLoc loc, mlir::Value future,
                                   Types &types);
mlir::LogicalResult inferAllToAll(MaybeLoc loc, mlir::ValueRange operands,
                                  int64_t splitDimension,
                                  int64_t concatDimension, int64_t splitCount,
                                  Types &types);

// The most specific common type of types of one rank: static sizes and tight
// bounds take precedence.
mlir::FailureOr<mlir::RankedTensorType> mostSpecificType(MaybeLoc loc,
                                                         mlir::TypeRange types);

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_INFER_INFER_H
