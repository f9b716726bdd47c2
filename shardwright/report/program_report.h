//===- program_report.h - what was decided and what it costs ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_PROGRAM_REPORT_H
#define SHARDWRIGHT_REPORT_PROGRAM_REPORT_H

#include "shardwright/partition/overlap/timeline.h"
#include "shardwright/report/collective_cost.h"

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

/// How one result compares with what was expected.
struct ComparisonReport {
  std::string name;
  double maxAbsError = 0, maxRelError = 0;
  int64_t mismatches = 0, elements = 0;
  bool ok = true;
  std::string detail; ///< first mismatch or why the arrays cannot be compared
};

/// How long a step takes on a machine (partition/machine_model.h).
struct StepPrediction {
  std::string machine; ///< empty: nothing was predicted
  bool isAsked =
      false; ///< the user named a machine: reports for people show it
  StepTime time;
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
  /// Arena, arguments and results; 0 when nothing was compiled.
  int64_t peakBytesPerDevice = 0;
  /// Bytes by part, of one device.
  int64_t argumentBytes = 0, resultBytes = 0, arenaBytes = 0;
  /// Of the last run; 0 when nothing ran.
  double runSeconds = 0;
  std::vector<ComparisonReport> comparisons;
};

/// The statistics object of the command line's contract, one line.
void writeStatisticsJson(const ProgramReport &report, llvm::raw_ostream &os);
/// For people: stages, mesh, shardings, collectives, memory, comparison.
void writeTextReport(const ProgramReport &report, llvm::raw_ostream &os);
/// The text report's facts as JSON.
void writeJsonReport(const ProgramReport &report, llvm::raw_ostream &os);

/// The part of the report about the program itself (values, mesh, collectives;
/// no times), as bytes that are stored with a saved executable.
std::string reportNotes(const ProgramReport &report);
/// Reads such bytes into `report`. Returns false, without changing it, for
/// bytes that reportNotes did not write.
bool readReportNotes(llvm::StringRef notes, const Mesh &mesh,
                     mlir::MLIRContext *context, ProgramReport &report);

/// `1.5 MiB`
std::string formatBytes(double bytes);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_PROGRAM_REPORT_H
