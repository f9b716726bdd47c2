//===- sdy_text.h - meshes, shardings and symbols as text -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_SDY_TEXT_H
#define SHARDWRIGHT_FRONTEND_LOWER_SDY_TEXT_H

#include "shardwright/frontend/mesh/sharding.h"

namespace shardwright::frontend {

/// `#sdy.sharding<@mesh, [{"x"}, {?}]>`. `replicated`: axes that must not be
/// used further. `openDims`: every dimension may be
/// sharded further.
std::string sdySharding(const std::string &meshName, const PartitionSpec &spec,
                        int64_t rank, bool openDims = false,
                        const AxisNames &replicated = {});

/// `<["x"=4]> {stablehlo.mesh = ...}`: what follows the symbol of a mesh.
std::string sdyMesh(const AbstractMesh &mesh);

/// The definitions of @mesh, @mesh_0, .. and of the meshes of single devices;
/// -1: of the mesh without axes.
std::string sdyMeshes(const std::vector<AbstractMesh> &meshes,
                      const std::set<int64_t> &devices);

/// The text between the quotes of an MLIR string.
std::string escapedText(const std::string &text);
/// `@f`, `@"<lambda>"`.
std::string symbolText(const std::string &name);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_SDY_TEXT_H
