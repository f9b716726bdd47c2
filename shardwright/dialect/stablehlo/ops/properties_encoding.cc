//===- properties_encoding.cc - bytecode of ops with newer attributes -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/newer_properties.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

using namespace mlir;

namespace shardwright::stablehlo {

LogicalResult CustomCallOp::readProperties(DialectBytecodeReader &reader,
                                           OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(p.api_version)) ||
      failed(reader.readOptionalAttribute(p.backend_config)) ||
      failed(reader.readAttribute(p.call_target_name)) ||
      failed(reader.readOptionalAttribute(p.called_computations)) ||
      failed(reader.readOptionalAttribute(p.has_side_effect)) ||
      failed(reader.readOptionalAttribute(p.operand_layouts)) ||
      failed(reader.readOptionalAttribute(p.output_operand_aliases)) ||
      failed(reader.readOptionalAttribute(p.result_layouts)))
    return failure();
  return readNewerLast(reader, p.result_tilings);
}

void CustomCallOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &p = getProperties();
  writer.writeOptionalAttribute(p.api_version);
  writer.writeOptionalAttribute(p.backend_config);
  writer.writeAttribute(p.call_target_name);
  writer.writeOptionalAttribute(p.called_computations);
  writer.writeOptionalAttribute(p.has_side_effect);
  writer.writeOptionalAttribute(p.operand_layouts);
  writer.writeOptionalAttribute(p.output_operand_aliases);
  writer.writeOptionalAttribute(p.result_layouts);
  // Newer readers require it, and earlier ones ignore it.
  writer.writeOptionalAttribute(p.result_tilings);
}

LogicalResult
CollectiveBroadcastOp::readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(p.channel_handle)))
    return failure();
  return readWithNewer(reader, p.replica_groups, p.has_dynamic_root);
}

void CollectiveBroadcastOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &p = getProperties();
  writer.writeOptionalAttribute(p.channel_handle);
  writeWithNewer(writer, p.replica_groups, p.has_dynamic_root);
}

} // namespace shardwright::stablehlo
