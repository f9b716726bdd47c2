//===- run_context.cc - context of the current run ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/run_context.h"

using namespace shardwright::cpu;

static const RunContext none;
static thread_local const RunContext *here = &none;
static thread_local int32_t positionHere = -1;

const RunContext &RunContext::current() { return *here; }

int32_t RunContext::currentDevice() {
  return positionHere >= 0 && positionHere < int32_t(here->devices.size())
             ? here->devices[positionHere].number()
             : positionHere;
}

RunContext::Scope::Scope(const RunContext &context, int32_t position)
    : before(here), positionBefore(positionHere) {
  here = &context;
  positionHere = position;
}

RunContext::Scope::~Scope() {
  here = before;
  positionHere = positionBefore;
}
