//===- machine_levels.h - levels of links and mesh axes ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine may have levels of links: 8 devices of a host, 16 hosts of a pod.
// Level l groups `size` groups of level l - 1, and the devices are numbered
// from inside to outside. A mesh axis has the link of the level in which it
// lies: all devices along it are in one group of that level, each in another
// group of the level inside it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_MACHINE_LEVELS_H
#define SHARDWRIGHT_PARTITION_COST_MACHINE_LEVELS_H

#include "shardwright/mesh/mesh.h"
#include "shardwright/partition/cost/machine_model.h"

namespace shardwright {

/// `host=8, pod=16`
std::string levelsText(const MachineModel &machine);

/// Groups of each level that so many devices fill, from inside to outside: 32
/// devices are 8 of each host and 4 hosts. Without levels, one group. The error
/// gives the numbers that fill the levels.
llvm::Expected<llvm::SmallVector<int64_t, 4>>
fillLevels(const MachineModel &machine, int64_t devices);

/// The machine with links for the axes of the mesh: of the level in which each
/// lies, unless `links` has one. Unchanged if it has no levels. The error names
/// an axis that crosses a level, and the sizes that fit.
llvm::Expected<MachineModel> withLinksOfLevels(const MachineModel &machine,
                                               const Mesh &mesh);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_MACHINE_LEVELS_H
