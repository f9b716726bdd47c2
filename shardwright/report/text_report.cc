//===- text_report.cc - the report as text --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/printable.h"
#include "shardwright/report/group_rows.h"
#include "shardwright/report/kernel_profile.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

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

/// Rows of a table that is not printed in full.
constexpr size_t kMostRows = 20;

std::string counted(size_t members) {
  return members > 1 ? " x" + std::to_string(members) : "";
}

void writeValues(StringRef title, ArrayRef<ValueReport> values, raw_ostream &os,
                 const TextReportOptions &options) {
  if (values.empty())
    return;
  os << "\n" << title << "\n";
  std::vector<RowGroup> groups;
  if (options.full)
    for (auto [i, value] : enumerate(values))
      groups.push_back({value.name, {i}});
  else
    groups = groupValues(values, kMostRows);
  TextTable table({"name", "global", "per device", "sharding"});
  size_t shown = options.full ? groups.size() : kMostRows, hidden = 0;
  for (auto [i, group] : enumerate(groups)) {
    const ValueReport &first = values[group.members.front()];
    if (i < shown)
      table.add({group.name + counted(group.members.size()), first.type,
                 first.local, first.sharding});
    else
      hidden += group.members.size();
  }
  table.print(os, "  ");
  if (hidden > 0)
    os << "  ... and " << hidden << " more" << moreHint(options) << "\n";
}

std::string wholeNumber(double number) { return formatv("{0:f0}", number); }

void writeTotals(const CollectiveCost &cost, raw_ostream &os) {
  struct Total {
    double count = 0, bytes = 0;
  };
  MapVector<StringRef, Total> totals;
  Total sum;
  for (const CollectiveUse &use : cost.uses)
    for (Total *total : {&totals[use.kind], &sum}) {
      total->count += use.executions;
      total->bytes += use.bytes;
    }
  TextTable table({"total", "times", "sent per device"});
  table.alignRight(1).alignRight(2);
  for (auto &[kind, total] : totals)
    table.add({kind.str(), wholeNumber(total.count), formatBytes(total.bytes)});
  if (totals.size() > 1)
    table.add({"all", wholeNumber(sum.count), formatBytes(sum.bytes)});
  table.print(os, "  ");
  if (cost.unknownTripCount)
    os << "  (a loop of unknown trip count is counted once)\n";
}

void writeCollectives(const CollectiveCost &cost, raw_ostream &os,
                      const TextReportOptions &options) {
  os << "\ncollectives\n";
  if (cost.uses.empty()) {
    os << "  none\n";
    return;
  }
  TextTable table({"kind", "axes", "", "times", "sent per device", "where"});
  table.alignRight(3).alignRight(4);
  std::vector<CollectiveGroup> groups;
  if (options.full)
    for (const CollectiveUse &use : cost.uses)
      groups.push_back(
          {locationText(use.location), {&use}, use.executions, use.bytes});
  else
    groups = groupCollectives(cost.uses);
  size_t shown = options.full ? groups.size() : kMostRows, hidden = 0;
  double hiddenBytes = 0;
  for (auto [i, group] : enumerate(groups)) {
    if (i < shown) {
      table.add({group.uses.front()->kind, group.uses.front()->axes,
                 group.countText(), wholeNumber(group.executions),
                 formatBytes(group.bytes), group.where});
      continue;
    }
    hidden += group.uses.size();
    hiddenBytes += group.bytes;
  }
  if (!options.full)
    table.fit(5, options.width);
  table.print(os, "  ");
  if (hidden > 0)
    os << "  ... and " << hidden << " more, which send "
       << formatBytes(hiddenBytes) << moreHint(options) << "\n";
  os << "\n";
  writeTotals(cost, os);
}

/// Facts, one a line, numbers to the right.
void writeFacts(std::vector<std::vector<std::string>> facts, raw_ostream &os) {
  TextTable table(2);
  table.alignRight(1);
  for (auto &fact : facts)
    table.add(std::move(fact));
  table.print(os, "  ");
}

void writePrediction(const StepPrediction &step, raw_ostream &os) {
  if (step.machine.empty() || !step.isAsked)
    return;
  os << "\npredicted step on " << step.machine << "\n";
  const StepTime &t = step.time;
  writeFacts({{"computing", durationText(t.compute)},
              {"communication", durationText(t.communication)},
              {"  not hidden", durationText(t.exposed)},
              {"step", durationText(t.total())}},
             os);
  if (t.unknownTripCount)
    os << "  (a loop of unknown trip count is counted once)\n";
}

void writeProcesses(const ProcessesReport &processes,
                    std::optional<double> predictedBytes, raw_ostream &os) {
  os << "\nprocesses\n";
  std::string devices;
  for (auto [i, count] : enumerate(processes.devices))
    devices += (i ? ", " : "") + std::to_string(count);
  writeFacts({{"number", std::to_string(processes.devices.size())},
              {"devices of each", devices},
              {"transport", processes.engine},
              {"mean run", durationText(processes.meanRunSeconds)},
              {"most sent by one", formatBytes(processes.mostBytesSent)},
              {"  predicted",
               predictedBytes ? formatBytes(*predictedBytes) : "unknown"}},
             os);
}

void writeStages(const ProgramReport &report, raw_ostream &os) {
  os << "\nstages\n";
  const StageSeconds &s = report.seconds;
  std::vector<std::vector<std::string>> rows;
  for (auto [name, time] :
       {std::pair("parse", s.parse), std::pair("import", s.import),
        std::pair("propagate", s.propagate),
        std::pair("partition", s.partition), std::pair("compile", s.compile),
        std::pair("run", report.runSeconds)})
    if (time > 0)
      rows.push_back({name, durationText(time)});
  writeFacts(std::move(rows), os);
}

void writeMemory(const ProgramReport &report, raw_ostream &os) {
  if (report.peakBytesPerDevice == 0) {
    if (report.predictedPeak) {
      os << "\n";
      writeText(*report.predictedPeak, os);
    }
    return;
  }
  os << "\nmemory per device\n";
  std::vector<std::vector<std::string>> rows{
      {"arguments", formatBytes(double(report.argumentBytes))},
      {"results", formatBytes(double(report.resultBytes))}};
  if (report.reusedBytes > 0)
    rows.push_back(
        {"  of donated arguments", formatBytes(double(report.reusedBytes))});
  rows.push_back({"temporaries", formatBytes(double(report.arenaBytes))});
  rows.push_back({"peak", formatBytes(double(report.peakBytesPerDevice))});
  writeFacts(std::move(rows), os);
}

/// The first different element is named on standard error.
std::string differenceText(const ComparisonReport &c) {
  if (c.mismatches == 0)
    return "DIFFERS: " + c.detail;
  return formatv("DIFFERS in {0} of {1} elements", c.mismatches, c.elements);
}

void writeComparisons(ArrayRef<ComparisonReport> comparisons, raw_ostream &os) {
  if (comparisons.empty())
    return;
  os << "\ncomparison with the expected results: allowed error of an element "
        "atol + rtol * |expected|\n";
  TextTable table(
      {"result", "max abs error", "atol", "max rel error", "rtol", ""});
  for (size_t column = 1; column < 5; ++column)
    table.alignRight(column);
  auto number = [](double value) { return formatv("{0:e2}", value).str(); };
  for (const ComparisonReport &c : comparisons)
    table.add({c.name, number(c.maxAbsError), number(c.atol),
               number(c.maxRelError), number(c.rtol),
               c.ok ? "equal" : differenceText(c)});
  table.print(os, "  ");
}

} // namespace

void writeTextReport(const ProgramReport &report, raw_ostream &bytes,
                     const TextReportOptions &options) {
  PrintableStream os(bytes);
  os << report.module << ": " << report.ops << " ops on " << report.devices
     << (report.devices == 1 ? " device" : " devices");
  if (report.mesh.numAxes() > 0) {
    os << ", mesh ";
    interleaveComma(report.mesh.axes(), os, [&](const MeshAxis &axis) {
      os << axis.name << "=" << axis.size;
    });
  }
  os << "\n";
  writeSummary(report, os, options);
  writeStages(report, os);
  if (report.processes)
    writeProcesses(*report.processes, report.predicted.bytesBetweenProcesses,
                   os);
  writeCollectives(report.collectives, os, options);
  writePrediction(report.predicted, os);
  if (report.profile)
    writeProfileText(*report.profile, os, options);
  writeMemory(report, os);
  writeComparisons(report.comparisons, os);
  writeValues("arguments", report.arguments, os, options);
  writeValues("results", report.results, os, options);
}

} // namespace shardwright
