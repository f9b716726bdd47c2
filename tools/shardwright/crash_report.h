//===- crash_report.h - crash reports and reproducers -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_CRASH_REPORT_H
#define SHARDWRIGHT_TOOLS_CRASH_REPORT_H

#include "llvm/ADT/StringRef.h"

namespace shardwright {

/// Installs handlers: a crash (signal, failed assertion) prints that it is a
/// bug, writes a reproducer and exits with 3. Running out of memory prints a
/// separate error and exits with 2.
void installCrashReport(int argc, char **argv);

/// Sets the module text for the reproducer. The text must live until the
/// program ends.
void setCrashReproducer(llvm::StringRef moduleText);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_CRASH_REPORT_H
