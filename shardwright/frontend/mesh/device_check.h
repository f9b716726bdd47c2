//===- device_check.h - devices that the process has ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_DEVICE_CHECK_H
#define SHARDWRIGHT_FRONTEND_MESH_DEVICE_CHECK_H

#include "shardwright/frontend/mesh/device.h"

namespace shardwright::frontend {

/// An error if the process does not have one of these devices: any number makes
/// a Device.
Status checkDevices(const std::vector<Device> &devices);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_DEVICE_CHECK_H
