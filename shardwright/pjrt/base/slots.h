//===- slots.h - the functions of the table ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_BASE_SLOTS_H
#define SHARDWRIGHT_PJRT_BASE_SLOTS_H

#include "shardwright/pjrt_abi/api.h"

namespace shardwright::pjrt {

// Each function is defined in the file of its area (client.cc, buffer.cc, ...);
// unsupported functions are in unimplemented.cc.
#define SHARDWRIGHT_SLOT(name) void name(PJRT_##name##_Args *args);
PJRT_API_VOID_SLOTS(SHARDWRIGHT_SLOT)
#undef SHARDWRIGHT_SLOT
#define SHARDWRIGHT_SLOT(name) PJRT_Error *name(PJRT_##name##_Args *args);
PJRT_API_SLOTS(SHARDWRIGHT_SLOT)
#undef SHARDWRIGHT_SLOT

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_BASE_SLOTS_H
