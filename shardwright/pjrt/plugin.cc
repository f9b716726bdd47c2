//===- plugin.cc - the exported function table ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/base/named_values.h"
#include "shardwright/pjrt/base/slots.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/extensions/extensions.h"
#include "shardwright/pjrt/wrapper/wrapper.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Error *pjrt::Plugin_Initialize(PJRT_Plugin_Initialize_Args *args) {
  return guarded(__func__, args, []() -> PJRT_Error * { return nullptr; });
}

PJRT_Error *pjrt::Plugin_Attributes(PJRT_Plugin_Attributes_Args *args) {
  return guarded(__func__, args, [&]() -> PJRT_Error * {
    // The newest version that we read; the client uses the older of both
    // versions.
    static const NamedValues *attributes = [] {
      auto *list = new NamedValues();
      list->add("stablehlo_current_version", {1, 20, 0});
      list->add("stablehlo_minimum_version", {0, 9, 0});
      return list;
    }();
    args->attributes = attributes->values().data();
    args->num_attributes = attributes->values().size();
    return nullptr;
  });
}

static PJRT_Api makeTable() {
  PJRT_Api api = {};
  api.struct_size = sizeof(PJRT_Api);
  api.extension_start = extensions();
  api.pjrt_api_version.struct_size = sizeof(PJRT_Api_Version);
  api.pjrt_api_version.major_version = 0;
  api.pjrt_api_version.minor_version = 116;
#define SLOT(name) api.PJRT_##name = pjrt::name;
  PJRT_API_VOID_SLOTS(SLOT)
  PJRT_API_SLOTS(SLOT)
#undef SLOT
  return api;
}

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  static const PJRT_Api api = makeTable();
  const PJRT_Api *wrapper = wrapperTable(api);
  return wrapper ? wrapper : &api;
}
