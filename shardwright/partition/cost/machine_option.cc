//===- machine_option.cc - the option `machine` of passes -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/machine_option.h"

using namespace mlir;

namespace shardwright {

FailureOr<std::optional<MachineModel>> readMachineOption(Operation *op,
                                                         StringRef path) {
  if (path.empty())
    return std::optional<MachineModel>();
  llvm::Expected<MachineModel> machine = MachineModel::read(path);
  if (!machine)
    return op->emitError() << llvm::toString(machine.takeError());
  return std::optional<MachineModel>(std::move(*machine));
}

} // namespace shardwright
