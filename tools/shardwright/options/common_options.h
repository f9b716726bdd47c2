//===- common_options.h - options of several commands --------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_OPTIONS_COMMON_OPTIONS_H
#define SHARDWRIGHT_TOOLS_OPTIONS_COMMON_OPTIONS_H

#include "plugin_options.h"

namespace shardwright {

/// `import|propagate|...`
std::string listOfStages();
/// Parses the name of a stage; `list` prints the names and ends the program.
Stage stageOf(const std::string &name);

/// Adds the module, its mesh, and what every compilation knows.
void addCommon(CLI::App &command, CommonOptions &options);
/// Adds --library-paths, which applies at once to all reports of the process.
void addLibraryPaths(CLI::App &command);
/// Adds the options for statistics, reports, budgets and progress.
void addOutputs(CLI::App &command, CommonOptions &options);
/// Adds the options for arguments and results of a run.
void addRun(CLI::App &command, RunOptions &options);
/// Adds --shardy.
void addShardyVersion(CLI::App &command, ShardyVersion &version);
/// Adds an option that names a version of Shardy.
void addShardyVersion(CLI::App &command, const std::string &name,
                      const std::string &description,
                      std::function<void(ShardyVersion)> set);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_OPTIONS_COMMON_OPTIONS_H
