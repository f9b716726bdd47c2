//===- memory_descriptions_extension.cc - device memories -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt_abi/extensions.h"

using namespace shardwright;
using namespace shardwright::pjrt;

struct PJRT_MemoryDescription {
  MemoryKind kind;
};

static constexpr PJRT_MemoryDescription kinds[] = {
    {MemoryKind::Device}, {MemoryKind::PinnedHost}, {MemoryKind::UnpinnedHost}};
static const PJRT_MemoryDescription *const pointers[] = {&kinds[0], &kinds[1],
                                                         &kinds[2]};

static PJRT_Error *
ofDevice(PJRT_DeviceDescription_MemoryDescriptions_Args *args) {
  return guarded("DeviceDescription_MemoryDescriptions", args,
                 [&]() -> PJRT_Error * {
                   SHARDWRIGHT_ALIVE(description, args->device_description,
                                     "device description");
                   args->memory_descriptions = pointers;
                   args->num_memory_descriptions = std::size(pointers);
                   args->default_memory_index = 0;
                   return nullptr;
                 });
}

static PJRT_Error *kind(PJRT_MemoryDescription_Kind_Args *args) {
  return guarded("MemoryDescription_Kind", args, [&]() -> PJRT_Error * {
    for (const PJRT_MemoryDescription *known : pointers) {
      if (known != args->memory_description)
        continue;
      args->kind = str(known->kind).data();
      args->kind_size = str(known->kind).size();
      args->kind_id = int(known->kind);
      return nullptr;
    }
    return invalid("this is not a memory description of the plugin");
  });
}

PJRT_Extension_Base *pjrt::memoryDescriptionsExtension() {
  static PJRT_MemoryDescriptions_Extension extension = {
      {sizeof(PJRT_MemoryDescriptions_Extension),
       PJRT_Extension_Type_MemoryDescriptions, nullptr},
      ofDevice,
      kind};
  return &extension.base;
}
