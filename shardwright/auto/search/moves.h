//===- moves.h - changes of a plan ------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The moves of a search: some follow from what a plan costs (the ops that cost
// most, the values that are alive at the peak), the others are the same for all
// plans (an axis on all dimensions of a colour, a layout of one class, the
// order of propagation). Moves have numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_MOVES_H
#define SHARDWRIGHT_AUTO_MOVES_H

#include "shardwright/auto/search/blame.h"
#include "shardwright/auto/search/factor_moves.h"
#include "shardwright/auto/search/recipes.h"

#include <map>

namespace shardwright {

struct Move {
  enum class Kind : uint8_t {
    Layout, ///< see LayoutMove
    /// Axis a to colour b in arguments; c is a ColourDim.
    ColourOfArguments,
    ColourEverywhere, ///< likewise in inner values and results
    /// Axis a away from colour b in arguments, inner values and results.
    NotOnColour,
    State,      ///< axis a on the largest free dimension of all state
    BatchFirst, ///< colour b propagates first
    Class,      ///< axis a of class b to dimension c
    Unset,      ///< class b without annotation
    Swap,       ///< axes a and b change places
    Order,      ///< likewise in the order of axes on one dimension
  };
  Kind kind = Kind::Layout;
  int32_t a = -1, b = -1, c = -1;
  LayoutMove layout;

  friend bool operator<(const Move &x, const Move &y) {
    return std::tie(x.kind, x.a, x.b, x.c, x.layout) <
           std::tie(y.kind, y.a, y.b, y.c, y.layout);
  }
};

class Moves {
public:
  /// `specsOnly`: only arguments and results get annotations, without
  /// priorities. Both must outlive the moves.
  Moves(mlir::ModuleOp imported, const AutoProblem &problem, bool specsOnly);

  /// The moves that follow from the blame, those against the largest cost
  /// first.
  std::vector<int32_t> against(const Blame &blame);
  /// The moves that are the same for all plans: what changes most first.
  const std::vector<int32_t> &always() const { return fixed; }
  /// Those of `always` that change the order of axes on one dimension.
  const std::vector<int32_t> &orders() const { return ofOrder; }
  /// False if nothing changes.
  bool apply(int32_t move, Plan &plan) const;

private:
  int32_t number(Move move);
  void addFixed();
  void addColourMoves();
  void addClassMoves();
  bool mayAnnotate(const SiteClass &cls) const {
    return !specsOnly || cls.kind() != Site::Kind::Inner;
  }
  bool applyBatchFirst(int32_t colour, Plan &plan) const;
  bool applySwap(int32_t first, int32_t second, Plan &plan) const;

  const AutoProblem &problem;
  bool specsOnly;
  FactorMoves factorMoves;
  std::map<Move, int32_t> numbers;
  std::vector<Move> all;
  std::vector<int32_t> fixed, ofOrder;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_MOVES_H
