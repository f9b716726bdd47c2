//===- model_explorer.h - graphs for Model Explorer -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_DOCUMENT_MODEL_EXPLORER_H
#define SHARDWRIGHT_REPORT_DOCUMENT_MODEL_EXPLORER_H

#include "shardwright/report/document/document_view.h"

namespace shardwright {

/// A graph collection, as adapters of Model Explorer make it: one graph per
/// function. Namespaces are the scopes of JAX's names of ops; nodes have the
/// shardings and the local types of their results.
llvm::json::Object modelExplorerGraphs(const DocumentView &view);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_DOCUMENT_MODEL_EXPLORER_H
