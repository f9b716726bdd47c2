//===- auto_report.h - what a search found, as text and JSON ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_AUTO_REPORT_H
#define SHARDWRIGHT_AUTO_AUTO_REPORT_H

#include "shardwright/auto/auto_shard.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace shardwright {

/// `title` names the module and the machine.
void writeAutoText(const AutoResult &result, llvm::StringRef title,
                   llvm::raw_ostream &os);
llvm::json::Value autoJson(const AutoResult &result);
/// A Python dictionary from the names of arguments and results to
/// PartitionSpecs.
void writeSpecsPython(const AutoResult &result, llvm::raw_ostream &os);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_AUTO_REPORT_H
