//===- consumer.cc - another project that uses Shardwright ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module from standard input, propagates its shardings, prints it.
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/registration.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/mesh.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input)
    return 2;

  mlir::DialectRegistry registry;
  shardwright::registerDialects(registry);
  shardwright::registerPasses();
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>((*input)->getBuffer(), &context);
  if (!module)
    return 2;

  for (auto mesh : module->getOps<shardwright::sdy::MeshOp>())
    llvm::errs() << "mesh @" << mesh.getSymName() << "\n";

  mlir::PassManager passes(&context);
  if (mlir::failed(
          mlir::parsePassPipeline("sdy-propagation-pipeline", passes)) ||
      mlir::failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
