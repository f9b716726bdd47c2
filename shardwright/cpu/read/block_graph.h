//===- block_graph.h - the operations of one block as a graph ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The local StableHLO of one block, read into a Graph. Operations that kernels
// can compute become nodes; all others (dots, collectives, control flow) are
// *opaque* operations whose results are Extern nodes. Equal nodes are merged.
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
    /// Nodes that it needs in buffers. Dots: lhs, rhs after absorbed
    /// transposes. Control flow: the operands, then the captured values.
    llvm::SmallVector<int32_t, 4> inputs;
    /// Node of each result (-1: token).
    llvm::SmallVector<int32_t, 4> results;
    /// Outside values that the regions read; their nodes are the last inputs.
    llvm::SmallVector<mlir::Value, 4> captured;
    /// True if it must keep its order among ordered operations.
    bool ordered = false;
    /// Dots: dimension orders of the operands (absorbed transposes) and of the
    /// stored result; empty: unchanged.
    Shape lhsOrder, rhsOrder, outOrder;
    /// Set for calls of C++ code. Inputs and results exclude tokens.
    std::shared_ptr<const LibraryCall> library;
  };
  Graph graph;
  std::vector<Opaque> opaque;
  /// For each node, its index into `opaque`, or -1.
  std::vector<int32_t> producer;
  /// Extern nodes without an opaque producer: arguments, captured values,
  /// constants that are not splats.
  llvm::DenseMap<int32_t, mlir::Value> external;
  /// Nodes of the terminator's operands (-1: token).
  llvm::SmallVector<int32_t, 4> terminator;
};

/// Reads `block`. Outside values become Extern nodes, except splat constants
/// and iotas. Errors are emitted at the operation.
mlir::FailureOr<BlockGraph> readBlock(mlir::Block &block,
                                      LocationTable &locations);

/// Reads a scalar region into a Body, accumulators first.
mlir::FailureOr<std::shared_ptr<const Body>> readBody(mlir::Region &region);

/// Reads the element type and static shape; emits an error at `op`.
mlir::LogicalResult readType(mlir::Operation *op, mlir::Type type,
                             ElementType &element, Shape &shape);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_BLOCK_GRAPH_H
