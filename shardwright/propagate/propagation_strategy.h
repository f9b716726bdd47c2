//===- propagation_strategy.h - how conflicts are resolved ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_PROPAGATION_STRATEGY_H
#define SHARDWRIGHT_PROPAGATE_PROPAGATION_STRATEGY_H

namespace shardwright {

/// How conflicts over an axis are resolved. Basic: an axis that two factors of
/// an op could take is given to neither. Aggressive: it is given to one of them
/// (step/factor_propagation.h).
enum class PropagationStrategy { Basic, Aggressive, BasicThenAggressive };

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_PROPAGATION_STRATEGY_H
