//===- write_module.h - write shardings to attributes -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes shardings to the ops and functions that hold them. Many ops get the
// same sharding and have the same other attributes: each such attribute
// dictionary is created once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_WRITE_MODULE_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_WRITE_MODULE_H

#include "shardwright/propagate/graph/graph.h"

#include "llvm/ADT/MapVector.h"

namespace shardwright {

class ShardingWriter {
public:
  ShardingWriter(PropagationGraph &graph, mlir::MLIRContext *context);

  /// Writes current[slot] to `value`: the slot's, or its copy in a clone.
  void write(llvm::ArrayRef<Slot> slots, SlotId slot, mlir::Value value,
             llvm::ArrayRef<ShardingId> current);
  void write(const FuncResult &result, ShardingId sharding);
  /// Writes `sdy.sharding`.
  void setOnOp(mlir::Operation *op, mlir::Attribute sharding);
  /// Attributes of functions are written last, all at once.
  void finish();

private:
  struct FuncShardings {
    llvm::SmallVector<std::pair<int64_t, mlir::Attribute>> arguments, results;
  };

  mlir::DictionaryAttr with(mlir::DictionaryAttr dict,
                            mlir::Attribute sharding);
  void writeResults(mlir::Operation *op, llvm::ArrayRef<ShardingId> ids);

  PropagationGraph &graph;
  mlir::StringAttr name;
  llvm::MapVector<mlir::func::FuncOp, FuncShardings> funcs;
  llvm::DenseMap<std::pair<mlir::DictionaryAttr, mlir::Attribute>,
                 mlir::DictionaryAttr>
      dictionaries;
  mlir::Operation *lastWritten = nullptr;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_WRITE_MODULE_H
