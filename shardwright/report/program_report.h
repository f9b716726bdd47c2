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
};

/// Comparison of one result with its expected value.
struct ComparisonReport {
  std::string name;
  double maxAbsError = 0, maxRelError = 0;
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
  /// Of the last run; 0 if there was none.
  double runSeconds = 0;
  std::optional<ProcessesReport> processes;
  std::vector<ComparisonReport> comparisons;
};

/// The statistics, as `--stats=json` prints them.
llvm::json::Object statisticsJson(const ProgramReport &report);
/// Writes the statistics as one line of JSON.
void writeStatisticsJson(const ProgramReport &report, llvm::raw_ostream &os);
/// Writes a text report: stages, mesh, shardings, collectives, memory,
/// comparison.
void writeTextReport(const ProgramReport &report, llvm::raw_ostream &os);
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
