//===- write_module.cc - from dense arrays back to attributes -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

namespace {

/// New shardings of a function's arguments or results, set all at once.
struct FuncShardings {
  SmallVector<std::pair<int64_t, Attribute>> arguments, results;
};

void writeFunc(func::FuncOp func, const FuncShardings &shardings,
               StringAttr name) {
  auto with = [&](DictionaryAttr dict, Attribute sharding) {
    NamedAttrList attrs(dict);
    attrs.set(name, sharding);
    return attrs.getDictionary(func.getContext());
  };
  if (!shardings.arguments.empty()) {
    SmallVector<DictionaryAttr> all;
    func.getAllArgAttrs(all);
    for (auto [i, sharding] : shardings.arguments)
      all[i] = with(all[i], sharding);
    func.setAllArgAttrs(all);
  }
  if (!shardings.results.empty()) {
    SmallVector<DictionaryAttr> all;
    func.getAllResultAttrs(all);
    for (auto [i, sharding] : shardings.results)
      all[i] = with(all[i], sharding);
    func.setAllResultAttrs(all);
  }
}

/// `sdy.sharding` of an op with several results.
void writeResults(PropagationGraph &graph, Operation *op, StringAttr name) {
  ValueId first = graph.nodes[graph.nodeOf.lookup(op)].firstResult;
  SmallVector<sdy::TensorShardingAttr> list = sdy::getShardings(op);
  list.resize(op->getNumResults());
  Attribute mesh;
  for (auto [i, entry] : llvm::enumerate(list)) {
    SlotId slot = graph.slotOfValue[first + i];
    if (slot >= 0 && graph.slots[slot].current != kNoSharding) {
      entry = graph.shardings.attr(graph.slots[slot].current);
      if (!mesh)
        mesh = entry.getMeshOrRef();
    }
  }
  for (auto [entry, type] : llvm::zip_equal(list, op->getResultTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!entry)
      entry = sdy::TensorShardingAttr::getFullyOpen(
          op->getContext(), shaped && shaped.hasRank() ? shaped.getRank() : 0,
          mesh);
  }
  op->setDiscardableAttr(
      name, sdy::TensorShardingPerValueAttr::get(op->getContext(), list));
}

} // namespace

void writeShardings(PropagationGraph &graph) {
  if (graph.slots.empty())
    return;
  llvm::MapVector<func::FuncOp, FuncShardings> funcs;
  StringAttr name;
  Operation *lastWritten = nullptr;
  auto write = [&](Slot &slot) {
    Value value = slot.value;
    auto nameOf = [&]() {
      if (!name)
        name = StringAttr::get(value.getContext(), sdy::kShardingAttr);
      return name;
    };
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp())) {
        nameOf();
        funcs[func].arguments.push_back(
            {arg.getArgNumber(), graph.shardings.attr(slot.current)});
        return;
      }
    } else if (Operation *op = value.getDefiningOp();
               op->getDialect() && op->getDialect()->getNamespace() != "sdy" &&
               !isa<sdy::ShardableDataFlowOpInterface>(op)) {
      if (op->getNumResults() == 1)
        op->setDiscardableAttr(nameOf(),
                               graph.shardings.perValueAttr(slot.current));
      else if (op != lastWritten)
        writeResults(graph, op, nameOf());
      lastWritten = op;
      return;
    }
    sdy::setSharding(value, graph.shardings.attr(slot.current));
  };
  for (Slot &slot : graph.slots) {
    if (slot.current == slot.initial || !slot.value)
      continue;
    write(slot);
    slot.initial = slot.current;
  }
  for (FuncResult &r : graph.funcResults) {
    Slot &slot = graph.slots[r.slot];
    if (slot.current == slot.initial)
      continue;
    slot.initial = slot.current;
    if (!name)
      name = StringAttr::get(r.func.getContext(), sdy::kShardingAttr);
    funcs[r.func].results.push_back(
        {r.index, graph.shardings.attr(slot.current)});
  }
  for (auto &[func, shardings] : funcs)
    writeFunc(func, shardings, name);
}

} // namespace shardwright
