//===- collective_table.cc - collectives of a report document -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/collective_table.h"

#include "shardwright/report/location_text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shardwright {
namespace {

using llvm::json::Array;
using llvm::json::Object;

class CollectiveWriter {
public:
  CollectiveWriter(const DocumentParts &parts, const ValueTable &values,
                   StringTable &strings, SourceStacks &stacks)
      : parts(parts), values(values), strings(strings), stacks(stacks) {}

  void write(Object &document);

private:
  int64_t addNeed(const ExplainedNeed &need);
  /// The op of the user that needs the collective; -1 if there is none.
  int64_t opOf(const CollectiveUse &use,
               ArrayRef<const RecordedReason *> reasons) const;
  void addReshards(const CollectiveUse &use,
                   ArrayRef<const RecordedReason *> reasons,
                   int64_t collective);

  const DocumentParts &parts;
  const ValueTable &values;
  StringTable &strings;
  SourceStacks &stacks;
  Array needs, reshards;
  llvm::StringMap<int64_t> needNumbers;
};

int64_t CollectiveWriter::addNeed(const ExplainedNeed &need) {
  Array tensors, origins, ways, routes;
  for (const ExplainedTensor &tensor : need.tensors)
    tensors.push_back(Array{strings.add(tensor.role), strings.add(tensor.name),
                            strings.add(tensor.type),
                            strings.add(tensor.propagated),
                            strings.add(tensor.computed)});
  for (const ExplainedOrigin &origin : need.origins)
    origins.push_back(Array{strings.add(origin.axis), strings.add(origin.value),
                            origin.dim, strings.add(origin.from),
                            strings.add(origin.where)});
  for (const ExplainedWay &way : need.ways)
    ways.push_back(Array{strings.add(way.how), way.cost, int(way.isSeconds),
                         int(way.isTaken)});
  for (const ExplainedWay &route : need.routes)
    routes.push_back(Array{strings.add(route.how), route.cost});
  llvm::json::Value object = Object{
      {"op", strings.add(need.op)},    {"where", strings.add(need.where)},
      {"why", strings.add(need.why)},  {"value", strings.add(need.value)},
      {"has", strings.add(need.from)}, {"needs", strings.add(need.to)},
      {"tensors", std::move(tensors)}, {"origins", std::move(origins)},
      {"ways", std::move(ways)},       {"more_ways", int64_t(need.moreWays)},
      {"routes", std::move(routes)}};
  std::string key = llvm::formatv("{0}", object);
  auto [it, isNew] = needNumbers.try_emplace(key, int64_t(needs.size()));
  if (isNew)
    needs.push_back(std::move(object));
  return it->second;
}

int64_t CollectiveWriter::opOf(const CollectiveUse &use,
                               ArrayRef<const RecordedReason *> reasons) const {
  for (const RecordedReason *reason : reasons)
    if (int32_t op = parts.ops.opOfValue(reason->opValue.id); op >= 0)
      return op;
  if (use.op && use.op->getNumResults() > 0)
    return parts.ops.opOfValue(parts.user.idOf(use.op->getResult(0)));
  return -1;
}

void CollectiveWriter::addReshards(const CollectiveUse &use,
                                   ArrayRef<const RecordedReason *> reasons,
                                   int64_t collective) {
  using Kind = RecordedReason::Kind;
  for (const RecordedReason *reason : reasons) {
    if (reason->kind == Kind::SumResolution || reason->kind == Kind::LocalForm)
      continue;
    Object row{{"value", values.rowOf(reason->value)},
               {"from", jsonText(reason->from)},
               {"to", jsonText(reason->to)},
               {"bytes", nullptr},
               {"collective", collective}};
    if (reasons.size() == 1)
      row["bytes"] = use.bytes;
    reshards.push_back(std::move(row));
  }
}

void CollectiveWriter::write(Object &document) {
  const ProgramReport &report = parts.report;
  std::vector<ExplainedCollective> explained =
      explainCollectives(report.collectives, parts.moves, parts.user,
                         parts.explainer, parts.machine, report.mesh);
  Array list;
  for (const auto &[i, one] : llvm::enumerate(explained)) {
    std::vector<const RecordedReason *> reasons =
        parts.moves.reasonsOf(one.use.location);
    llvm::json::Value json = toJson(one);
    Object &object = *json.getAsObject();
    Array itsNeeds;
    for (const ExplainedNeed &need : one.needs)
      itsNeeds.push_back(addNeed(need));
    object["needs"] = std::move(itsNeeds);
    int64_t op = opOf(one.use, reasons);
    object["op"] = op;
    object["value"] =
        reasons.empty() ? -1 : values.rowOf(reasons.front()->value);
    Location location =
        op < 0 ? one.use.location : parts.ops.all()[op].location;
    object["stack"] = stacks.add(location);
    object["name"] = strings.add(opPath(location));
    list.push_back(std::move(json));
    addReshards(one.use, reasons, int64_t(i));
  }
  document["collectives"] = std::move(list);
  document["needs"] = std::move(needs);
  document["reshards"] = std::move(reshards);
}

} // namespace

void writeCollectives(const DocumentParts &parts, const ValueTable &values,
                      StringTable &strings, SourceStacks &stacks,
                      Object &document) {
  CollectiveWriter(parts, values, strings, stacks).write(document);
}

} // namespace shardwright
