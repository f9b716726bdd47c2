//===- extensions.cc - the chain of extensions ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/extensions/extensions.h"

#include <initializer_list>

PJRT_Extension_Base *shardwright::pjrt::extensions() {
  PJRT_Extension_Base *chain = nullptr;
  for (PJRT_Extension_Base *extension :
       {shardingsExtension(), layoutsExtension(), memoryDescriptionsExtension(),
        ffiExtension(), profilerExtension(), customPartitionerExtension(),
        bridgeExtension(), transfersExtension()}) {
    extension->next = chain;
    chain = extension;
  }
  return chain;
}
