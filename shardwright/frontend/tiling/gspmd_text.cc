//===- gspmd_text.cc - modules in GSPMD's notation ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/gspmd_text.h"

#include "shardwright/frontend/jit/gspmd_module.h"
#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

Expected<std::string> gspmdText(const LoweredStage &lowered) {
  if (!lowered.program)
    return lowered.asText();
  return gspmdModuleText(lowered.program->text);
}

} // namespace shardwright::frontend
