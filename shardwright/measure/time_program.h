//===- time_program.h - time of runs of a program ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MEASURE_TIME_PROGRAM_H
#define SHARDWRIGHT_MEASURE_TIME_PROGRAM_H

#include "shardwright/backend/backend.h"

namespace shardwright {

/// Runs a loaded program on the first devices of its backend, again and again
/// for `budget` seconds (at least three times), and returns the seconds of the
/// fastest run: other work on the machine only makes runs slower. Arguments are
/// small positive numbers on the devices.
llvm::Expected<double> timeProgram(Backend &backend, LoadedProgram &program,
                                   double budget);

} // namespace shardwright

#endif // SHARDWRIGHT_MEASURE_TIME_PROGRAM_H
