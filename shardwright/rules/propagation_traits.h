//===- propagation_traits.h - an op beside its rule -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of an op that propagation needs beside its sharding rule. Dialects
// define them; propagation knows no op by name.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H
#define SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H

#include <cstdint>

namespace shardwright {

/// The pass in which op priority carries axes through an op
/// (sdy-op-priority-propagate).
enum class Schedule : uint8_t {
  /// Like an identity: elementwise, reshape, transpose, edges. First.
  PassThroughOp,
  /// Ops that read or write a part of a tensor: forward first.
  ForwardFirst,
  /// Ops that repeat a tensor: forward last.
  BackwardFirst,
  /// By the kind of the factor.
  ByFactor,
  /// Used by propagation itself: the direction of a barrier.
  Fixed,
};

/// The inputs of a rule. Ops with the same name and equal inputs share a rule,
/// which is built once.
enum class RuleBasis : uint8_t {
  /// Also the producers of operands, users, or regions.
  Anything,
  /// Types of operands and results, and properties.
  Properties,
  Types,
};

struct PropagationTraits {
  /// Elementwise: if two factors could take an axis, the one with more shards
  /// gets it. Implies `PassThroughOp` and `preservesConstants`.
  bool elementwise = false;
  Schedule schedule = Schedule::ByFactor;
  RuleBasis basis = RuleBasis::Anything;
  /// Makes a constant without operands. Each use gets a copy, so that uses may
  /// have different shardings.
  bool makesConstant = false;
  /// If all operands are constants, each use gets a copy: that is cheaper than
  /// one sharding for all uses.
  bool preservesConstants = false;
  /// Broadcasts a scalar operand 0 to its result: copied for each use, too.
  bool expandsScalar = false;
  /// A tensor constant that sdy.constant may replace; that op is neither folded
  /// nor merged.
  bool becomesSdyConstant = false;
  /// Its data flow edges exist only with sw-extra-rules: upstream has none.
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
