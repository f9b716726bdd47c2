//===- module_contents.cc - what a module may hold ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/module_contents.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace shardwright {

namespace {

class Scan {
public:
  Scan(ModuleContents &found, MLIRContext *context)
      : found(found),
        ruleName(StringAttr::get(context, sdy::kShardingRuleAttr)) {}

  void visit(Operation *op) {
    auto [it, isNew] = classes.try_emplace(op->getName());
    if (isNew) {
      it->second.isSdy =
          op->getDialect() && isa<sdy::SdyDialect>(op->getDialect());
      it->second.isFunc = isa<func::FuncOp>(op);
      classify(op);
    }
    if (it->second.isFunc || it->second.isSdy) {
      // Shardings are in properties and in dictionaries of arguments.
      for (NamedAttribute attr : op->getAttrs())
        visitAttr(attr.getValue());
    } else if (DictionaryAttr attrs = op->getRawDictionaryAttrs();
               !attrs.empty() && seen.insert(attrs).second) {
      for (NamedAttribute attr : attrs)
        visitAttr(attr.getValue());
    }
    DictionaryAttr attrs = op->getRawDictionaryAttrs();
    if (!found.rules && !attrs.empty() && attrs.contains(ruleName))
      found.rules = true;
  }

private:
  struct OpClass {
    bool isSdy = false, isFunc = false;
  };

  void classify(Operation *op) {
    found.calls |= isa<func::CallOp>(op);
    found.dataFlow |= isa<sdy::ShardableDataFlowOpInterface>(op);
    found.manualComputations |= isa<sdy::ManualComputationOp>(op);
    found.namedComputations |= isa<sdy::NamedComputationOp>(op);
    found.funcEdges |= isa<sdy::FuncDataFlowEdgeOp>(op);
    found.constraints |= isa<sdy::ShardingConstraintOp>(op);
    found.groups |= isa<sdy::ShardingGroupOp>(op);
  }

  void visitAttr(Attribute attr) {
    if (found.unreduced || !attr || !seen.insert(attr).second)
      return;
    if (auto s = dyn_cast<sdy::TensorShardingAttr>(attr)) {
      found.unreduced = !s.getUnreducedAxes().empty();
    } else if (auto list = dyn_cast<sdy::TensorShardingPerValueAttr>(attr)) {
      for (sdy::TensorShardingAttr s : list.getShardings())
        visitAttr(s);
    } else if (auto array = dyn_cast<ArrayAttr>(attr)) {
      for (Attribute a : array)
        visitAttr(a);
    } else if (auto dict = dyn_cast<DictionaryAttr>(attr)) {
      for (NamedAttribute a : dict)
        visitAttr(a.getValue());
    }
  }

  ModuleContents &found;
  StringAttr ruleName;
  llvm::DenseMap<OperationName, OpClass> classes;
  llvm::DenseSet<Attribute> seen;
};

} // namespace

ModuleContents::ModuleContents(Operation *module) {
  Scan scan(*this, module->getContext());
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { scan.visit(op); });
}

} // namespace shardwright
