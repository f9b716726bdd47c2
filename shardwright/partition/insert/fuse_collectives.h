//===- fuse_collectives.h - cheaper collectives for the same effect -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_FUSE_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_INSERT_FUSE_COLLECTIVES_H

#include "shardwright/partition/layout/collective_builder.h"

namespace shardwright {

/// An all_reduce of which every device keeps a part becomes a reduce_scatter;
/// an all_reduce of a value that is sliced in several ways stays.
void fuseCollectives(llvm::ArrayRef<sdy::AllReduceOp> reduces,
                     MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_FUSE_COLLECTIVES_H
