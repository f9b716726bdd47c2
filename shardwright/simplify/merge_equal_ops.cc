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

#include "shardwright/simplify/op_hash.h"
#include "shardwright/simplify/simplify.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

using namespace mlir;

namespace shardwright {
namespace {

/// Ops that have no equal before them, in the blocks around the current one. Of
/// equal ops, the last one that was added is found.
class Table {
public:
  /// Forgets what was added during its lifetime.
  class Scope {
  public:
    explicit Scope(Table &table) : table(table), size(table.entries.size()) {}
    ~Scope() { table.shrink(size); }

  private:
    Table &table;
    size_t size;
  };

  /// An op equal to `op`; null if there is none.
  Operation *find(Operation *op, size_t hash) const {
    auto it = last.find(hash);
    for (int64_t i = it == last.end() ? -1 : it->second; i >= 0;
         i = entries[i].before)
      if (OperationEquivalence::isEquivalentTo(
              entries[i].op, op, OperationEquivalence::IgnoreLocations))
        return entries[i].op;
    return nullptr;
  }
  void add(Operation *op, size_t hash) {
    auto [it, isNew] = last.try_emplace(hash, -1);
    entries.push_back({op, hash, it->second});
    it->second = int64_t(entries.size()) - 1;
  }

private:
  struct Entry {
    Operation *op;
    size_t hash;
    /// The entry before it with its hash, or -1.
    int64_t before;
  };
  void shrink(size_t size) {
    for (; entries.size() > size; entries.pop_back())
      last[entries.back().hash] = entries.back().before;
  }

  std::vector<Entry> entries;
  llvm::DenseMap<size_t, int64_t> last;
};

bool isToken(Type type) { return isa<stablehlo::TokenType>(type); }

/// Of an op name: which of its ops may be merged.
struct NameTraits {
  enum class Merged {
    Never,
    Always,
    /// Unless an op in its regions has effects.
    AsItsRegions
  } merged = Merged::Never;
  bool isCommutative = false;
  /// Its regions see the values around them.
  bool seesAround = false;
  bool isConstant = false;
};

NameTraits traitsOf(Operation *op) {
  NameTraits traits;
  traits.isCommutative = op->hasTrait<OpTrait::IsCommutative>();
  traits.seesAround =
      isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
  traits.isConstant =
      op->hasTrait<OpTrait::ConstantLike>() || isa<stablehlo::IotaOp>(op);
  // Barriers and custom calls are never merged.
  if (isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()) &&
      !op->hasTrait<OpTrait::IsTerminator>() &&
      !isa<stablehlo::OptimizationBarrierOp, stablehlo::CustomCallOp>(op)) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      traits.merged = NameTraits::Merged::AsItsRegions;
    else if (isMemoryEffectFree(op))
      traits.merged = NameTraits::Merged::Always;
  }
  return traits;
}

class Merger {
public:
  explicit Merger(RewriterBase &rewriter) : rewriter(rewriter) {}

  void visit(Region &region, Table &around) {
    for (Block &block : region) {
      Table::Scope scope(around);
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
  const NameTraits &traitsOf(Operation &op) {
    auto [it, isNew] = traits.try_emplace(op.getName());
    if (isNew)
      it->second = shardwright::traitsOf(&op);
    return it->second;
  }
  static bool mayMerge(Operation &op, const NameTraits &its) {
    return its.merged != NameTraits::Merged::Never && op.getNumResults() != 0 &&
           llvm::none_of(op.getOperandTypes(), isToken) &&
           llvm::none_of(op.getResultTypes(), isToken) &&
           (its.merged == NameTraits::Merged::Always ||
            isMemoryEffectFree(&op));
  }

  void visit(Operation &op, Table &table) {
    const NameTraits its = traitsOf(op);
    for (Region &region : op.getRegions()) {
      if (its.seesAround)
        visit(region, table);
      else if (mayHaveEqualOps(region))
        visitAlone(region);
    }
    if (!mayMerge(op, its))
      return;
    size_t hash = hashOfOp(&op, its.isCommutative);
    if (Operation *known = table.find(&op, hash)) {
      if (!its.isConstant || known->getBlock() == op.getBlock()) {
        rewriter.replaceOp(&op, known);
        changed = true;
        return;
      }
    }
    table.add(&op, hash);
  }

  /// False for the regions of most reductions: one op and the terminator.
  static bool mayHaveEqualOps(Region &region) {
    if (!region.hasOneBlock())
      return true;
    Block &block = region.front();
    auto op = block.begin();
    for (int i = 0; i < 2; ++i, ++op)
      if (op == block.end() || op->getNumRegions() != 0)
        return op != block.end();
    return op != block.end();
  }

  llvm::DenseMap<OperationName, NameTraits> traits;
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
