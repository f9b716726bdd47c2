//===- run_steps.h - what every run of a program does -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_RUN_STEPS_H
#define SHARDWRIGHT_TOOLS_RUN_STEPS_H

#include "session.h"

#include "shardwright/runtime/npz/npz.h"

namespace shardwright {

/// Compiles or loads the program, checks budgets, saves the executable. Returns
/// exitFine, or exitDiffers if a budget is exceeded; exitBadInput: the error
/// has been printed.
int prepareRun(Session &session, const RunOptions &options);

/// The global arguments of a run, from a file or random.
llvm::Expected<std::vector<Array>> argumentsOf(const RunOptions &options,
                                               llvm::ArrayRef<ValueSpec> specs);
/// The same, to be read in parts.
llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>>
argumentReaders(const RunOptions &options, llvm::ArrayRef<ValueSpec> specs,
                NpzAccess access);
/// The remedy for their errors.
inline constexpr llvm::StringLiteral argumentsRemedy(
    "give an .npz with arg0, arg1, ... of the program's shapes and types, or "
    "--random SEED");

/// Compares and writes the results, and prints the reports. `within` is what
/// prepareRun returned. Returns the exit code.
int finishRun(Session &session, const RunOptions &options,
              llvm::ArrayRef<std::unique_ptr<ArrayReader>> results, int within);

/// `run` in a process that a launcher has started with others (job/job.h).
int runInJob(const RunOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_RUN_STEPS_H
