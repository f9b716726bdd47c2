//===- callback_lowering.h - host functions as custom calls --- -*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_CALLBACK_LOWERING_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_CALLBACK_LOWERING_H

#include "shardwright/frontend/callbacks/host_callback.h"

namespace shardwright::frontend {

/// How an equation calls a function of the host.
struct CallSite {
  CallbackPtr callback;
  EffectSet effects;
  /// The device that calls with the full value, or -1: not said.
  int64_t device = 0;
  /// The user chose the device.
  bool isDeviceGiven = false;
  /// Each device calls with its shards.
  bool isPartitioned = false;
  /// A scalar i32 that the call takes after its operands; empty: none.
  std::string extraOperand = {};
};
/// Writes the custom call; returns the names of its results without tokens.
std::vector<std::string> lowerCall(LoweringContext &c, const CallSite &site);
/// The same for a function without results. Where only some axes are manual,
/// each group of devices calls once, with values that are full along the other
/// axes.
std::vector<std::string> lowerDebugCall(LoweringContext &c,
                                        const CallSite &site);

/// The targets of such calls in a module's text, as in JAX.
constexpr const char *kTextTarget = "xla_ffi_python_cpu_callback";
constexpr const char *kPartitionedTextTarget =
    "xla_ffi_partitioned_python_cpu_callback";

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_CALLBACK_LOWERING_H
