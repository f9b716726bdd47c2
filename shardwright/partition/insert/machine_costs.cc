//===- machine_costs.cc - cost weights for a module -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/insert_collectives.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/cost/process_traffic.h"
#include "shardwright/partition/ops/op_traits.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

/// The element type with the most multiplications; null if there are none.
static Type contractedElement(ModuleOp module) {
  llvm::SmallMapVector<Type, double, 4> products;
  module.walk([&](Operation *op) {
    if (!isContraction(op))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (type && type.hasStaticShape())
      products[type.getElementType()] += double(type.getNumElements());
  });
  Type most;
  double largest = 0;
  for (auto [type, elements] : products)
    if (elements > largest) {
      most = type;
      largest = elements;
    }
  return most;
}

/// Slows down the links of the axes along which devices of several processes
/// communicate: all groups of a process share its link.
static void addProcesses(MachineModel &machine, const Mesh &mesh) {
  const ProcessesModel &processes = *machine.processes;
  if (mesh.numDevices() <= processes.devicesPerProcess)
    return;
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    if (mesh.axisSize(axis) < 2)
      continue;
    auto placement =
        placeAxes(mesh, mesh.fullAxis(axis), processes.devicesPerProcess);
    if (placement && placement->isLocal())
      continue;
    double sharing = double(processes.devicesPerProcess) /
                     double(placement ? placement->ownMembers : 1);
    LinkModel link = machine.linkOf(mesh.axisName(axis));
    sharing *= processes.sharing(
        llvm::divideCeil(mesh.numDevices(), processes.devicesPerProcess));
    link.bytesPerSecond =
        std::min(link.bytesPerSecond,
                 processes.bytesPerSecond / sharing / double(link.directions));
    link.latencySeconds += processes.latencySeconds;
    machine.links[mesh.axisName(axis).str()] = link;
  }
}

CostModel plannerCosts(ModuleOp module, const PartitionOptions &options) {
  if (!options.machine)
    return options.costs;
  SmallVector<StringRef> axes;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes())
      if (axis.getSize() > 1)
        axes.push_back(axis.getName());
  std::string element = "f32";
  if (Type most = contractedElement(module)) {
    if (auto complex = dyn_cast<ComplexType>(most))
      most = complex.getElementType();
    element.clear();
    llvm::raw_string_ostream(element) << most;
  }
  if (!options.machine->processes)
    return options.machine->costs(axes, element);
  MachineModel machine = *options.machine;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    addProcesses(machine, sdy::meshFromAttr(mesh.getMesh()));
  return machine.costs(axes, element);
}

} // namespace shardwright
