//===- auto_options.h - options of shardwright auto -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_AUTO_OPTIONS_H
#define SHARDWRIGHT_TOOLS_AUTO_OPTIONS_H

#include "plugin_options.h"

namespace shardwright {

void addAutoCommand(CLI::App &app, AutoCommandOptions &options, int &exitCode);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_AUTO_OPTIONS_H
