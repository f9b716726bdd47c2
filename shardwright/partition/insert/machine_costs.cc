//===- machine_costs.cc - costs for a module ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/insert_collectives.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/partition/cost/process_traffic.h"

using namespace mlir;

namespace shardwright {

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
  if (!options.machine->processes)
    return options.machine->costs();
  MachineModel machine = *options.machine;
  for (auto mesh : module.getOps<sdy::MeshOp>())
    addProcesses(machine, sdy::meshFromAttr(mesh.getMesh()));
  return machine.costs();
}

} // namespace shardwright
