//===- not_addressable.h - devices that cannot be used here -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_BACKEND_NOT_ADDRESSABLE_H
#define SHARDWRIGHT_BACKEND_NOT_ADDRESSABLE_H

#include "shardwright/backend/device.h"

#include "llvm/Support/Error.h"

namespace shardwright {

/// The error for a device that is not one of this process: there is none of
/// this number, or it belongs to another process.
llvm::Error notAddressable(llvm::ArrayRef<DeviceInfo> devices, DeviceId device);

} // namespace shardwright

#endif // SHARDWRIGHT_BACKEND_NOT_ADDRESSABLE_H
