//===- report_options.cc - options of report and diff ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report_options.h"

namespace shardwright {

/// `second`: how help texts name the second program.
static void addOtherOptions(CLI::App &command, OtherOptions &options,
                            const std::string &second) {
  command.add_option_function<std::string>(
      "--mesh-b",
      [&](const std::string &text) {
        options.mesh = valueOf(parseMeshSizes(text));
      },
      "As --mesh, for " + second);
  command
      .add_option("--devices-b", options.devices, "As --devices, for " + second)
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command
      .add_option("--partition-effort-b", options.partitionEffort,
                  "As --partition-effort, for " + second)
      ->check(CLI::Range(0, 3));
  command.add_option("--machine-b", options.machine,
                     "As --machine, for " + second);
  addShardyVersion(command, "--shardy-b", "As --shardy, for " + second,
                   [&](ShardyVersion version) { options.shardy = version; });
}

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
  command.add_option("--against", options.against,
                     "Compare with this module or document (.json); options "
                     "that end in -b are for it, all others for both");
  addOtherOptions(command, options.other, "the module of --against");
  command.add_flag("--compile", options.compile,
                   "Generate code, too, for the exact memory of a device");
  command.callback([&] { exitCode = reportCommand(options); });
}

void addDiffCommand(CLI::App &app, DiffOptionsCli &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "diff", "Compare two partitionings: the first decision that differs, "
              "shardings, collectives, costs");
  addCommon(command, options);
  for (const char *name : {"--report", "--stats", "--fail-on", "--remarks",
                           "--print-after", "--warn-replicated"})
    command.remove_option(command.get_option(name));
  command.get_option("MODULE")->description(
      "Module, as for run, or a document that report wrote (.json)");
  command
      .add_option("OTHER", options.second,
                  "The module or document to compare with; options that end in "
                  "-b are for it, all others for both")
      ->required();
  command.add_flag("--json", options.json, "Print JSON");
  addOtherOptions(command, options.other, "OTHER");
  command.callback([&] { exitCode = diffCommand(options); });
}

} // namespace shardwright
