//===- dialect.cc - the sdy dialect and its hooks -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/device_groups.h"
#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Transforms/InliningUtils.h"

#include "shardwright/dialect/sdy/sdy_dialect.cpp.inc"

using namespace mlir;

namespace shardwright::sdy {

namespace {

/// All ops may be inlined; the operands of `sdy.return` replace the results.
struct SdyInliner : DialectInlinerInterface {
  SdyInliner(Dialect *dialect) : DialectInlinerInterface(dialect) {}

  bool isLegalToInline(Operation *, Operation *, bool) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  void handleTerminator(Operation *op, ValueRange results) const override {
    for (auto [result, operand] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(operand);
  }
};

} // namespace

void SdyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "shardwright/dialect/sdy/sdy_ops.cpp.inc"
      >();
  addInterfaces<SdyInliner>();
  addDeviceGroupsMemory(*this);
  registerBytecode();
}

void registerSdyDialect(DialectRegistry &registry) {
  registry.insert<SdyDialect>();
}

} // namespace shardwright::sdy
