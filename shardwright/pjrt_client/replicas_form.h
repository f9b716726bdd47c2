//===- replicas_form.h - a program as replicas ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_REPLICAS_FORM_H
#define SHARDWRIGHT_PJRT_CLIENT_REPLICAS_FORM_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::pjrt_client {

/// Rewrites a program of one device, as the partitioner makes it, into a
/// program of replicas that no other partitioner needs to see: device r * P + p
/// of R replicas of P partitions becomes replica r * P + p of one partition.
/// Collectives name replicas and have no channel. Ops that other compilers do
/// not have are expressed by others; host transfers are an error.
mlir::LogicalResult toReplicasForm(mlir::ModuleOp local);

/// Registers `sw-replicas-form`.
void registerReplicasFormPass();

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_REPLICAS_FORM_H
