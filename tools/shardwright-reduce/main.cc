//===- main.cc - shardwright-reduce: reduces failing modules --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/registration.h"
#include "shardwright/interop/input/guarded_read.h"
#include "shardwright/interop/input/input_limits.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

/// Checks that no file nests so deeply that the parser would crash. False: a
/// file does; the error has been printed.
static bool checkFiles(llvm::ArrayRef<const char *> arguments) {
  for (llvm::StringRef path : arguments) {
    if (path.starts_with("-") || !llvm::sys::fs::is_regular_file(path))
      continue;
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file || shardwright::isBytecode((*file)->getBuffer()))
      continue;
    if (auto problem = shardwright::checkText((*file)->getBuffer())) {
      llvm::errs() << path << ":" << problem->line << ":" << problem->column
                   << ": error: " << problem->message << "\n";
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  if (!checkFiles(llvm::ArrayRef(argv + 1, argv + argc)))
    return 2;
  mlir::DialectRegistry registry;
  shardwright::registerDialects(registry);
  // opt-reduction-pass needs them.
  shardwright::registerPasses();
  mlir::registerTransformsPasses();
  mlir::registerReducerPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
