//===- crash_report.h - a crash says what to report -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_CRASH_REPORT_H
#define SHARDWRIGHT_TOOLS_CRASH_REPORT_H

#include "llvm/ADT/StringRef.h"

namespace shardwright {

/// From here on a crash (signal, failed assertion) prints that it is a bug,
/// writes a reproducer and exits with 3; memory that runs out is an error of its
/// own, with exit code 2.
void installCrashReport(int argc, char **argv);

/// The module that a reproducer holds. The text must live until the program
/// ends.
void setCrashReproducer(llvm::StringRef moduleText);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_CRASH_REPORT_H
