//===- meeting.h - devices that run a kernel together -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_RUN_MEETING_H
#define SHARDWRIGHT_FRONTEND_CORES_RUN_MEETING_H

#include "shardwright/frontend/cores/run/kernel_run.h"

namespace shardwright::frontend::kernels {

/// Runs a kernel on the buffers of one device. If the kernel is joint, waits
/// for the calls of the other devices of the program, on the thread of this
/// call, and runs it with them.
Status runKernel(const KernelPtr &kernel, const CustomCall &call);

} // namespace shardwright::frontend::kernels

#endif // SHARDWRIGHT_FRONTEND_CORES_RUN_MEETING_H
