//===- entry_function.cc - the entry function of a program ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/entry_function.h"

using namespace mlir;

namespace shardwright::legalize {

FailureOr<func::FuncOp> entryFunction(ModuleOp module) {
  func::FuncOp only;
  int count = 0;
  for (auto f : module.getOps<func::FuncOp>()) {
    only = f;
    ++count;
  }
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    only = main;
  else if (count != 1)
    return module.emitError()
           << "the module has no function @main and " << count << " others";
  if (only.isDeclaration() || !only.getBody().hasOneBlock())
    return only.emitError("the entry function should have a body of one block");
  return only;
}

} // namespace shardwright::legalize
