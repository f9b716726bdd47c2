//===- outline_manual_body.cc - outline a shard_map's body ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/outline_manual_body.h"

using namespace mlir;

func::FuncOp shardwright::outlineManualBody(sdy::ManualComputationOp op,
                                            SymbolTable &symbols,
                                            StringRef name) {
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  OpBuilder builder(end);
  auto func = func::FuncOp::create(
      op.getLoc(), name,
      builder.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
  func.setPrivate();
  symbols.insert(func);
  func::ReturnOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
  func.getBody().takeBody(op.getBody());
  return func;
}
