//===- budgets.h - what a program may cost ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_BUDGETS_H
#define SHARDWRIGHT_TOOLS_BUDGETS_H

#include "session.h"

namespace shardwright {

/// Compares what was compiled with the budgets of the options. Of each that is
/// exceeded, prints on standard error by how much, by what (op or value,
/// location, sharding, bytes) and what would help. Returns exitDiffers if there
/// was one, exitBadInput (the error has been printed) if one cannot be checked.
int checkBudgets(const CommonOptions &options, Session &session);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_BUDGETS_H
