//===- backend.cc - what compiles and runs per-device programs ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/backend.h"

using namespace shardwright;

Backend::~Backend() = default;
LoadedProgram::~LoadedProgram() = default;
