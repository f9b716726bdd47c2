//===- text_report.cc - the report as text --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/printable.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace shardwright {

std::string formatBytes(double bytes) {
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0)
    return formatv("{0:f0} B", bytes).str();
  return formatv("{0:f1} {1}", bytes, units[unit]).str();
}

namespace {

using Row = std::vector<std::string>;

/// Pads columns to their widest cell; aligns those in `right` to the right.
void writeTable(const std::vector<Row> &rows, ArrayRef<bool> right,
                raw_ostream &os) {
  std::vector<size_t> width(right.size(), 0);
  for (const Row &row : rows)
    for (auto [i, cell] : enumerate(row))
      width[i] = std::max(width[i], cell.size());
  for (const Row &row : rows) {
    os << "  ";
    for (auto [i, cell] : enumerate(row)) {
      std::string pad(width[i] - cell.size(), ' ');
      if (right[i])
        os << pad << cell;
      else if (i + 1 == row.size())
        os << cell;
      else
        os << cell << pad;
      if (i + 1 < row.size())
        os << "  ";
    }
    os << "\n";
  }
}

std::string seconds(double s) {
  return s < 1 ? formatv("{0:f1} ms", s * 1e3).str()
               : formatv("{0:f2} s", s).str();
}

void writeValues(StringRef title, ArrayRef<ValueReport> values,
                 raw_ostream &os) {
  if (values.empty())
    return;
  os << "\n" << title << "\n";
  std::vector<Row> rows{{"name", "global", "per device", "sharding"}};
  // Print consecutive equal rows (layers of one kind) once.
  constexpr size_t limit = 40;
  for (const ValueReport &v : values.take_front(limit))
    rows.push_back({v.name, v.type, v.local, v.sharding});
  writeTable(rows, {false, false, false, false}, os);
  if (values.size() > limit)
    os << "  ... and " << values.size() - limit << " more\n";
}

/// The last components of a long op path, which say more than the first.
std::string shortened(std::string text, size_t limit) {
  if (text.size() <= limit)
    return text;
  return "..." + text.substr(text.size() - limit + 3);
}

void writeCollectives(const CollectiveCost &cost, raw_ostream &os) {
  os << "\ncollectives\n";
  if (cost.uses.empty()) {
    os << "  none\n";
    return;
  }
  struct Total {
    double count = 0, bytes = 0;
  };
  MapVector<StringRef, Total> totals;
  std::vector<Row> rows{{"kind", "axes", "times", "sent per device", "where"}};
  for (const CollectiveUse &use : cost.uses) {
    totals[use.kind].count += use.executions;
    totals[use.kind].bytes += use.bytes;
    rows.push_back({use.kind, use.axes, formatv("{0:f0}", use.executions).str(),
                    formatBytes(use.bytes),
                    shortened(locationText(use.location), 72)});
  }
  writeTable(rows, {false, false, true, true, false}, os);
  os << "\n";
  rows = {{"total", "times", "sent per device"}};
  Total sum;
  for (auto &[kind, total] : totals) {
    rows.push_back({kind.str(), formatv("{0:f0}", total.count).str(),
                    formatBytes(total.bytes)});
    sum.count += total.count;
    sum.bytes += total.bytes;
  }
  if (totals.size() > 1)
    rows.push_back(
        {"all", formatv("{0:f0}", sum.count).str(), formatBytes(sum.bytes)});
  writeTable(rows, {false, true, true}, os);
  if (cost.unknownTripCount)
    os << "  (a loop of unknown trip count is counted once)\n";
}

void writePrediction(const StepPrediction &step, raw_ostream &os) {
  if (step.machine.empty() || !step.isAsked)
    return;
  auto time = [](double s) {
    return s < 1e-3 ? formatv("{0:f1} us", s * 1e6).str() : seconds(s);
  };
  os << "\npredicted step on " << step.machine << "\n";
  const StepTime &t = step.time;
  writeTable({{"computing", time(t.compute)},
              {"communication", time(t.communication)},
              {"  not hidden", time(t.exposed)},
              {"step", time(t.total())}},
             {false, true}, os);
  if (t.unknownTripCount)
    os << "  (a loop of unknown trip count is counted once)\n";
}

void writeProcesses(const ProcessesReport &processes,
                    std::optional<double> predictedBytes, raw_ostream &os) {
  os << "\nprocesses\n";
  std::string devices;
  for (auto [i, count] : enumerate(processes.devices))
    devices += (i ? ", " : "") + std::to_string(count);
  writeTable({{"number", std::to_string(processes.devices.size())},
              {"devices of each", devices},
              {"transport", processes.engine},
              {"mean run", seconds(processes.meanRunSeconds)},
              {"most sent by one", formatBytes(processes.mostBytesSent)},
              {"  predicted",
               predictedBytes ? formatBytes(*predictedBytes) : "unknown"}},
             {false, true}, os);
}

} // namespace

void writeTextReport(const ProgramReport &report, raw_ostream &bytes) {
  PrintableStream os(bytes);
  os << report.module << ": " << report.ops << " ops on " << report.devices
     << (report.devices == 1 ? " device" : " devices");
  if (report.mesh.numAxes() > 0) {
    os << ", mesh ";
    interleaveComma(report.mesh.axes(), os, [&](const MeshAxis &axis) {
      os << axis.name << "=" << axis.size;
    });
  }
  os << "\n\nstages\n";
  const StageSeconds &s = report.seconds;
  std::vector<Row> rows;
  auto stage = [&](const char *name, double time) {
    if (time > 0)
      rows.push_back({name, seconds(time)});
  };
  stage("parse", s.parse);
  stage("import", s.import);
  stage("propagate", s.propagate);
  stage("partition", s.partition);
  stage("compile", s.compile);
  stage("run", report.runSeconds);
  writeTable(rows, {false, true}, os);
  if (report.processes)
    writeProcesses(*report.processes, report.predicted.bytesBetweenProcesses,
                   os);

  writeValues("arguments", report.arguments, os);
  writeValues("results", report.results, os);
  writeCollectives(report.collectives, os);
  writePrediction(report.predicted, os);

  if (report.peakBytesPerDevice > 0) {
    os << "\nmemory per device\n";
    rows = {{"arguments", formatBytes(report.argumentBytes)},
            {"results", formatBytes(report.resultBytes)}};
    if (report.reusedBytes > 0)
      rows.push_back(
          {"  of donated arguments", formatBytes(report.reusedBytes)});
    rows.push_back({"temporaries", formatBytes(report.arenaBytes)});
    rows.push_back({"peak", formatBytes(report.peakBytesPerDevice)});
    writeTable(rows, {false, true}, os);
  } else if (report.predictedPeak) {
    os << "\n";
    writeText(*report.predictedPeak, os);
  }

  if (!report.comparisons.empty()) {
    os << "\ncomparison with the expected results\n";
    rows = {{"result", "max abs error", "max rel error", ""}};
    for (const ComparisonReport &c : report.comparisons)
      rows.push_back({c.name, formatv("{0:e2}", c.maxAbsError).str(),
                      formatv("{0:e2}", c.maxRelError).str(),
                      c.ok ? "ok" : "DIFFERS: " + c.detail});
    writeTable(rows, {false, true, true, false}, os);
  }
}

} // namespace shardwright
