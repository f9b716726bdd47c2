//===- program_rewrites.h - equations that are lowered together -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_PROGRAM_REWRITES_H
#define SHARDWRIGHT_FRONTEND_TRACE_PROGRAM_REWRITES_H

#include "shardwright/frontend/trace/jaxpr.h"

namespace shardwright::frontend {

/// Returns a program with the same inputs and results in which equations that
/// have a form in StableHLO only together are one equation. Programs in
/// parameters stay as they are.
using ProgramRewrite = std::function<Expected<JaxprPtr>(const Jaxpr &)>;

/// Registers the rewrite of all programs that have equations of one of these
/// primitives. Call it while static objects are initialized. Returns true, so
/// that a constant of a file can hold the call.
bool addProgramRewrite(std::vector<std::string> primitives,
                       ProgramRewrite rewrite);

/// The program after the rewrites that it needs; null: it needs none. Programs
/// are rewritten before they are lowered or linearized.
Expected<JaxprPtr> rewrittenProgram(const Jaxpr &jaxpr);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_PROGRAM_REWRITES_H
