//===- sharding_walk.cc - visit every sharding of a module ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/sharding_walk.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

namespace {

class Walk {
public:
  Walk(ModuleOp module,
       llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> transform)
      : transform(transform),
        name(StringAttr::get(module.getContext(), sdy::kShardingAttr)),
        sdyDialect(module.getContext()->getLoadedDialect<sdy::SdyDialect>()) {}

  void visit(Operation *op) {
    if (op->getNumRegions() != 0)
      if (auto func = dyn_cast<FunctionOpInterface>(op))
        return visitFunc(func);
    if (op->getDialect() == sdyDialect)
      visitInherent(op);
    // Most dictionaries are repeated, so cache the results.
    DictionaryAttr old = op->getRawDictionaryAttrs();
    if (old.empty())
      return;
    auto [it, isNew] = dictionaries.try_emplace(old, old);
    if (isNew) {
      if (Attribute sharding = op->getDiscardableAttr(name)) {
        NamedAttrList attrs(old);
        attrs.set(name, apply(sharding));
        it->second = attrs.getDictionary(op->getContext());
      }
    }
    if (it->second != old)
      op->setDiscardableAttrs(it->second);
  }

private:
  /// Transforms a sharding or a list of them; returns other attributes
  /// unchanged.
  Attribute apply(Attribute old) {
    auto it = done.find(old);
    if (it != done.end())
      return it->second;
    Attribute updated = old;
    if (auto sharding = dyn_cast<TensorShardingAttr>(old)) {
      updated = transform(sharding);
    } else if (auto list = dyn_cast<TensorShardingPerValueAttr>(old)) {
      SmallVector<TensorShardingAttr> shardings;
      for (TensorShardingAttr s : list.getShardings())
        shardings.push_back(cast<TensorShardingAttr>(apply(s)));
      updated = TensorShardingPerValueAttr::get(old.getContext(), shardings);
    }
    return done[old] = updated;
  }

  TensorShardingAttr apply(TensorShardingAttr old) {
    return cast<TensorShardingAttr>(apply(Attribute(old)));
  }
  TensorShardingPerValueAttr apply(TensorShardingPerValueAttr old) {
    return cast<TensorShardingPerValueAttr>(apply(Attribute(old)));
  }

  void visitInherent(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>(
            [&](auto op) { op.setShardingAttr(apply(op.getShardingAttr())); })
        .Case([&](sdy::DataFlowEdgeOp op) {
          if (TensorShardingAttr old = op.getShardingAttr())
            op.setShardingAttr(apply(old));
        })
        .Case([&](sdy::ManualComputationOp op) {
          op.setInShardingsAttr(apply(op.getInShardingsAttr()));
          op.setOutShardingsAttr(apply(op.getOutShardingsAttr()));
        })
        .Case([&](sdy::NamedComputationOp op) {
          if (TensorShardingPerValueAttr old = op.getInShardingsAttr())
            op.setInShardingsAttr(apply(old));
          if (TensorShardingPerValueAttr old = op.getOutShardingsAttr())
            op.setOutShardingsAttr(apply(old));
        })
        .Case([&](sdy::CollectiveOpInterface op) {
          op.setOutShardingAttr(apply(op.getOutSharding()));
        })
        .Default([](Operation *) {});
  }

  void visitFunc(FunctionOpInterface func) {
    auto update = [&](SmallVector<DictionaryAttr> &all) {
      bool changed = false;
      for (DictionaryAttr &dict : all) {
        Attribute old = dict ? dict.get(name) : Attribute();
        if (!old)
          continue;
        Attribute updated = apply(old);
        if (updated == old)
          continue;
        NamedAttrList attrs(dict);
        attrs.set(name, updated);
        dict = attrs.getDictionary(func.getContext());
        changed = true;
      }
      return changed;
    };
    SmallVector<DictionaryAttr> all;
    func.getAllArgAttrs(all);
    if (update(all))
      func.setAllArgAttrs(all);
    all.clear();
    func.getAllResultAttrs(all);
    if (update(all))
      func.setAllResultAttrs(all);
  }

  llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> transform;
  StringAttr name;
  Dialect *sdyDialect;
  llvm::DenseMap<Attribute, Attribute> done;
  llvm::DenseMap<DictionaryAttr, DictionaryAttr> dictionaries;
};

} // namespace

void transformShardings(
    ModuleOp module,
    llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> transform) {
  Walk walk(module, transform);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { walk.visit(op); });
}

} // namespace shardwright
