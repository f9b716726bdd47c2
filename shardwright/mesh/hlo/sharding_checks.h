//===- sharding_checks.h - validate external shardings ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_HLO_SHARDING_CHECKS_H
#define SHARDWRIGHT_MESH_HLO_SHARDING_CHECKS_H

#include "shardwright/mesh/hlo/hlo_sharding.h"

namespace shardwright {

/// Returns an error text, or "" if the axes are valid. Errors: a sub-axis that
/// does not divide its axis, axes that overlap or cannot coexist, neighbours
/// that should be merged, lists out of order.
std::string checkNamedAxes(const NamedHloSharding &sharding);

/// Returns why `ids` cannot be the device order of a mesh with these axes, or
/// "". An empty list is valid.
std::string checkDeviceIds(llvm::ArrayRef<MeshAxis> axes,
                           llvm::ArrayRef<int64_t> ids);

/// Returns why `devices` cannot be the devices of this many tiles, or "": each
/// must occur once, and none may be negative.
std::string checkDeviceList(int64_t tiles, llvm::ArrayRef<int64_t> devices);

bool isPermutation(llvm::ArrayRef<int64_t> values, int64_t size);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_HLO_SHARDING_CHECKS_H
