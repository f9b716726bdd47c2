//===- command_tree.h - commands and options as data ---------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_HELP_COMMAND_TREE_H
#define SHARDWRIGHT_TOOLS_HELP_COMMAND_TREE_H

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace shardwright {

/// An option or a positional argument of a command.
struct OptionInfo {
  /// With their dashes: `-o`, `--out`. Of a positional argument its name.
  std::vector<std::string> names;
  /// What stands for the value: `FILE`, `N`, `off|rings|on|force`; empty for
  /// a flag.
  std::string placeholder;
  /// The values that the option knows, if it knows a few only.
  std::vector<std::string> choices;
  /// The limits of a number, as in `0 to 2`; may be empty.
  std::string range;
  std::string description;
  bool isPositional = false, isRequired = false;
  /// Values may be several, with commas between them.
  bool isList = false;
  /// A flag that may have a value after `=`.
  bool isFlagWithValue = false;
};

struct CommandInfo {
  std::string name, description;
  std::vector<OptionInfo> positionals, options;
};

/// The program: its own options, and its commands in the order of the help.
struct ProgramInfo {
  CommandInfo program;
  std::vector<CommandInfo> commands;
};

ProgramInfo describeProgram(const CLI::App &app);
CommandInfo describeCommand(const CLI::App &command);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_HELP_COMMAND_TREE_H
