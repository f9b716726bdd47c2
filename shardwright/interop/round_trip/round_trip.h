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

/// True if the module has sdy in frontend attributes or `xla.sdy.*` calls.
bool hasRoundTripShardings(mlir::ModuleOp module);
/// True if its meshes or the shardings of its tuples are in frontend
/// attributes. Then these replace its `mhlo.sharding` attributes.
bool hasRoundTripMeshes(mlir::ModuleOp module);

/// Writes every sdy op and attribute as `xla.sdy.*` frontend attributes and
/// custom calls, and `mhlo.sharding` in addition. For programs before
/// propagation: rejects collectives between shardings.
mlir::LogicalResult exportRoundTrip(mlir::ModuleOp module);

/// Reads back such a module, which may have been HLO in between (then calls
/// return tuples). Removes `mhlo.sharding`. As in XLA, reads only the shardings
/// of ops that propagation cannot infer again (constraints, callbacks, tokens);
/// `keepOpShardings` reads all of them.
mlir::LogicalResult importRoundTrip(mlir::ModuleOp module,
                                    bool keepOpShardings = false);

/// Reads only sharding groups and propagation barriers. For a module whose
/// shardings are `mhlo.sharding` attributes.
mlir::LogicalResult importRoundTripGroups(mlir::ModuleOp module);

/// `xla-sdy-round-trip-export-pipeline`, `xla-sdy-round-trip-import-pipeline`.
void registerRoundTripPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_ROUND_TRIP_ROUND_TRIP_H
