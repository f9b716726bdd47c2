//===- plan.h - the steps of a kernel ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_RUN_PLAN_H
#define SHARDWRIGHT_FRONTEND_CORES_RUN_PLAN_H

#include "shardwright/frontend/cores/kernel_param.h"
#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend::kernels {

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

/// A step of the program of a core. Compute steps are compiled; the others are
/// carried out by the runtime.
struct Step {
  enum class Kind : uint8_t {
    Compute, ///< a run of equations without state
    Forward, ///< the result is the operand
    AxisIndex,
    Get,
    Swap,
    AddUpdate,
    DmaStart,
    DmaWait,
    Signal,
    SemaphoreWait,
    SemaphoreRead,
    Call, ///< a program that is applied once
    Scoped,
    Scan,
    While,
    Cond,
  };
  Kind kind = Kind::Compute;
  /// In the kernel, unique.
  int32_t id = 0;
  /// Of all kinds but Compute.
  const Eqn *eqn = nullptr;
  /// Of Compute: the program, and the variables of its inputs and results.
  JaxprPtr program = nullptr;
  std::vector<int32_t> ins = {}, outs = {};
  /// The programs of the equation.
  std::vector<PlanPtr> inner = {};
};

/// The steps of one program. Its types say nothing of manual axes.
struct Plan {
  JaxprPtr jaxpr;
  std::vector<Step> steps;
  /// Of the plan of a kernel: the number of steps in all its programs.
  int32_t numSteps = 0;
};

/// Divides the program of a kernel into steps. `axes`: those whose positions
/// the runtime knows. An error names an equation that kernels do not have.
Expected<PlanPtr> makePlan(const JaxprPtr &jaxpr, const AxisNames &axes);

} // namespace shardwright::frontend::kernels

#endif // SHARDWRIGHT_FRONTEND_CORES_RUN_PLAN_H
