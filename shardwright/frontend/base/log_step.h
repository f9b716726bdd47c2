//===- log_step.h - messages about steps of compilation ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_LOG_STEP_H
#define SHARDWRIGHT_FRONTEND_BASE_LOG_STEP_H

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/base/warning.h"

#include <chrono>
#include <cstdio>

namespace shardwright::frontend {

/// While config::logCompiles is set, passes `Finished STEP in 0.01 sec` to the
/// handler of warnings at the end of its scope.
class LogStep {
public:
  explicit LogStep(std::string s)
      : step(config::logCompiles.get() ? std::move(s) : std::string()),
        start(std::chrono::steady_clock::now()) {}
  ~LogStep() {
    if (step.empty())
      return;
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.9f", time.count());
    warn("Finished " + step + " in " + seconds + " sec");
  }
  LogStep(const LogStep &) = delete;
  LogStep &operator=(const LogStep &) = delete;

private:
  std::string step;
  std::chrono::steady_clock::time_point start;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_LOG_STEP_H
