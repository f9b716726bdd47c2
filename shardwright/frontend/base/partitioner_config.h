//===- partitioner_config.h - whose notation programs have ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_PARTITIONER_CONFIG_H
#define SHARDWRIGHT_FRONTEND_BASE_PARTITIONER_CONFIG_H

#include "shardwright/frontend/base/config.h"

namespace shardwright::frontend::config {

/// False: texts of modules are in the notation of GSPMD, and sharding callbacks
/// of `customPartitioning` are called in place of sharding rules. Programs
/// compute the same. JAX: jax_use_shardy_partitioner.
extern Config<bool> useShardyPartitioner;

} // namespace shardwright::frontend::config

#endif // SHARDWRIGHT_FRONTEND_BASE_PARTITIONER_CONFIG_H
