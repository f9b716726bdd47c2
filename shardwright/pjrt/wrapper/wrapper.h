//===- wrapper.h - another vendor's plugin, partitioned by us ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_WRAPPER_WRAPPER_H
#define SHARDWRIGHT_PJRT_WRAPPER_WRAPPER_H

#include "shardwright/pjrt_abi/api.h"

namespace shardwright::pjrt {

/// If the environment variable SHARDWRIGHT_BACKEND names another plugin:
/// returns that plugin's function table, in which programs of several devices
/// are partitioned by us before the plugin compiles them (repartition.h).
/// Everything else goes to the plugin. If it cannot be loaded: a table whose
/// PJRT_Plugin_Initialize fails and says why. Returns null if the variable is
/// not set, or while the other plugin is being loaded: that may be this one.
const PJRT_Api *wrapperTable(const PJRT_Api &own);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_WRAPPER_WRAPPER_H
