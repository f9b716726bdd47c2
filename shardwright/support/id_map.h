//===- id_map.h - sets and maps of ids of any value -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers for keys that a program, a file or a caller chooses: ids of
// channels, devices, sharding groups and types. llvm::DenseSet and DenseMap
// reserve two keys of each integer type and abort if one is used.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_ID_MAP_H
#define SHARDWRIGHT_SUPPORT_ID_MAP_H

#include "llvm/ADT/MapVector.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace shardwright {

/// Do not iterate over these: their order is unspecified.
using IdSet = std::unordered_set<int64_t>;
template <typename Value> using IdMap = std::unordered_map<int64_t, Value>;

/// Iterates in the order of insertion.
template <typename Value>
using OrderedIdMap =
    llvm::MapVector<int64_t, Value, std::map<int64_t, unsigned>>;

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_ID_MAP_H
