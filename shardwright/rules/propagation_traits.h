//===- propagation_traits.h - propagation properties of ops -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of an op that propagation needs besides its sharding rule.
// Dialects define them; propagation does not depend on op names.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H
#define SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H

#include "shardwright/rules/shardy_version.h"

#include <cstdint>

namespace shardwright {

/// The step of op priority propagation (sdy-op-priority-propagate) in which
/// axes pass through an op.
enum class Schedule : uint8_t {
  /// Like an identity: elementwise, reshape, transpose, edges. First.
  PassThroughOp,
  /// Ops that read or write a part of a tensor: forward first.
  ForwardFirst,
  /// Ops that repeat a tensor: forward last.
  BackwardFirst,
  /// Depends on the kind of the factor.
  ByFactor,
  /// The direction is fixed; for barriers.
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
  /// Broadcasts scalar operand 0 to its result: each use gets a copy, too.
  bool expandsScalar = false;
  /// A tensor constant that sdy.constant may replace; that op is neither folded
  /// nor merged.
  bool becomesSdyConstant = false;
  /// Shardy of jaxlib 0.10.2 knows no data flow edges of this op.
  bool newDataFlow = false;

  /// True if this version of Shardy knows no data flow edges of the op.
  bool lacksDataFlowIn(ShardyVersion shardy) const {
    return newDataFlow && shardy < ShardyVersion::Jaxlib0_12_0;
  }
};

/// Traits of elementwise ops.
inline constexpr PropagationTraits kElementwise{.elementwise = true,
                                                .schedule =
                                                    Schedule::PassThroughOp,
                                                .basis = RuleBasis::Properties,
                                                .preservesConstants = true};
/// Traits of ops whose rule depends only on types and properties.
inline constexpr PropagationTraits kByProperties{.basis =
                                                     RuleBasis::Properties};

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_PROPAGATION_TRAITS_H
