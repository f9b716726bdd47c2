//===- prepare_module.h - what clients ask for, said in the module ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_REQUEST_PREPARE_MODULE_H
#define SHARDWRIGHT_PJRT_REQUEST_PREPARE_MODULE_H

#include "shardwright/pjrt/request/compile_request.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::pjrt {

/// By parameter and output of @main: its position when tokens do not count, -1
/// for a token.
struct TokenPositions {
  std::vector<int32_t> argumentOf, resultOf;
};

/// Takes the tokens from @main's signature: a run waits for the events of those
/// that it is given, so that nothing else needs to be handed from one to the
/// next.
mlir::FailureOr<TokenPositions> dropTokens(mlir::ModuleOp module);

/// Values of @main without a sharding that are not ours to shard are
/// replicated.
void closeShardings(mlir::ModuleOp module, const CompileRequest &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_PREPARE_MODULE_H
