//===- bridge_extension.cc - what our Python package asks of the plugin ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/bridge.h"
#include "shardwright/pjrt/extensions.h"
#include "shardwright/pjrt/ffi.h"
#include "shardwright/pjrt/status.h"

using namespace shardwright;
using namespace shardwright::pjrt;

PJRT_Extension_Base *pjrt::bridgeExtension() {
  static Shardwright_Extension extension = {
      {sizeof(Shardwright_Extension),
       PJRT_Extension_Type(Shardwright_Extension_Type), nullptr},
      1,
      setHostCallback,
      [](const char *name, size_t size, void *const handlers[4],
         uint32_t traits) {
        auto handler = [&](int stage) {
          return reinterpret_cast<XLA_FFI_Handler>(handlers[stage]);
        };
        return toPjrt(registerFfi(
            {name, size}, {handler(0), handler(1), handler(2), handler(3)},
            traits));
      },
      [](const char *name, size_t size, int64_t *id, const void *info) {
        return toPjrt(registerFfiType(
            {name, size}, *id, static_cast<const XLA_FFI_TypeInfo *>(info)));
      }};
  return &extension.base;
}
