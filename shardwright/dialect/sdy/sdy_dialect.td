//===- sdy_dialect.td - the sdy dialect ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_SDY_DIALECT_TD
#define SHARDWRIGHT_DIALECT_SDY_SDY_DIALECT_TD

include "mlir/IR/DialectBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::shardwright::sdy";
  let summary = "named meshes, shardings of tensors, and the ops that carry them";
  let description = [{
    A tensor's sharding says, for each of its dimensions, which named axes of a
    mesh split it. The dialect owns the discardable attributes `sdy.sharding`
    and `sdy.sharding_rule` on ops, arguments and results of any dialect.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerBytecode();
  }];
}

#endif // SHARDWRIGHT_DIALECT_SDY_SDY_DIALECT_TD
