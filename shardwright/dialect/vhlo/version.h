//===- version.h - versions of StableHLO and of its artifacts -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_VHLO_VERSION_H
#define SHARDWRIGHT_DIALECT_VHLO_VERSION_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <compare>
#include <optional>

namespace shardwright::vhlo {

/// A version of StableHLO, such as 1.17.0.
struct Version {
  int64_t major = 0, minor = 0, patch = 0;

  friend constexpr auto operator<=>(const Version &, const Version &) = default;
  /// Parses "1.17.0"; nothing for any other form.
  static std::optional<Version> parse(llvm::StringRef text);
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Version &version);

/// The versions that we read and write.
inline constexpr Version kMinimumVersion{0, 9, 0};
inline constexpr Version kCurrentVersion{1, 20, 0};

} // namespace shardwright::vhlo

#endif // SHARDWRIGHT_DIALECT_VHLO_VERSION_H
