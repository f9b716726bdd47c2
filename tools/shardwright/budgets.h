//===- budgets.h - checks the budgets of --fail-on --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_BUDGETS_H
#define SHARDWRIGHT_TOOLS_BUDGETS_H

#include "session.h"

namespace shardwright {

/// Compares the compiled program with the budgets of the options. For each
/// exceeded budget, prints on standard error by how much and by which op or
/// value (location, sharding, bytes) it is exceeded, and a remedy. Returns
/// exitDiffers if one is exceeded, exitBadInput (the error has been printed) if
/// one cannot be checked.
int checkBudgets(const CommonOptions &options, Session &session);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_BUDGETS_H
