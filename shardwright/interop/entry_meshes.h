//===- entry_meshes.h - keep the meshes of the entry ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_ENTRY_MESHES_H
#define SHARDWRIGHT_INTEROP_ENTRY_MESHES_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// If the module has meshes of different numbers of devices: erases those of
/// other numbers than the meshes that the entry function and its callees use,
/// together with the functions that only other entries need. A module whose
/// entry uses no mesh loses all of them. Values that the entry shards on a mesh
/// of one device, beside a mesh of several, are replicated on the latter (JAX
/// calls programs that were exported for one device in this way). Nothing
/// changes if the entry uses meshes of several other numbers of devices, or if
/// there is no entry.
void keepEntryMeshes(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_ENTRY_MESHES_H
