//===- simulate.cc - a program on other numbers of processes --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/simulate.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/interop/import_module.h"
#include "shardwright/partition/overlap/op_cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Finds the first dimension of a value that its sharding does not divide.
class UndividedFinder {
public:
  explicit UndividedFinder(std::string &found) : found(found) {}

  void visit(ModuleOp module) {
    if (func::FuncOp main = sdy::getMainFunc(module)) {
      for (unsigned i = 0; i < main.getNumArguments(); ++i)
        visit(main, main.getArgumentTypes()[i],
              main.getArgAttrOfType<sdy::TensorShardingAttr>(
                  i, sdy::kShardingAttr),
              "argument #" + std::to_string(i));
      for (unsigned i = 0; i < main.getNumResults(); ++i)
        visit(main, main.getResultTypes()[i],
              main.getResultAttrOfType<sdy::TensorShardingAttr>(
                  i, sdy::kShardingAttr),
              "result #" + std::to_string(i));
    }
    module.walk([&](sdy::ShardingConstraintOp op) {
      visit(op, op.getType(), op.getSharding(), "sharding constraint");
    });
  }

private:
  void visit(Operation *op, Type type, sdy::TensorShardingAttr attr,
             const std::string &name) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!found.empty() || !attr || !tensor ||
        attr.getRank() != tensor.getRank())
      return;
    sdy::MeshAttr meshAttr = sdy::getMeshAttr(op, attr);
    if (!meshAttr || meshAttr.getAxes().empty())
      return;
    Mesh mesh = sdy::meshFromAttr(meshAttr);
    TensorSharding sharding = sdy::shardingFromAttr(attr, mesh);
    for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
      int64_t parts = totalSize(axes.axes), size = tensor.getDimSize(dim);
      if (!found.empty() || ShapedType::isDynamic(size) || size % parts == 0)
        continue;
      llvm::raw_string_ostream os(found);
      os << name << " of type " << type << ": dimension " << dim << " of size "
         << size << " over " << parts << " devices along ";
      llvm::interleaveComma(axes.axes, os,
                            [&](AxisRef axis) { os << mesh.str(axis); });
    }
  }

  std::string &found;
};

double bytesOf(const std::vector<ValueSpec> &values) {
  double bytes = 0;
  for (const ValueSpec &value : values) {
    // A donated argument becomes a result.
    if (value.donated)
      continue;
    double own = byteWidth(value.type);
    for (int64_t size : localShape(value.shape, value.sharding))
      own *= double(size);
    bytes += own;
  }
  return bytes;
}

} // namespace

FailureOr<Mesh> meshOfModule(ModuleOp module, const CompileOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  CompileOptions imported = options;
  imported.stopAfter = Stage::Import;
  FailureOr<Compiled> compiled = compile(*copy, imported);
  if (failed(compiled))
    return failure();
  return compiled->report.mesh;
}

std::optional<Mesh> growMesh(const Mesh &mesh, int32_t axis, int64_t devices) {
  int64_t rest = mesh.numDevices() / mesh.axisSize(axis);
  if (devices % rest != 0)
    return std::nullopt;
  SmallVector<MeshAxis, 4> axes(mesh.axes());
  axes[axis].size = devices / rest;
  return Mesh(axes);
}

FailureOr<SimulatedJob> simulateJob(ModuleOp module, const Mesh &mesh,
                                    const MachineModel &machine,
                                    CompileOptions options) {
  SimulatedJob job;
  job.mesh = mesh;
  job.devices = mesh.numDevices();
  int64_t each = machine.processes->devicesPerProcess;
  job.processes = (job.devices + each - 1) / each;
  bool hasReplicas = countReplicas(module) > 1;
  options.import.meshSizes.assign(mesh.axes().begin() + hasReplicas,
                                  mesh.axes().end());
  options.partition.machine = machine;
  options.processes = job.processes;
  options.stopAfter = Stage::Local;
  options.beforePropagate = [&](ModuleOp imported) {
    UndividedFinder(job.undivided).visit(imported);
    return success();
  };
  OwningOpRef<ModuleOp> local = module.clone();
  FailureOr<Compiled> compiled = compile(*local, options);
  if (failed(compiled))
    return failure();
  const ProgramReport &report = compiled->report;
  job.step = report.predicted.time;
  job.importSeconds = report.seconds.import;
  job.partitionSeconds = report.seconds.propagate + report.seconds.partition;
  job.bytesPerDevice =
      bytesOf(compiled->arguments) + bytesOf(compiled->results);
  OpCosts costs(machine, report.mesh);
  for (const CollectiveUse &use : report.collectives.uses) {
    ProcessTraffic own = costs.traffic(use.op);
    std::optional<Transfer> transfer = costs.transfer(use.op);
    job.collectives.push_back(
        {use.kind, use.axes, use.executions,
         use.executions * (transfer ? transfer->seconds : 0),
         use.executions * own.bytes()});
  }
  job.bytesBetweenProcesses =
      report.predicted.bytesBetweenProcesses.value_or(0);
  return job;
}

} // namespace shardwright
