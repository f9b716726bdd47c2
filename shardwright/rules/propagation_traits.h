//===- propagation_traits.h - an op beside its rule -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What propagation asks of an op that its sharding rule does not say. Dialects
// answer; propagation knows no op by name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H
#define SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H

#include <cstdint>

namespace shardwright {

/// When op priority lets axes through an op (sdy-op-priority-propagate).
enum class Schedule : uint8_t {
  /// Like an identity: elementwise, reshape, transpose, edges. First.
  PassThroughOp,
  /// What reads or writes a part of a tensor: forward first.
  ForwardFirst,
  /// What repeats a tensor: forward last.
  BackwardFirst,
  /// By the kind of the factor.
  ByFactor,
  /// Propagation's own: as the direction of a barrier says.
  Fixed,
};

/// What a rule is made from. Ops that agree in it, and in their names, have one
/// rule, which is built once.
enum class RuleBasis : uint8_t {
  /// Also from what makes operands, from users, from regions.
  Anything,
  /// Types of operands and results, and properties.
  Properties,
  Types,
};

struct PropagationTraits {
  /// Works element by element: of two factors that want an axis, the one with
  /// more shards gets it; implies `PassThroughOp` and `preservesConstants`.
  bool elementwise = false;
  Schedule schedule = Schedule::ByFactor;
  RuleBasis basis = RuleBasis::Anything;
  /// Makes a constant out of nothing; uses get a copy each, so that they do not
  /// meet in it.
  bool makesConstant = false;
  /// A copy of its own is cheaper for each use than to agree on a sharding,
  /// where all operands are constants.
  bool preservesConstants = false;
  /// Spreads operand 0, where that is a scalar, over its result: cheap to copy,
  /// too.
  bool expandsScalar = false;
  /// A tensor constant in whose place sdy.constant may stand, which nothing
  /// folds or merges.
  bool becomesSdyConstant = false;
  /// Its data flow edges are beyond upstream's: only there with sw-extra-rules.
  bool extraDataFlow = false;
};

/// Of ops that work element by element.
inline constexpr PropagationTraits kElementwise{.elementwise = true,
                                                .schedule =
                                                    Schedule::PassThroughOp,
                                                .basis = RuleBasis::Properties,
                                                .preservesConstants = true};
/// Of ops whose rule follows from their types and properties.
inline constexpr PropagationTraits kByProperties{.basis =
                                                     RuleBasis::Properties};

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H
