//===- help_text.h - help of the program and its commands ----- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_HELP_HELP_TEXT_H
#define SHARDWRIGHT_TOOLS_HELP_HELP_TEXT_H

#include "command_tree.h"

namespace shardwright {

/// `--help` of the program, in lines of at most `width` columns.
std::string helpText(const ProgramInfo &program, unsigned width);
/// `--help` of a command.
std::string helpText(const CommandInfo &command, unsigned width);

/// `-o,--out FILE`: names and placeholder of an option.
std::string optionSynopsis(const OptionInfo &option);
/// The description with limits and whether it is required.
std::string optionDescription(const OptionInfo &option);
/// `shardwright run [OPTIONS] MODULE [ARGS]`
std::string usage(const CommandInfo &command);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_HELP_HELP_TEXT_H
