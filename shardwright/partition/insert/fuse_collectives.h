//===- fuse_collectives.h - make reduce_scatters of all_reduces -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_FUSE_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_INSERT_FUSE_COLLECTIVES_H

#include "shardwright/partition/layout/collective_builder.h"

namespace shardwright {

/// Fuses an all_reduce and the all_slice of its result into a reduce_scatter.
/// An all_reduce whose result is sliced in several ways stays.
void fuseCollectives(llvm::ArrayRef<sdy::AllReduceOp> reduces,
                     MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_FUSE_COLLECTIVES_H
