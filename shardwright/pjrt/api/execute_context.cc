//===- execute_context.cc - data attached to an execution -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/objects.h"
#include "shardwright/pjrt/base/slots.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Error *pjrt::ExecuteContext_Create(PJRT_ExecuteContext_Create_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    args->context = handles<PJRT_ExecuteContext>().add(
        std::make_shared<PJRT_ExecuteContext>());
    return nullptr;
  });
}

PJRT_Error *
pjrt::ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    if (args->context && !handles<PJRT_ExecuteContext>().remove(args->context))
      return invalid("the context has been destroyed already");
    return nullptr;
  });
}
