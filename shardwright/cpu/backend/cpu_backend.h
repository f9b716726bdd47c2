//===- cpu_backend.h - virtual devices on the host's CPU --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_BACKEND_CPU_BACKEND_H
#define SHARDWRIGHT_CPU_BACKEND_CPU_BACKEND_H

#include "shardwright/backend/backend.h"
#include "shardwright/cpu/program/program.h"

namespace shardwright::cpu {

class ThreadPool;

/// Virtual devices 0, 1, ..., all in this process, whose kernels run on the
/// threads of `pool`. They compute in memory of the host. Programs of any of
/// these backends run on every other; also on devices beyond `numDevices`,
/// which counts those that others are told of.
std::shared_ptr<Backend> makeBackend(std::shared_ptr<ThreadPool> pool,
                                     int32_t numDevices);
/// What such a backend says of its devices.
std::vector<DeviceInfo> describeDevices(int32_t numDevices);

/// A program whose memory is planned, made ready to run. Fails on a malformed
/// program.
llvm::Expected<std::shared_ptr<LoadedProgram>>
makeLoadedProgram(Program program,
                  llvm::ArrayRef<ArgumentDonation> donations = {});

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_BACKEND_CPU_BACKEND_H
