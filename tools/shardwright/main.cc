//===- main.cc - shardwright: run and explain sharded programs ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "auto_options.h"
#include "command_line.h"
#include "crash_report.h"
#include "plugin_options.h"
#include "simulate_options.h"

#include "shardwright/mesh/did_you_mean.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <iostream>

using namespace shardwright;

namespace {

std::string listOfStages() {
  std::string list;
  for (llvm::StringRef name : stageNames())
    list += (list.empty() ? "" : "|") + name.str();
  return list;
}

/// Parses the name of a stage; `list` prints the names and ends the program.
Stage stageOf(const std::string &name) {
  if (name == "list") {
    llvm::outs()
        << "import     StableHLO and sdy, CHLO expanded\n"
           "propagate  every value has its sharding\n"
           "reshard    every collective explicit, still global shapes\n"
           "local      the program of one device\n";
    throw CLI::Success();
  }
  std::optional<Stage> stage = stageFromName(name);
  if (!stage)
    throw CLI::ValidationError("unknown stage '" + name + "', expected " +
                               listOfStages());
  return *stage;
}

std::string checkSeconds(const std::string &text) {
  double seconds;
  // NaN fails both comparisons.
  if (!llvm::StringRef(text).getAsDouble(seconds) && seconds >= 1e-3 &&
      seconds <= 86400)
    return "";
  return "expected seconds from 0.001 to 86400, found '" + text + "'";
}

/// Adds the options for statistics, reports, budgets and progress.
void addOutputs(CLI::App &command, CommonOptions &options) {
  command.add_option("--stats", options.stats,
                     "json prints statistics (and nothing else) on standard "
                     "output, json=FILE writes them");
  command.add_option("--report", options.report,
                     "text or json, with =FILE to write it");
  command
      .add_option_function<std::vector<std::string>>(
          "--fail-on",
          [&](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              options.budgets.push_back(valueOf(parseBudget(text)));
          },
          "Exit 1 above a budget and say what exceeds it: replicate>64MiB (a "
          "value that every device holds whole), sent>2GiB (by a device), "
          "peak>1GiB (memory of a device); several with commas")
      ->delimiter(',');
  command
      .add_flag("--progress{1}", options.progress,
                "Say every second, or as often as SECONDS says in "
                "--progress=SECONDS, on standard error what is being done; on "
                "a terminal it is said anyway")
      ->check(checkSeconds);
}

void addShardyVersion(CLI::App &command, ShardyVersion &version) {
  static const std::map<std::string, ShardyVersion> versions = {
      {"0.10.2", ShardyVersion::Jaxlib0_10_2},
      {"0.12.0", ShardyVersion::Jaxlib0_12_0}};
  command
      .add_option_function<std::string>(
          "--shardy",
          [&](const std::string &name) { version = versions.at(name); },
          "Propagate as Shardy does in this version of jaxlib (default: the "
          "newest)")
      ->check(CLI::IsMember({"0.10.2", "0.12.0"}));
}

void addCommon(CLI::App &command, CommonOptions &options) {
  command
      .add_option(
          "MODULE", options.module,
          "StableHLO module: text, MLIR bytecode or a portable artifact; - is "
          "standard input")
      ->required();
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
  command
      .add_option("--partition-effort", options.partitionEffort,
                  "How long to search for cheap collectives: 0 recipes, 1 "
                  "searches (default), 2 longer ones and direct exchanges")
      ->check(CLI::Range(0, 2));
  command.add_option("--machine", options.machine,
                     "JSON file of how fast devices and links are "
                     "(docs/machines.md): the partitioner minimises time on "
                     "it, and the statistics say how long a step takes");
  command
      .add_option_function<std::string>(
          "--overlap",
          [&](const std::string &mode) {
            options.overlap = mode == "on"      ? Overlap::On
                              : mode == "rings" ? Overlap::Rings
                              : mode == "force" ? Overlap::Force
                                                : Overlap::Off;
          },
          "Communicate beside computing where that is predicted to win: off "
          "(default), rings (dots piece by piece; XLA takes the result), on "
          "(and async_start, async_done), force (wherever possible)")
      ->check(CLI::IsMember({"off", "rings", "on", "force"}));
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode at once, not in a limited child process "
                   "first (malformed bytecode can crash the reader); run "
                   "takes saved executables, too");
  command
      .add_option_function<std::string>(
          "--target",
          [&](const std::string &name) {
            options.target = targetFromName(name);
          },
          "Partition for this compiler: cpu, our own or XLA's; gpu or tpu, "
          "XLA's, which combine some collectives better than we do (default: "
          "that of --plugin, else cpu)")
      ->check(CLI::IsMember({"cpu", "gpu", "tpu"}));
  addShardyVersion(command, options.shardy);
  addOutputs(command, options);
  command
      .add_option_function<std::vector<std::string>>(
          "--print-after",
          [&](const std::vector<std::string> &names) {
            for (const std::string &name : names)
              options.printAfter.push_back(stageOf(name));
          },
          "Print the module on standard error after these stages (list shows "
          "them)")
      ->delimiter(',');
  command
      .add_option(
          "--remarks", options.remarks,
          "Print what propagation decided, and what the partitioner made "
          "whole, on standard error: passed, missed, analysis or all")
      ->delimiter(',')
      ->check(CLI::IsMember({"passed", "missed", "analysis", "all"}));
  command.add_option_function<std::string>(
      "--warn-replicated",
      [&](const std::string &text) {
        options.warnReplicated = valueOf(parseBytes(text));
      },
      "Warn of values of at least so many bytes (64MiB) that every device "
      "holds whole, or that are made whole where they are used");
  command.add_option("--kernel-cache", options.kernelCache,
                     "Directory that keeps compiled kernels between runs "
                     "(else what SHARDWRIGHT_KERNEL_CACHE says), within "
                     "SHARDWRIGHT_KERNEL_CACHE_SIZE (1GiB)");
}

/// Adds the options for arguments and results of a run.
void addRun(CLI::App &command, RunOptions &options) {
  command.add_option("ARGS", options.arguments,
                     "Arguments: an .npz with arrays arg0, arg1, ...");
  CLI::Option *random =
      command.add_option("--random", options.randomSeed,
                         "Random arguments from this seed instead of ARGS");
  random->excludes("ARGS");
  command.add_option("--out", options.out,
                     "Write the results as out0, out1, ...");
  command.add_option("--expect", options.expect,
                     "Compare the results with this .npz; differing: exit 1");
  command.add_option("--rtol", options.rtol, "Relative tolerance (1e-5)");
  command.add_option("--atol", options.atol,
                     "Absolute tolerance (rtol / 100 of the largest expected "
                     "magnitude of the array)");
  command
      .add_option("--devices-per-process", options.devicesPerProcess,
                  "Started as several processes (mpirun -n 4 shardwright run "
                  "...): devices of each; else they are dealt equally")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--trace", options.trace,
                     "Write what each device did when, for chrome://tracing or "
                     "Perfetto; with --plugin what its profiler recorded, also "
                     "for TensorBoard (below TRACE.profile)");
}

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
  command.callback([&] {
    exitCode =
        options.compileOnly ? compileElsewhere(options) : runCommand(options);
  });
}

void addSavedCommand(CLI::App &app, RunOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "run-saved", "Run what `run --save` wrote: machine code, which does "
                   "whatever it does with your rights");
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
                   "Leave elementwise functions such as erf to another "
                   "compiler, which has ops of CHLO");
  command.callback([&] { exitCode = partitionCommand(options); });
}

void addExplainCommand(CLI::App &app, ExplainOptions &options, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "explain", "Why values are sharded as they are, and what stopped");
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
                     "What a line of the source computes: 12 or "
                     "file.py:12; without source positions, of MODULE");
  command.add_flag("--collectives", options.collectives,
                   "What each collective is for, whose annotations cause "
                   "it, and the ways that were rejected");
  command
      .add_option("--partition-effort", options.partitionEffort,
                  "As for run, for --collectives")
      ->check(CLI::Range(0, 2));
  command.add_option("--machine", options.machine,
                     "As for run, for --collectives");
  command.add_flag("--json", options.json, "For programs");
  command.add_flag("--full", options.full, "Every step of a long way");
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
                   "Read bytecode at once, as for run");
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
                  "Factors that the operation needs whole")
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
                  "Number of devices when no sharding tells it")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command.add_option("--version", options.version,
                     "Version of StableHLO that the readers of a portable "
                     "artifact know, as 1.17.0 (the newest)");
  command.add_option("-o", options.out, "Write the module here");
  command.add_flag("--debug-info", options.debugInfo,
                   "Print text with locations on standard output too");
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode at once, as for run");
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
  app.set_version_flag("--version", "shardwright " SHARDWRIGHT_VERSION);
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

  // For an unknown command CLI11 reports only that a command is required.
  std::vector<llvm::StringRef> commands;
  for (CLI::App *command : app.get_subcommands({}))
    commands.push_back(command->get_name());
  if (argc > 1 && argv[1][0] != '-' && !llvm::is_contained(commands, argv[1]))
    return badInput("unknown command '" + llvm::Twine(argv[1]) + "'" +
                        didYouMean(argv[1], commands),
                    "shardwright --help lists the commands");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &e) {
    return checkOutput(app.exit(e));
  } catch (const CLI::ParseError &e) {
    return badInput(e.what(), "shardwright --help lists the commands, "
                              "shardwright COMMAND --help their options");
  }
  return checkOutput(exitCode);
}
