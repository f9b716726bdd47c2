//===- main.cc - shardwright: run and explain sharded programs ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"
#include "crash_report.h"

#include "shardwright/mesh/did_you_mean.h"

#include "CLI/CLI.hpp"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <iostream>

using namespace shardwright;

namespace {

/// Turns a failed Expected of an option's text into CLI11's error.
template <typename T> T valueOf(llvm::Expected<T> value) {
  if (!value)
    throw CLI::ValidationError(llvm::toString(value.takeError()));
  return std::move(*value);
}

std::string listOfStages() {
  std::string list;
  for (llvm::StringRef name : stageNames())
    list += (list.empty() ? "" : "|") + name.str();
  return list;
}

/// `list` prints the choices and ends the program, as for every mode.
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
  // Not a number is in no range.
  if (!llvm::StringRef(text).getAsDouble(seconds) && seconds >= 1e-3 &&
      seconds <= 86400)
    return "";
  return "expected seconds from 0.001 to 86400, found '" + text + "'";
}

/// What a command says of the program, and while it works.
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

/// What is run, on what, and what becomes of the results.
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
  command.add_option("--trace", options.trace,
                     "Write what each device did when, for chrome://tracing or "
                     "Perfetto");
}

/// What was printed may not have arrived: on a full disk, say.
int checkOutput(int exitCode) {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  std::error_code error = os.error();
  os.clear_error(); // or its destructor ends the process
  errno = 0;
  if (std::cout.flush().fail() && !error) // CLI11's help
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
  CLI::App *runApp = app.add_subcommand(
      "run", "Compile a module for its mesh and run it on virtual devices");
  addCommon(*runApp, run);
  addRun(*runApp, run);
  runApp->add_option("--save", run.save,
                     "Write the executable, for a later `run-saved` on a "
                     "machine of this kind");
  runApp->callback([&] { exitCode = runCommand(run); });

  RunOptions saved;
  saved.isSaved = saved.trusted = true;
  CLI::App *savedApp = app.add_subcommand(
      "run-saved", "Run what `run --save` wrote: machine code, which does "
                   "whatever it does with your rights");
  savedApp
      ->add_option("EXECUTABLE", saved.module, "File that `run --save` wrote")
      ->required();
  addOutputs(*savedApp, saved);
  addRun(*savedApp, saved);
  savedApp->callback([&] { exitCode = runCommand(saved); });

  PartitionOptionsCli partition;
  CLI::App *partitionApp = app.add_subcommand(
      "partition", "Print the program of one device, or an earlier stage");
  addCommon(*partitionApp, partition);
  partitionApp->add_option("-o", partition.out,
                           "Write the module here, with its locations");
  partitionApp->add_flag("--debug-info", partition.debugInfo,
                         "Print locations on standard output too");
  partitionApp->add_option_function<std::string>(
      "--stop-after",
      [&](const std::string &name) { partition.stopAfter = stageOf(name); },
      "The last stage to run: " + listOfStages());
  partitionApp->callback([&] { exitCode = partitionCommand(partition); });

  ExplainOptions explain;
  CLI::App *explainApp = app.add_subcommand(
      "explain", "Why values are sharded as they are, and what stopped");
  explainApp
      ->add_option("MODULE", explain.module,
                   "StableHLO module, as for run; - is standard input")
      ->required();
  explainApp->add_option("--value", explain.values,
                         "%12, %5#1, @f:%12 of another function, or the "
                         "source's name of an argument or result");
  explainApp->add_option("--arg", explain.arguments,
                         "An argument by number or name");
  explainApp->add_option("--result", explain.results,
                         "A result by number or name");
  explainApp->add_option("--line", explain.line,
                         "What a line of the source computes: 12 or "
                         "file.py:12; without source positions, of MODULE");
  explainApp->add_flag("--collectives", explain.collectives,
                       "What each collective is for, whose annotations cause "
                       "it, and the ways that were rejected");
  explainApp
      ->add_option("--partition-effort", explain.partitionEffort,
                   "As for run, for --collectives")
      ->check(CLI::Range(0, 2));
  explainApp->add_option("--machine", explain.machine,
                         "As for run, for --collectives");
  explainApp->add_flag("--json", explain.json, "For programs");
  explainApp->add_flag("--full", explain.full, "Every step of a long way");
  explainApp->add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        explain.import.meshSizes = valueOf(parseMeshSizes(text));
      },
      "New sizes for the module's mesh axes, as x=4,y=2");
  explainApp
      ->add_option("--devices", explain.import.devices,
                   "Number of devices when the module names no mesh")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  explainApp->add_flag("--trusted", explain.trusted,
                       "Read bytecode at once, as for run");
  explainApp->callback([&] { exitCode = explainCommand(explain); });

  ShardingOptions sharding;
  CLI::App *shardingApp = app.add_subcommand(
      "sharding", "Explain a sharding: other notations, tiles, devices");
  shardingApp
      ->add_option("TEXT", sharding.text,
                   "As in mhlo.sharding, {devices=[4,2]<=[8]}, as JAX, P('x', "
                   "None), or as Shardy, [{\"x\"}, {}]")
      ->required();
  shardingApp->add_option_function<std::string>(
      "--shape",
      [&](const std::string &text) {
        sharding.shape = valueOf(parseShape(text));
      },
      "The shape of the value, as 8x16: tile shape and picture");
  shardingApp->add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        sharding.mesh = valueOf(parseMeshSizes(text));
      },
      "The axes, as x=2,y=4");
  shardingApp->add_option("--devices", sharding.devices, "Number of devices")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  shardingApp->callback([&] { exitCode = shardingCommand(sharding); });

  RuleOptionsCli rule;
  CLI::App *ruleApp = app.add_subcommand(
      "rule", "Check a sharding rule, as JAX's custom_partitioning takes it");
  ruleApp
      ->add_option("TEXT", rule.text,
                   "As in \"i k, k j -> i j\"; prints the sdy.sharding_rule. "
                   "Of #sdy.op_sharding_rule<...>, prints the string")
      ->required();
  for (auto [name, types] : {std::pair("--operands", &rule.operands),
                             std::pair("--results,--result", &rule.results)})
    ruleApp->add_option_function<std::string>(
        name,
        [types, name](const std::string &text) {
          *types =
              valueOf(parseTypes(llvm::StringRef(name).split(',').first, text));
        },
        "Types, as 4x8xf32,8x16xf32; a scalar is f32");
  ruleApp
      ->add_option_function<std::vector<std::string>>(
          "--sizes",
          [&](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              rule.sizes.push_back(valueOf(parseFactorSize(text)));
          },
          "Sizes of factors that are only parts of dimensions, as j=2,k=4")
      ->delimiter(',');
  ruleApp
      ->add_option("--reduction", rule.reduction,
                   "Factors over which results are summed up, as k,l")
      ->delimiter(',');
  ruleApp
      ->add_option("--need-replication", rule.needReplication,
                   "Factors that the operation needs whole")
      ->delimiter(',');
  ruleApp
      ->add_option("--permutation", rule.permutation,
                   "Factors along which neighbours exchange data")
      ->delimiter(',');
  ruleApp->callback([&] { exitCode = ruleCommand(rule); });

  ConvertOptions convert;
  CLI::App *convertApp = app.add_subcommand(
      "convert",
      "Write a module in another form, or its shardings in another notation");
  convertApp
      ->add_option("MODULE", convert.module,
                   "StableHLO module, as for run; - is standard input")
      ->required();
  convertApp
      ->add_option("--to", convert.to,
                   "portable, text or bytecode; sdy, gspmd, gspmd-v1 (devices "
                   "listed) or round-trip (sdy in frontend attributes) turn "
                   "shardings from any of these into that one, as text")
      ->required();
  convertApp->add_option_function<std::string>(
      "--mesh",
      [&](const std::string &text) {
        convert.mesh = valueOf(parseMeshSizes(text));
      },
      "The axes of a module with GSPMD shardings, as x=2,y=4");
  convertApp
      ->add_option("--devices", convert.devices,
                   "Number of devices when no sharding tells it")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  convertApp->add_option("--version", convert.version,
                         "Version of StableHLO that the readers of a portable "
                         "artifact know, as 1.17.0 (the newest)");
  convertApp->add_option("-o", convert.out, "Write the module here");
  convertApp->add_flag("--debug-info", convert.debugInfo,
                       "Print text with locations on standard output too");
  convertApp->add_flag("--trusted", convert.trusted,
                       "Read bytecode at once, as for run");
  convertApp->callback([&] { exitCode = convertCommand(convert); });

  // CLI11 says of an unknown command only that one is required.
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
