//===- factor_propagation.h - one propagation step of one op ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines which tensors of an op can take more axes, given their shardings
// and the op's rule. Two strategies, as in Shardy:
//
//   basic       an axis moves along a factor only if it fits in every tensor
//   aggressive  each tensor takes what it can; conflicts between factors are
//               resolved by the size of the tensor that offers the axis
//
// Uses value types only, no attributes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_STEP_FACTOR_PROPAGATION_H
#define SHARDWRIGHT_PROPAGATE_STEP_FACTOR_PROPAGATION_H

#include "shardwright/propagate/step/factor_projection.h"

namespace shardwright {

enum class Direction : uint8_t {
  None = 0,
  Forward = 1,
  Backward = 2,
  Both = 3
};

inline Direction operator|(Direction a, Direction b) {
  return Direction(uint8_t(a) | uint8_t(b));
}
inline Direction operator&(Direction a, Direction b) {
  return Direction(uint8_t(a) & uint8_t(b));
}

/// The directions in which axes propagate, by the kind of the factor. Blocked
/// factors never propagate.
struct FactorDirections {
  Direction passThrough = Direction::Both;
  Direction other = Direction::Both;

  bool isNone() const {
    return passThrough == Direction::None && other == Direction::None;
  }
  friend bool operator==(const FactorDirections &,
                         const FactorDirections &) = default;
};

enum class Strategy : uint8_t { Basic, Aggressive };

struct StepOptions {
  Strategy strategy = Strategy::Aggressive;
  FactorDirections directions;
  /// True if the op is elementwise: see `aggressive` in the .cc.
  bool isElementwise = false;
  /// Never carry sub-axes. Needs `mesh`.
  bool conservative = false;
  const Mesh *mesh = nullptr;
};

struct TensorUpdate {
  /// Operands first, then results.
  int32_t tensor = 0;
  TensorSharding sharding;
};

/// Working memory of propagation steps; one object serves a whole run.
class FactorPropagation {
public:
  /// Runs one step of an op. `tensors` are in rule order (null: no sharding),
  /// on one mesh, and have the ranks of the layout. Returns the tensors whose
  /// sharding changes, in rule order; the reference is valid until the next
  /// call.
  llvm::ArrayRef<TensorUpdate>
  run(const FactorLayout &layout,
      llvm::ArrayRef<const TensorSharding *> tensors,
      const StepOptions &options);

  /// After `run`: the axes that factor f agreed on (before per-tensor
  /// conflicts).
  llvm::ArrayRef<AxisRef> candidate(int64_t f) const { return candidates[f]; }

  /// After `run`: the axes of tensor t's factors, before they are written back
  /// as dimension shardings, which cannot express some of them.
  const TensorProjection &projection(int64_t t) const { return projections[t]; }

private:
  void basic();
  void aggressive();
  Direction directionOf(int64_t factor) const;
  void collectCandidate(int64_t factor, AxisList &result) const;
  std::optional<AxisRef> fitAmongFactors(AxisRef x, int64_t tensor,
                                         int64_t factor) const;
  std::optional<AxisRef> fitInFactor(AxisRef x, int64_t shardsBefore,
                                     int64_t tensor, int64_t factor) const;
  template <typename Fit> void truncate(AxisList &axes, Fit fit) const;
  FactorSharding *find(int64_t tensor, int64_t factor);
  const FactorSharding *find(int64_t tensor, int64_t factor) const;

  const FactorLayout *layout = nullptr;
  llvm::ArrayRef<const TensorSharding *> tensors;
  const StepOptions *options = nullptr;

  llvm::SmallVector<TensorProjection, 4> projections;
  llvm::SmallVector<char, 4> changed;
  llvm::SmallVector<AxisList, 8> candidates;
  llvm::SmallVector<TensorUpdate, 4> updates;
};

/// Fold step of the axes that are compatible among tensors: the common prefix
/// of `acc` and `next`, or, while `expand` is true and nothing disagrees, the
/// longer of the two. Clears `expand` at the first disagreement.
void mergeCompatible(AxisList &acc, llvm::ArrayRef<AxisRef> next, bool &expand);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_STEP_FACTOR_PROPAGATION_H
