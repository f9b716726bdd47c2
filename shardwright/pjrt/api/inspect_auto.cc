//===- inspect_auto.cc - queries for shardings that are found -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_report.h"
#include "shardwright/auto/mesh_shapes.h"
#include "shardwright/compile/host_callbacks.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/pjrt/api/inspect.h"
#include "shardwright/pjrt/api/query_options.h"
#include "shardwright/pjrt/calls/expand_calls.h"
#include "shardwright/pjrt/calls/host_callback.h"
#include "shardwright/pjrt/calls/propagate_calls.h"
#include "shardwright/pjrt/request/prepare_module.h"
#include "shardwright/pjrt/request/program_reader.h"

using namespace mlir;

namespace shardwright::pjrt {

/// [["data", 4], ["model", 2]]
static llvm::Expected<SmallVector<MeshAxis, 4>>
readMesh(const llvm::json::Array &list) {
  SmallVector<MeshAxis, 4> axes;
  for (const llvm::json::Value &value : list) {
    const llvm::json::Array *pair = value.getAsArray();
    auto name =
        pair && pair->size() == 2 ? (*pair)[0].getAsString() : std::nullopt;
    auto size = name ? (*pair)[1].getAsInteger() : std::nullopt;
    if (!size || *size < 1)
      return badQuery("expected a mesh as pairs of a name and a size");
    axes.push_back({name->str(), *size});
  }
  if (Mesh::numDevicesOverflows(axes))
    return badQuery("the mesh has more devices than can be counted");
  return axes;
}

static llvm::Error readRequest(const llvm::json::Object &request,
                               AutoOptions &options) {
  Effort effort = Effort::Normal;
  std::optional<MachineModel> machine;
  if (llvm::Error e = readPlanning(request, effort, machine))
    return e;
  options.effort = int(effort);
  if (machine)
    options.machine = std::move(*machine);
  if (const llvm::json::Array *mesh = request.getArray("mesh")) {
    auto axes = readMesh(*mesh);
    if (!axes)
      return axes.takeError();
    options.mesh = std::move(*axes);
  }
  if (auto memory = request.getNumber("memory"))
    options.memory = *memory;
  StringRef overlap = request.getString("overlap").value_or("off");
  options.overlap = overlapFromName(overlap).value_or(Overlap::Off);
  options.specsOnly = request.getBoolean("specs_only").value_or(false);
  StringRef drop = request.getString("drop").value_or("");
  options.drop = drop == "all"           ? DropAnnotations::All
                 : drop == "constraints" ? DropAnnotations::Constraints
                                         : DropAnnotations::None;
  if (!request.getBoolean("state").value_or(true))
    options.pairs.pairs = StatePairs::None;
  const llvm::json::Object *fixed = request.getObject("fixed");
  if (!fixed)
    return llvm::Error::success();
  for (const auto &[name, value] : *fixed) {
    auto spec = PartitionSpec::parse(value.getAsString().value_or(""));
    if (!spec)
      return badQuery("fixed '" + name.str() +
                      "': " + llvm::toString(spec.takeError()));
    options.fixed.emplace_back(name.str(), std::move(*spec));
  }
  // Objects have no order.
  llvm::sort(options.fixed,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  return llvm::Error::success();
}

/// Removes the shardings of results that the user has left open.
static void openResults(ModuleOp module, const llvm::json::Array *results) {
  func::FuncOp main = sdy::getMainFunc(module);
  if (!results || !main)
    return;
  for (const llvm::json::Value &value : *results)
    if (auto i = value.getAsInteger();
        i && *i >= 0 && *i < int64_t(main.getNumResults()))
      sdy::setFuncResultSharding(main, *i, sdy::TensorShardingAttr());
}

llvm::Expected<llvm::json::Object>
inspectAuto(StringRef code, const llvm::json::Object &request) {
  AutoOptions options;
  if (llvm::Error e = readRequest(request, options))
    return e;
  ProgramReader reader;
  KeptSources kept;
  OwningOpRef<ModuleOp> module = reader.read(code);
  if (!module)
    return reader.error();
  // Each trial has the devices of its mesh.
  if (!request.getBoolean("shardy").value_or(true))
    options.compile.beforePropagate = [](ModuleOp module) {
      return propagateThroughClientCalls(module, devicesOf(module));
    };
  options.compile.beforePartition = [&](ModuleOp module) {
    return expandClientCalls(module, devicesOf(module), kept);
  };
  // Shardings that JAX left open are those that are chosen.
  pinCallbacks(*module);
  if (failed(dropTokens(*module)))
    return reader.error();
  openResults(*module, request.getArray("open_results"));
  std::string name = module->getSymName().value_or("module").str();
  int64_t devices = request.getInteger("devices").value_or(0);
  FailureOr<AutoResult> result =
      devices > 0 ? autoShardDevices(*module, devices, options)
                  : autoShard(*module, options);
  if (failed(result))
    return reader.error();
  std::string report, annotated;
  llvm::raw_string_ostream os(report), text(annotated);
  writeAutoText(*result, name + " on " + options.machine.name, os);
  printModule(*result->module, text, OpPrintingFlags().enableDebugInfo());
  return llvm::json::Object{{"name", llvm::json::fixUTF8(name)},
                            {"report", llvm::json::fixUTF8(report)},
                            {"module", llvm::json::fixUTF8(annotated)},
                            {"data", autoJson(*result)}};
}

} // namespace shardwright::pjrt
