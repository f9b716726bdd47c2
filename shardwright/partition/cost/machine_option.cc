//===- machine_option.cc - the option `machine` of passes -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/machine_option.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/partition/cost/machine_levels.h"

using namespace mlir;

namespace shardwright {

FailureOr<MachineModel> placeMesh(ModuleOp module,
                                  const MachineModel &machine) {
  MachineModel placed = machine;
  if (machine.levels.empty())
    return placed;
  for (sdy::MeshOp op : module.getOps<sdy::MeshOp>()) {
    llvm::Expected<MachineModel> next =
        withLinksOfLevels(placed, sdy::meshFromAttr(op.getMesh()));
    if (!next)
      return op.emitError() << llvm::toString(next.takeError());
    placed = std::move(*next);
  }
  return placed;
}

FailureOr<std::optional<MachineModel>> readMachineOption(Operation *op,
                                                         StringRef path) {
  if (path.empty())
    return std::optional<MachineModel>();
  llvm::Expected<MachineModel> machine = MachineModel::read(path);
  if (!machine)
    return op->emitError() << llvm::toString(machine.takeError());
  if (auto module = dyn_cast<ModuleOp>(op)) {
    FailureOr<MachineModel> placed = placeMesh(module, *machine);
    if (failed(placed))
      return failure();
    return std::optional<MachineModel>(std::move(*placed));
  }
  return std::optional<MachineModel>(std::move(*machine));
}

} // namespace shardwright
