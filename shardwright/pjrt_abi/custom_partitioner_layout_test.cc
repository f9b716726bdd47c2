//===- custom_partitioner_layout_test.cc - layout of partitioners ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/custom_partitioner.h"
#include "shardwright/pjrt_abi/layout_checks.h"

#include "gtest/gtest.h"

// clang-format off
SIZE(JAX_CustomCallPartitioner_string, 16);
AT(JAX_CustomCallPartitioner_string, data, 0);
AT(JAX_CustomCallPartitioner_string, size, 8);

SIZE(JAX_CustomCallPartitioner_aval, 40);
AT(JAX_CustomCallPartitioner_aval, shape, 0);
AT(JAX_CustomCallPartitioner_aval, has_sharding, 16);
AT(JAX_CustomCallPartitioner_aval, sharding, 24);

SIZE(JAX_CustomCallPartitioner_version_and_error, 48);
AT(JAX_CustomCallPartitioner_version_and_error, api_version, 0);
AT(JAX_CustomCallPartitioner_version_and_error, data, 8);
AT(JAX_CustomCallPartitioner_version_and_error, cleanup_fn, 16);
AT(JAX_CustomCallPartitioner_version_and_error, has_error, 24);
AT(JAX_CustomCallPartitioner_version_and_error, code, 28);
AT(JAX_CustomCallPartitioner_version_and_error, error_msg, 32);

SIZE(JAX_CustomCallPartitioner_Partition_Args, 160);
AT(JAX_CustomCallPartitioner_Partition_Args, header, 0);
AT(JAX_CustomCallPartitioner_Partition_Args, num_args, 48);
AT(JAX_CustomCallPartitioner_Partition_Args, op_args, 56);
AT(JAX_CustomCallPartitioner_Partition_Args, op_result, 64);
AT(JAX_CustomCallPartitioner_Partition_Args, backend_config, 104);
AT(JAX_CustomCallPartitioner_Partition_Args, mlir_module, 120);
AT(JAX_CustomCallPartitioner_Partition_Args, args_sharding, 136);
AT(JAX_CustomCallPartitioner_Partition_Args, result_sharding, 144);

SIZE(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, 120);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, header, 0);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, num_args, 48);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, op_args, 56);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_shape, 64);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, backend_config, 80);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, has_result_sharding, 96);
AT(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_sharding, 104);

SIZE(JAX_CustomCallPartitioner_PropagateUserSharding_Args, 96);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, header, 0);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, backend_config, 48);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_shape, 64);
AT(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_sharding, 80);

SIZE(JAX_CustomCallPartitioner_Callbacks, 56);
AT(JAX_CustomCallPartitioner_Callbacks, version, 0);
AT(JAX_CustomCallPartitioner_Callbacks, private_data, 8);
AT(JAX_CustomCallPartitioner_Callbacks, dtor, 16);
AT(JAX_CustomCallPartitioner_Callbacks, partition, 24);
AT(JAX_CustomCallPartitioner_Callbacks, infer_sharding, 32);
AT(JAX_CustomCallPartitioner_Callbacks, propagate_user_sharding, 40);
AT(JAX_CustomCallPartitioner_Callbacks, can_side_effecting_have_replicated_sharding, 48);

SIZE(PJRT_Register_Custom_Partitioner_Args, 32);
AT(PJRT_Register_Custom_Partitioner_Args, name, 8);
AT(PJRT_Register_Custom_Partitioner_Args, name_size, 16);
AT(PJRT_Register_Custom_Partitioner_Args, callbacks, 24);

SIZE(PJRT_Register_Batch_Partitionable_Args, 24);
AT(PJRT_Register_Batch_Partitionable_Args, name, 8);
AT(PJRT_Register_Batch_Partitionable_Args, name_size, 16);

SIZE(PJRT_Custom_Partitioner_Extension, 40);
AT(PJRT_Custom_Partitioner_Extension, base, 0);
AT(PJRT_Custom_Partitioner_Extension, register_custom_partitioner, 24);
AT(PJRT_Custom_Partitioner_Extension, register_batch_partitionable, 32);

END(JAX_CustomCallPartitioner_Callbacks, can_side_effecting_have_replicated_sharding, 49);
// clang-format on

TEST(PjrtAbi, CustomPartitionerLayoutIsCheckedWhenCompiled) {}
