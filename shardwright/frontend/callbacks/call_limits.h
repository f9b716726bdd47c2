//===- call_limits.h - how long functions of the user may run ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_CALL_LIMITS_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_CALL_LIMITS_H

#include "shardwright/frontend/base/config.h"

namespace shardwright::frontend::config {

/// A function of the user that a program or the compiler has called and that
/// has not returned after this time is reported on standard error, or to the
/// handler of warnings, and again whenever the time has doubled. 0: never.
extern Config<double> callbackReportSecs;
/// The call of a callback that has not returned after this time is an error.
/// The function goes on, on a thread of its own. 0: never.
extern Config<double> callbackTimeoutSecs;

} // namespace shardwright::frontend::config

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_CALL_LIMITS_H
