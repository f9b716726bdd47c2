//===- help/help_commands.h - help, completion and mistakes --- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_HELP_HELP_COMMANDS_H
#define SHARDWRIGHT_TOOLS_HELP_HELP_COMMANDS_H

#include <memory>
#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace shardwright {

/// The version of the program, of how it was built, and of LLVM.
std::string versionText();

/// Adds `help`, `completion`, --version, and the form of --help. All other
/// commands must be there already.
class HelpCommands {
public:
  HelpCommands(CLI::App &app, int &exitCode);
  ~HelpCommands();

private:
  struct Options;
  std::unique_ptr<Options> options;
};

/// Reports an unknown command before the command line is parsed. Returns false
/// if there is none.
bool reportUnknownCommand(const CLI::App &app, int argc, char **argv);
/// Reports a mistake on the command line: what it is, the nearest known option
/// where one is unknown, and where options are listed. Returns exitBadInput.
int reportMistake(const CLI::App &app, const CLI::ParseError &error);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_HELP_HELP_COMMANDS_H
