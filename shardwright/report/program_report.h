//===- program_report.h - decisions and costs of a program ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_PROGRAM_REPORT_H
#define SHARDWRIGHT_REPORT_PROGRAM_REPORT_H

#include "shardwright/partition/layout/planned_cost.h"
#include "shardwright/partition/overlap/timeline.h"
#include "shardwright/report/collective_cost.h"
#include "shardwright/report/peak_report.h"

#include "llvm/Support/raw_ostream.h"

namespace shardwright {

/// Seconds by stage; a stage that did not run is 0.
struct StageSeconds {
  double parse = 0, import = 0, propagate = 0, partition = 0, compile = 0;
};

/// One argument or result of the program.
struct ValueReport {
  std::string name;     ///< `x` from the source, or `arg0`
  std::string type;     ///< global, `8x16xf32`
  std::string local;    ///< of one device, `4x16xf32`
  std::string sharding; ///< `[{"x"}, {}]`
  /// 0 if unknown, as of a saved executable.
  double bytesPerDevice = 0;
};

/// Comparison of one result with its expected value.
struct ComparisonReport {
  std::string name;
  double maxAbsError = 0, maxRelError = 0;
  /// An element is equal if its error is at most atol + rtol * |expected|.
  double atol = 0, rtol = 0;
  int64_t mismatches = 0, elements = 0;
  bool ok = true;
  std::string detail; ///< first mismatch or why the arrays cannot be compared
};

/// Predicted time of a step on a machine (partition/cost/machine_model.h).
struct StepPrediction {
  std::string machine;  ///< empty: no prediction
  bool isAsked = false; ///< the user named a machine, so text reports show it
  StepTime time;
  /// What the planner took its decisions to cost, in seconds; none without a
  /// machine.
  std::optional<PlannedCost> planned;
  /// Bytes that the process that sends most sends to others in a step; none if
  /// there is one process, or if the last one has not the smallest share.
  std::optional<double> bytesBetweenProcesses;
};

/// Of a run on several processes.
struct ProcessesReport {
  std::string engine;           ///< that moved the messages: `mpi`, `gloo`
  std::vector<int64_t> devices; ///< of each process
  double meanRunSeconds = 0;    ///< runSeconds is the longest
  int64_t mostBytesSent = 0; ///< to other processes, of the one that sent most
};

/// Time and work of the executions of one kernel, or of several that come from
/// one line of the source.
struct KernelTime {
  std::string name;   ///< `add (file.py:12)`
  int64_t steps = 0;  ///< of the program
  double runs = 0;    ///< executions by one device in a run
  double seconds = 0; ///< of a run, during which any device executed it
  /// Work of one device in a run: arithmetic operations with calls of functions
  /// such as exp, and bytes read and written.
  double flops = 0, bytes = 0;
  /// Time of that work on the machine: the larger of computing and of memory.
  double rooflineSeconds = 0;
  bool isMemoryBound = false;
};

struct ProfileReport {
  std::string machine;             ///< whose roofline it is
  int64_t runs = 0;                ///< that were recorded; times are their mean
  std::vector<KernelTime> kernels; ///< in descending order of time
  /// Of a run, during which any device exchanged data.
  double collectiveSeconds = 0;
};

/// Seconds of repeated runs.
struct RepeatedRuns {
  int64_t warmUps = 0;         ///< runs before, which are not in `seconds`
  std::vector<double> seconds; ///< of each run, in order
};

struct ProgramReport {
  std::string module; ///< path as the user gave it
  int64_t ops = 0;    ///< after import
  int64_t devices = 1;
  Mesh mesh;
  StageSeconds seconds;
  std::vector<ValueReport> arguments, results;
  CollectiveCost collectives;
  StepPrediction predicted;
  /// From stage Local on.
  std::optional<PeakReport> predictedPeak;
  /// Arena, arguments and results, a result in the memory of a donated argument
  /// once; 0 if not compiled.
  int64_t peakBytesPerDevice = 0;
  /// Bytes by part, per device, and those that results take from arguments.
  int64_t argumentBytes = 0, resultBytes = 0, arenaBytes = 0, reusedBytes = 0;
  /// Of the run, of several the median; 0 if there was none.
  double runSeconds = 0;
  std::optional<RepeatedRuns> repeated; ///< if repetitions were asked for
  std::optional<ProfileReport> profile;
  std::optional<ProcessesReport> processes;
  std::vector<ComparisonReport> comparisons;
};

/// The statistics, as `--stats=json` prints them.
llvm::json::Object statisticsJson(const ProgramReport &report);
/// Writes the statistics as one line of JSON.
void writeStatisticsJson(const ProgramReport &report, llvm::raw_ostream &os);
struct TextReportOptions {
  /// Print each row of each table, not one for rows of one kind.
  bool full = false;
  /// How the reader asks for a full report, `--full`; empty: not at all.
  std::string fullOption;
  /// Columns of the text; tables shorten locations to fit.
  size_t width = 120;
  /// How the reader asks for an explanation: `shardwright explain FILE`. Empty:
  /// not at all.
  std::string explain;
};

/// ` (--full shows them)`, or nothing.
std::string moreHint(const TextReportOptions &options);

/// Writes a text report: a summary, and then stages, shardings, collectives,
/// memory and the comparison.
void writeTextReport(const ProgramReport &report, llvm::raw_ostream &os,
                     const TextReportOptions &options = {});
/// Writes its summary: bytes, time, peak, the largest collectives, and the
/// command that explains what costs most.
void writeSummary(const ProgramReport &report, llvm::raw_ostream &os,
                  const TextReportOptions &options);
/// Writes the contents of the text report as JSON.
void writeJsonReport(const ProgramReport &report, llvm::raw_ostream &os);

/// Serializes the part of the report about the program itself (values, mesh,
/// collectives; no times), which is stored with a saved executable.
std::string reportNotes(const ProgramReport &report);
/// Reads such bytes into `report`. Returns false, without changing it, for
/// bytes that reportNotes did not write.
bool readReportNotes(llvm::StringRef notes, const Mesh &mesh,
                     mlir::MLIRContext *context, ProgramReport &report);

/// `1.5 MiB`
std::string formatBytes(double bytes);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_PROGRAM_REPORT_H
