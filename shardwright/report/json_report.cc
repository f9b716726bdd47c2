//===- json_report.cc - statistics and report as JSON ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/program_report.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/kernel_profile.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/run_times.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace shardwright {
namespace {

struct Total {
  double count = 0, bytes = 0;
};

/// Prints whole numbers without a fraction.
json::Value number(double v) {
  if (v == double(int64_t(v)))
    return int64_t(v);
  return v;
}

} // namespace

json::Object statisticsJson(const ProgramReport &report) {
  const char *const kinds[] = {"all_gather",         "all_reduce",
                               "reduce_scatter",     "all_to_all",
                               "collective_permute", "collective_broadcast"};
  StringMap<Total> totals;
  for (const CollectiveUse &use : report.collectives.uses) {
    totals[use.kind].count += use.executions;
    totals[use.kind].bytes += use.bytes;
  }
  json::Object collectives;
  for (const char *kind : kinds) {
    Total t = totals.lookup(kind);
    // Broadcasts are rare, so omit them if there are none.
    if (t.count == 0 && StringRef(kind) == "collective_broadcast")
      continue;
    collectives[kind] =
        json::Object{{"count", number(t.count)}, {"bytes", number(t.bytes)}};
  }
  json::Object stages{{"parse", report.seconds.parse},
                      {"import", report.seconds.import},
                      {"propagate", report.seconds.propagate},
                      {"partition", report.seconds.partition},
                      {"compile", report.seconds.compile}};
  json::Object object{
      {"ops", report.ops},
      {"devices", report.devices},
      {"stages", std::move(stages)},
      {"collectives", std::move(collectives)},
      {"bytes_sent_per_device", number(report.collectives.totalBytes())},
      {"peak_bytes_per_device", report.peakBytesPerDevice}};
  // The program was not compiled.
  if (report.peakBytesPerDevice == 0)
    object["peak_bytes_per_device"] = nullptr;
  if (report.collectives.unknownTripCount)
    object["unknown_trip_count"] = true;
  if (const StepPrediction &step = report.predicted; !step.machine.empty()) {
    json::Object predicted{{"machine", jsonText(step.machine)},
                           {"compute_seconds", step.time.compute},
                           {"communication_seconds", step.time.communication},
                           {"exposed_communication_seconds", step.time.exposed},
                           {"step_seconds", step.time.total()}};
    if (step.time.unknownTripCount)
      predicted["unknown_trip_count"] = true;
    object["predicted_step"] = std::move(predicted);
    if (step.planned)
      object["planned_seconds"] =
          json::Object{{"communication", step.planned->communication},
                       {"compute", step.planned->work}};
  }
  if (report.predictedPeak)
    object["predicted_peak"] = toJson(*report.predictedPeak);
  if (report.runSeconds > 0)
    object["run_seconds"] = report.runSeconds;
  if (report.repeated) {
    Spread spread = spreadOf(report.repeated->seconds);
    object["runs"] =
        json::Object{{"warm_ups", report.repeated->warmUps},
                     {"seconds", json::Array(report.repeated->seconds)},
                     {"min_seconds", spread.least},
                     {"lower_quartile_seconds", spread.lowerQuartile},
                     {"median_seconds", spread.median},
                     {"upper_quartile_seconds", spread.upperQuartile},
                     {"max_seconds", spread.most}};
  }
  if (report.profile)
    object["profile"] = toJson(*report.profile);
  if (report.processes) {
    const ProcessesReport &processes = *report.processes;
    object["processes"] = int64_t(processes.devices.size());
    object["transport"] = jsonText(processes.engine);
    object["devices_per_process"] = json::Array(processes.devices);
    object["mean_run_seconds"] = processes.meanRunSeconds;
    object["sent_between_processes"] = processes.mostBytesSent;
    object["predicted_sent_between_processes"] = nullptr;
    if (report.predicted.bytesBetweenProcesses)
      object["predicted_sent_between_processes"] =
          number(*report.predicted.bytesBetweenProcesses);
  }
  if (!report.comparisons.empty()) {
    json::Array comparisons;
    for (const ComparisonReport &c : report.comparisons)
      comparisons.push_back(json::Object{{"name", jsonText(c.name)},
                                         {"ok", c.ok},
                                         {"max_abs_error", c.maxAbsError},
                                         {"max_rel_error", c.maxRelError},
                                         {"atol", c.atol},
                                         {"rtol", c.rtol},
                                         {"mismatches", c.mismatches}});
    object["comparison"] = std::move(comparisons);
  }
  return object;
}

static json::Array values(ArrayRef<ValueReport> reports) {
  json::Array array;
  for (const ValueReport &v : reports)
    array.push_back(json::Object{{"name", jsonText(v.name)},
                                 {"type", jsonText(v.type)},
                                 {"local", jsonText(v.local)},
                                 {"sharding", jsonText(v.sharding)}});
  return array;
}

void writeStatisticsJson(const ProgramReport &report, raw_ostream &os) {
  os << json::Value(statisticsJson(report)) << "\n";
}

void writeJsonReport(const ProgramReport &report, raw_ostream &os) {
  json::Object object = statisticsJson(report);
  object["module"] = jsonText(report.module);
  json::Array axes;
  for (const MeshAxis &axis : report.mesh.axes())
    axes.push_back(
        json::Object{{"name", jsonText(axis.name)}, {"size", axis.size}});
  object["mesh"] = std::move(axes);
  object["arguments"] = values(report.arguments);
  object["results"] = values(report.results);
  json::Array uses;
  for (const CollectiveUse &use : report.collectives.uses)
    uses.push_back(
        json::Object{{"kind", jsonText(use.kind)},
                     {"axes", jsonText(use.axes)},
                     {"group_size", use.groupSize},
                     {"executions", number(use.executions)},
                     {"bytes", number(use.bytes)},
                     {"location", jsonText(locationText(use.location))}});
  object["collective_uses"] = std::move(uses);
  object["memory"] = json::Object{{"arguments", report.argumentBytes},
                                  {"results", report.resultBytes},
                                  {"arena", report.arenaBytes},
                                  {"reused", report.reusedBytes}};
  os << formatv("{0:2}", json::Value(std::move(object))) << "\n";
}

} // namespace shardwright
