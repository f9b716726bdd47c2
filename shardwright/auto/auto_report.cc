//===- auto_report.cc - what a search found, as text and JSON -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_report.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"

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
  if (result.found.step.unknownTripCount)
    os << "loops of unknown trip count are counted once\n";
  os << "\n";
  TextTable table(
      {"", "name", "type", "sharding", "PartitionSpec", "", "next best"});
  for (const ChosenSharding &chosen : result.shardings) {
    if (chosen.sharding.empty())
      continue;
    std::string other;
    if (!chosen.otherSharding.empty())
      other = chosen.otherSharding + ": " + durationText(chosen.otherSeconds) +
              ", " + formatBytes(chosen.otherPeak);
    table.add({(kindText(chosen.kind) + " " + Twine(chosen.index)).str(),
               chosen.name, chosen.type, chosen.sharding, chosen.partitionSpec,
               chosen.isGiven ? "given" : "", other});
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
  return json::Object{
      {"mesh", std::move(axes)},
      {"memory_limit", result.memoryLimit},
      {"found", toJson(result.found)},
      {"compared", std::move(compared)},
      {"shardings", std::move(shardings)},
      {"trials", result.numTrials},
      {"unknown_trip_count", result.found.step.unknownTripCount}};
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
