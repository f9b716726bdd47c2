//===- inspect_sharding.cc - the shardings that were chosen ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/inspect_sharding.h"

#include "shardwright/frontend/callbacks/sharding_inspector.h"

namespace shardwright::frontend {

Status inspectArraySharding(const Tensor &x,
                            std::function<void(const Sharding &)> callback) {
  return bindInspectSharding(
      std::make_shared<ShardingInspector>(std::move(callback)), x);
}

} // namespace shardwright::frontend
