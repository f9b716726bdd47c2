//===- memory.cc - memories of devices ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/base/slots.h"

using namespace shardwright;
using namespace shardwright::pjrt;

#define MEMORY(slot, ...)                                                      \
  PJRT_Error *pjrt::slot(PJRT_##slot##_Args *args) {                           \
    return guarded(__func__, args, [&]() -> PJRT_Error * {                     \
      SHARDWRIGHT_ALIVE(memory, space(args->memory), "memory");                \
      __VA_ARGS__;                                                             \
      return nullptr;                                                          \
    });                                                                        \
  }

MEMORY(Memory_Id, args->id = memory->id)
MEMORY(Memory_Kind, args->kind = str(memory->kind).data();
       args->kind_size = str(memory->kind).size())
MEMORY(Memory_Kind_Id, args->kind_id = int(memory->kind))
MEMORY(Memory_DebugString, args->debug_string = memory->text.data();
       args->debug_string_size = memory->text.size())
MEMORY(Memory_ToString, args->to_string = memory->text.data();
       args->to_string_size = memory->text.size())
MEMORY(Memory_AddressableByDevices, args->devices = &memory->device;
       args->num_devices = 1)
