//===- loop_emitter.h - loops with invariant values hoisted ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nested loops over the variables of an IndexSpace. The depth of a value is
// that of the innermost loop whose variable it depends on. The value is emitted
// and cached at that depth, in front of the loops inside, so invariant code is
// hoisted and repeated code is shared by construction.
//
// At most one variable is *vectorised* at a time: an iteration covers `lanes`
// consecutive values of it, and values that depend on it are vectors.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_LOOP_EMITTER_H
#define SHARDWRIGHT_CPU_CODEGEN_LOOP_EMITTER_H

#include "shardwright/cpu/plan/index_expr.h"

#include "llvm/IR/IRBuilder.h"

#include <functional>
#include <optional>
#include <variant>

namespace shardwright::cpu {

using Values = llvm::SmallVector<llvm::Value *, 8>;

/// A set of conditions (NodeEmitter); 0: no condition.
using MaskId = int32_t;

/// Keys of cached values. Expressions and indices are interned in the
/// IndexSpace.
struct NodeKey { ///< a result of a node at an index
  int32_t node, index;
  MaskId mask;
  int result;
  auto operator<=>(const NodeKey &) const = default;
};
struct AtomKey { ///< an atom as a scalar
  AtomId atom;
  MaskId mask;
  auto operator<=>(const AtomKey &) const = default;
};
struct ScalarKey { ///< an index expression as a scalar
  int32_t expr;
  MaskId mask;
  auto operator<=>(const ScalarKey &) const = default;
};
struct VectorKey { ///< an index expression as a vector
  int32_t expr, elementBits, lanes;
  MaskId mask;
  auto operator<=>(const VectorKey &) const = default;
};
struct MaskKey { ///< the value of a mask
  MaskId mask;
  int32_t lanes;
  auto operator<=>(const MaskKey &) const = default;
};
struct TileKey { ///< a transposed block of a param, from the expression on
  int32_t param, base, lanes;
  auto operator<=>(const TileKey &) const = default;
};
using ValueKey =
    std::variant<NodeKey, AtomKey, ScalarKey, VectorKey, MaskKey, TileKey>;

class LoopEmitter {
public:
  LoopEmitter(llvm::IRBuilder<> &b, IndexSpace &space) : b(b), space(space) {
    scopes.emplace_back();
  }

  struct Bounds {
    llvm::Value *lo, *hi; ///< i64, hi exclusive
    int64_t step = 1;
    bool maybeEmpty = false;
    /// Maximum of the variable: the last iteration overlaps the previous one.
    std::optional<int64_t> last = {};
  };
  Bounds bounds(int64_t lo, int64_t hi, int64_t step = 1) {
    return {b.getInt64(lo), b.getInt64(hi), step, lo >= hi, {}};
  }
  /// Runs `body` with `var` bound; returns the carried values after the loop.
  Values loop(AtomId var, const Bounds &bounds, int lanes,
              llvm::ArrayRef<llvm::Value *> carried,
              llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);
  /// Emits an if-else whose branches yield no value.
  void branch(llvm::Value *condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);

  using Key = ValueKey;
  /// Returns the value under `key` at `depth`: the cached one, or else a new
  /// one that `make` emits at that depth.
  llvm::Value *at(int depth, const Key &key,
                  llvm::function_ref<llvm::Value *()> make);
  void remember(int depth, const Key &key, llvm::Value *value);
  llvm::Value *lookup(int depth, const Key &key);
  int depth(const IndexExpr &e) const;
  int depth(const IndexVector &index) const;
  int currentDepth() const { return current; }

  /// Lane 0 of a variable.
  llvm::Value *variable(AtomId var) const { return vars.at(var).value; }
  bool isVector(const IndexExpr &e) const {
    return lanes > 1 && space.dependsOn(e, vectorVar);
  }
  bool isVector(const IndexVector &index) const {
    return llvm::any_of(index, [&](auto &e) { return isVector(e); });
  }

  /// The vectorised variable and its lanes (-1 and 1 if there is none).
  AtomId vectorVar = -1;
  int lanes = 1;

private:
  struct Scope {
    /// The branch into the open inner loop; code of this scope goes before it.
    llvm::Instruction *anchor = nullptr;
    std::map<Key, llvm::Value *> values;
  };
  struct Variable {
    llvm::Value *value;
    int depth;
  };
  /// Opens control flow at the builder's insertion point.
  class Opening;

  llvm::IRBuilder<> &b;
  IndexSpace &space;
  std::vector<Scope> scopes;
  int current = 0;
  std::map<AtomId, Variable> vars;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_LOOP_EMITTER_H
