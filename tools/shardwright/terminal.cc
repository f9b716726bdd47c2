//===- terminal.cc - colours and width of the terminal --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "terminal.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;

namespace shardwright {

static unsigned widthOr(unsigned otherwise) {
  unsigned columns = 0;
  if (const char *text = std::getenv("COLUMNS"))
    if (!StringRef(text).getAsInteger(10, columns) && columns > 0)
      return columns;
  columns = sys::Process::StandardOutColumns();
  return columns > 0 ? columns : otherwise;
}

unsigned terminalWidth() { return widthOr(80); }
unsigned reportWidth() { return widthOr(120); }

static bool hasColours() {
  const char *forbidden = std::getenv("NO_COLOR");
  return (!forbidden || !*forbidden) && sys::Process::StandardErrHasColors();
}

void printKind(StringRef kind) {
  static const bool inColours = hasColours();
  if (!inColours) {
    errs() << kind << ": ";
    return;
  }
  StringRef colour = StringSwitch<StringRef>(kind)
                         .StartsWith("error", "\033[1;31m")
                         .StartsWith("warning", "\033[1;35m")
                         .Case("remedy", "\033[1;32m")
                         .Default("\033[1m");
  errs() << colour << kind << ":\033[0m ";
}

} // namespace shardwright
