//===- module_metadata.h - attributes of localized modules ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes that `sdy-convert-global-to-local` puts on the module, since the
// local types of main do not show how arguments and results are sharded. Each
// is a `#sdy.sharding_per_value` with inlined meshes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_MODULE_METADATA_H
#define SHARDWRIGHT_DIALECT_SDY_MODULE_METADATA_H

#include "llvm/ADT/StringRef.h"

namespace shardwright::sdy {

/// One sharding per argument of main.
inline constexpr llvm::StringLiteral kParametersShardingsAttr =
    "sdy.parameters_shardings";
/// One sharding per result of main.
inline constexpr llvm::StringLiteral kOutputShardingsAttr =
    "sdy.output_shardings";

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_MODULE_METADATA_H
