//===- report_options.h - options of report and diff -----------*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_OPTIONS_REPORT_OPTIONS_H
#define SHARDWRIGHT_TOOLS_OPTIONS_REPORT_OPTIONS_H

#include "common_options.h"

namespace shardwright {

void addReportCommand(CLI::App &app, ReportOptionsCli &options, int &exitCode);
void addDiffCommand(CLI::App &app, DiffOptionsCli &options, int &exitCode);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_OPTIONS_REPORT_OPTIONS_H
