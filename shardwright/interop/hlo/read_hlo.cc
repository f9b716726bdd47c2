//===- read_hlo.cc - HLO protos into StableHLO ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/read_hlo.h"

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/translator.h"

using namespace mlir;

namespace shardwright::hlo {

OwningOpRef<ModuleOp> readHlo(StringRef bytes, Wrapping wrapping, Location file,
                              DeviceCounts counts) {
  llvm::Expected<Module> module = parseHloModule(bytes, wrapping);
  if (!module) {
    emitError(file) << "malformed HLO: " << llvm::toString(module.takeError());
    return {};
  }
  if (counts.replicas)
    module->counts.replicas = counts.replicas;
  if (counts.partitions)
    module->counts.partitions = counts.partitions;
  MLIRContext *context = file.getContext();
  context->loadDialect<func::FuncDialect, stablehlo::StablehloDialect,
                       chlo::ChloDialect>();
  return Translator(*module, file).run();
}

} // namespace shardwright::hlo
