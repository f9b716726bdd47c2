//===- process_facts.h - what processes tell each other ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_PROCESS_FACTS_H
#define SHARDWRIGHT_JOB_PROCESS_FACTS_H

#include "shardwright/job/job.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright {

/// A process record with what is only needed to join a job.
struct ProcessFacts {
  ProcessRecord record;
  std::string engine; ///< `mpi`, `tcp` or `gloo`
  /// Equal for processes that reach each other on the loopback device: the boot
  /// of the machine and the network namespace.
  std::string network;
  std::vector<std::pair<std::string, std::string>> mustAgree;

  /// Of this process.
  static ProcessFacts collect(const JobOptions &options,
                              llvm::StringRef engine);
  std::string encode() const;
  /// Fails if the bytes come from another version of the library.
  static std::optional<ProcessFacts> decode(llvm::StringRef bytes);
};

/// Checks that all processes fit together; errors name the first that differs
/// from process 0.
llvm::Error checkAgreement(llvm::ArrayRef<ProcessFacts> all);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_PROCESS_FACTS_H
