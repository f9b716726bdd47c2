//===- extensions.h - the chain of extensions -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_EXTENSIONS_EXTENSIONS_H
#define SHARDWRIGHT_PJRT_EXTENSIONS_EXTENSIONS_H

#include "shardwright/pjrt_abi/base.h"

namespace shardwright::pjrt {

// Each function fills in its extension; plugin.cc adds the chain to the table.
PJRT_Extension_Base *shardingsExtension();
PJRT_Extension_Base *layoutsExtension();
PJRT_Extension_Base *memoryDescriptionsExtension();
PJRT_Extension_Base *ffiExtension();
PJRT_Extension_Base *profilerExtension();
PJRT_Extension_Base *customPartitionerExtension();
PJRT_Extension_Base *bridgeExtension();
PJRT_Extension_Base *transfersExtension();

/// The chain of all extensions; returns the first.
PJRT_Extension_Base *extensions();

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_EXTENSIONS_EXTENSIONS_H
