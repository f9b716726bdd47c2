//===- main.cc - shardwright: run and explain sharded programs ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "crash_report.h"
#include "help/help_commands.h"
#include "options/auto_options.h"
#include "options/common_options.h"
#include "options/report_options.h"
#include "options/simulate_options.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <iostream>

using namespace shardwright;

namespace {

void addRunCommand(CLI::App &app, RunOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "run", "Compile a module for its mesh and run it on virtual devices");
  addCommon(command, options);
  addRun(command, options);
  addPlugin(command, options.plugin, options.pluginOptions);
  command.add_option("--save", options.save,
                     "Write the executable, for a later `run-saved` on a "
                     "machine of this kind");
  addCompileOnly(command, options);
  command.callback([&options, &exitCode, &command] {
    for (const char *name :
         {"--mesh", "--devices", "--partition-effort", "--machine", "--overlap",
          "--target", "--shardy", "--pad-shards", "--print-after", "--remarks",
          "--warn-replicated", "--kernel-cache", "--save"})
      if (command.count(name) > 0)
        options.compileFlags.push_back(name);
    exitCode =
        options.compileOnly ? compileElsewhere(options) : runCommand(options);
  });
}

void addSavedCommand(CLI::App &app, RunOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "run-saved", "Run an executable that `run --save` wrote: machine code, "
                   "which has all rights of the process");
  command
      .add_option("EXECUTABLE", options.module, "File that `run --save` wrote")
      ->required();
  addOutputs(command, options);
  addRun(command, options);
  addPlugin(command, options.plugin, options.pluginOptions);
  command.callback([&] { exitCode = runCommand(options); });
}

void addPartitionCommand(CLI::App &app, PartitionOptionsCli &options,
                         int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "partition", "Print the program of one device, or an earlier stage");
  addCommon(command, options);
  command.add_option("-o", options.out,
                     "Write the module here, with its locations");
  command.add_flag("--debug-info", options.debugInfo,
                   "Print locations on standard output too");
  command.add_option_function<std::string>(
      "--stop-after",
      [&](const std::string &name) { options.stopAfter = stageOf(name); },
      "The last stage to run: " + listOfStages());
  command
      .add_option_function<std::string>(
          "--form",
          [&](const std::string &form) {
            options.form =
                form == "region" ? ProgramForm::Region : ProgramForm::Device;
          },
          "The form of stage local: device (default), the program of one "
          "device; region, that program in one manual computation, which XLA "
          "compiles as it is")
      ->check(CLI::IsMember({"device", "region"}));
  command.add_flag("--keep-functions", options.import.keepFunctions,
                   "Keep elementwise functions such as erf as ops of CHLO, "
                   "for compilers that support them");
  command.callback([&] { exitCode = partitionCommand(options); });
}

void addExplainCommand(CLI::App &app, ExplainOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "explain", "Explain why values are sharded as they are, and where axes "
                 "stopped");
  command
      .add_option("MODULE", options.module,
                  "StableHLO module, as for run; - is standard input")
      ->required();
  command.add_option("--value", options.values,
                     "%12, %5#1, @f:%12 of another function, or the "
                     "source's name of an argument or result");
  command.add_option("--arg", options.arguments,
                     "An argument by number or name");
  command.add_option("--result", options.results, "A result by number or name");
  command.add_option("--line", options.line,
                     "The values that a line of the source computes: 12 or "
                     "file.py:12; if there are no source positions, a line of "
                     "MODULE");
  command.add_flag("--collectives", options.collectives,
                   "Explain each collective: the op that needs it, the "
                   "annotations that cause it, and the rejected alternatives");
  command
      .add_option("--partition-effort", options.partitionEffort,
                  "As for run, for --collectives")
      ->check(CLI::Range(0, 2));
  command.add_option("--machine", options.machine,
                     "As for run, for --collectives");
  command.add_flag("--json", options.json, "Print JSON");
  command.add_flag(
      "--full", options.full,
      "Print every step of a long path, and each row of each table");
  addLibraryPaths(command);
  command.add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        options.import.meshSizes = valueOf(parseMeshSizes(text));
      },
      "New sizes for the module's mesh axes, as x=4,y=2");
  command
      .add_option("--devices", options.import.devices,
                  "Number of devices when the module names no mesh")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode without a child process, as for run");
  addShardyVersion(command, options.shardy);
  command.callback([&] { exitCode = explainCommand(options); });
}

void addShardingCommand(CLI::App &app, ShardingOptions &options,
                        int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "sharding", "Explain a sharding: other notations, tiles, devices");
  command
      .add_option("TEXT", options.text,
                  "As in mhlo.sharding, {devices=[4,2]<=[8]}, as JAX, P('x', "
                  "None), or as Shardy, [{\"x\"}, {}]")
      ->required();
  command.add_option_function<std::string>(
      "--shape",
      [&](const std::string &text) {
        options.shape = valueOf(parseShape(text));
      },
      "The shape of the value, as 8x16: tile shape and picture");
  command.add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        options.mesh = valueOf(parseMeshSizes(text));
      },
      "The axes, as x=2,y=4");
  command.add_option("--devices", options.devices, "Number of devices")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  command.callback([&] { exitCode = shardingCommand(options); });
}

void addRuleCommand(CLI::App &app, RuleOptionsCli &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "rule", "Check a sharding rule, as JAX's custom_partitioning takes it");
  command
      .add_option("TEXT", options.text,
                  "As in \"i k, k j -> i j\"; prints the sdy.sharding_rule. "
                  "Of #sdy.op_sharding_rule<...>, prints the string")
      ->required();
  for (auto [name, types] : {std::pair("--operands", &options.operands),
                             std::pair("--results,--result", &options.results)})
    command.add_option_function<std::string>(
        name,
        [types, name](const std::string &text) {
          *types =
              valueOf(parseTypes(llvm::StringRef(name).split(',').first, text));
        },
        "Types, as 4x8xf32,8x16xf32; a scalar is f32");
  command
      .add_option_function<std::vector<std::string>>(
          "--sizes",
          [&](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              options.sizes.push_back(valueOf(parseFactorSize(text)));
          },
          "Sizes of factors that are only parts of dimensions, as j=2,k=4")
      ->delimiter(',');
  command
      .add_option("--reduction", options.reduction,
                  "Factors over which results are summed up, as k,l")
      ->delimiter(',');
  command
      .add_option("--need-replication", options.needReplication,
                  "Factors that the operation needs replicated")
      ->delimiter(',');
  command
      .add_option("--permutation", options.permutation,
                  "Factors along which neighbours exchange data")
      ->delimiter(',');
  command.callback([&] { exitCode = ruleCommand(options); });
}

void addConvertCommand(CLI::App &app, ConvertOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "convert",
      "Write a module in another form, or its shardings in another notation");
  command
      .add_option("MODULE", options.module,
                  "StableHLO module, as for run; - is standard input")
      ->required();
  command
      .add_option("--to", options.to,
                  "portable, text or bytecode; sdy, gspmd, gspmd-v1 (devices "
                  "listed) or round-trip (sdy in frontend attributes) turn "
                  "shardings from any of these into that one, as text")
      ->required();
  command.add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        options.mesh = valueOf(parseMeshSizes(text));
      },
      "The axes of a module with GSPMD shardings, as x=2,y=4");
  command
      .add_option("--devices", options.devices,
                  "Number of devices, if no sharding determines it")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command.add_option("--version", options.version,
                     "Version of StableHLO of a portable artifact, as 1.17.0 "
                     "(default: the newest)");
  command.add_option("-o", options.out, "Write the module here");
  command.add_flag("--debug-info", options.debugInfo,
                   "Print text with locations on standard output too");
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode without a child process, as for run");
  command.callback([&] { exitCode = convertCommand(options); });
}

/// Checks that standard output was written: the disk may be full.
int checkOutput(int exitCode) {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  std::error_code error = os.error();
  os.clear_error(); // otherwise its destructor aborts the process
  errno = 0;
  if (std::cout.flush().fail() && !error) // CLI11 prints help there
    error = std::error_code(errno ? errno : EIO, std::generic_category());
  if (error)
    return badInput("cannot write standard output: " + error.message(),
                    "check what it is redirected to, or write a file with -o, "
                    "--stats=json=FILE or --report=text=FILE");
  return exitCode;
}

} // namespace

int main(int argc, char **argv) {
  installCrashReport(argc, argv);
  CLI::App app("Runs programs written for one device on a mesh of devices.");
  app.name("shardwright");
  app.require_subcommand(1);
  int exitCode = exitFine;

  RunOptions run;
  addRunCommand(app, run, exitCode);
  RunOptions saved;
  saved.isSaved = saved.trusted = true;
  addSavedCommand(app, saved, exitCode);
  PartitionOptionsCli partition;
  addPartitionCommand(app, partition, exitCode);
  ExplainOptions explain;
  addExplainCommand(app, explain, exitCode);
  ReportOptionsCli report;
  addReportCommand(app, report, exitCode);
  DiffOptionsCli diff;
  addDiffCommand(app, diff, exitCode);
  ShardingOptions sharding;
  addShardingCommand(app, sharding, exitCode);
  RuleOptionsCli rule;
  addRuleCommand(app, rule, exitCode);
  MeasureCommandOptions measure;
  addMeasureCommand(app, measure, exitCode);
  SimulateOptions simulate;
  addSimulateCommand(app, simulate, exitCode);
  AutoCommandOptions autoOptions;
  addAutoCommand(app, autoOptions, exitCode);
  ConvertOptions convert;
  addConvertCommand(app, convert, exitCode);

  HelpCommands help(app, exitCode);
  if (reportUnknownCommand(app, argc, argv))
    return exitBadInput;

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &e) {
    return checkOutput(app.exit(e));
  } catch (const CLI::ParseError &e) {
    return reportMistake(app, e);
  }
  return checkOutput(exitCode);
}
