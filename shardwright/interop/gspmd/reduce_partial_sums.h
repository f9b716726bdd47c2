//===- reduce_partial_sums.h - reductions in GSPMD's form -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_REDUCE_PARTIAL_SUMS_H
#define SHARDWRIGHT_INTEROP_GSPMD_REDUCE_PARTIAL_SUMS_H

#include "shardwright/interop/gspmd/mhlo_sharding_text.h"

namespace shardwright {

/// Emits reductions of partial sums in GSPMD's form: an all-reduce in a region
/// where every axis of the mesh is manual.
class PartialSumReducer {
public:
  /// `texts` must outlive the reducer.
  PartialSumReducer(mlir::ModuleOp module, MhloShardingText &texts)
      : module(module), texts(texts) {}

  /// Returns the sum of the partial sums of `value` along `axes`, which its
  /// sharding `from` leaves unreduced. Creates ops before `at`, at which errors
  /// are reported: `value` must have shards of equal size.
  mlir::FailureOr<mlir::Value> reduce(mlir::Operation &at, mlir::Value value,
                                      sdy::TensorShardingAttr from,
                                      llvm::ArrayRef<sdy::AxisRefAttr> axes,
                                      const ManualContext &manual);

private:
  /// Creates the all-reduce on the shards of one device.
  mlir::Value allReduce(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value local, const DeviceGroups &groups,
                        mlir::StringAttr inside);

  mlir::ModuleOp module;
  MhloShardingText &texts;
  /// The next unused channel; 0 before the module has been searched.
  int64_t nextChannel = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_REDUCE_PARTIAL_SUMS_H
