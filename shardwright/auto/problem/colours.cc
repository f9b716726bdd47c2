//===- colours.cc - dimensions that are sharded alike ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/colours.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

static bool mayCommunicate(Operation *op,
                           const std::optional<ShardingRule> &rule) {
  if (isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op))
    return true;
  return rule && llvm::any_of(rule->factors, [](const Factor &factor) {
           return factor.size > 1 && factor.kind != FactorKind::PassThrough;
         });
}

bool mayCommunicate(Operation *op) {
  return mayCommunicate(op, getShardingRule(op, {.extraRules = true}));
}

Colours::Colours(ModuleOp moduleOp, Reach reach)
    : module(moduleOp), reach(reach) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isMadeForEachUse(op))
      madeForEachUse.insert(op);
    else if (isa<func::CallOp>(op))
      return;
    else if (isa<sdy::ShardableDataFlowOpInterface>(op))
      readDataFlow(op);
    else
      readRule(op);
  });
  readCalls();
}

// As createConstantOrScalarSplitter() has it, but for calls.
bool Colours::isMadeForEachUse(Operation *op) const {
  PropagationTraits traits = getPropagationTraits(op);
  if (op->getNumOperands() == 0)
    return traits.makesConstant || traits.becomesSdyConstant;
  auto first = dyn_cast<ShapedType>(op->getOperand(0).getType());
  if (traits.expandsScalar && first && first.hasRank() && first.getRank() == 0)
    return true;
  return traits.preservesConstants && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isMadeForEachUse(operand); });
}

int32_t Colours::find(int32_t element) {
  while (parent[element] != element)
    element = parent[element] = parent[parent[element]];
  return element;
}

void Colours::join(int32_t a, int32_t b) {
  a = find(a), b = find(b);
  // The smaller number stays, so that numbers follow the program's order.
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

int32_t Colours::elementOf(Value value, int64_t dim) {
  auto [it, isNew] = first.try_emplace(value, int32_t(parent.size()));
  if (isNew)
    for (int64_t i = 0, e = cast<RankedTensorType>(value.getType()).getRank();
         i < e; ++i)
      parent.push_back(parent.size());
  return it->second + int32_t(dim);
}

int32_t Colours::of(Value value, int64_t dim) {
  return find(elementOf(value, dim));
}

void Colours::joinValues(Value a, Value b) {
  if (isMadeForEachUse(a) || isMadeForEachUse(b))
    return;
  auto type = dyn_cast<RankedTensorType>(a.getType());
  auto other = dyn_cast<RankedTensorType>(b.getType());
  if (!type || !other || type.getRank() != other.getRank())
    return;
  for (int64_t i = 0; i < type.getRank(); ++i)
    join(elementOf(a, i), elementOf(b, i));
}

void Colours::readCalls() {
  SymbolTable symbols(module);
  llvm::MapVector<Operation *, SmallVector<func::CallOp>> callsIn;
  llvm::DenseMap<Operation *, int> numCalls;
  auto calleeOf = [&](func::CallOp call) {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  };
  module.walk([&](func::CallOp call) {
    callsIn[call->getParentOfType<func::FuncOp>()].push_back(call);
    ++numCalls[calleeOf(call)];
  });
  // What a function joins is known when its own calls have been read.
  llvm::DenseSet<Operation *> seen;
  auto read = [&](auto &self, Operation *func) -> void {
    auto it = callsIn.find(func);
    if (!seen.insert(func).second || it == callsIn.end())
      return;
    for (func::CallOp call : it->second) {
      func::FuncOp callee = calleeOf(call);
      if (!callee || callee.isExternal())
        continue;
      self(self, callee);
      readCall(call, callee, numCalls.lookup(callee) == 1);
    }
  };
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    read(read, func);
}

void Colours::readCall(func::CallOp call, func::FuncOp callee,
                       bool isOnlyCall) {
  // By colour in the function: a dimension of what this call passes.
  llvm::DenseMap<int32_t, int32_t> passed;
  auto readPassed = [&](Value own, Value inside) {
    auto type = dyn_cast<RankedTensorType>(own.getType());
    if (isOnlyCall)
      return joinValues(own, inside);
    if (!type || isMadeForEachUse(own) || isMadeForEachUse(inside))
      return;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int32_t element = elementOf(own, dim);
      auto [it, isNew] = passed.try_emplace(of(inside, dim), element);
      if (!isNew)
        join(it->second, element);
    }
  };
  for (auto [operand, argument] :
       llvm::zip(call.getOperands(), callee.getArguments()))
    readPassed(operand, argument);
  Operation *end = callee.getBody().front().getTerminator();
  for (auto [result, returned] :
       llvm::zip(call.getResults(), end->getOperands()))
    readPassed(result, returned);
}

void Colours::readDataFlow(Operation *op) {
  auto flow = cast<sdy::ShardableDataFlowOpInterface>(op);
  auto readEdge = [&](Value owner) {
    for (OpOperand *source : flow.getEdgeSources(owner))
      joinValues(owner, source->get());
    for (Value target : flow.getNonEdgeOwnerTargets(owner))
      joinValues(owner, target);
  };
  for (BlockArgument owner : flow.getBlockArgumentEdgeOwners())
    readEdge(owner);
  for (OpResult owner : flow.getOpResultEdgeOwners())
    readEdge(owner);
}

void Colours::readRule(Operation *op) {
  std::optional<ShardingRule> rule = getShardingRule(op, {.extraRules = true});
  if (!rule || (reach == Reach::UpToCommunication && mayCommunicate(op, rule)))
    return;
  SmallVector<int32_t> elementOfFactor(rule->factors.size(), -1);
  auto readTensor = [&](Value value, const TensorMapping &mapping) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() != int64_t(mapping.size()) ||
        isMadeForEachUse(value))
      return;
    for (auto [dim, factors] : llvm::enumerate(mapping)) {
      // Factors of size 1 in front of others do not take axes.
      const int32_t *major = llvm::find_if(
          factors, [&](int32_t f) { return rule->factors[f].size > 1; });
      if (major == factors.end())
        continue;
      const Factor &factor = rule->factors[*major];
      if (factor.kind == FactorKind::NeedReplication || factor.blocked)
        continue;
      int32_t element = elementOf(value, dim);
      int32_t &known = elementOfFactor[*major];
      if (known < 0)
        known = element;
      else
        join(known, element);
    }
  };
  for (auto [value, mapping] : llvm::zip(op->getOperands(), rule->operands))
    readTensor(value, mapping);
  for (auto [value, mapping] : llvm::zip(op->getResults(), rule->results))
    readTensor(value, mapping);
}

} // namespace shardwright
