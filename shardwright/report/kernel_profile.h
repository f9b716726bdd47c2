//===- kernel_profile.h - kernels beside the machine's roofline -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_KERNEL_PROFILE_H
#define SHARDWRIGHT_REPORT_KERNEL_PROFILE_H

#include "shardwright/backend/loaded_program.h"
#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/report/program_report.h"

namespace shardwright {

/// Adds up what the devices did in several runs of one program.
class KernelProfile {
public:
  /// Both must outlive it.
  KernelProfile(const LoadedProgram &program, const MachineModel &machine)
      : program(program), machine(machine) {}

  /// Adds a run. The devices share one clock: those of one process.
  void add(const Trace &trace);

  /// Groups steps by op and source line. A rate in it, such as flops / seconds,
  /// is of one device while all devices compute, as those of the machine are.
  ProfileReport report() const;

private:
  struct StepTime {
    double nanoseconds = 0; ///< while any device executed the step
    double executions = 0;  ///< by all devices
  };

  const LoadedProgram &program;
  const MachineModel &machine;
  int64_t runs = 0, devices = 0;
  std::map<int32_t, StepTime> work; ///< by step
  double collectiveNanoseconds = 0;
};

/// Writes the kernels that took longest, all if `full`.
void writeProfileText(const ProfileReport &profile, llvm::raw_ostream &os,
                      const TextReportOptions &options);
llvm::json::Object toJson(const ProfileReport &profile);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_KERNEL_PROFILE_H
