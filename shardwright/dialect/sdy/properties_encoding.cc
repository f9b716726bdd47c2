//===- properties_encoding.cc - bytecode of ops with newer attributes -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions have a kind since jaxlib 0.11, which is the last attribute in
// bytecode. Without one, as jaxlib 0.10 writes them, they are sums.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/newer_properties.h"
#include "shardwright/dialect/sdy/sdy.h"

using namespace mlir;

namespace shardwright::sdy {

/// Writes the axes and the kind of a reduction. Readers that do not know kinds
/// would take any for a sum, so there is no bytecode of others for them.
template <typename AxesT>
static void writeReduction(DialectBytecodeWriter &writer, Operation *op,
                           AxesT axes, ReductionOpAttr kind) {
  // Properties are written more than once.
  if (WritesBytecodeForOldReaders::isActive() && kind &&
      kind.getValue() != ReductionOp::SUM &&
      !WritesBytecodeForOldReaders::hasRefused()) {
    op->emitOpError("cannot be written for jaxlib 0.10, whose reductions are "
                    "sums; write bytecode for newer readers");
    WritesBytecodeForOldReaders::refuse();
  }
  writer.writeAttribute(axes);
  writer.writeOptionalAttribute(kind);
}

/// Reads the kind of a reduction; a sum if there is none.
static LogicalResult readKind(DialectBytecodeReader &reader,
                              ReductionOpAttr &kind) {
  if (failed(readNewerLast(reader, kind)))
    return failure();
  if (!kind)
    kind = ReductionOpAttr::get(reader.getContext(), ReductionOp::SUM);
  return success();
}

LogicalResult AllReduceOp::readProperties(DialectBytecodeReader &reader,
                                          OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(p.out_sharding)) ||
      failed(reader.readAttribute(p.reduction_axes)))
    return failure();
  return readKind(reader, p.reduction_op);
}

void AllReduceOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &p = getProperties();
  writer.writeAttribute(p.out_sharding);
  writeReduction(writer, *this, p.reduction_axes, p.reduction_op);
}

LogicalResult ReduceScatterOp::readProperties(DialectBytecodeReader &reader,
                                              OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(p.out_sharding)) ||
      failed(reader.readAttribute(p.reduce_scatter_axes)))
    return failure();
  return readKind(reader, p.reduction_op);
}

void ReduceScatterOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &p = getProperties();
  writer.writeAttribute(p.out_sharding);
  writeReduction(writer, *this, p.reduce_scatter_axes, p.reduction_op);
}

} // namespace shardwright::sdy
