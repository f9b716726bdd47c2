//===- measured_timeline.h - a run in a report document ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_MEASURED_TIMELINE_H
#define SHARDWRIGHT_REPORT_DOCUMENT_MEASURED_TIMELINE_H

#include "shardwright/backend/loaded_program.h"

#include "llvm/Support/JSON.h"

namespace shardwright {

/// Replaces the predicted `timeline` of a document by the trace of a run, with
/// a lane for each device. `seconds`: the time of the run. `processOf`: of a
/// run on several processes, the process of each device; the times of its
/// events start when the run starts in that process.
void setMeasuredTimeline(const LoadedProgram &program, const Trace &trace,
                         double seconds, llvm::json::Object &document,
                         llvm::ArrayRef<int32_t> processOf = {});

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_MEASURED_TIMELINE_H
