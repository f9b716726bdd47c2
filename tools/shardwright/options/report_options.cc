//===- report_options.cc - options of report and diff ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report_options.h"

namespace shardwright {

void addReportCommand(CLI::App &app, ReportOptionsCli &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "report", "Write how a module is partitioned, why, and what it costs");
  addCommon(command, options);
  command.remove_option(command.get_option("--report"));
  command.add_option("-o", options.out,
                     "Write the report here: .html is one page for a browser, "
                     ".json all data, .txt text (default: text on standard "
                     "output)");
  command
      .add_option("--form", options.form,
                  "The form, whatever the file is called: html, json, text, or "
                  "model-explorer, a graph for Model Explorer")
      ->check(CLI::IsMember({"html", "json", "text", "model-explorer"}));
  command
      .add_option("--trials", options.trials,
                  "How many annotations to try for suggestions, each by "
                  "partitioning again (default: by the size of the program)")
      ->check(CLI::Range(0, 100000));
  command.add_flag("--compile", options.compile,
                   "Generate code, too, for the exact memory of a device");
  command.callback([&] { exitCode = reportCommand(options); });
}

} // namespace shardwright
