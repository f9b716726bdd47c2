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

namespace shardwright {
class Job;
} // namespace shardwright

namespace shardwright::cpu {

class ThreadPool;

/// Creates virtual devices 0, 1, ... in this process. Their kernels run on the
/// threads of `pool` and use host memory. A program of one such backend runs on
/// every other one, even on devices beyond `numDevices`, which is only the
/// number of devices that are reported.
std::shared_ptr<Backend> makeBackend(std::shared_ptr<ThreadPool> pool,
                                     int32_t numDevices);
/// As above, with the devices of all processes of `job`. Those of this process
/// are addressable. Keeps the job, which is not null.
std::shared_ptr<Backend> makeBackend(std::shared_ptr<ThreadPool> pool,
                                     std::shared_ptr<Job> job);
/// What must be equal in all processes of a job whose devices are these, with
/// names for messages (JobOptions::mustAgree): programs that are compiled in
/// each process must be the same.
std::vector<std::pair<std::string, std::string>> whatMustAgree();
/// Descriptions of the devices of such a backend.
std::vector<DeviceInfo> describeDevices(int32_t numDevices);
std::vector<DeviceInfo> describeDevices(const Job &job);

/// Loads a program whose memory is planned. Fails if the program is malformed.
llvm::Expected<std::shared_ptr<LoadedProgram>>
makeLoadedProgram(Program program,
                  llvm::ArrayRef<ArgumentDonation> donations = {});

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_BACKEND_CPU_BACKEND_H
