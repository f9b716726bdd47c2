//===- collective_table.h - collectives of a report document ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_COLLECTIVE_TABLE_H
#define SHARDWRIGHT_REPORT_DOCUMENT_COLLECTIVE_TABLE_H

#include "shardwright/report/document/document.h"
#include "shardwright/report/document/source_stacks.h"
#include "shardwright/report/document/value_table.h"
#include "shardwright/report/explain/explain_collectives.h"

namespace shardwright {

/// Adds `collectives`, `needs` and `reshards`.
void writeCollectives(const DocumentParts &parts, const ValueTable &values,
                      StringTable &strings, SourceStacks &stacks,
                      llvm::json::Object &document);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_COLLECTIVE_TABLE_H
