//===- plugin_options.h - options about plugins and devices -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_PLUGIN_OPTIONS_H
#define SHARDWRIGHT_TOOLS_PLUGIN_OPTIONS_H

#include "command_line.h"

#include "CLI/CLI.hpp"

namespace shardwright {

/// Turns a failed Expected of an option's text into CLI11's error.
template <typename T> T valueOf(llvm::Expected<T> value) {
  if (!value)
    throw CLI::ValidationError(llvm::toString(value.takeError()));
  return std::move(*value);
}

/// Adds --overlap with off, rings and on.
void addOverlap(CLI::App &command, Overlap &overlap);

/// Adds --plugin and --plugin-option.
void addPlugin(CLI::App &command, std::string &plugin,
               std::vector<pjrt_client::ClientOption> &pluginOptions);
/// Adds --plugin-compile-only and --topology.
void addCompileOnly(CLI::App &command, RunOptions &options);
void addMeasureCommand(CLI::App &app, MeasureCommandOptions &options,
                       int &exitCode);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_PLUGIN_OPTIONS_H
