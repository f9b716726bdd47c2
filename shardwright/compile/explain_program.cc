//===- explain_program.cc - explains a program's shardings ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/explain_program.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/mesh/printable.h"
#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/explain_collectives.h"
#include "shardwright/report/location_text.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardwright {

static bool select(const ExplainRequest &request, ValueSelector &selector,
                   AskedValues &asked) {
  for (const std::string &text : request.values)
    if (!selector.value(text, asked))
      return false;
  for (const std::string &text : request.arguments)
    if (!selector.argument(text, asked))
      return false;
  for (const std::string &text : request.results)
    if (!selector.result(text, asked))
      return false;
  return request.line.empty() || selector.line(request.line, asked);
}

static FailureOr<Explanation>
explainAllCollectives(ModuleOp module, const UserValues &user,
                      const ExplainRequest &request, Explainer &explainer) {
  PlannedMoves moves(user);
  CompileOptions options;
  options.import.devices = request.import.devices;
  options.shardy = request.shardy;
  options.partition.effort = request.effort;
  options.partition.observer = &moves;
  options.partition.machine = request.machine;
  options.beforePartition = request.beforePartition;
  options.stopAfter = Stage::Local;
  options.nameOfValue = [&](Value value) { return user.shortNameOf(value); };
  OwningOpRef<ModuleOp> copy(module.clone());
  FailureOr<Compiled> compiled = compile(*copy, options);
  if (failed(compiled))
    return failure();
  const CollectiveCost &cost = compiled->report.collectives;
  std::vector<ExplainedCollective> collectives = explainCollectives(
      cost, moves, user, explainer, request.machine.value_or(MachineModel()),
      compiled->report.mesh);
  Explanation explanation;
  llvm::raw_string_ostream bytes(explanation.text);
  PrintableStream os(bytes);
  writeText(collectives, cost.unknownTripCount, os,
            CollectivesTextOptions{request.full});
  os << "\n";
  writeText(*compiled->report.predictedPeak, os);
  llvm::json::Array list;
  for (const ExplainedCollective &one : collectives)
    list.push_back(toJson(one));
  explanation.data = llvm::json::Object{
      {"collectives", std::move(list)},
      {"bytes_sent_per_device", cost.totalBytes()},
      {"unknown_trip_count", cost.unknownTripCount},
      {"predicted_peak", toJson(*compiled->report.predictedPeak)}};
  return explanation;
}

static ExplainedValue gone(const UserValue &value) {
  ExplainedValue gone;
  gone.name = value.uniqueName();
  gone.function = value.function;
  gone.op = value.op;
  gone.where = filePosition(value.location);
  gone.notes.push_back("not in the program that is partitioned: nothing uses "
                       "it, or it is inside an op that was expanded");
  return gone;
}

static Explanation explainValues(const AskedValues &asked,
                                 const UserValues &user,
                                 const ExplainRequest &request,
                                 Explainer &explainer) {
  Explanation explanation;
  llvm::raw_string_ostream bytes(explanation.text);
  PrintableStream os(bytes);
  llvm::json::Array values;
  // A line may compute hundreds of values.
  constexpr size_t kMostExplained = 8;
  bool isTable = !request.full && !request.line.empty() &&
                 asked.values.size() > kMostExplained;
  std::vector<ExplainedValue> rows;
  auto tell = [&](const ExplainedValue &value) {
    if (isTable)
      rows.push_back(value);
    else
      os << (values.empty() ? "" : "\n");
    if (!isTable)
      writeText(value, os, {request.full});
    values.push_back(toJson(value));
  };
  for (int32_t id : asked.values) {
    std::vector<ExplainedValue> answers = explainer.explainValue(id);
    if (answers.empty())
      answers.push_back(gone(user.all()[id]));
    llvm::for_each(answers, tell);
  }
  for (unsigned result : asked.results)
    tell(explainer.explainResult(result));
  if (isTable) {
    os << rows.size() << " values come from line " << request.line << "; "
       << request.optionPrefix << "value NAME explains one of them, "
       << request.optionPrefix << "full all\n";
    writeOverview(rows, {}, os);
  }

  if (asked.values.empty() && asked.results.empty()) {
    std::vector<ExplainedValue> all = explainer.overview();
    // The text has those of many layers in one line.
    constexpr size_t kMostStops = 10, kMostGrouped = 200;
    std::vector<ExplainedStop> stops = explainer.largestStops(kMostGrouped);
    writeOverview(all, stops, os, {request.full});
    for (const ExplainedValue &value : all)
      values.push_back(toJson(value));
    llvm::json::Array list;
    for (const ExplainedStop &stop : ArrayRef(stops).take_front(kMostStops))
      list.push_back(toJson(stop));
    explanation.data["stops"] = std::move(list);
  }
  explanation.data["values"] = std::move(values);
  return explanation;
}

FailureOr<Explanation> explainProgram(ModuleOp module, const UserValues &user,
                                      const ExplainRequest &request,
                                      BadRequest &bad) {
  if (failed(importModule(module, request.import)))
    return failure();
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main) {
    bad = {"the module has no entry function, expected @main or exactly one "
           "function",
           "name the entry @main"};
    return failure();
  }
  if (failed(requireEntry(module)) ||
      failed(simplifyForDevices(module, request.import.devices)))
    return failure();
  if (request.beforePropagate && failed(request.beforePropagate(module)))
    return failure();

  AskedValues asked;
  ValueSelector selector(user, main, request.module, request.optionPrefix);
  if (!select(request, selector, asked)) {
    bad = std::move(selector.problem);
    return failure();
  }
  FailureOr<std::unique_ptr<Explainer>> explainer =
      Explainer::create(module, user, request.shardy);
  if (failed(explainer))
    return failure();
  if (!request.collectives)
    return explainValues(asked, user, request, **explainer);
  if (!asked.values.empty() || !asked.results.empty()) {
    bad = {request.optionPrefix + "collectives: expected no value beside it",
           "ask for values and collectives one after the other"};
    return failure();
  }
  return explainAllCollectives(module, user, request, **explainer);
}

} // namespace shardwright
