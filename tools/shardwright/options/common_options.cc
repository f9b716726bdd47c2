//===- common_options.cc - options of several commands --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common_options.h"

#include "shardwright/report/location_text.h"

#include "llvm/Support/raw_ostream.h"

namespace shardwright {

std::string listOfStages() {
  std::string list;
  for (llvm::StringRef name : stageNames())
    list += (list.empty() ? "" : "|") + name.str();
  return list;
}

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

static std::string checkSeconds(const std::string &text) {
  double seconds;
  // NaN fails both comparisons.
  if (!llvm::StringRef(text).getAsDouble(seconds) && seconds >= 1e-3 &&
      seconds <= 86400)
    return "";
  return "expected seconds from 0.001 to 86400, found '" + text + "'";
}

/// A seed that 64 bits hold.
static std::string checkSeed(const std::string &text) {
  uint64_t seed;
  if (!llvm::StringRef(text).getAsInteger(10, seed))
    return "";
  return "expected a whole number from 0 to 18446744073709551615, found '" +
         text + "'";
}

static std::string checkTolerance(const std::string &text) {
  double value;
  // NaN fails both comparisons.
  if (!llvm::StringRef(text).getAsDouble(value) && value >= 0 && value < 1e300)
    return "";
  return "expected a number of 0 or more, as 1e-5, found '" + text + "'";
}

void addLibraryPaths(CLI::App &command) {
  command.add_option_function<std::string>(
      "--library-paths", [](const std::string &list) { setLibraryPaths(list); },
      "Source files of libraries, for which reports show the line that calls "
      "them: absolute folders, or parts of a path as flax/linen, separated by "
      "colons; none removes the built-in ones, which are Python's (default: "
      "SHARDWRIGHT_LIBRARY_PATHS)");
}

void addOutputs(CLI::App &command, CommonOptions &options) {
  command.add_option("--stats", options.stats,
                     "json prints statistics (and nothing else) on standard "
                     "output, json=FILE writes them");
  command.add_option("--report", options.report,
                     "text, json, or html for a browser, with =FILE to write "
                     "it");
  command.add_flag("--full", options.full,
                   "In text reports, print each row of each table, not one for "
                   "rows of one kind");
  addLibraryPaths(command);
  command
      .add_option_function<std::vector<std::string>>(
          "--fail-on",
          [&](const std::vector<std::string> &texts) {
            for (const std::string &text : texts)
              options.budgets.push_back(valueOf(parseBudget(text)));
          },
          "Fail (exit code 1) if a budget is exceeded, and name what exceeds "
          "it: "
          "replicate>64MiB (a replicated value), sent>2GiB (by a device), "
          "peak>1GiB (memory of a device); several with commas")
      ->delimiter(',');
  command
      .add_flag(
          "--progress{1}", options.progress,
          "Print the current stage on standard error each second, or with "
          "--progress=SECONDS at that interval; on a terminal it is "
          "printed by default")
      ->check(checkSeconds);
}

void addShardyVersion(CLI::App &command, const std::string &name,
                      const std::string &description,
                      std::function<void(ShardyVersion)> set) {
  static const std::map<std::string, ShardyVersion> versions = {
      {"0.10.2", ShardyVersion::Jaxlib0_10_2},
      {"0.12.0", ShardyVersion::Jaxlib0_12_0}};
  command
      .add_option_function<std::string>(
          name,
          [set = std::move(set)](const std::string &text) {
            set(versions.at(text));
          },
          description)
      ->check(CLI::IsMember({"0.10.2", "0.12.0"}));
}

void addShardyVersion(CLI::App &command, ShardyVersion &version) {
  addShardyVersion(command, "--shardy",
                   "Propagate as Shardy does in this version of jaxlib "
                   "(default: the newest)",
                   [&](ShardyVersion chosen) { version = chosen; });
}

void addCommon(CLI::App &command, CommonOptions &options) {
  command
      .add_option(
          "MODULE", options.module,
          "StableHLO module: text, MLIR bytecode or a portable artifact; or an "
          "HLO proto; - is "
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
      .add_option(
          "--partition-effort", options.partitionEffort,
          "How much to search for cheap collectives: 0 fixed recipes, 1 "
          "(default) a search, 2 a longer search and direct exchanges, "
          "3 also a search for the shardings of inner values")
      ->check(CLI::Range(0, 3));
  command.add_option("--machine", options.machine,
                     "JSON file with the speed of devices and links "
                     "(docs/machines.md): the partitioner minimises the time "
                     "on this machine, and the statistics predict the time of "
                     "a step");
  command
      .add_option_function<std::string>(
          "--overlap",
          [&](const std::string &mode) {
            options.overlap = *overlapFromName(mode); // checked below
          },
          "Overlap communication and computing where that is predicted to be "
          "faster: off (default), rings (dots piece by piece, in ops that XLA "
          "supports), on (also async_start and async_done), force (wherever "
          "possible)")
      ->check(CLI::IsMember({"off", "rings", "on", "force"}));
  command.add_flag("--trusted", options.trusted,
                   "Read bytecode without reading it in a child process "
                   "first (malformed bytecode can crash the reader); run "
                   "also accepts saved executables");
  command
      .add_option_function<std::string>(
          "--target",
          [&](const std::string &name) {
            options.target = targetFromName(name);
          },
          "Partition for the compiler of this platform: cpu (Shardwright's or "
          "XLA's), gpu or tpu (XLA's, which combines some collectives itself); "
          "default: the platform of --plugin, else cpu")
      ->check(CLI::IsMember({"cpu", "gpu", "tpu"}));
  addShardyVersion(command, options.shardy);
  command.add_flag("--pad-shards", options.padsShards,
                   "Shards of arguments and results whose dimensions do not "
                   "divide are padded, as in GSPMD and PyTorch/XLA (default: "
                   "such dimensions are replicated)");
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
          "Print on standard error what propagation decided, and what the "
          "partitioner gathered to full size: passed, missed, analysis or all")
      ->delimiter(',')
      ->check(CLI::IsMember({"passed", "missed", "analysis", "all"}));
  command.add_option_function<std::string>(
      "--warn-replicated",
      [&](const std::string &text) {
        options.warnReplicated = valueOf(parseBytes(text));
      },
      "Warn of values of at least this size (64MiB) that are replicated, or "
      "gathered to full size where they are used");
  command.add_option("--kernel-cache", options.kernelCache,
                     "Directory that keeps compiled kernels between runs "
                     "(default: SHARDWRIGHT_KERNEL_CACHE), of at most "
                     "SHARDWRIGHT_KERNEL_CACHE_SIZE (1GiB)");
}

void addRun(CLI::App &command, RunOptions &options) {
  command.add_option("ARGS", options.arguments,
                     "Arguments: an .npz with arrays arg0, arg1, ...");
  CLI::Option *random =
      command.add_option("--random", options.randomSeed,
                         "Random arguments from this seed instead of ARGS");
  random->excludes("ARGS")->check(checkSeed);
  command.add_option("--out", options.out,
                     "Write the results as out0, out1, ...");
  command.add_option("--expect", options.expect,
                     "Compare the results with this .npz; exit code 1 if they "
                     "differ");
  command.add_option("--rtol", options.rtol, "Relative tolerance (1e-5)")
      ->check(checkTolerance);
  command
      .add_option("--atol", options.atol,
                  "Absolute tolerance (rtol / 100 of the largest expected "
                  "magnitude of the array)")
      ->check(checkTolerance);
  command
      .add_option("--repeat", options.repeat,
                  "Run this many times after the warm-up runs, and report the "
                  "median time and the spread; the results are those of the "
                  "last run")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  command
      .add_option("--warm-up", options.warmUp,
                  "Runs before those of --repeat and --profile, which are not "
                  "timed (1)")
      ->check(CLI::Range(int64_t(0), int64_t(1) << 20));
  command.add_flag("--profile", options.profile,
                   "Report the time of each kernel, its flop/s and bytes/s, "
                   "and their ratio to the roofline of --machine; without it "
                   "of this machine, which is measured first");
  command
      .add_option("--devices-per-process", options.devicesPerProcess,
                  "In a job of several processes (mpirun -n 4 shardwright run "
                  "...): number of devices of each process (default: an equal "
                  "number)")
      ->check(CLI::Range(1, 1 << 20));
  command
      .add_option_function<std::string>(
          "--callbacks",
          [&](const std::string &how) {
            options.callbacks =
                how == "print" ? Callbacks::Print : Callbacks::Skip;
          },
          "Where the program calls Python (jax.debug.print, pure_callback): "
          "print the operands on standard error, or skip the call; its results "
          "are zeros")
      ->check(CLI::IsMember({"print", "skip"}));
  command.add_option("--trace", options.trace,
                     "Write the steps and loops of each device over time, for "
                     "chrome://tracing or Perfetto; with --plugin what its "
                     "profiler recorded, also for TensorBoard (in the folder "
                     "TRACE.profile)");
}

} // namespace shardwright
