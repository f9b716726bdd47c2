//===- shardy_version.h - which Shardy to behave like -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where versions of Shardy behave differently, rules, propagation and pipelines
// behave like the newest, unless their option asks for an older one:
// `sw-shardy` of passes and pipelines, `--shardy` of the commands, `shardy` in
// C++.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_SHARDY_VERSION_H
#define SHARDWRIGHT_RULES_SHARDY_VERSION_H

#include "llvm/Support/CommandLine.h"

#include <cstdint>

namespace shardwright {

/// A version of Shardy, named after the first jaxlib that behaves like it.
/// Ordered by age.
enum class ShardyVersion : uint8_t { Jaxlib0_10_2, Jaxlib0_12_0 };

inline constexpr ShardyVersion kNewestShardy = ShardyVersion::Jaxlib0_12_0;

/// The values of an option that takes a version.
inline llvm::cl::ValuesClass shardyVersionValues() {
  return llvm::cl::values(
      clEnumValN(ShardyVersion::Jaxlib0_10_2, "0.10.2", "as in jaxlib 0.10.2"),
      clEnumValN(ShardyVersion::Jaxlib0_12_0, "0.12.0",
                 "as in jaxlib 0.12.0 (newest)"));
}

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_SHARDY_VERSION_H
