//===- save_module.h - write a module into a dump folder --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_EXPORT_SAVE_MODULE_H
#define SHARDWRIGHT_PROPAGATE_EXPORT_SAVE_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace shardwright {

/// Writes DIRECTORY/NN.NAME.mlir, or warns if that is not possible. Does
/// nothing if the directory is empty.
void saveModule(mlir::ModuleOp module, llvm::StringRef directory,
                llvm::StringRef name, int64_t index);

std::unique_ptr<mlir::Pass>
createSaveModulePass(std::string directory, std::string name, int64_t index);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_EXPORT_SAVE_MODULE_H
