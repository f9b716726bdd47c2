//===- terminal.h - colours and width of the terminal --------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_TERMINAL_H
#define SHARDWRIGHT_TOOLS_TERMINAL_H

#include "llvm/ADT/StringRef.h"

namespace shardwright {

/// What COLUMNS says, else the columns of the terminal that standard output
/// is, else 80.
unsigned terminalWidth();

/// What COLUMNS says, else the columns of the terminal that standard output
/// is, else 120: reports in files have room for locations.
unsigned reportWidth();

/// Prints `kind: ` on standard error: `error`, `warning`, `note`, `remedy`.
/// In colours if standard error is a terminal that has them, unless NO_COLOR
/// is set (no-color.org).
void printKind(llvm::StringRef kind);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_TERMINAL_H
