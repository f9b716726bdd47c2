//===- merge_equal_ops.cc - common subexpressions ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One walk in program order with a table per region. Merges ops without effects
// that are equal in everything, including attributes and regions.
//
// A region of control flow can use outer values, but keeps its own constants:
// in the region they are part of the code, from outside they would be operands.
// Regions on single elements (reducers, comparators) use no outer values.

#include "shardwright/simplify/rewrite.h"
#include "shardwright/simplify/simplify.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/RecyclingAllocator.h"

using namespace mlir;

namespace shardwright {
namespace {

struct EqualOps : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op),
        /*hashOperands=*/OperationEquivalence::directHashValue,
        /*hashResults=*/OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() ||
        b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

using Allocator = llvm::RecyclingAllocator<
    llvm::BumpPtrAllocator, llvm::ScopedHashTableVal<Operation *, Operation *>>;
using Table =
    llvm::ScopedHashTable<Operation *, Operation *, EqualOps, Allocator>;

bool isToken(Type type) { return isa<stablehlo::TokenType>(type); }

bool mayMerge(Operation &op) {
  if (!isa_and_nonnull<stablehlo::StablehloDialect>(op.getDialect()) ||
      op.getNumResults() == 0 || op.hasTrait<OpTrait::IsTerminator>())
    return false;
  // Barriers and custom calls are never merged.
  if (isa<stablehlo::OptimizationBarrierOp, stablehlo::CustomCallOp>(op))
    return false;
  return llvm::none_of(op.getOperandTypes(), isToken) &&
         llvm::none_of(op.getResultTypes(), isToken) && isMemoryEffectFree(&op);
}

class Merger {
public:
  explicit Merger(RewriterBase &rewriter) : rewriter(rewriter) {}

  void visit(Region &region, Table &around) {
    for (Block &block : region) {
      Table::ScopeTy scope(around);
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(op, around);
    }
  }

  void visitAlone(Region &region) {
    Table table;
    visit(region, table);
  }

  bool changed = false;

private:
  void visit(Operation &op, Table &table) {
    bool seesAround =
        isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
    for (Region &region : op.getRegions()) {
      if (seesAround)
        visit(region, table);
      else
        visitAlone(region);
    }
    if (!mayMerge(op))
      return;
    if (Operation *known = table.lookup(&op)) {
      bool isConstant =
          op.hasTrait<OpTrait::ConstantLike>() || isa<stablehlo::IotaOp>(op);
      if (!isConstant || known->getBlock() == op.getBlock()) {
        rewriter.replaceOp(&op, known);
        changed = true;
        return;
      }
    }
    table.insert(&op, &op);
  }

  RewriterBase &rewriter;
};

} // namespace

bool mergeEqualOps(RewriterBase &rewriter, Operation *root) {
  Merger merger(rewriter);
  for (Region &region : root->getRegions())
    merger.visitAlone(region);
  return merger.changed;
}

} // namespace shardwright
