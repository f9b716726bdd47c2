//===- gspmd_module.h - modules in GSPMD's notation -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_GSPMD_MODULE_H
#define SHARDWRIGHT_FRONTEND_JIT_GSPMD_MODULE_H

#include "shardwright/frontend/base/error.h"

#include <string>

namespace shardwright::frontend {

/// The text of a module with sdy shardings, with GSPMD's in their place.
/// Errors: a module that GSPMD cannot express.
Expected<std::string> gspmdModuleText(const std::string &text,
                                      bool withLocations = false);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_GSPMD_MODULE_H
