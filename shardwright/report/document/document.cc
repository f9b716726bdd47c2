//===- document.cc - all facts of a partitioned program -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/document.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/document/collective_table.h"
#include "shardwright/report/document/schedule_table.h"
#include "shardwright/report/document/source_stacks.h"
#include "shardwright/report/document/value_table.h"

#include "shardwright/report/location_text.h"
#include "shardwright/support/sort_by.h"

#include <tuple>

using namespace mlir;

namespace shardwright {

using llvm::json::Array;
using llvm::json::Object;

static Object meshJson(const Mesh &mesh, ModuleOp imported, int64_t devices) {
  Object object{{"name", ""}, {"devices", devices}, {"device_ids", nullptr}};
  for (sdy::MeshOp op : imported.getOps<sdy::MeshOp>())
    if (!op.getMesh().getAxes().empty()) {
      object["name"] = jsonText(op.getSymName());
      break;
    }
  Array axes;
  for (const MeshAxis &axis : mesh.axes())
    axes.push_back(Object{{"name", jsonText(axis.name)}, {"size", axis.size}});
  object["axes"] = std::move(axes);
  if (!mesh.deviceIds().empty())
    object["device_ids"] = Array(mesh.deviceIds());
  return object;
}

static Object machineJson(const MachineModel &machine, bool isGiven,
                          const Mesh &mesh) {
  Array links;
  for (const MeshAxis &axis : mesh.axes()) {
    const LinkModel &link = machine.linkOf(axis.name);
    links.push_back(Object{{"axis", jsonText(axis.name)},
                           {"bytes_per_second", link.bytesPerSecond},
                           {"latency_seconds", link.latencySeconds}});
  }
  return Object{{"name", jsonText(machine.name)},
                {"given", isGiven},
                {"flops_per_second", machine.defaultFlopsPerSecond},
                {"bytes_per_second", machine.memoryBytesPerSecond},
                {"memory_bytes", machine.memoryBytes},
                {"links", std::move(links)}};
}

/// The arguments that are parameters or state: those of floating point. Batches
/// of integers, such as tokens, are data; JAX does not say which floats are.
static Object parametersJson(func::FuncOp main, const ValueTable &values) {
  int64_t arguments = 0, elements = 0, bytes = 0, localBytes = 0;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !isa<FloatType>(tensor.getElementType()))
      continue;
    ++arguments;
    elements += tensor.getNumElements();
    bytes += tensorBytes(tensor);
    localBytes += values.localBytes(values.rowOfArgument(int64_t(i)));
  }
  return Object{{"arguments", arguments},
                {"elements", elements},
                {"bytes", bytes},
                {"local_bytes", localBytes}};
}

static Object opsJson(const DocumentParts &parts, const ValueTable &values,
                      StringTable &strings, SourceStacks &stacks) {
  Array op, name, stack, function, parent, operands, results, times;
  auto rows = [&](ArrayRef<int32_t> ids) {
    Array list;
    for (int32_t id : ids)
      list.push_back(values.rowOfValue(id));
    return list;
  };
  for (const UserOp &row : parts.ops.all()) {
    op.push_back(strings.add(row.op));
    name.push_back(strings.add(opPath(row.location)));
    stack.push_back(stacks.add(row.location));
    function.push_back(strings.add(row.function));
    parent.push_back(row.parent);
    operands.push_back(rows(row.operands));
    results.push_back(rows(row.results));
    times.push_back(row.times ? llvm::json::Value(*row.times) : nullptr);
  }
  return Object{
      {"op", std::move(op)},           {"name", std::move(name)},
      {"stack", std::move(stack)},     {"function", std::move(function)},
      {"parent", std::move(parent)},   {"operands", std::move(operands)},
      {"results", std::move(results)}, {"times", std::move(times)}};
}

/// The largest values that every device holds in full size.
static Array wholeJson(const DocumentParts &parts, const ValueTable &values) {
  constexpr size_t kMostListed = 10;
  Array list;
  for (const WholeValue &one : parts.whole) {
    if (list.size() == kMostListed)
      break;
    std::string why = "no axis shards it";
    if (one.isGathered && one.reason)
      why = "gathered from " + one.reason->from + " for " + one.reason->op +
            (one.reason->where.empty() ? "" : " (" + one.reason->where + ")");
    list.push_back(Object{{"value", values.rowOf(one.value)},
                          {"text", jsonText(one.text())},
                          {"bytes", one.bytes},
                          {"why", jsonText(why)}});
  }
  return list;
}

/// Annotations by what they save: time, then bytes, then memory.
static Array whatIfJson(const DocumentParts &parts, const ValueTable &values) {
  const ProgramReport &report = parts.report;
  double bytes = report.collectives.totalBytes(),
         seconds = report.predicted.time.total();
  int64_t peak = report.predictedPeak ? report.predictedPeak->bytes : 0;
  std::vector<const TriedAnnotation *> ranked;
  for (const TriedAnnotation &tried : parts.whatIf)
    ranked.push_back(&tried);
  sortBy(ranked, [](const TriedAnnotation *tried) {
    return std::tuple(tried->stepSeconds, tried->bytesSent, tried->peakBytes);
  });
  Array list;
  for (const TriedAnnotation *tried : ranked)
    list.push_back(
        Object{{"text", jsonText(tried->text())},
               {"sharding", jsonText(tried->sharding)},
               {"partition_spec", jsonText(tried->partitionSpec)},
               {"value", values.rowOf({tried->annotation.value,
                                       tried->annotation.mainResult, Type()})},
               {"bytes", tried->bytesSent},
               {"seconds", tried->stepSeconds},
               {"peak", tried->peakBytes},
               {"saved_bytes", bytes - tried->bytesSent},
               {"saved_seconds", seconds - tried->stepSeconds},
               {"saved_peak", peak - tried->peakBytes},
               {"verified", true}});
  return list;
}

Object makeDocument(const DocumentParts &parts) {
  const ProgramReport &report = parts.report;
  StringTable strings;
  SourceStacks stacks(strings);
  func::FuncOp main = sdy::getMainFunc(parts.imported);
  ValueTable values(parts.user, parts.ops, parts.explainer,
                    main.getResultTypes(), parts.whole, strings);
  Object document{{"format", kDocumentFormat},
                  {"version", kDocumentVersion},
                  {"title", jsonText(parts.title)},
                  {"entry", jsonText(main.getSymName())},
                  {"options", Object(parts.options)},
                  {"diff", nullptr}};
  Object statistics = statisticsJson(report);
  statistics.erase("stages"); // durations differ from run to run
  document["statistics"] = std::move(statistics);
  document["mesh"] = meshJson(report.mesh, parts.imported, report.devices);
  document["machine"] =
      machineJson(parts.machine, parts.isMachineGiven, report.mesh);
  document["parameters"] = parametersJson(main, values);
  document["ops"] = opsJson(parts, values, strings, stacks);
  values.write(document, parts.mostTrials);
  writeCollectives(parts, values, strings, stacks, document);
  writeSchedule(parts, strings, document);
  writeMemory(parts, values, document);
  document["whole"] = wholeJson(parts, values);
  document["what_if"] = whatIfJson(parts, values);
  document["frames"] = stacks.takeFrames();
  document["stacks"] = stacks.takeStacks();
  document["user_frame"] = stacks.userFrames();
  document["strings"] = strings.take();
  return document;
}

} // namespace shardwright
