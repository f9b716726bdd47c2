//===- block_graph.h - the operations of one block as a graph ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Local StableHLO of one block, read into a Graph: what kernels can compute as
// nodes, everything else (dots, collectives, control flow) as *opaque*
// operations whose results are Extern nodes. Equal nodes are made once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_READ_BLOCK_GRAPH_H
#define SHARDWRIGHT_CPU_READ_BLOCK_GRAPH_H

#include "shardwright/cpu/graph/kernel_graph.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright::cpu {

/// Interned "op at file:line:column" strings.
class LocationTable {
public:
  explicit LocationTable(std::vector<std::string> &texts) : texts(texts) {}
  int32_t add(mlir::Operation *op);

private:
  std::vector<std::string> &texts;
  std::map<std::string, int32_t> ids;
};

struct BlockGraph {
  struct Opaque {
    mlir::Operation *op;
    /// Nodes it needs as buffers. For a dot: lhs, rhs after absorbed
    /// transposes. For control flow: the operands, then the captured values.
    llvm::SmallVector<int32_t, 4> inputs;
    /// Node of each result (-1: token).
    llvm::SmallVector<int32_t, 4> results;
    /// Values from outside that the regions read; their nodes are the last
    /// inputs.
    llvm::SmallVector<mlir::Value, 4> captured;
    /// Must keep its place among the others that are ordered.
    bool ordered = false;
    /// Dots: dimension orders of the operands (absorbed transposes) and of the
    /// stored result; empty: as is.
    Shape lhsOrder, rhsOrder, outOrder;
    /// Calls of C++ code. Tokens are not among their inputs and results.
    std::shared_ptr<const LibraryCall> library;
  };
  Graph graph;
  std::vector<Opaque> opaque;
  /// For each node, its index into `opaque`, or -1.
  std::vector<int32_t> producer;
  /// Extern nodes that no opaque operation makes: arguments, captured values,
  /// constants that are not splats.
  llvm::DenseMap<int32_t, mlir::Value> external;
  /// Nodes of the terminator's operands (-1: token).
  llvm::SmallVector<int32_t, 4> terminator;
};

/// Reads `block`. Values from outside become Extern nodes, except those that
/// are constant everywhere. Errors are emitted at the operation.
mlir::FailureOr<BlockGraph> readBlock(mlir::Block &block,
                                      LocationTable &locations);

/// Reads a scalar region, accumulators first, as Body wants them.
mlir::FailureOr<std::shared_ptr<const Body>> readBody(mlir::Region &region);

/// Element type and static shape, or an error at `op`.
mlir::LogicalResult readType(mlir::Operation *op, mlir::Type type,
                             ElementType &element, Shape &shape);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_BLOCK_GRAPH_H
