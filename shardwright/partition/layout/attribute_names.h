//===- attribute_names.h - discardable attributes ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of the discardable attributes by which the passes of the
// partitioner tell later ones about an op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_ATTRIBUTE_NAMES_H
#define SHARDWRIGHT_PARTITION_LAYOUT_ATTRIBUTE_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace shardwright {

/// On an op that only one device runs: the id of that device, an i64.
inline constexpr llvm::StringLiteral kDeviceAttrName = "sw.device";

/// On an sdy.all_reduce or sdy.reduce_scatter that combines partial results by
/// another op than `add`: the name of that StableHLO op.
inline constexpr llvm::StringLiteral kReducerAttrName = "sw.reducer";

/// On an sdy.reshard that is done as a direct exchange (direct_exchange.h): a
/// unit attribute.
inline constexpr llvm::StringLiteral kExchangeAttrName = "sw.exchange";

/// On a pad that adds as many rows at one end of a dimension as it removes at
/// the other, where the added rows are the removed ones (a roll): the
/// dimension, an i64.
inline constexpr llvm::StringLiteral kRollAttrName = "sw.roll";

/// On a collective_permute: a unit attribute which says that no op reads the
/// result on devices that receive nothing.
inline constexpr llvm::StringLiteral kRestUnusedAttrName = "sw.rest_unused";

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_ATTRIBUTE_NAMES_H
