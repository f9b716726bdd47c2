//===- op_index.cc - the ops of a module by name --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/index/op_index.h"

#include "shardwright/dialect/sdy/sdy.h"

using namespace mlir;

namespace shardwright {

bool hasDataFlow(OperationName name) {
  return name.hasInterface<sdy::ShardableDataFlowOpInterface>();
}

OpIndex::OpIndex(Operation *root) {
  emptyDict = DictionaryAttr::get(root->getContext());
  addDictionary(root);
  for (Region &region : root->getRegions())
    for (Block &block : region)
      for (Operation &op : block) {
        int32_t index = count;
        visit(&op);
        top.push_back(&op);
        if (isa<func::FuncOp>(op))
          functions.push_back({&op, index, count});
      }
  if (isa<func::FuncOp>(root))
    rangeOf[root] = {-1, count};
}

void OpIndex::addDictionary(Operation *op) {
  DictionaryAttr dict = op->getRawDictionaryAttrs();
  if (dict == lastDict || dict == emptyDict)
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
    unaryOps.push_back(op);
  if (op->getNumRegions() == 0)
    return;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        visit(&nested);
  // Index again: the vector may have been reallocated.
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

SmallVector<OpIndex::InFunction, 0> OpIndex::byFunction(NamePredicate wanted,
                                                        Ops &list) const {
  Entries all = collect(wanted);
  list.clear();
  list.reserve(all.size());
  for (const Entry &entry : all)
    list.push_back(entry.op);
  SmallVector<InFunction, 0> result;
  result.reserve(functions.size());
  auto it = all.begin();
  auto skipTo = [&](int32_t index) -> int32_t {
    it = std::find_if(it, all.end(),
                      [&](const Entry &e) { return e.index >= index; });
    return it - all.begin();
  };
  for (const Entry &func : functions) {
    // Exclude the function itself.
    int32_t begin = skipTo(func.index + 1);
    result.push_back({cast<func::FuncOp>(func.op), begin, skipTo(func.end)});
  }
  return result;
}

OpIndex::Ops OpIndex::postOrder(Entries all) {
  // Unchanged if no op is nested.
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
  forgetUnary();
}

} // namespace shardwright
