//===- debug_info.h - origins and edges as attributes -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy's record of propagation in the IR:
//
//   sdy.sharding_origins    for each axis of a value, which argument, result,
//                           constraint or manual computation it began at
//   sdy.propagation_edges   for each step that changed something around an op,
//                           which axis went from which tensor to which
//
// `shardwright explain` does not use these: they lack factors and priorities.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_REASONS_DEBUG_INFO_H
#define SHARDWRIGHT_PROPAGATE_REASONS_DEBUG_INFO_H

#include "shardwright/propagate/engine/engine.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace shardwright {

struct DebugInfoOptions {
  bool origins = false;
  bool edges = false;
};

class DebugInfo : public PropagationObserver {
public:
  /// Reads the shardings of constraints, manual computations, arguments and
  /// results, and names the ops that origins refer to.
  DebugInfo(mlir::ModuleOp module, DebugInfoOptions options);

  void onChange(const PropagationEvent &event) override;
  void onWritten() override { save(); }

  /// Called when the only operand of `op` took the sharding of its result.
  void onApplied(sdy::ShardingConstraintOp op);
  /// Writes the attributes.
  void save();

private:
  /// An operand's or result's value; or an op (for an edge) or function (for an
  /// origin) with the index of its result.
  using Holder = std::pair<void *, int32_t>;
  static Holder holderOf(mlir::Value value) {
    return {value.getAsOpaquePointer(), -1};
  }
  static Holder holderOf(mlir::Operation *op, int32_t funcResult) {
    return {op, funcResult};
  }
  /// An axis moved by a step between tensors of a rule: operands, then results.
  struct Edge {
    int64_t step;
    AxisRef order;
    sdy::AxisRefAttr axis;
    int32_t source, target;
  };
  struct Edges {
    int32_t numOperands = 0;
    std::vector<Edge> edges;
  };
  /// Keyed by the axis's text in the attribute.
  using Origins =
      std::map<std::string, std::pair<sdy::AxisRefAttr, std::string>>;

  void readOrigins();
  void readSteps();
  void begin(Holder holder, sdy::TensorShardingAttr sharding,
             const std::string &name);
  void addEdge(Holder holder, int32_t numOperands, Edge edge);
  void passOn(Holder source, Holder target, sdy::AxisRefAttr axis);
  void saveOrigins();
  void saveEdges();
  mlir::DictionaryAttr dictionary(Holder holder, mlir::StringRef self);

  mlir::ModuleOp module;
  mlir::MLIRContext *context;
  DebugInfoOptions options;
  llvm::DenseMap<Holder, Origins> origins;
  llvm::MapVector<Holder, Edges> edges;
  int64_t nextStep = 0;
  /// The visit of the step before `nextStep`.
  int64_t visit = -1;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_REASONS_DEBUG_INFO_H
