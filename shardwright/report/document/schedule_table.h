//===- schedule_table.h - time and memory of a report document --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_SCHEDULE_TABLE_H
#define SHARDWRIGHT_REPORT_DOCUMENT_SCHEDULE_TABLE_H

#include "shardwright/report/document/document.h"
#include "shardwright/report/document/value_table.h"

namespace shardwright {

/// Adds the columns `flops`, `seconds` and `communication_seconds` to the
/// document's `ops`, and adds `flops` and `timeline`.
void writeSchedule(const DocumentParts &parts, StringTable &strings,
                   llvm::json::Object &document);

/// Adds `memory`.
void writeMemory(const DocumentParts &parts, const ValueTable &values,
                 llvm::json::Object &document);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_SCHEDULE_TABLE_H
