//===- module_contents.cc - features that a module uses -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/module_contents.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/op_index.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwright {

namespace {

/// Scans shardings, each once.
class Scan {
public:
  explicit Scan(ModuleContents &found) : found(found) {}

  void visit(Attribute attr) {
    if (!attr || !seen.insert(attr).second)
      return;
    if (auto s = dyn_cast<sdy::TensorShardingAttr>(attr)) {
      found.unreduced |= !s.getUnreducedAxes().empty();
      found.inlinedMeshes |= !isa<FlatSymbolRefAttr>(s.getMeshOrRef());
    } else if (auto list = dyn_cast<sdy::TensorShardingPerValueAttr>(attr)) {
      for (sdy::TensorShardingAttr s : list.getShardings())
        visit(s);
    } else if (auto array = dyn_cast<ArrayAttr>(attr)) {
      for (Attribute a : array)
        visit(a);
    } else if (auto dict = dyn_cast<DictionaryAttr>(attr)) {
      for (NamedAttribute a : dict)
        visit(a.getValue());
    }
  }

private:
  ModuleContents &found;
  llvm::DenseSet<Attribute> seen;
};

} // namespace

ModuleContents::ModuleContents(Operation *module, AnalysisManager &analyses) {
  const auto &index = analyses.getAnalysis<OpIndex>();
  calls = index.has(isNamed<func::CallOp>);
  dataFlow = index.has(hasDataFlow);
  manualComputations = index.has(isNamed<sdy::ManualComputationOp>);
  namedComputations = index.has(isNamed<sdy::NamedComputationOp>);
  funcEdges = index.has(isNamed<sdy::FuncDataFlowEdgeOp>);
  constraints = index.has(isNamed<sdy::ShardingConstraintOp>);
  groups = index.has(isNamed<sdy::ShardingGroupOp>);

  Scan scan(*this);
  auto ruleName = StringAttr::get(module->getContext(), sdy::kShardingRuleAttr);
  for (DictionaryAttr dict : index.dictionaries()) {
    rules |= dict.contains(ruleName);
    scan.visit(dict);
  }
  // Shardings are also in properties and in dictionaries of arguments.
  for (Operation *op : index.inOrder(isNamed<func::FuncOp>)) {
    scan.visit(cast<func::FuncOp>(op).getArgAttrsAttr());
    scan.visit(cast<func::FuncOp>(op).getResAttrsAttr());
  }
  for (Operation *op : index.inOrder([](OperationName name) {
         return name.getDialectNamespace() ==
                sdy::SdyDialect::getDialectNamespace();
       }))
    if (!isa<sdy::ConstantOp>(op))
      for (NamedAttribute attr : op->getAttrs())
        scan.visit(attr.getValue());
}

} // namespace shardwright
