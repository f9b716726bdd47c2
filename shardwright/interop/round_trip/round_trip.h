//===- round_trip.h - sdy in frontend attributes ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_ROUND_TRIP_ROUND_TRIP_H
#define SHARDWRIGHT_INTEROP_ROUND_TRIP_ROUND_TRIP_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Does the module carry sdy in frontend attributes?
bool hasRoundTripShardings(mlir::ModuleOp module);

/// Writes every sdy op and attribute as `xla.sdy.*` frontend attributes and
/// custom calls, with `mhlo.sharding` beside them. For programs before
/// propagation: collectives between shardings are refused.
mlir::LogicalResult exportRoundTrip(mlir::ModuleOp module);

/// The way back, from modules that may have been HLO in between (then calls
/// give tuples). `mhlo.sharding` goes. As upstream, only the shardings of ops
/// that propagation cannot give anew are taken (constraints, callbacks,
/// tokens); `keepOpShardings` takes all of them.
mlir::LogicalResult importRoundTrip(mlir::ModuleOp module,
                                    bool keepOpShardings = false);

/// `xla-sdy-round-trip-export-pipeline`, `xla-sdy-round-trip-import-pipeline`.
void registerRoundTripPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_ROUND_TRIP_ROUND_TRIP_H
