//===- op_index.cc - the ops of a module by name --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/op_index.h"

#include "shardwright/dialect/sdy/sdy.h"

using namespace mlir;

namespace shardwright {

bool hasDataFlow(OperationName name) {
  return name.hasInterface<sdy::ShardableDataFlowOpInterface>();
}

OpIndex::OpIndex(Operation *root) {
  addDictionary(root);
  for (Region &region : root->getRegions())
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op);
  if (isa<func::FuncOp>(root))
    rangeOf[root] = {-1, count};
}

void OpIndex::addDictionary(Operation *op) {
  DictionaryAttr dict = op->getRawDictionaryAttrs();
  if (dict == lastDict || dict.empty())
    return;
  lastDict = dict;
  if (seen.insert(dict).second)
    dicts.push_back(dict);
}

void OpIndex::visit(Operation *op) {
  int32_t index = count++;
  Entries &entries = ops[op->getName()];
  size_t place = entries.size();
  entries.push_back({op, index, count});
  addDictionary(op);
  if (op->getNumOperands() == 1 && op->getNumResults() == 1)
    if (auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType()))
      if (type.getRank() == 0)
        oneScalar.push_back(op);
  if (op->getNumRegions() == 0)
    return;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        visit(&nested);
  // The vector may have moved.
  ops[op->getName()][place].end = count;
  if (isa<func::FuncOp>(op))
    rangeOf[op] = {index, count};
}

bool OpIndex::has(NamePredicate wanted) const {
  return llvm::any_of(ops,
                      [&](const auto &kind) { return wanted(kind.first); });
}

OpIndex::Entries OpIndex::collect(NamePredicate wanted) const {
  Entries all;
  int32_t kinds = 0;
  for (const auto &[name, entries] : ops)
    if (!entries.empty() && wanted(name)) {
      all.insert(all.end(), entries.begin(), entries.end());
      ++kinds;
    }
  if (kinds > 1)
    llvm::sort(
        all, [](const Entry &a, const Entry &b) { return a.index < b.index; });
  return all;
}

OpIndex::Ops OpIndex::inOrder(NamePredicate wanted) const {
  Ops result;
  for (const Entry &entry : collect(wanted))
    result.push_back(entry.op);
  return result;
}

OpIndex::Ops OpIndex::postOrder(Entries all) {
  // Stays as it is where nothing is nested.
  llvm::sort(all, [](const Entry &a, const Entry &b) {
    return std::pair(a.end, -a.index) < std::pair(b.end, -b.index);
  });
  Ops result;
  for (const Entry &entry : all)
    result.push_back(entry.op);
  return result;
}

OpIndex::Ops OpIndex::postOrder(NamePredicate wanted) const {
  return postOrder(collect(wanted));
}

OpIndex::Ops OpIndex::inFunction(func::FuncOp func,
                                 NamePredicate wanted) const {
  auto [begin, end] = rangeOf.lookup(func);
  Entries all;
  for (const auto &[name, entries] : ops) {
    if (entries.empty() || !wanted(name))
      continue;
    auto from = llvm::partition_point(
        entries, [&](const Entry &e) { return e.index <= begin; });
    for (; from != entries.end() && from->index < end; ++from)
      all.push_back(*from);
  }
  return postOrder(std::move(all));
}

void OpIndex::forget(NamePredicate erased) {
  for (auto &[name, entries] : ops)
    if (erased(name))
      entries.clear();
}

void OpIndex::forgetOps() {
  forget([](OperationName) { return true; });
  forgetOfOneScalar();
}

} // namespace shardwright
