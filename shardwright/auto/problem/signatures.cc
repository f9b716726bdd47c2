//===- signatures.cc - ops that are equal with their neighbours -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/signatures.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace shardwright {

namespace {
constexpr int kRadius = 3;

uint64_t combine(uint64_t a, uint64_t b) { return llvm::hash_combine(a, b); }
} // namespace

uint64_t hashOp(Operation *op, uint64_t attributes) {
  uint64_t hash = llvm::hash_combine(op->getName().getAsOpaquePointer(),
                                     attributes, op->getNumOperands());
  for (Type type : op->getOperandTypes())
    hash = combine(hash, mlir::hash_value(type));
  for (Type type : op->getResultTypes())
    hash = combine(hash, mlir::hash_value(type));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        hash = combine(hash, mlir::hash_value(inner.getName()));
  return hash;
}

uint64_t hashArgument(BlockArgument argument) {
  uint64_t hash = mlir::hash_value(argument.getType());
  if (auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())) {
    for (NamedAttribute attr : mlir::function_interface_impl::getArgAttrs(
             func, argument.getArgNumber())) {
      // The result that a donated argument becomes counts layers too.
      bool isNumber = attr.getName() == "tf.aliasing_output";
      hash = combine(hash, mlir::hash_value(Attribute(attr.getName())));
      if (!isNumber)
        hash = combine(hash, mlir::hash_value(attr.getValue()));
    }
  } else {
    hash = combine(hash, argument.getArgNumber());
  }
  return hash;
}

Signatures::Signatures(ModuleOp module) {
  SmallVector<Operation *, 0> ops;
  SmallVector<Value, 0> arguments;
  llvm::DenseMap<Operation *, uint64_t> own;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op))
      return;
    ops.push_back(op);
    own[op] = hashOp(op, mlir::hash_value(op->getAttrDictionary()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(arguments, block.getArguments());
  });
  for (Operation *op : ops)
    for (OpResult result : op->getResults())
      hashes[result] = combine(own[op], result.getResultNumber());
  for (Value argument : arguments)
    hashes[argument] = hashArgument(cast<BlockArgument>(argument));

  SmallVector<uint64_t> users;
  for (int round = 0; round < kRadius; ++round) {
    llvm::DenseMap<Value, uint64_t> next;
    next.reserve(hashes.size());
    auto refine = [&](Value value) {
      uint64_t hash = hashes.lookup(value);
      if (Operation *op = value.getDefiningOp())
        for (Value operand : op->getOperands())
          hash = combine(hash, hashes.lookup(operand));
      users.clear();
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        uint64_t one = own.lookup(user);
        // The number of what a function or loop returns counts layers.
        if (!user->hasTrait<OpTrait::IsTerminator>())
          one = combine(one, use.getOperandNumber());
        for (Value result : user->getResults())
          one = combine(one, hashes.lookup(result));
        users.push_back(one);
      }
      llvm::sort(users);
      for (uint64_t one : users)
        hash = combine(hash, one);
      next[value] = hash;
    };
    for (Value argument : arguments)
      refine(argument);
    for (Operation *op : ops)
      for (OpResult result : op->getResults())
        refine(result);
    hashes = std::move(next);
  }
}

} // namespace shardwright
