//===- gspmd_text.h - modules in GSPMD's notation ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_GSPMD_TEXT_H
#define SHARDWRIGHT_FRONTEND_TILING_GSPMD_TEXT_H

#include "shardwright/frontend/api/jit.h"

namespace shardwright::frontend {

/// The module as JAX lowers it for GSPMD: shardings as `mhlo.sharding`, and for
/// each argument and result of a function of tiles @Sharding and
/// @SPMDFullToShardShape or @SPMDShardToFullShape. `LoweredStage::asText` gives
/// that for Shardy. Errors: a module that GSPMD cannot express.
Expected<std::string> gspmdText(const LoweredStage &lowered);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_GSPMD_TEXT_H
