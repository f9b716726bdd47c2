//===- tile_types.h - types of tiles of arrays ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_TILE_TYPES_H
#define SHARDWRIGHT_FRONTEND_TILING_TILE_TYPES_H

#include "shardwright/frontend/array/aval.h"
#include "shardwright/frontend/pmap/sharding_spec.h"

namespace shardwright::frontend {

/// The axes of a spec with their dimensions, dimension by dimension. Errors:
/// an entry that is UNCONSTRAINED. JAX: get_array_mapping.
Expected<ArrayMapping> getArrayMapping(const PartitionSpec &spec);

/// The type of one tile of a value: each mapped dimension divided by the size
/// of its axis. Errors: an axis that the mesh does not have or that is mapped
/// twice; a dimension that is not there or does not divide. JAX: tile_aval_nd.
Expected<Aval> tileAval(const AbstractMesh &mesh, const ArrayMapping &axes,
                        const Aval &type);
/// The type of the value that tiles of this type make up. JAX: untile_aval_nd.
Expected<Aval> untileAval(const AbstractMesh &mesh, const ArrayMapping &axes,
                          const Aval &type);

/// The part of a value that this process holds, and back. All devices are those
/// of this process: the part is the value. Errors: as tileAval.
Expected<Aval> meshGlobalToLocal(const Mesh &mesh, const ArrayMapping &axes,
                                 const Aval &type);
Expected<Aval> meshLocalToGlobal(const Mesh &mesh, const ArrayMapping &axes,
                                 const Aval &type);

/// The HLO sharding of a value in a region that runs per device along some axes
/// and is replicated along the others, as the classic lowering writes it:
/// `{devices=[1,1,2,4]<=[4,2]T(1,0) last_tile_dims={replicated, manual}}`.
/// Errors: an axis that the mesh does not have. JAX: manual_proto.
Expected<std::string> manualProto(int64_t rank, const AxisNames &manualAxes,
                                  const AbstractMesh &mesh);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_TILE_TYPES_H
