//===- explain_collectives_text.cc - text and JSON ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_collectives.h"
#include "shardwright/report/group_rows.h"
#include "shardwright/report/json_text.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"

#include "llvm/Support/FormatVariadic.h"

namespace shardwright {
namespace {

/// `before`: the previous need; facts about the same op are not repeated.
void writeNeed(const ExplainedNeed &need, const ExplainedNeed *before,
               llvm::raw_ostream &os) {
  bool isSameOp = before && before->op == need.op &&
                  before->where == need.where && !need.tensors.empty() &&
                  before->tensors.size() == need.tensors.size();
  if (!isSameOp) {
    os << "  for " << need.op;
    if (!need.where.empty())
      os << " (" << need.where << ")";
    os << "\n";
  }
  os << (isSameOp ? "  and for it\n    " : "    ") << need.why << "\n";
  if (!isSameOp && !need.tensors.empty()) {
    TextTable table({"", "value", "type", "propagated", "computed"});
    for (const ExplainedTensor &tensor : need.tensors)
      table.add({tensor.role, tensor.name, tensor.type, tensor.propagated,
                 tensor.computed});
    table.print(os, "      ");
  }
  llvm::ArrayRef<ExplainedOrigin> origins(need.origins);
  for (const ExplainedOrigin &origin :
       isSameOp ? origins.take_front(0) : origins)
    os << "    " << origin.axis << " of dim " << origin.dim << " of "
       << origin.value << ": " << origin.from
       << (origin.where.empty() ? "" : " at " + origin.where) << "\n";
  if (!isSameOp && need.ways.size() > 1) {
    bool isSeconds = need.ways.front().isSeconds;
    os << (isSeconds ? "    ways to compute it, with the predicted time of "
                       "exchanges and local work\n"
                     : "    ways to compute it, with their cost in bytes: "
                       "those sent, and local work as bytes\n");
    for (const ExplainedWay &way : need.ways)
      os << "      " << (way.isTaken ? "taken     " : "rejected  ")
         << (isSeconds ? "" : "cost ")
         << llvm::right_justify(
                isSeconds ? durationText(way.cost) : formatBytes(way.cost), 10)
         << "  " << way.how << "\n";
    if (need.moreWays)
      os << "      and " << need.moreWays << " more\n";
  }
  if (!need.routes.empty()) {
    os << "    alternatives, with the bytes that they send\n";
    for (const ExplainedWay &way : need.routes)
      os << "      rejected  sends "
         << llvm::right_justify(formatBytes(way.cost), 10) << "  " << way.how
         << "\n";
  }
}

/// Collectives of one kind; explains the first.
void writeGroup(llvm::ArrayRef<const ExplainedCollective *> members,
                llvm::StringRef where, bool full, llvm::raw_ostream &os) {
  const ExplainedCollective &one = *members.front();
  double bytes = 0, seconds = 0, executions = 0;
  for (const ExplainedCollective *member : members) {
    bytes += member->use.bytes;
    seconds += member->seconds;
    executions += member->use.executions;
  }
  os << one.use.kind << ", " << one.use.axes;
  if (members.size() > 1)
    os << ", " << members.size() << " of them: send ";
  else
    os << ": sends ";
  os << formatBytes(bytes) << ", predicted time " << durationText(seconds);
  if (executions != double(members.size()))
    os << " in " << llvm::formatv("{0}", int64_t(executions)) << " runs";
  if (one.needs.size() > 1)
    os << ", for " << one.needs.size() << " at once";
  os << "\n";
  if (members.size() > 1)
    os << "  in " << where << "; the first is\n";
  constexpr size_t kFewNeeds = 4;
  for (const auto &[n, need] : llvm::enumerate(one.needs)) {
    if (!full && n == kFewNeeds) {
      os << "  and " << one.needs.size() - n << " more (--full shows them)\n";
      break;
    }
    writeNeed(need, n > 0 ? &one.needs[n - 1] : nullptr, os);
  }
}

} // namespace

void writeText(llvm::ArrayRef<ExplainedCollective> collectives,
               bool unknownTripCount, llvm::raw_ostream &os,
               const CollectivesTextOptions &options) {
  double bytes = 0;
  for (const ExplainedCollective &one : collectives)
    bytes += one.use.bytes;
  if (collectives.empty()) {
    os << "no collectives: the devices compute on their own\n";
    return;
  }
  os << collectives.size()
     << (collectives.size() == 1 ? " collective" : " collectives")
     << "; each device sends " << formatBytes(bytes) << " a run";
  if (unknownTripCount)
    os << ", loops of unknown trip count once";
  os << "\n";
  // One of each kind, unless all are asked for.
  std::vector<CollectiveUse> uses;
  for (const ExplainedCollective &one : collectives)
    uses.push_back(one.use);
  std::vector<CollectiveGroup> groups;
  if (options.full)
    for (const CollectiveUse &use : uses)
      groups.push_back({locationText(use.location), {&use}});
  else
    groups = groupCollectives(uses);
  constexpr size_t kMostGroups = 12;
  size_t hidden = 0;
  for (const auto &[i, group] : llvm::enumerate(groups)) {
    if (!options.full && i >= kMostGroups) {
      hidden += group.uses.size();
      continue;
    }
    std::vector<const ExplainedCollective *> members;
    for (const CollectiveUse *use : group.uses)
      members.push_back(&collectives[use - uses.data()]);
    os << "\n" << i + 1 << ". ";
    writeGroup(members, group.where, options.full, os);
  }
  if (hidden > 0)
    os << "\n... and " << hidden << " more (--full shows them)\n";
}

llvm::json::Value toJson(const ExplainedCollective &collective) {
  using llvm::json::Array;
  using llvm::json::Object;
  auto waysOf = [](const std::vector<ExplainedWay> &ways) {
    Array list;
    for (const ExplainedWay &way : ways)
      list.push_back(Object{{"how", jsonText(way.how)},
                            {way.isSeconds ? "seconds" : "cost", way.cost},
                            {"taken", way.isTaken}});
    return list;
  };
  Array needs;
  for (const ExplainedNeed &need : collective.needs) {
    Array tensors, origins;
    for (const ExplainedTensor &tensor : need.tensors)
      tensors.push_back(Object{{"role", jsonText(tensor.role)},
                               {"value", jsonText(tensor.name)},
                               {"type", jsonText(tensor.type)},
                               {"propagated", jsonText(tensor.propagated)},
                               {"computed", jsonText(tensor.computed)}});
    for (const ExplainedOrigin &origin : need.origins)
      origins.push_back(Object{{"axis", jsonText(origin.axis)},
                               {"value", jsonText(origin.value)},
                               {"dim", origin.dim},
                               {"from", jsonText(origin.from)},
                               {"where", jsonText(origin.where)}});
    needs.push_back(Object{{"op", jsonText(need.op)},
                           {"where", jsonText(need.where)},
                           {"why", jsonText(need.why)},
                           {"value", jsonText(need.value)},
                           {"has", jsonText(need.from)},
                           {"needs", jsonText(need.to)},
                           {"tensors", std::move(tensors)},
                           {"origins", std::move(origins)},
                           {"ways", waysOf(need.ways)},
                           {"more_ways", int64_t(need.moreWays)},
                           {"routes", waysOf(need.routes)}});
  }
  const CollectiveUse &use = collective.use;
  return Object{{"kind", jsonText(use.kind)},
                {"axes", jsonText(use.axes)},
                {"group_size", use.groupSize},
                {"executions", use.executions},
                {"bytes_sent_per_device", use.bytes},
                {"predicted_seconds", collective.seconds},
                {"needs", std::move(needs)}};
}

} // namespace shardwright
