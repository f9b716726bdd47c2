//===- auto_report.cc - what a search found, as text and JSON -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_report.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/peak_report.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;

namespace shardwright {

/// Plans that are shown beside the one that was found.
constexpr size_t kMostShown = 8;

static void addRow(TextTable &table, const PlanCost &cost, double limit) {
  table.add({cost.name, durationText(cost.step.total()),
             durationText(cost.step.compute), durationText(cost.step.exposed),
             formatBytes(cost.sent), formatBytes(cost.peak),
             cost.fits ? ""
                       : "does not fit: " + formatBytes(cost.peak - limit) +
                             " too much"});
}

static StringRef kindText(ChosenSharding::Kind kind) {
  switch (kind) {
  case ChosenSharding::Kind::Argument:
    return "argument";
  case ChosenSharding::Kind::Result:
    return "result";
  case ChosenSharding::Kind::Inner:
    return "value";
  }
  llvm_unreachable("all kinds of sites have a text");
}

static void writeOneDevice(const AutoResult &result, raw_ostream &os) {
  const PlanCost &one = *result.oneDevice;
  os << "one device: " << durationText(one.step.total()) << ", "
     << formatBytes(one.peak);
  if (!one.fits)
    os << ", which does not fit";
  else if (one.step.total() <= result.found.step.total())
    os << "; more devices make no step shorter";
  os << "\n";
}

static void writeCommunication(const FoundDetails &details, raw_ostream &os) {
  if (details.communication.empty())
    return;
  TextTable table({"sent along", "for", "collectives", "bytes", "time"});
  for (const Communication &share : details.communication)
    table.add({share.axes, str(share.purpose).str(),
               std::to_string(share.count), formatBytes(share.bytes),
               durationText(share.seconds)});
  table.print(os, "");
}

/// How good the planned layouts are, and what memory would bring.
static void writePlanner(const AutoResult &result, raw_ostream &os) {
  const PlannerReport &planner = result.planner;
  if (!planner.missing.empty()) {
    os << "planner: no layouts, " << planner.missing << "\n";
    return;
  }
  if (std::isinf(planner.bound))
    os << "planner: no bound, the axes are planned one after the other\n";
  else
    os << "planner: within "
       << format("%.1f", 100 * (planner.seconds / planner.bound - 1))
       << " % of what its model allows\n";
  // A part of the limit that the price holds for.
  double more = result.memoryLimit / 10;
  if (planner.secondsPerByte > 0)
    os << "memory: " << formatBytes(more) << " more: about "
       << durationText(planner.secondsPerByte * more) << " less\n";
  if (planner.frontier.empty())
    return;
  bool isFlat = llvm::all_of(planner.frontier, [&](const auto &point) {
    return point.cost.fits && point.cost.step.total() ==
                                  planner.frontier.front().cost.step.total();
  });
  if (isFlat)
    return;
  os << "\n";
  TextTable table({"within", "step", "memory"});
  for (const PlannerReport::Point &point : planner.frontier)
    table.add({formatBytes(point.share * result.memoryLimit),
               point.cost.fits ? durationText(point.cost.step.total())
                               : "nothing fits",
               point.cost.fits ? formatBytes(point.cost.peak) : ""});
  table.print(os, "");
}

void writeAutoText(const AutoResult &result, StringRef title, raw_ostream &os) {
  os << title << ": mesh " << meshText(result.mesh) << ", "
     << formatBytes(result.memoryLimit) << " of memory per device, "
     << result.numTrials << " partitionings tried\n\n";
  TextTable costs({"", "step", "computing", "waiting", "sent", "memory", ""});
  addRow(costs, result.found, result.memoryLimit);
  for (const PlanCost &cost : ArrayRef(result.compared).take_front(kMostShown))
    addRow(costs, cost, result.memoryLimit);
  costs.print(os, "");
  if (result.compared.size() > kMostShown)
    os << "(and " << result.compared.size() - kMostShown
       << " more that need no search)\n";
  if (result.oneDevice)
    writeOneDevice(result, os);
  writeCommunication(result.details, os);
  if (result.details.peak)
    writeText(*result.details.peak, os);
  for (const std::string &assumption : result.details.assumptions)
    os << "assumed: " << assumption << "\n";
  if (!result.found.fits)
    os << "nothing fits: the least memory found is "
       << formatBytes(result.found.peak) << " per device, "
       << formatBytes(result.found.peak - result.memoryLimit)
       << " too much; remedies: more devices, donated arguments, "
          "rematerialisation (jax.checkpoint), or fewer annotations that are "
          "kept (--drop)\n";
  writePlanner(result, os);
  os << "\n";
  TextTable table({"", "name", "type", "sharding", "PartitionSpec", "because",
                   "next best"});
  for (const ChosenSharding &chosen : result.shardings) {
    if (chosen.sharding.empty())
      continue;
    std::string other;
    if (!chosen.otherSharding.empty())
      other = chosen.otherSharding + ": " + durationText(chosen.otherSeconds) +
              ", " + formatBytes(chosen.otherPeak);
    table.add({(kindText(chosen.kind) + " " + Twine(chosen.index)).str(),
               chosen.name, chosen.type, chosen.sharding, chosen.partitionSpec,
               join(chosen.reasons, "; "), other});
  }
  table.print(os, "");
}

static json::Value toJson(const PlanCost &cost) {
  return json::Object{{"name", jsonText(cost.name)},
                      {"step_seconds", cost.step.total()},
                      {"compute_seconds", cost.step.compute},
                      {"communication_seconds", cost.step.communication},
                      {"exposed_communication_seconds", cost.step.exposed},
                      {"bytes_sent", cost.sent},
                      {"peak_bytes", cost.peak},
                      {"fits", cost.fits}};
}

static json::Array texts(ArrayRef<std::string> list) {
  json::Array array;
  for (const std::string &text : list)
    array.push_back(jsonText(text));
  return array;
}

static json::Value toJson(const PlannerReport &planner) {
  if (!planner.missing.empty())
    return json::Object{{"missing", jsonText(planner.missing)}};
  json::Array frontier;
  for (const PlannerReport::Point &point : planner.frontier) {
    json::Object within{{"share", point.share}, {"fits", point.cost.fits}};
    if (point.cost.fits) {
      within["step_seconds"] = point.cost.step.total();
      within["peak_bytes"] = point.cost.peak;
    }
    frontier.push_back(std::move(within));
  }
  json::Object planned{{"model_seconds", planner.seconds},
                       {"seconds_per_byte", planner.secondsPerByte},
                       {"frontier", std::move(frontier)}};
  if (!std::isinf(planner.bound))
    planned["bound_seconds"] = planner.bound;
  return planned;
}

json::Value autoJson(const AutoResult &result) {
  json::Array compared, shardings;
  for (const PlanCost &cost : result.compared)
    compared.push_back(toJson(cost));
  for (const ChosenSharding &chosen : result.shardings) {
    if (chosen.sharding.empty())
      continue;
    json::Object entry{{"kind", kindText(chosen.kind)},
                       {"index", chosen.index},
                       {"name", jsonText(chosen.name)},
                       {"type", chosen.type},
                       {"sharding", jsonText(chosen.sharding)},
                       {"partition_spec", jsonText(chosen.partitionSpec)},
                       {"equal_sites", chosen.numEqual},
                       {"given", chosen.isGiven}};
    if (!chosen.colours.empty())
      entry["colours"] = texts(chosen.colours);
    if (!chosen.reasons.empty())
      entry["reasons"] = texts(chosen.reasons);
    if (chosen.kind == ChosenSharding::Kind::Inner) {
      entry["where"] = jsonText(chosen.where);
      entry["scope"] = jsonText(chosen.scope);
    }
    if (!chosen.otherSharding.empty())
      entry["next_best"] =
          json::Object{{"sharding", jsonText(chosen.otherSharding)},
                       {"step_seconds", chosen.otherSeconds},
                       {"peak_bytes", chosen.otherPeak}};
    shardings.push_back(std::move(entry));
  }
  json::Array axes;
  for (const MeshAxis &axis : result.mesh.axes())
    axes.push_back(
        json::Object{{"name", jsonText(axis.name)}, {"size", axis.size}});
  json::Array communication;
  for (const Communication &share : result.details.communication)
    communication.push_back(json::Object{{"axes", jsonText(share.axes)},
                                         {"purpose", str(share.purpose)},
                                         {"collectives", share.count},
                                         {"bytes", share.bytes},
                                         {"seconds", share.seconds}});
  json::Object object{
      {"mesh", std::move(axes)},
      {"communication", std::move(communication)},
      {"assumptions", texts(result.details.assumptions)},
      {"memory_limit", result.memoryLimit},
      {"found", toJson(result.found)},
      {"compared", std::move(compared)},
      {"shardings", std::move(shardings)},
      {"trials", result.numTrials},
      {"trials_spent", result.spent},
      {"planner", toJson(result.planner)},
      {"unknown_trip_count", result.found.step.unknownTripCount}};
  if (result.details.peak)
    object["peak"] = toJson(*result.details.peak);
  if (result.oneDevice)
    object["one_device"] = toJson(*result.oneDevice);
  return object;
}

/// A string literal of Python.
static std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

void writeSpecsPython(const AutoResult &result, raw_ostream &os) {
  for (auto [kind, name] :
       {std::pair(ChosenSharding::Kind::Argument, "in_specs"),
        std::pair(ChosenSharding::Kind::Result, "out_specs")}) {
    os << name << " = {\n";
    for (const ChosenSharding &chosen : result.shardings)
      if (chosen.kind == kind && !chosen.partitionSpec.empty())
        os << "    " << quoted(jsonText(chosen.name)) << ": "
           << chosen.partitionSpec << ",\n";
    os << "}\n";
  }
}

} // namespace shardwright
