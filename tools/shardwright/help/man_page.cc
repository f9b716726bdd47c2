//===- man_page.cc - the manual page --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "man_page.h"

#include "help_text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {

/// Escapes what roff would read as a request or an escape.
static std::string roff(StringRef text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\''))
    out = "\\&" + out;
  return out;
}

static void writeOptions(raw_ostream &os, ArrayRef<OptionInfo> options) {
  for (const OptionInfo &option : options)
    os << ".TP\n.B " << roff(optionSynopsis(option)) << "\n"
       << roff(optionDescription(option)) << ".\n";
}

std::string manPage(const ProgramInfo &program, const std::string &version) {
  std::string text;
  raw_string_ostream os(text);
  os << ".TH SHARDWRIGHT 1 \"\" \"shardwright " << roff(version)
     << "\" \"User Commands\"\n"
        ".SH NAME\nshardwright \\- partition, explain and run programs on a "
        "mesh of devices\n"
        ".SH SYNOPSIS\n.B shardwright\nCOMMAND [OPTIONS] ...\n"
        ".SH DESCRIPTION\n"
        "A StableHLO program written for one device, a mesh with named axes "
        "and a few\nsharding annotations become a program for many devices, "
        "which is explained,\npredicted or run.\n"
        ".SH COMMANDS\n";
  for (const CommandInfo &command : program.commands) {
    os << ".SS " << roff(usage(command)) << "\n"
       << roff(command.description) << ".\n";
    writeOptions(os, command.positionals);
    writeOptions(os, command.options);
  }
  os << ".SH OPTIONS\n";
  writeOptions(os, program.program.options);
  os << ".SH EXIT STATUS\n"
        ".TP\n.B 0\nAll went well.\n"
        ".TP\n.B 1\nResults differ from --expect, a budget of --fail-on is "
        "exceeded, or no plan\nfits in memory.\n"
        ".TP\n.B 2\nBad input: a diagnostic says where, what was found and "
        "what to do.\n"
        ".TP\n.B 3\nA bug: a report says where it is.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B NO_COLOR\nIf set to anything, no colours on terminals.\n"
        ".TP\n.B COLUMNS\nThe width of the help.\n"
        ".TP\n.B SHARDWRIGHT_KERNEL_CACHE\nDirectory that keeps compiled "
        "kernels between runs.\n"
        ".TP\n.B SHARDWRIGHT_KERNEL_CACHE_SIZE\nIts limit (1GiB).\n";
  return text;
}

} // namespace shardwright
