//===- command_line.h - options of the shardwright command ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_COMMAND_LINE_H
#define SHARDWRIGHT_TOOLS_COMMAND_LINE_H

#include "callbacks.h"

#include "shardwright/compile/compile.h"
#include "shardwright/pjrt_client/client_option.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright {

/// The documented exit codes.
enum ExitCode { exitFine = 0, exitDiffers = 1, exitBadInput = 2, exitBug = 3 };

/// A limit of --fail-on: `replicate>64MiB`, `sent>2GiB`, `peak>1GiB`.
struct Budget {
  enum class What { Replicate, Sent, Peak };
  What what;
  double bytes;
  std::string text;
};

/// Options of both `run` and `partition`.
struct CommonOptions {
  std::string module;
  ImportOptions import;
  ShardyVersion shardy = kNewestShardy;
  int partitionEffort = 1;
  std::string machine; ///< file; empty: the built-in machine, bytes only
  Overlap overlap = Overlap::Off;
  bool padsShards = false; ///< uneven shards of arguments and results
  ProgramForm form = ProgramForm::Device;
  /// The compiler of the program of one device; none: that of the plugin.
  std::optional<Target> target;
  std::optional<std::string> stats;  ///< `json` or `json=FILE`
  std::optional<std::string> report; ///< `text`, `json`, each with `=FILE`
  bool full = false; ///< each row of each table of a text report
  std::vector<Stage> printAfter;
  std::string kernelCache;
  /// Seconds between progress lines; empty: progress on a terminal only.
  std::string progress;
  /// `passed`, `missed`, `analysis`, `all`.
  std::vector<std::string> remarks;
  std::optional<int64_t> warnReplicated; ///< bytes
  std::vector<Budget> budgets;
  std::string plugin; ///< library of a PJRT plugin; empty: the CPU
  std::vector<pjrt_client::ClientOption> pluginOptions;
  /// Read bytecode without a child process first, and run saved executables.
  bool trusted = false;
  bool debugInfo = false; ///< print modules with locations
};

struct RunOptions : CommonOptions {
  std::string arguments; ///< npz; empty: random
  std::optional<uint64_t> randomSeed;
  std::string out, expect, trace;
  std::string save;     ///< the executable; empty: nowhere
  bool isSaved = false; ///< module is a saved executable (run-saved)
  /// Options of compiling that were given; a saved executable takes none.
  std::vector<std::string> compileFlags;
  /// Compile with the plugin for `topology`, without devices; do not run.
  bool compileOnly = false;
  std::string topology;
  /// In a job of several processes; 0: the devices are dealt equally.
  int devicesPerProcess = 0;
  /// Timed runs; none: one, without a warm-up before.
  std::optional<int64_t> repeat;
  int64_t warmUp = 1;   ///< runs before repeated or profiled ones
  bool profile = false; ///< report the kernels
  Callbacks callbacks = Callbacks::Refuse;
  double rtol = 1e-5;
  /// None: rtol / 100 of the array's largest expected magnitude.
  std::optional<double> atol;
};

struct PartitionOptionsCli : CommonOptions {
  std::string out;
  Stage stopAfter = Stage::Local;
};

struct ShardingOptions {
  std::string text;
  llvm::SmallVector<int64_t, 4> shape; ///< empty: not given
  std::optional<llvm::SmallVector<MeshAxis, 4>> mesh;
  std::optional<int64_t> devices;
};

struct RuleOptionsCli {
  std::string text; ///< JAX's string, or the attribute
  std::vector<llvm::SmallVector<int64_t, 4>> operands, results;
  /// Sizes of factors that are not a full dimension of any tensor.
  std::vector<std::pair<std::string, int64_t>> sizes;
  std::vector<std::string> reduction, needReplication, permutation;
};

struct ConvertOptions {
  std::string module, to, out;
  std::string version; ///< of a portable artifact; empty: the newest
  std::optional<llvm::SmallVector<MeshAxis, 4>>
      mesh;               ///< names for GSPMD's axes
  int64_t devices = 0;    ///< if no sharding determines it; 0: not given
  bool debugInfo = false; ///< text with locations on standard output too
  bool trusted = false;   ///< read bytecode without a child process first
};

struct ExplainOptions {
  std::string module;
  ImportOptions import;
  ShardyVersion shardy = kNewestShardy;
  std::vector<std::string> values, arguments, results;
  std::string line; ///< `12` or `file.py:12`; empty: not given
  bool json = false, full = false;
  bool collectives = false; ///< explain each collective
  int partitionEffort = 1;
  std::string machine; ///< file; empty: the built-in machine
  bool trusted = false;
};

/// Options of the second of two programs that are compared, where they differ
/// from those of the first.
struct OtherOptions {
  std::optional<llvm::SmallVector<MeshAxis, 4>> mesh;
  std::optional<int64_t> devices;
  std::optional<int> partitionEffort;
  std::optional<std::string> machine;
  std::optional<ShardyVersion> shardy;

  bool areAny() const {
    return mesh || devices || partitionEffort || machine || shardy;
  }
  /// The options of the second program, which is `module`.
  CommonOptions of(const CommonOptions &first, std::string module) const;
};

struct ReportOptionsCli : CommonOptions {
  std::string out; ///< empty: standard output
  /// `html`, `json`, `text`, `model-explorer`; empty: by the name of the file.
  std::string form;
  bool compile = false;         ///< generate code, for the exact memory
  std::optional<size_t> trials; ///< of annotations
  std::string against;          ///< module or document to compare with
  OtherOptions other;           ///< of `against`
};

struct DiffOptionsCli : CommonOptions {
  std::string second; ///< module or document to compare with
  OtherOptions other; ///< of `second`
  bool json = false;
};

struct MeasureCommandOptions {
  std::string plugin; ///< library of a PJRT plugin; empty: the CPU
  std::vector<pjrt_client::ClientOption> pluginOptions;
  std::string out, name;
  std::optional<llvm::SmallVector<MeshAxis, 4>> mesh;
  int64_t devices = 0;            ///< 0: the mesh's, or all of the plugin
  double budget = 0.1;            ///< seconds for each program
  std::vector<std::string> check; ///< modules
  bool verbose = false;
};

struct SimulateOptions {
  std::string module;
  std::string machine;            ///< file; empty: the built-in machine
  std::vector<int64_t> processes; ///< ascending
  int64_t devicesPerProcess = 0;  ///< 0: those of the machine, else 8
  std::string axis;               ///< that grows; empty: the first that can
  int partitionEffort = 1;
  Overlap overlap = Overlap::Off;
  bool json = false;
  bool trusted = false;
};

struct AutoCommandOptions {
  std::string module;
  std::optional<llvm::SmallVector<MeshAxis, 4>> mesh;
  int64_t devices = 0;           ///< 0: those of the mesh
  std::string machine;           ///< file; empty: the built-in machine
  std::optional<int64_t> memory; ///< bytes
  Overlap overlap = Overlap::Off;
  int effort = 1;
  std::vector<std::string> fixed; ///< NAME=P(...)
  std::string state, drop;
  bool specsOnly = false;
  bool verify = false;
  std::string out;
  std::optional<std::string> report; ///< `text`, `json`, each with `=FILE`
  std::string specs;                 ///< `python`, `json`; empty: none
  bool trusted = false;
};

int autoCommand(const AutoCommandOptions &options);
int simulateCommand(const SimulateOptions &options);
int measureCommand(const MeasureCommandOptions &options);
int explainCommand(const ExplainOptions &options);
int reportCommand(const ReportOptionsCli &options);
int diffCommand(const DiffOptionsCli &options);
int convertCommand(const ConvertOptions &options);
int runCommand(const RunOptions &options);
/// `run --plugin-compile-only`: compiles for a topology of a plugin.
int compileElsewhere(const RunOptions &options);
int partitionCommand(const PartitionOptionsCli &options);
int ruleCommand(const RuleOptionsCli &options);
int shardingCommand(const ShardingOptions &options);

/// Parses `x=4,y=2`.
llvm::Expected<llvm::SmallVector<MeshAxis, 4>>
parseMeshSizes(llvm::StringRef text);
/// Parses `8..1024` (8, 16, 32, ...) or `8,16,100`.
llvm::Expected<std::vector<int64_t>> parseProcesses(llvm::StringRef text);
/// Parses `8x16`.
llvm::Expected<llvm::SmallVector<int64_t, 4>> parseShape(llvm::StringRef text);
/// Parses shapes such as `4x8xf32,f32`; errors name `option`.
llvm::Expected<std::vector<llvm::SmallVector<int64_t, 4>>>
parseTypes(llvm::StringRef option, llvm::StringRef text);
/// Parses `j=2`.
llvm::Expected<std::pair<std::string, int64_t>>
parseFactorSize(llvm::StringRef text);
/// Parses `64MiB` to a number of bytes.
llvm::Expected<int64_t> parseBytes(llvm::StringRef text);
llvm::Expected<Budget> parseBudget(llvm::StringRef text);

/// Standard output and standard error for human-readable text. Names in a
/// program may contain terminal control sequences; these are escaped
/// (mesh/printable.h).
llvm::raw_ostream &out();
llvm::raw_ostream &err();

/// Reads the file of --machine, if one is named. False: the error has been
/// printed.
bool readMachine(const std::string &path, std::optional<MachineModel> &machine);

/// Prints `error: text` and a remedy; returns exitBadInput.
int badInput(const llvm::Twine &text, llvm::StringRef remedy);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_COMMAND_LINE_H
