//===- properties_encoding.cc - bytecode of ops with newer attributes -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/newer_properties.h"

using namespace mlir;

namespace shardwright::chlo {

LogicalResult TopKOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  return readWithNewer(reader, p.k, p.is_stable);
}

void TopKOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &p = getProperties();
  // Omit the default.
  writeWithNewer(writer, p.k, getIsStable() ? BoolAttr() : p.is_stable);
}

} // namespace shardwright::chlo
