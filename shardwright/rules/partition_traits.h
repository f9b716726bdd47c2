//===- partition_traits.h - partitioning properties of ops ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of an op that the partitioner needs besides its sharding rule.
// Dialects define them beside the rule. Properties that depend on attributes
// are not here, but with the decisions that need them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_PARTITION_TRAITS_H
#define SHARDWRIGHT_RULES_PARTITION_TRAITS_H

#include <cstdint>

namespace shardwright {

/// Sums of products of the first two operands.
enum class Contraction : uint8_t { None, Dot, Convolution };

/// Ops whose result is a part of the first operand.
enum class Slicing : uint8_t {
  None,
  /// Attributes say which part.
  Static,
  /// Other operands say which part.
  Dynamic,
};

/// The time that an op takes in the cost model, beside moving its data.
enum class Work : uint8_t {
  Arithmetic,
  /// Takes no time and moves nothing: views, tuples, ids, control flow.
  None,
};

/// How backends run an op together with its neighbours.
enum class Fusion : uint8_t {
  /// As a kernel of its own.
  Alone,
  /// Its producers may run in its loops: reductions, concatenations.
  WithProducers,
  /// It may also run in the loops of its users: elementwise ops, movement.
  WithUsers,
};

struct PartitionTraits {
  /// Each row of the results depends only on the same rows of the operands,
  /// whatever dimension is padded: padding rows affect no other row, and the op
  /// need not be told about them. The padded dimension is no window dimension
  /// and is neither sorted nor transformed; such dimensions are replicated.
  /// Elementwise ops need not say so.
  bool ignoresPaddingRows = false;
  /// Operands describe the shape of the result.
  bool takesShapeAsOperand = false;
  /// Exchanges data with other devices.
  bool isCollective = false;
  /// Exchanges data with the host; an outside observer can count how often it
  /// runs.
  bool isHostTransfer = false;
  /// Has regions that run some number of times.
  bool isControlFlow = false;
  /// A row of a result may need other rows of an operand than the same one:
  /// partition/ops/op_windows.h reads which.
  bool hasWindows = false;
  Contraction contraction = Contraction::None;
  Slicing slicing = Slicing::None;
  Work work = Work::Arithmetic;
  /// Of an elementwise op: the additions that take about as long as one of its
  /// results.
  uint8_t operations = 1;
  /// Without the interface, MLIR's Elementwise trait implies `WithUsers`.
  Fusion fusion = Fusion::Alone;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_PARTITION_TRAITS_H
