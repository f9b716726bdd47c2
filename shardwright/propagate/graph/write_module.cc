//===- write_module.cc - write shardings to attributes --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/write_module.h"

#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

ShardingWriter::ShardingWriter(PropagationGraph &graph, MLIRContext *context)
    : graph(graph), name(StringAttr::get(context, sdy::kShardingAttr)) {}

DictionaryAttr ShardingWriter::with(DictionaryAttr dict, Attribute sharding) {
  DictionaryAttr &result = dictionaries[{dict, sharding}];
  if (!result) {
    NamedAttrList attrs(dict);
    attrs.set(name, sharding);
    result = attrs.getDictionary(name.getContext());
  }
  return result;
}

void ShardingWriter::setOnOp(Operation *op, Attribute sharding) {
  op->setDiscardableAttrs(with(op->getRawDictionaryAttrs(), sharding));
}

/// `sdy.sharding` of an op with several results.
void ShardingWriter::writeResults(Operation *op, ArrayRef<ShardingId> ids) {
  SmallVector<sdy::TensorShardingAttr> list = sdy::getShardings(op);
  list.resize(op->getNumResults());
  Attribute mesh;
  for (auto [entry, id] : llvm::zip_equal(list, ids))
    if (id != kNoSharding) {
      entry = graph.shardings.attr(id);
      if (!mesh)
        mesh = entry.getMeshOrRef();
    }
  for (auto [entry, type] : llvm::zip_equal(list, op->getResultTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!entry)
      entry = sdy::TensorShardingAttr::getFullyOpen(
          op->getContext(), shaped && shaped.hasRank() ? shaped.getRank() : 0,
          mesh);
  }
  setOnOp(op, sdy::TensorShardingPerValueAttr::get(op->getContext(), list));
}

void ShardingWriter::write(ArrayRef<Slot> slots, SlotId slot, Value value,
                           ArrayRef<ShardingId> current) {
  const Slot &s = slots[slot];
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp())) {
      funcs[func].arguments.push_back(
          {arg.getArgNumber(), graph.shardings.attr(current[slot])});
      return;
    }
  } else if (Operation *op = value.getDefiningOp();
             op->getDialect() && op->getDialect()->getNamespace() != "sdy" &&
             !isa<sdy::ShardableDataFlowOpInterface>(op)) {
    if (op->getNumResults() == 1) {
      setOnOp(op, graph.shardings.perValueAttr(current[slot]));
    } else if (op != lastWritten) {
      SmallVector<ShardingId> ids(op->getNumResults(), kNoSharding);
      for (SlotId i = s.firstSibling; i < s.firstSibling + s.numSiblings; ++i)
        ids[cast<OpResult>(slots[i].value).getResultNumber()] = current[i];
      writeResults(op, ids);
      lastWritten = op;
    }
    return;
  }
  sdy::setSharding(value, graph.shardings.attr(current[slot]));
}

void ShardingWriter::write(const FuncResult &result, ShardingId sharding) {
  funcs[result.func].results.push_back(
      {result.index, graph.shardings.attr(sharding)});
}

void ShardingWriter::finish() {
  for (auto &[func, shardings] : funcs) {
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
  funcs.clear();
}

void writeShardings(PropagationGraph &graph) {
  if (graph.slots.empty())
    return;
  ShardingWriter writer(graph, graph.shardings.context());
  for (SlotId s = graph.firstOwnSlot, e = graph.slots.size(); s < e; ++s) {
    Slot &slot = graph.slots[s];
    if (graph.current[s] == slot.initial || !slot.value || slot.isCallEdge)
      continue;
    writer.write(graph.slots, s, slot.value, graph.current);
  }
  for (const FuncResult &r : graph.funcResults)
    if (graph.current[r.slot] != graph.slots[r.slot].initial)
      writer.write(r, graph.current[r.slot]);
  writer.finish();
  for (SlotId s = graph.firstOwnSlot, e = graph.slots.size(); s < e; ++s)
    graph.slots[s].initial = graph.current[s];
}

} // namespace shardwright
