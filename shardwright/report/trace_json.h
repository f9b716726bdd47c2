//===- trace_json.h - write a Chrome trace ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_TRACE_JSON_H
#define SHARDWRIGHT_REPORT_TRACE_JSON_H

#include "shardwright/backend/loaded_program.h"

#include "llvm/Support/raw_ostream.h"

namespace shardwright {

/// Writes the Trace Event Format (chrome://tracing, Perfetto): a row per
/// device, a complete event per span, times in microseconds, with the bytes
/// that a step reads and writes and its arithmetic operations. A loop is an
/// event around those of its iterations, which are around those of their steps.
/// Of a run on
/// several processes, `processOf` says which one each device belongs to; their
/// times start when the run starts in each.
void writeTrace(const LoadedProgram &program, const Trace &trace,
                llvm::raw_ostream &os, llvm::ArrayRef<int32_t> processOf = {});

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_TRACE_JSON_H
