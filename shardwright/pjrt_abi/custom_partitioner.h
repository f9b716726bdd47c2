//===- custom_partitioner.h - structs of custom partitioners ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_CUSTOM_PARTITIONER_H
#define SHARDWRIGHT_PJRT_ABI_CUSTOM_PARTITIONER_H

#include "shardwright/pjrt_abi/base.h"

extern "C" {

struct JAX_CustomCallPartitioner_Callbacks;

struct JAX_CustomCallPartitioner_string {
  const char *data;
  size_t size;
};

struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;
  bool has_sharding;
  JAX_CustomCallPartitioner_string sharding;
};

struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void *data;
  void (*cleanup_fn)(void *data);
  bool has_error;
  PJRT_Error_Code code;
  JAX_CustomCallPartitioner_string error_msg;
};

struct JAX_CustomCallPartitioner_Partition_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval *op_args;
  JAX_CustomCallPartitioner_aval op_result;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string mlir_module;
  JAX_CustomCallPartitioner_string *args_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval *op_args;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;
  void *private_data;
  void (*dtor)(JAX_CustomCallPartitioner_Callbacks *);
  void (*partition)(JAX_CustomCallPartitioner_Callbacks *,
                    JAX_CustomCallPartitioner_Partition_Args *);
  void (*infer_sharding)(
      JAX_CustomCallPartitioner_Callbacks *,
      JAX_CustomCallPartitioner_InferShardingFromOperands_Args *);
  void (*propagate_user_sharding)(
      JAX_CustomCallPartitioner_Callbacks *,
      JAX_CustomCallPartitioner_PropagateUserSharding_Args *);
  bool can_side_effecting_have_replicated_sharding;
};

struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char *name;
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks *callbacks;
};

struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char *name;
  size_t name_size;
};

struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error *(*register_custom_partitioner)(
      PJRT_Register_Custom_Partitioner_Args *);
  PJRT_Error *(*register_batch_partitionable)(
      PJRT_Register_Batch_Partitionable_Args *);
};

} // extern "C"

#endif // SHARDWRIGHT_PJRT_ABI_CUSTOM_PARTITIONER_H
