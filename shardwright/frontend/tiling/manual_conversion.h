//===- manual_conversion.h - between arrays and tiles in GSPMD --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_MANUAL_CONVERSION_H
#define SHARDWRIGHT_FRONTEND_TILING_MANUAL_CONVERSION_H

#include "shardwright/frontend/tiling/tile_types.h"

namespace shardwright::frontend {

/// How a value enters or leaves a function of tiles in GSPMD's notation: it is
/// constrained by @Sharding, then converted by a custom call. Shardy has
/// sdy.manual_computation instead.
struct ManualConversion {
  Aval from, to;
  /// `SPMDFullToShardShape` or `SPMDShardToFullShape`.
  std::string target;
  /// HLO shardings of the two calls.
  std::string constraint, sharding;
  /// Dimensions that no axis divides, whose sharding propagation decides.
  Ints unspecifiedDims;

  /// The two operations: the constrained value is `result` followed by `_in`.
  std::string str(const std::string &operand, const std::string &result) const;
};

/// From an array to its tile. Errors: as tileAval and manualProto. JAX:
/// full_to_shard_p.
Expected<ManualConversion> fullToShard(const Aval &type,
                                       const ArrayMapping &axes,
                                       const AbstractMesh &mesh,
                                       const AxisNames &manualAxes);
/// From a tile to the array. JAX: shard_to_full_p.
Expected<ManualConversion> shardToFull(const Aval &type,
                                       const ArrayMapping &axes,
                                       const AbstractMesh &mesh,
                                       const AxisNames &manualAxes);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_MANUAL_CONVERSION_H
