//===- program_reports.h - explanations and reports of programs -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_PROGRAM_REPORTS_H
#define SHARDWRIGHT_FRONTEND_JIT_PROGRAM_REPORTS_H

#include "shardwright/frontend/jit/explain_query.h"
#include "shardwright/frontend/jit/program.h"

namespace shardwright::frontend {

/// Answers a question about the shardings of a program. `argNames`: those of
/// the inputs that the program keeps.
Expected<std::string> explainLowered(const LoweredProgram &lowered,
                                     const std::vector<std::string> &argNames,
                                     const ExplainQuery &query);
/// Partitions a program, and returns its report. It needs no devices.
Expected<std::string> reportLowered(const LoweredProgram &lowered,
                                    const std::vector<std::string> &argNames,
                                    const ReportQuery &query);
/// `lowered`: what it was compiled from; null if it was loaded, which makes a
/// page an error.
Expected<std::string> reportCompiled(const CompiledProgram &program,
                                     const LoweredProgram *lowered,
                                     const std::vector<std::string> &argNames,
                                     const ReportQuery &query);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_PROGRAM_REPORTS_H
