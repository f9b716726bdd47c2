//===- completion.h - completion of commands in shells -------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_HELP_COMPLETION_H
#define SHARDWRIGHT_TOOLS_HELP_COMPLETION_H

#include "command_tree.h"

namespace shardwright {

/// Scripts that complete commands, options, values of options that know a few
/// only, and names of files.
std::string bashCompletion(const ProgramInfo &program);
std::string zshCompletion(const ProgramInfo &program);
std::string fishCompletion(const ProgramInfo &program);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_HELP_COMPLETION_H
