//===- inlined_values.cc - values of a program without calls --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/inlined_values.h"

#include "shardwright/auto/problem/signatures.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace shardwright {

/// Neighbours that count, in ops.
constexpr int kRadius = 4;
/// Calls in calls. The partitioner refuses recursion.
constexpr int32_t kMostDepth = 256;

static uint64_t combine(uint64_t a, uint64_t b) {
  return llvm::hash_combine(a, b);
}

/// Hashes the attributes but those that say where in a larger array the op
/// reads or writes, and which numbers a constant has.
static uint64_t hashAttributes(Operation *op) {
  bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
  if (!isConstant && !isa<stablehlo::SliceOp, stablehlo::PadOp>(op))
    return mlir::hash_value(op->getAttrDictionary());
  uint64_t hash = 0;
  for (NamedAttribute attr : op->getAttrDictionary()) {
    StringRef name = attr.getName();
    bool isPlace = name == "start_indices" || name == "limit_indices" ||
                   name == "edge_padding_low" || name == "edge_padding_high";
    bool isNumber = isConstant && name == "value";
    if (!isPlace && !isNumber)
      hash = llvm::hash_combine(hash, attr.getName(), attr.getValue());
  }
  return hash;
}

/// True if nothing but a place in a stack tells the operands apart.
static bool hasEqualOperands(Operation *op) {
  return isa<stablehlo::ConcatenateOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// An op of a run.
struct InlinedValues::Op {
  uint64_t hash = 0;
  /// Numbers of operands (in `operands`) and results, which are in sequence.
  int32_t firstOperand = 0, numOperands = 0, firstResult = 0, numResults = 0;
  bool hasEqualOperands = false;
};

class InlinedValues::Reader {
public:
  Reader(InlinedValues &into, ModuleOp module) : into(into), symbols(module) {}

  void readBlock(Run &run, Block &block, bool isCalled);
  void refine();

private:
  int32_t add(Run &run, Value value, uint64_t hash) {
    auto number = int32_t(into.values.size());
    run.numbers[value] = number;
    into.values.push_back(value);
    into.signatures.push_back(hash);
    maker.push_back(-1);
    return number;
  }
  void addArguments(Run &run, Block &block) {
    for (BlockArgument argument : block.getArguments())
      add(run, argument, hashArgument(argument));
  }
  void addOp(Run &run, Operation &op);
  bool addCall(Run &run, func::CallOp call);
  void findUsers();

  InlinedValues &into;
  SymbolTable symbols;
  /// Hashes of ops, which do not depend on the run.
  llvm::DenseMap<Operation *, uint64_t> hashes;
  std::vector<Op> ops;
  std::vector<int32_t> operands;
  /// By value: the op that makes it, or -1.
  std::vector<int32_t> maker;
  /// By value: where its uses begin in `uses`; (op, number of the operand).
  std::vector<int32_t> firstUse;
  std::vector<std::pair<int32_t, int32_t>> uses;
};

bool InlinedValues::Reader::addCall(Run &run, func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isDeclaration() || run.depth >= kMostDepth)
    return false;
  auto inner = std::make_unique<Run>();
  inner->depth = run.depth + 1;
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), call.getOperands()))
    inner->numbers[argument] = run.numbers.lookup(operand);
  inner->body = &callee.getBody().front();
  readBlock(*inner, *inner->body, /*isCalled=*/true);
  for (auto [result, returned] : llvm::zip_equal(
           call->getResults(), inner->body->getTerminator()->getOperands()))
    run.numbers[result] = inner->numbers.lookup(returned);
  run.calls[call] = std::move(inner);
  return true;
}

void InlinedValues::Reader::addOp(Run &run, Operation &op) {
  auto [it, isNew] = hashes.try_emplace(&op, 0);
  if (isNew)
    it->second = hashOp(&op, hashAttributes(&op));
  Op made;
  made.hash = it->second;
  made.hasEqualOperands = hasEqualOperands(&op);
  made.firstOperand = int32_t(operands.size());
  made.numOperands = int32_t(op.getNumOperands());
  for (Value operand : op.getOperands())
    operands.push_back(run.numbers.lookup(operand));
  made.firstResult = int32_t(into.values.size());
  made.numResults = int32_t(op.getNumResults());
  for (OpResult result : op.getResults()) {
    int32_t number =
        add(run, result, combine(made.hash, result.getResultNumber()));
    maker[number] = int32_t(ops.size());
  }
  ops.push_back(made);
}

void InlinedValues::Reader::readBlock(Run &run, Block &block, bool isCalled) {
  if (!isCalled)
    addArguments(run, block);
  for (Operation &op : block) {
    // What a function returns is used by what uses the call's results.
    if (isCalled && op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (auto call = dyn_cast<func::CallOp>(op); call && addCall(run, call))
      continue;
    addOp(run, op);
    if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
      for (Region &region : op.getRegions())
        if (!region.empty())
          readBlock(run, region.front(), /*isCalled=*/false);
  }
}

void InlinedValues::Reader::findUsers() {
  firstUse.assign(into.values.size() + 1, 0);
  for (int32_t operand : operands)
    ++firstUse[operand + 1];
  for (size_t v = 0; v < into.values.size(); ++v)
    firstUse[v + 1] += firstUse[v];
  uses.resize(operands.size());
  std::vector<int32_t> next(firstUse.begin(), firstUse.end() - 1);
  for (auto [o, op] : llvm::enumerate(ops))
    for (int32_t i = 0; i < op.numOperands; ++i)
      uses[next[operands[op.firstOperand + i]]++] = {
          int32_t(o), op.hasEqualOperands ? -1 : i};
}

void InlinedValues::Reader::refine() {
  findUsers();
  std::vector<uint64_t> &now = into.signatures;
  std::vector<uint64_t> next(now.size()), made(ops.size()), users;
  for (int round = 0; round < kRadius; ++round) {
    // Of each op with its results, as its operands see it.
    for (auto [hash, op] : llvm::zip_equal(made, ops)) {
      hash = op.hash;
      for (int32_t i = 0; i < op.numResults; ++i)
        hash = combine(hash, now[op.firstResult + i]);
    }
    for (size_t v = 0; v < now.size(); ++v) {
      uint64_t hash = now[v];
      if (maker[v] >= 0) {
        const Op &op = ops[maker[v]];
        for (int32_t i = 0; i < op.numOperands; ++i)
          hash = combine(hash, now[operands[op.firstOperand + i]]);
      }
      users.clear();
      for (int32_t u = firstUse[v]; u < firstUse[v + 1]; ++u)
        users.push_back(combine(made[uses[u].first], uses[u].second));
      llvm::sort(users);
      for (uint64_t user : users)
        hash = combine(hash, user);
      next[v] = hash;
    }
    now.swap(next);
  }
}

InlinedValues::InlinedValues(ModuleOp module) {
  Reader reader(*this, module);
  main.body = &sdy::getMainFunc(module).getBody().front();
  reader.readBlock(main, *main.body, /*isCalled=*/false);
  reader.refine();
}

} // namespace shardwright
