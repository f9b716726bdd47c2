//===- bounded_ops.h - rules for bounded tensors ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to sw-pad-bounded. Each function handles one kind of op, whose
// operands are padded already: it masks the padding that the op must not read,
// and computes the sizes of the results. Each fails with an error.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_OPS_H
#define SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_OPS_H

#include "shardwright/interop/bounded/bounded_values.h"

namespace shardwright::bounded {

using mlir::LogicalResult;

// bounded_movement.cc: data movement.
LogicalResult padBroadcast(stablehlo::BroadcastInDimOp op, Values &values);
LogicalResult padTranspose(stablehlo::TransposeOp op, Values &values);
LogicalResult padSlice(stablehlo::SliceOp op, Values &values);
LogicalResult padPad(stablehlo::PadOp op, Values &values);
LogicalResult padConcatenate(stablehlo::ConcatenateOp op, Values &values);
LogicalResult padReverse(stablehlo::ReverseOp op, Values &values);
LogicalResult padDynamicSlice(stablehlo::DynamicSliceOp op, Values &values);
LogicalResult padUpdateSlice(stablehlo::DynamicUpdateSliceOp op,
                             Values &values);
LogicalResult padBitcast(stablehlo::BitcastConvertOp op, Values &values);

// bounded_indexed.cc: gathers and scatters.
LogicalResult padGather(stablehlo::GatherOp op, Values &values);
LogicalResult padDynamicGather(stablehlo::DynamicGatherOp op, Values &values);
LogicalResult padScatter(stablehlo::ScatterOp op, Values &values);

// bounded_reductions.cc: reductions and sorts.
LogicalResult padReduce(stablehlo::ReduceOp op, Values &values);
LogicalResult padSort(stablehlo::SortOp op, Values &values);

// bounded_windows.cc: windows, convolutions.
LogicalResult padReduceWindow(stablehlo::ReduceWindowOp op, Values &values);
LogicalResult padSelectAndScatter(stablehlo::SelectAndScatterOp op,
                                  Values &values);
LogicalResult padConvolution(stablehlo::ConvolutionOp op, Values &values);
LogicalResult padDynamicConv(stablehlo::DynamicConvOp op, Values &values);

// bounded_contractions.cc: dots, matrices and transforms.
LogicalResult padDot(stablehlo::DotGeneralOp op, Values &values);
LogicalResult padCholesky(stablehlo::CholeskyOp op, Values &values);
LogicalResult padTriangularSolve(stablehlo::TriangularSolveOp op,
                                 Values &values);
LogicalResult padFft(stablehlo::FftOp op, Values &values);

// bounded_reshape.cc: reshapes, by attribute and by operand.
LogicalResult padReshape(mlir::Operation *op, Values &values);

// bounded_dynamic.cc: computed sizes.
LogicalResult padDynamicBroadcast(stablehlo::DynamicBroadcastInDimOp op,
                                  Values &values);
LogicalResult padDynamicIota(stablehlo::DynamicIotaOp op, Values &values);
LogicalResult padRealSlice(stablehlo::RealDynamicSliceOp op, Values &values);
LogicalResult padDynamicPad(stablehlo::DynamicPadOp op, Values &values);
LogicalResult padRng(stablehlo::RngOp op, Values &values);

// bounded_calls.cc: collectives and custom calls.
LogicalResult padAllGather(stablehlo::AllGatherOp op, Values &values);
/// Collectives that split dimensions.
LogicalResult padDividing(mlir::Operation *op, llvm::ArrayRef<int64_t> changed,
                          Values &values);
LogicalResult padCustomCall(stablehlo::CustomCallOp op, Values &values);

// Shared.
llvm::SmallVector<int64_t> bounds(const Extents &extents);
llvm::SmallVector<int64_t> allDims(mlir::Value x);
/// The minimum of both in each dimension, of the bounds and of the used sizes.
void narrow(Extents &mine, const Extents &other);
/// The extents of values whose used shapes are equal.
Extents commonExtents(mlir::ValueRange list, const Values &values);
/// The bounds of the only result; an error if it has none.
mlir::FailureOr<Extents> declaredResult(mlir::Operation *op);
/// Likewise; `shape`, a list of all sizes, gives the sizes of unknown
/// dimensions.
mlir::FailureOr<Extents> resultFromShape(mlir::Operation *op,
                                         mlir::Value shape);

} // namespace shardwright::bounded

#endif // SHARDWRIGHT_INTEROP_BOUNDED_BOUNDED_OPS_H
