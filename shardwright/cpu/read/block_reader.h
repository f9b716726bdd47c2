//===- block_reader.h - reads one block -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to block_graph.h: the state of readBlock. movement.cc reads movement
// operations, contraction.cc contractions, opaque.cc and library_call.cc the
// operations that no kernel computes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_READ_BLOCK_READER_H
#define SHARDWRIGHT_CPU_READ_BLOCK_READER_H

#include "shardwright/cpu/read/block_graph.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace shardwright::cpu {

namespace hlo = shardwright::stablehlo;

/// The kind of the elementwise operation with this name, if it is one.
std::optional<Op> elementwiseOp(llvm::StringRef name);
/// Reads the attributes of an elementwise operation; emits an error if the
/// operation does not support its element type.
mlir::LogicalResult readElementwise(mlir::Operation *op, Node &node);
mlir::InFlightDiagnostic unsupported(mlir::Operation *op);

class BlockReader {
public:
  BlockReader(mlir::Block &block, LocationTable &locations)
      : block(block), locations(locations) {}
  mlir::FailureOr<BlockGraph> run();

private:
  mlir::LogicalResult read(mlir::Operation &op);
  mlir::LogicalResult readMovement(mlir::Operation &op);
  mlir::LogicalResult readPieces(mlir::Operation &op, const Node &concat,
                                 int64_t dim);
  mlir::FailureOr<Node> startReduction(mlir::Operation &op, Op kind,
                                       mlir::Region &region);
  mlir::LogicalResult readReduce(hlo::ReduceOp op);
  mlir::LogicalResult readWindow(hlo::ReduceWindowOp op);
  mlir::LogicalResult readScatter(hlo::ScatterOp op);
  mlir::LogicalResult readSort(hlo::SortOp op);
  mlir::LogicalResult readDot(hlo::DotGeneralOp op);
  mlir::LogicalResult readOpaque(mlir::Operation &op, bool ordered);
  /// A call of C++ code that is being read.
  struct LibraryOperation;
  mlir::LogicalResult readLibraryOperands(LibraryOperation &op);
  mlir::LogicalResult readLibraryResults(LibraryOperation &op);
  mlir::LogicalResult readLibrary(mlir::Operation &op);
  mlir::FailureOr<int32_t> operand(mlir::Operation *user, mlir::Value value);
  mlir::FailureOr<int32_t> external(mlir::Operation *user, mlir::Value value);
  mlir::LogicalResult operands(mlir::Operation &op, Node &node);
  mlir::FailureOr<Node> start(mlir::Operation *op, mlir::Type type, Op kind);
  int32_t add(Node node);
  /// Adds a transpose of node `id` for the op `user`.
  int32_t addTranspose(mlir::Operation *user, int32_t id,
                       const Shape &permutation);
  int32_t addUnique(Node node, int32_t producer);
  void results(mlir::Operation &op, int32_t first);

  mlir::Block &block;
  LocationTable &locations;
  BlockGraph result;
  llvm::DenseMap<mlir::Value, int32_t> ids;
  std::map<std::string, int32_t> known;
  llvm::DenseSet<mlir::Operation *> done;
};

/// Checks the dimension numbers that reading relies on. `windows` is the result
/// of a gather or the updates of a scatter. The verifiers check more and have
/// better messages.
bool windowDimsFit(const Node &operand, const Node &starts, const Node &windows,
                   const WindowDims &dims);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_BLOCK_READER_H
