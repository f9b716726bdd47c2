//===- option_order.h - compile options in a fixed order --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_OPTION_ORDER_H
#define SHARDWRIGHT_PJRT_REQUEST_OPTION_ORDER_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace shardwright::pjrt {

/// Sorts the entries of the maps of an xla.CompileOptionsProto by their keys:
/// clients write them in random order, which differs between the processes of a
/// job. Entries of equal keys keep their order. Malformed messages are returned
/// unchanged.
std::string inFixedOrder(llvm::StringRef options);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_OPTION_ORDER_H
