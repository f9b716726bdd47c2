//===- prepare_module.h - applies compile options to a module -------------===//
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

/// Replicates the values of @main that have no sharding and whose sharding we
/// must not choose.
void closeShardings(mlir::ModuleOp module, const CompileRequest &request);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_REQUEST_PREPARE_MODULE_H
