//===- custom_partitioner_extension.cc - custom partitioners --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/calls/custom_partitioners.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/rules/batch_partitionable.h"

using namespace shardwright;
using namespace shardwright::pjrt;

static PJRT_Error *
registerPartitioner(PJRT_Register_Custom_Partitioner_Args *args) {
  return guarded("Register_Custom_Partitioner", args, [&]() -> PJRT_Error * {
    if (!args->name || !args->callbacks)
      return invalid("the target's name or its callbacks are a null pointer");
    if (args->callbacks->version != 0)
      return makeError(PJRT_Error_Code_UNIMPLEMENTED,
                       "callbacks of a custom partitioner have version " +
                           llvm::Twine(args->callbacks->version) +
                           ", expected 0");
    if (!args->callbacks->partition)
      return invalid("the custom partitioner has no partition callback");
    registerCustomPartitioner({args->name, args->name_size}, args->callbacks);
    return nullptr;
  });
}

static PJRT_Error *
registerBatchPartitionable(PJRT_Register_Batch_Partitionable_Args *args) {
  return guarded("Register_Batch_Partitionable", args, [&]() -> PJRT_Error * {
    if (!args->name)
      return invalid("the target's name is a null pointer");
    markBatchPartitionable({args->name, args->name_size});
    return nullptr;
  });
}

PJRT_Extension_Base *pjrt::customPartitionerExtension() {
  static PJRT_Custom_Partitioner_Extension extension = {
      {sizeof(PJRT_Custom_Partitioner_Extension),
       PJRT_Extension_Type_Custom_Partitioner, nullptr},
      registerPartitioner,
      registerBatchPartitionable};
  return &extension.base;
}
